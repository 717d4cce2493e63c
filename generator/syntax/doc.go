// Package syntax turns the bytes of an editor's file into positioned nodes. YAML, JSONL and CSV become the same tree
// of [Node] values, so that one decoder serves all formats. It knows no field of a review.
//
// Texts are taken as written: nothing is trimmed, folded or normalised. Three things belong to the format and not to
// the text: the quotes and escapes around it; the line ends of the file, so that CR LF is read as a line feed; and the
// last line break of a YAML block (| or >), which every block has whether its writer wants it or not. A block that is
// written |+ or >+ keeps all its line breaks.
//
// What may be misread is refused: anchors, aliases, merge keys and tags, control characters, bytes that aren't UTF-8.
//
// Readers report everything that is wrong to a [diagnostic.List] and go on as far as they can. After a syntax error a
// YAML list is read item by item, and corrections of common mistakes are tried near the place: the one with which the
// parser gets further is reported in place of the parser's message, and the rest is read with it. In JSONL each line
// stands for itself; of a CSV file the rest is lost.
//
// Untrusted input is bounded before a parser sees it: [MaxYAMLFile], [MaxDataFile], [MaxLine], [MaxDepth],
// [MaxRecords].
package syntax
