package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast/generator/diagnostic"
)

// Limits of JSONL and CSV, which are the formats of exports.
const (
	// MaxDataFile is the size of the largest JSONL or CSV file, in bytes.
	MaxDataFile = 1 << 30
	// MaxLine is the length of the longest line in bytes. It stops a file without line ends from being held in memory as
	// a whole.
	MaxLine = 4 << 20
	// maxValues is how many values a line of JSONL may have. It stops four megabytes of "[[],[],…" from becoming
	// hundreds.
	maxValues = 10_000
)

type jsonLine struct {
	*diagnostic.List
	*jsontext.Decoder
	data []byte
	// Up to byte seen, there are col-1 code points.
	seen, col int
	values    int
}

// ReadJSON parses one line, without its line end, by itself, so that a broken line hides no other. Places are
// relative: it is line 1 wherever it is in the file. A line that is not one JSON value is reported and gives nil.
func ReadJSON(data []byte, p *diagnostic.List) *Node {
	j := &jsonLine{List: p}
	n, err := j.parse(data)
	if err == nil {
		return n
	}
	if suspicious(data, false) {
		// Bytes that JSON does not allow explain more than the syntax error.
		before := p.Len()
		if data, _ = cleanLines(data, false, p); p.Len() > before {
			n, _ = j.parse(data)
			return n
		}
	}
	j.explain(err)
	return nil
}

// Limits of the lines of one review that are joined, so that a file of them takes no minutes.
const maxJoined, maxJoinedBytes = 30, 16 << 10

// JoinJSON reads a review whose first line is not JSON together with the next lines: in its file it goes on there,
// which is reported in place of what p has. It returns the text of one line, and how many lines it was; nil and 1 if
// it is no such review. Lines of YAML belong to the first of them, which p has.
func JoinJSON(first, rest []byte, p *diagnostic.List) (n *Node, one []byte, lines int) {
	if forms("yamlLine").Match(first) { // and so are the lines below it
		for next := range bytes.Lines(rest) {
			next = bytes.TrimRight(next, "\r\n")
			if len(next) > 0 && next[0] != ' ' && !bytes.HasPrefix(next, []byte("- ")) && !forms("yamlLine").Match(next) || bytes.HasPrefix(bytes.TrimSpace(next), []byte("{")) {
				break
			}
			lines++
		}
		return nil, first, lines + 1
	}
	if first := bytes.TrimSpace(first); p.Full() || !bytes.HasPrefix(first, []byte("{")) || bytes.HasSuffix(first, []byte("}")) {
		return nil, first, 1
	}
	spaced, broken := bytes.TrimSpace(first), bytes.TrimSpace(first) // between values, and in a text
	report := func(inText bool, whole jsontext.Value) {
		*p = diagnostic.List{File: p.File, Max: p.Max}
		remedy := diagnostic.Pick(inText, `join the lines of the text, with \n in place of each line break, and \" of each quotation mark in it`, "join the lines, or name the file .yaml, which may hold JSON over several lines")
		if whole != nil && len(whole) <= 6*diagnostic.MaxPasted {
			remedy = "write: " + string(whole)
		}
		p.Add(diagnostic.Error, 1, 1, "json-syntax", fmt.Sprintf("a review is one line here, and this one has %d", lines+1), remedy)
	}
	for next := range bytes.Lines(rest) {
		if next = bytes.TrimSpace(next); lines == maxJoined || len(spaced) > maxJoinedBytes || len(next) > 1 && next[0] == '{' {
			break
		}
		lines++
		spaced = append(append(slices.Clip(spaced), ' '), next...)
		broken = append(append(slices.Clip(broken), `\n`...), next...)
		for k, v := range []jsontext.Value{broken, spaced} {
			if v = v.Clone(); v.Compact() == nil {
				report(k == 0, v)
				return ReadJSON(v, p), v, lines + 1
			}
		}
	}
	if bytes.HasSuffix(bytes.TrimSpace(spaced), []byte("}")) { // and something else is wrong in it
		report((bytes.Count(first, []byte(`"`))-bytes.Count(first, []byte(`\"`)))%2 == 1, nil)
		return nil, spaced, lines + 1
	}
	return nil, first, 1
}

type jsonError struct{ code, message, suggestion string }

func (e *jsonError) Error() string { return e.message }

func (j *jsonLine) parse(data []byte) (*Node, error) {
	// The decoder takes a duplicate name: its report has the places of both.
	j.Decoder = jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	j.data, j.seen, j.col, j.values = data, 0, 1, 0
	n := new(Node)
	if err := j.value(n, 1); err != nil {
		return nil, err
	}
	if _, err := j.ReadToken(); err == nil {
		return nil, &jsonError{"json-syntax", "text after the end of the review", "write one review per line"}
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return n, nil
}

func (j *jsonLine) value(n *Node, depth int) error {
	kind := j.PeekKind()
	if j.values++; j.values > maxValues {
		return &jsonError{"too-big", fmt.Sprintf("the line has more than %d values", maxValues), "write one review per line"}
	}
	if n.Kind = jsonKinds[kind]; depth > MaxDepth && (n.Kind == List || n.Kind == Mapping) {
		return &jsonError{"too-deep", fmt.Sprintf("lists and fields are nested more than %d deep", MaxDepth), "no file needs more than four levels"}
	}
	start := len(j.data) - len(bytes.TrimLeft(j.data[j.InputOffset():], " \t\r\n:,"))
	token, err := j.ReadToken()
	if err != nil {
		return err
	}
	j.col += utf8.RuneCount(j.data[j.seen:start])
	j.seen, n.Line, n.Col = start, 1, j.col
	if n.Kind != List && n.Kind != Mapping {
		n.Text = token.String()
		return nil
	}
	if n.Kind == Mapping {
		n.Entries = make([]Entry, 0, 4)
	}
	for j.PeekKind() != kind+2 { // ] and }
		if n.Kind == List {
			n.Items = append(n.Items, Node{})
			err = j.value(&n.Items[len(n.Items)-1], depth+1)
		} else {
			var e Entry
			if err = j.value(&e.Key, depth+1); err == nil {
				err = j.value(&e.Value, depth+1)
			}
			n.Entries = append(n.Entries, e)
		}
		if err != nil {
			return err
		}
	}
	_, err = j.ReadToken()
	return err
}

var jsonKinds = [256]Kind{'n': Null, 't': Boolean, 'f': Boolean, '0': Number, '"': Text, '[': List, '{': Mapping}

// jsonHints are remedies by the beginning of what is not JSON; "a" is any letter.
var jsonHints = diagnostic.Rows(wordsFile, "not JSON")

func (j *jsonLine) explain(err error) {
	offset := int(j.InputOffset())
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		offset = int(syntax.ByteOffset)
	}
	offset = min(offset, len(j.data))
	col := utf8.RuneCount(j.data[:offset]) + 1
	if own, ok := errors.AsType[*jsonError](err); ok {
		j.Add(diagnostic.Error, 1, col, own.code, own.message, own.suggestion)
		return
	}
	if errText := err.Error(); strings.Contains(errText, "in string") && offset > 0 {
		// The library points at the character or after it.
		if i := bytes.LastIndexByte(j.data[:min(offset+1, len(j.data))], '\t'); i >= offset-1 {
			j.Add(diagnostic.Error, 1, utf8.RuneCount(j.data[:i])+1, "json-syntax", "tab character in a text", `write \t for a tab and \n for a line break`)
			return
		}
	}
	// The error of a word that begins like true, false or null is inside it.
	for offset > 0 && isLetter(j.data[offset-1]) && offset < len(j.data) && isLetter(j.data[offset]) {
		offset--
		col--
	}
	rest := strings.TrimLeft(string(j.data[offset:]), " \t")
	col += len(j.data) - offset - len(rest)
	shown := fmt.Sprintf("%.40s", rest) + diagnostic.When(utf8.RuneCountInString(rest) > 40, " …")
	message, suggestion := "this is not JSON: "+shown, "write one complete review per line, as {\"id\": \"…\", …}"
	switch {
	case string(bytes.TrimSpace(j.data)) == "[" || string(bytes.TrimSpace(j.data)) == "]":
		col, message, suggestion = 1, "a .jsonl file has one review per line, not a list", "delete this line and the commas at the ends of the lines; or name the file .yaml, which may hold a list in JSON"
	case forms("yamlLine").Match(j.data):
		col, message, suggestion = 1, "this is YAML, and a .jsonl file has one review in JSON per line", "move these lines to a file whose name ends in .yaml"
		if bytes.HasPrefix(bytes.TrimSpace(j.data), []byte("owner_reply:")) {
			suggestion = `write into the line of its review, behind the first brace {: "owner_reply": {"text": "…", "date": "YYYY-MM-DD"}, and the comma, with your words and their day; and delete these lines`
		}
	case rest == "" || errors.Is(err, io.ErrUnexpectedEOF):
		message, suggestion = "the line ends before the end of the review", "close its quotes and brackets, and write one complete review per line; a file with reviews over several lines is named .yaml"
		col = utf8.RuneCount(j.data) + 1
	case strings.HasPrefix(strings.TrimLeft(rest, ", "), `"`) && rest[0] == ',' && bytes.HasSuffix(bytes.TrimSpace(j.data[:offset]), []byte("}")):
		message, suggestion = "the review ends at the brace } before this", "move that brace to the end of the line; "+pasted(string(bytes.TrimSuffix(bytes.TrimSpace(j.data[:offset]), []byte("}")))+rest+"}")
	case '0' <= rest[0] && rest[0] <= '9' && offset > 0 && j.data[offset-1] == ',':
		message, suggestion = "a number ends at the comma before this", "write a rating without a comma, such as 4, and another number with a point"
	case !strings.ContainsAny(rest[:1], `,:;]}"\/#`) && bytes.HasSuffix(bytes.TrimRight(j.data[:offset], " "), []byte(`"`)):
		message, suggestion = "the text ends at the quotation mark before "+shown, `close the text before it; or, if it goes on, write \" for each quotation mark in it`
	default:
		for _, hint := range jsonHints {
			begins, _ := strconv.Unquote(hint[0])
			if strings.HasPrefix(rest+"\n", begins) || begins == "a" && isLetter(rest[0]) {
				suggestion = hint[1]
				break
			}
		}
	}
	j.Add(diagnostic.Error, 1, col, "json-syntax", message, suggestion)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
