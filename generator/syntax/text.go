package syntax

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"reviewcast/generator/diagnostic"
)

// Clean checks the bytes of a file before a parser sees them. It reports every byte that is not UTF-8 and every
// character that may not be published, and returns text that is safe to parse, where each of them is U+FFFD, so that
// the other problems of the file are found in the same run. ok is false if the file is not text.
//
// separators refuses U+2028 and U+2029, too: YAML takes them for line ends, so they could not be published as written.
func Clean(data []byte, separators bool, p *diagnostic.List) (_ []byte, ok bool) {
	data, ok = checkStart(data, p)
	if !ok {
		return nil, false
	}
	return cleanLines(unfence(data, p), separators, p)
}

// unfence blanks the lines of a fence of Markdown, which chats write around a file, and what is outside of it.
func unfence(data []byte, p *diagnostic.List) []byte {
	if len(data) > MaxYAMLFile || !bytes.HasPrefix(data, []byte("```")) && !bytes.Contains(data, []byte("\n```")) {
		return data
	}
	var fences []int
	lines := bytes.SplitAfter(data, []byte("\n"))
	for i := range lines {
		if bytes.HasPrefix(lines[i], []byte("```")) {
			fences = append(fences, i)
		}
	}
	first, last := fences[0], fences[len(fences)-1]
	end := 1 + bytes.Count(bytes.TrimRight(data, "\r\n"), []byte("\n"))
	around := fmt.Sprintf("delete what is not part of the file: lines 1 to %d and %d to %d", first+1, last+1, end)
	remedy := diagnostic.Pick(first < last, around, "delete this line, and others that are not part of the file")
	if first == 0 && last+1 == end {
		remedy = fmt.Sprintf("delete lines 1 and %d", end)
	}
	p.Add(diagnostic.Error, first+1, 1, "bad-character", "this line is of a chat or of Markdown, which write ``` around a file", remedy)
	for i := range lines {
		if slices.Contains(fences, i) || last > first && (i < first || i > last) {
			lines[i] = []byte("\n")
		}
	}
	return bytes.Join(lines, nil)
}

// checkStart checks the encoding and the type of a file by its first bytes, and drops a byte order mark.
func checkStart(data []byte, p *diagnostic.List) (_ []byte, ok bool) {
	if wide(data) {
		p.Add(diagnostic.Error, 1, 1, "not-utf8", "the file is saved as UTF-16, which Windows calls Unicode", saveAsUTF8)
		return nil, false
	}
	data = bytes.TrimPrefix(data, []byte("\uFEFF")) // Windows editors and spreadsheets write it before UTF-8
	for _, f := range fileTypes {
		begins, _ := strconv.Unquote(f[0])
		if len(data) >= len(begins) && strings.EqualFold(string(data[:len(begins)]), begins) {
			p.Add(diagnostic.Error, 0, 0, "not-text", "the file is "+f[1], f[2])
			return nil, false
		}
	}
	return data, true
}

// mergeSigns begin the lines that version control writes around two versions of a text.
var mergeSigns = [][]byte{[]byte("<<<<<<< "), []byte(">>>>>>> "), []byte("||||||| ")}

// reportMerge reports such lines.
func reportMerge(data []byte, p *diagnostic.List) bool {
	line, first, last := 0, 0, 0
	for text := range bytes.Lines(data) {
		line++
		if slices.ContainsFunc(mergeSigns, func(sign []byte) bool { return bytes.HasPrefix(text, sign) }) {
			first, last = cmp.Or(first, line), line
		}
	}
	if first == 0 {
		return false
	}
	lines := diagnostic.Pick(last > first, fmt.Sprintf("lines %d to %d are", first, last), "this line is")
	message := lines + " left of an unfinished merge of two versions"
	p.Add(diagnostic.Error, first, 1, "merge-marker", message, "keep the lines of one version and delete the lines that begin with <<<<<<<, ======= and >>>>>>>")
	return true
}

// cleanLines is [Clean] for lines of a file; the first is line 1.
func cleanLines(data []byte, separators bool, p *diagnostic.List) (_ []byte, ok bool) {
	if reportMerge(data, p) {
		return nil, false
	}
	if !suspicious(data, separators) {
		return data, true
	}
	if bytes.Count(data, []byte("\r")) > 1 && !bytes.Contains(bytes.TrimSpace(data), []byte("\n")) {
		p.Add(diagnostic.Error, 1, 1, "bad-character", "the lines end as old Macs ended them, so that the whole file is one line", "save it with the line ends of Windows or Unix (LF); in Excel as CSV UTF-8, not as CSV (Macintosh)")
		return nil, false
	}
	out := make([]byte, 0, len(data)+16)
	line, col := 1, 1
	// A file in another encoding has many bytes that are not UTF-8, and one cause: the first byte is reported, the others
	// are counted.
	invalid, badLine, badCol, badByte := 0, 0, 0, byte(0)
	for i := 0; i < len(data); {
		c, size := utf8.DecodeRune(data[i:])
		switch next := i + size; {
		case c == '\n':
			line, col = line+1, 0
		case c == 0:
			p.Add(diagnostic.Error, line, col, "not-text", "NUL byte: this is not a text file", "save it as plain text in UTF-8")
			return nil, false
		case c == utf8.RuneError && size == 1:
			if invalid++; invalid == 1 {
				badLine, badCol, badByte = line, col, data[i]
			}
		case c == '\r' && next < len(data) && data[next] == '\n' || !badRune(c, separators):
		case p.Full(): // a message for each of a million would never be read
			p.Drop(1, diagnostic.Error)
			c = utf8.RuneError
		default:
			message, suggestion := NameRune(c)+" is not allowed", BadRuneRemedy(c)
			switch c {
			case '\r':
				message = "carriage return (U+000D) without a line feed"
			case '\u2028', '\u2029':
				message = fmt.Sprintf("the separator U+%04X is a line end in YAML", c)
				suggestion = fmt.Sprintf(`use a line break, or write \u%04x in a text in double quotes`, c)
			}
			_, before := utf8.DecodeLastRune(data[:i])
			if garbled, meant := diagnostic.Mojibake(string(data[i-before : min(next+2, len(data))])); garbled != "" {
				message, suggestion = fmt.Sprintf("%s stands for %s: a program has read UTF-8 as Windows-1252", diagnostic.Quote(garbled), diagnostic.Quote(meant)), "copy the text again from where it was given, or write "+meant
			}
			p.Add(diagnostic.Error, line, col, "bad-character", message, suggestion)
			c = utf8.RuneError
		}
		out = utf8.AppendRune(out, c)
		i, col = i+size, col+1
	}
	if invalid > 0 {
		c := charmap.Windows1252.DecodeByte(badByte)
		probably := diagnostic.When(badByte >= 0xA0 || unicode.IsPunct(c), fmt.Sprintf("a character, probably %c, is saved in an old encoding: ", c))
		message := fmt.Sprintf("%sbyte 0x%02X is not UTF-8", probably, badByte) + diagnostic.When(invalid > 1, fmt.Sprintf("; in all there are %d such bytes", invalid))
		p.Add(diagnostic.Error, badLine, badCol, "not-utf8", message, saveAsUTF8)
	}
	return out, true
}

// fileTypes are types of files that are taken for text: the first bytes, what it is and what to do instead.
var fileTypes = diagnostic.Rows(wordsFile, "types of files")

// saveAsUTF8 is the remedy for a file in another encoding.
const saveAsUTF8 = "save the file as UTF-8: in Notepad with File, Save as, Encoding; in TextEdit with UTF-8 as Plain Text Encoding; in Excel as CSV UTF-8"

// wide reports whether data seems to be in UTF-16, by its byte order mark or its first character.
func wide(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0xFF, 0xFE}) || bytes.HasPrefix(data, []byte{0xFE, 0xFF}) || len(data) > 1 && (data[0] == 0) != (data[1] == 0)
}

// suspicious reports whether cleanLines has to look at each character. Few files need it.
func suspicious(data []byte, separators bool) bool {
	return !utf8.Valid(data) || bytes.ContainsFunc(data, func(r rune) bool { return badRune(r, separators) })
}

// badRune reports whether reviewcast.BadRune would find the character in a text, or it is a separator.
func badRune(r rune, separators bool) bool {
	return r < ' ' && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF || r >= 0x7F && unicode.IsControl(r) ||
		separators && (r == '\u2028' || r == '\u2029')
}

// NameRune returns the name of a character that may not be published.
func NameRune(r rune) string {
	return fmt.Sprintf("%scharacter U+%04X", diagnostic.Pick(r == 0xFFFE || r == 0xFFFF, "non", "control "), r)
}

// BadRuneRemedy returns the suggestion for such a character.
func BadRuneRemedy(r rune) string {
	return diagnostic.Pick(r == '\r', "end lines with a line feed", "delete it; only tabs and line breaks are allowed")
}

// MaxRecords is how many lines or rows of one file are read: a folder holds no more records than that.
const MaxRecords = 1_000_000

// ReadLines calls each with every line that is not blank, without its line end, and with what follows; each returns
// how many lines it has read, or 0 to stop. complete is false if some lines were not read, which is reported: the file
// is not text, a line is longer than [MaxLine], there are more than [MaxRecords].
func ReadLines(data []byte, p *diagnostic.List, each func(line int, text, rest []byte) (read int)) (complete bool) {
	data, complete = checkStart(data, p)
	line, next := 0, 1
	for text := range bytes.Lines(data) {
		data = data[len(text):]
		if line++; line > MaxRecords {
			p.Add(diagnostic.Error, line, 1, "too-many-reviews", fmt.Sprintf("the file has more than %d lines", MaxRecords), "a folder can hold no more reviews than that")
			return false
		}
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte{'\n'}), []byte{'\r'})
		switch {
		case len(text) > MaxLine:
			p.Add(diagnostic.Error, line, 1, "too-long", fmt.Sprintf("the line is longer than %d bytes", MaxLine), "write one review per line")
			complete = false
		case line >= next && len(bytes.TrimLeft(text, " \t")) > 0:
			if next = line + each(line, text, data); next == line {
				return false
			}
		}
	}
	return complete
}
