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

import (
	"hash/maphash"
	"slices"

	"reviewcast/generator/diagnostic"
)

// Kind is the kind of a value, whatever the format it was written in.
type Kind uint8

// The kinds.
const (
	Null    Kind = iota // YAML and JSON null, nothing after a colon, an empty cell
	Text                // quoted, or YAML text without quotes
	Number              // a number without quotes
	Date                // a YAML date without quotes
	Boolean             // true or false without quotes
	List                // Items
	Mapping             // Entries
	Cell                // a CSV cell, which may stand for any of the above
	Refused             // a value that the reader has already reported
)

// String returns the kind as messages name it.
func (k Kind) String() string {
	return [...]string{"empty", "text", "a number", "a date", "true or false", "a list", "several fields", "text", "refused"}[k]
}

// Node is one value of a file: YAML, JSONL and CSV become the same tree, so that one decoder serves them all.
type Node struct {
	Kind    Kind
	Text    string // of a scalar: quotes and escapes undone, otherwise as written
	Line    int    // from 1
	Col     int    // from 1, in Unicode code points
	Items   []Node
	Entries []Entry
}

// Entry is one field of a mapping.
type Entry struct {
	Key   Node
	Value Node
}

// Has reports whether a mapping has a field.
func (n *Node) Has(name string) bool {
	return slices.ContainsFunc(n.Entries, func(e Entry) bool { return e.Key.Text == name })
}

// Rebase moves the tree so that n is in line 1, and returns the line that it was in. A value that moves to another
// line of its file is the same value then.
func (n *Node) Rebase() int {
	first := n.Line
	n.visit(func(n *Node) { n.Line += 1 - first })
	return first
}

// visit calls each with every node of the tree, n first.
func (n *Node) visit(each func(*Node)) {
	each(n)
	for i := range n.Items {
		n.Items[i].visit(each)
	}
	for i := range n.Entries {
		n.Entries[i].Key.visit(each)
		n.Entries[i].Value.visit(each)
	}
}

// AddTo adds the tree to a hash: kinds, texts and places.
func (n *Node) AddTo(h *maphash.Hash) {
	n.visit(func(n *Node) {
		maphash.WriteComparable(h, [...]int{int(n.Kind), n.Line, n.Col, len(n.Text), len(n.Items), len(n.Entries)})
		_, _ = h.WriteString(n.Text)
	})
}

// Describe returns what a value is, for messages about what it should be.
func (n *Node) Describe() string {
	switch n.Kind {
	case Text, Cell:
		return "the text " + diagnostic.Quote(n.Text)
	case Number, Date, Boolean:
		return QuoteScalar(n.Text)
	}
	return n.Kind.String()
}

// QuoteScalar returns a value that was written without quotes as it was written, if a message can hold it.
func QuoteScalar(s string) string {
	quoted := diagnostic.Quote(s)
	return diagnostic.Pick(quoted == `"`+s+`"`, s, quoted)
}
