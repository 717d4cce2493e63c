package syntax

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast/generator/diagnostic"
)

// Limits of JSONL and CSV, which are the formats of exports.
const (
	// MaxDataFile is the size of the largest JSONL or CSV file, in bytes.
	MaxDataFile = 1 << 30
	// MaxLine is the length of the longest line in bytes. It stops a file without
	// line ends from being held in memory as a whole.
	MaxLine = 4 << 20
	// maxValues is how many values a line of JSONL may have. It stops four
	// megabytes of "[[],[],…" from becoming hundreds.
	maxValues = 10_000
)

// JSONReader reads lines of JSONL, each by itself, so that a broken line hides no
// other.
type JSONReader struct {
	*diagnostic.List
	dec   *jsontext.Decoder
	input bytes.Reader
	root  Node
	data  []byte // the line
	// Up to byte seen, there are col-1 code points.
	seen, col int
	values    int
	// names holds one copy of each field name: every line has the same ones.
	names map[string]string
}

// NewJSONReader returns a reader that reports to p.
func NewJSONReader(p *diagnostic.List) *JSONReader {
	return &JSONReader{List: p, names: make(map[string]string)}
}

// Read parses one line, without its line end. Places are relative: it is line 1
// wherever it is in the file. The node lives until the next call. ok is false if the
// line is not one JSON value, which is reported.
func (j *JSONReader) Read(data []byte) (_ *Node, ok bool) {
	n := &j.root
	if err := j.parse(data, n); err == nil {
		return n, true
	} else if dirty := suspicious(data, false); dirty {
		// Bytes that JSON does not allow explain more than the syntax error.
		before := j.Len()
		data, ok = cleanLines(data, false, j.List)
		if !ok {
			return nil, false
		}
		if j.Len() > before {
			return n, j.parse(data, n) == nil
		}
		j.explain(err)
	} else {
		j.explain(err)
	}
	return nil, false
}

var (
	errTooDeep  = errors.New("too deep")
	errTooMany  = errors.New("too many values")
	errTrailing = errors.New("more than one value")
	jsonOptions = jsontext.AllowDuplicateNames(true) // the decoder reports the places of both
)

func (j *JSONReader) parse(data []byte, n *Node) error {
	j.data, j.seen, j.col, j.values = data, 0, 1, 0
	n.reset()
	j.input.Reset(data)
	if j.dec == nil {
		j.dec = jsontext.NewDecoder(&j.input, jsonOptions)
	} else {
		j.dec.Reset(&j.input, jsonOptions)
	}
	if err := j.value(n, 1); err != nil {
		return err
	}
	if _, err := j.dec.ReadToken(); err == nil {
		return errTrailing
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// place sets the position of a node to the byte at offset.
func (j *JSONReader) place(n *Node, offset int) {
	j.col += utf8.RuneCount(j.data[j.seen:offset])
	j.seen = offset
	n.Line, n.Col, n.offset = 1, j.col, offset
}

func (j *JSONReader) value(n *Node, depth int) error {
	if j.values++; j.values > maxValues {
		return errTooMany
	}
	switch k := j.dec.PeekKind(); k {
	case '{', '[':
		if depth > MaxDepth {
			return errTooDeep
		}
		if _, err := j.dec.ReadToken(); err != nil {
			return err
		}
		j.place(n, int(j.dec.InputOffset())-1)
		read := j.array
		if k == '{' {
			read = j.object
		}
		if err := read(n, depth); err != nil {
			return err
		}
		_, err := j.dec.ReadToken()
		return err
	}
	raw, err := j.dec.ReadValue()
	if err != nil {
		return err
	}
	j.place(n, int(j.dec.InputOffset())-len(raw))
	switch raw.Kind() {
	case 'n':
		n.Kind, n.Text = Null, "null"
	case 't':
		n.Kind, n.Text = Boolean, "true"
	case 'f':
		n.Kind, n.Text = Boolean, "false"
	case '0':
		n.Kind, n.Text = Number, string(raw)
	default:
		n.Kind = Text
		if bytes.IndexByte(raw, '\\') < 0 {
			n.Text = j.text(raw[1 : len(raw)-1])
			return nil
		}
		unquoted, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return err
		}
		n.Text = string(unquoted)
	}
	return nil
}

// text returns b as a string; names of fields are allocated once.
func (j *JSONReader) text(b []byte) string {
	if name, ok := j.names[string(b)]; ok {
		return name
	}
	return string(b)
}

// maxNames stops a file of a million different field names from being kept.
const maxNames = 100

func (j *JSONReader) object(n *Node, depth int) error {
	n.Kind = Mapping
	for j.dec.PeekKind() != '}' {
		e := n.grow()
		if err := j.value(&e.Key, depth+1); err != nil {
			return err
		}
		if len(j.names) < maxNames {
			j.names[e.Key.Text] = e.Key.Text
		}
		if err := j.value(&e.Value, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (j *JSONReader) array(n *Node, depth int) error {
	n.Kind = List
	for j.dec.PeekKind() != ']' {
		if err := j.value(n.growItems(), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// explain reports why a line is not JSON.
func (j *JSONReader) explain(err error) {
	offset := int(j.dec.InputOffset())
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		offset = int(syntax.ByteOffset)
	}
	offset = min(offset, len(j.data))
	col := utf8.RuneCount(j.data[:offset]) + 1
	switch {
	case errors.Is(err, errTooDeep):
		j.Add(diagnostic.Error, 1, col, "too-deep", fmt.Sprintf("lists and fields are nested more than %d deep", MaxDepth), "no file needs more than four levels")
		return
	case errors.Is(err, errTooMany):
		j.Add(diagnostic.Error, 1, col, "too-big", fmt.Sprintf("the line has more than %d values", maxValues), "write one review per line")
		return
	case errors.Is(err, errTrailing):
		j.Add(diagnostic.Error, 1, col, "json-syntax", "text after the end of the review", "write one review per line")
		return
	}
	if errText := err.Error(); strings.Contains(errText, "in string") && offset > 0 {
		// The library points at the character or after it.
		for _, i := range []int{offset, offset - 1} {
			if i < len(j.data) && j.data[i] == '\t' {
				j.Add(diagnostic.Error, 1, utf8.RuneCount(j.data[:i])+1, "json-syntax", "tab character in a text", `write \t for a tab and \n for a line break`)
				return
			}
		}
	}
	// The error of a word that begins like true, false or null is inside it.
	for offset > 0 && isLetter(j.data[offset-1]) && offset < len(j.data) && isLetter(j.data[offset]) {
		offset--
		col--
	}
	rest := strings.TrimLeft(string(j.data[offset:]), " \t")
	col += len(j.data) - offset - len(rest)
	message, suggestion := "this is not JSON: "+diagnostic.Quote(rest), "write one complete review per line, as {\"id\": \"…\", …}"
	switch {
	case strings.HasPrefix(rest, "<<<<<<<") || strings.HasPrefix(rest, "=======") || strings.HasPrefix(rest, ">>>>>>>") || strings.HasPrefix(rest, "|||||||"):
		j.Add(diagnostic.Error, 1, 1, "merge-marker", "this line is left of an unfinished merge of two versions", "keep the lines of one version and delete those that begin with <<<<<<<, ======= and >>>>>>>")
		return
	case rest == "" || errors.Is(err, io.ErrUnexpectedEOF):
		message, suggestion = "the line ends before the end of the review", "close its quotes and brackets, and write one complete review per line; a file with reviews over several lines is named .yaml"
		col = utf8.RuneCount(j.data) + 1
	case rest[0] == '\'' || rest[0] == '`':
		suggestion = `put names and texts in double quotes (")`
	case rest[0] == '}' || rest[0] == ']':
		suggestion = "remove the comma before it, or give the value that is missing"
	case strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "#"):
		suggestion = "JSON has no comments; delete it"
	case rest[0] == '\\':
		message, suggestion = "unknown escape "+diagnostic.Quote(rest[:min(2, len(rest))]), `write \\ for a backslash`
	case strings.HasPrefix(rest, ",}") || strings.HasPrefix(rest, ",]") || rest == ",":
		suggestion = "remove the comma"
	case isLetter(rest[0]):
		suggestion = "put texts in double quotes"
	case rest[0] == '-':
		suggestion = "this looks like YAML; give the file the extension .yaml"
	}
	j.Add(diagnostic.Error, 1, col, "json-syntax", message, suggestion)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// Locate is the [Locator] of the nodes: it finds the byte at offset of a text whose
// escapes have been undone.
func (j *JSONReader) Locate(n *Node, offset int) (line, col int) {
	raw := j.data[n.offset:]
	if n.Kind != Text || len(raw) == 0 {
		return n.Line, n.Col
	}
	i, done := 1, 0 // in raw, in the text
	for i < len(raw) && done < offset {
		if raw[i] != '\\' {
			i++
			done++
			continue
		}
		size := 2
		if i+1 < len(raw) && raw[i+1] == 'u' {
			size = 6
			if i+12 <= len(raw) && raw[i+6] == '\\' && raw[i+7] == 'u' {
				// A surrogate pair is one character; only then is it longer than 3 bytes.
				if unquoted, err := jsontext.AppendUnquote(nil, append(append([]byte{'"'}, raw[i:i+12]...), '"')); err == nil && utf8.RuneCount(unquoted) == 1 {
					size = 12
				}
			}
		}
		unquoted, err := jsontext.AppendUnquote(nil, append(append([]byte{'"'}, raw[i:min(i+size, len(raw))]...), '"'))
		if err != nil {
			break
		}
		i += size
		done += len(unquoted)
	}
	return n.Line, n.Col + utf8.RuneCount(raw[:min(i, len(raw))])
}
