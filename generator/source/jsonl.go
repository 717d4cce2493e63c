package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Caps on JSONL and CSV, which are for exports.
const (
	// MaxDataFile is the size of the largest JSONL or CSV file, in bytes.
	MaxDataFile = 1 << 30
	// MaxLine is the length of the longest line in one, in bytes. It stops a file
	// without line ends from being held in memory whole.
	MaxLine = 4 << 20
	// maxValues is how many values one line of JSONL may hold. It stops four
	// megabytes of "[[],[],…" from becoming hundreds.
	maxValues = 10_000
)

// jsonLine reads JSONL, line by line: each stands for itself, so that a broken
// one hides no other.
type jsonLine struct {
	*problems
	dec   *jsontext.Decoder
	input bytes.Reader
	root  node
	data  []byte // the line
	line  int    // its number
	// Up to byte seen, there are col-1 code points.
	seen, col int
	values    int
}

func newJSONLine(p *problems) *jsonLine { return &jsonLine{problems: p} }

// read builds the tree of one line, without its line end. It lives until the next
// call. ok is false when it isn't one JSON value, which is noted.
func (j *jsonLine) read(data []byte, line int) (_ *node, ok bool) {
	n := &j.root
	if err := j.parse(data, line, n); err == nil {
		return n, true
	} else if dirty := suspicious(data, false); dirty {
		// Bytes that can't be JSON at all explain more than what JSON makes of them.
		before := len(j.list) + j.dropped
		data, ok = clean(data, line, false, j.problems)
		if !ok {
			return nil, false
		}
		if len(j.list)+j.dropped > before {
			return n, j.parse(data, line, n) == nil
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
	jsonOptions = jsontext.AllowDuplicateNames(true) // the decoder tells where both stand
)

func (j *jsonLine) parse(data []byte, line int, n *node) error {
	j.data, j.line, j.seen, j.col, j.values = data, line, 0, 1, 0
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

// place gives a node the position of the byte at offset.
func (j *jsonLine) place(n *node, offset int) {
	j.col += utf8.RuneCount(j.data[j.seen:offset])
	j.seen = offset
	n.line, n.col, n.offset = j.line, j.col, offset
}

func (j *jsonLine) value(n *node, depth int) error {
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
		n.kind, n.text = null, "null"
	case 't':
		n.kind, n.text = boolean, "true"
	case 'f':
		n.kind, n.text = boolean, "false"
	case '0':
		n.kind, n.text = number, string(raw)
	default:
		n.kind = text
		if bytes.IndexByte(raw, '\\') < 0 {
			n.text = j.text(raw[1 : len(raw)-1])
			return nil
		}
		unquoted, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return err
		}
		n.text = string(unquoted)
	}
	return nil
}

// text makes a string, of fields' names only once.
func (j *jsonLine) text(b []byte) string {
	if f, ok := reviewSchema.index[string(b)]; ok {
		return reviewSchema.names[f]
	}
	return string(b)
}

func (j *jsonLine) object(n *node, depth int) error {
	n.kind = mapping
	for j.dec.PeekKind() != '}' {
		e := n.grow()
		if err := j.value(&e.key, depth+1); err != nil {
			return err
		}
		if err := j.value(&e.value, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (j *jsonLine) array(n *node, depth int) error {
	n.kind = list
	for j.dec.PeekKind() != ']' {
		if err := j.value(n.growItems(), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// explain notes in an editor's words why a line is no JSON.
func (j *jsonLine) explain(err error) {
	offset := int(j.dec.InputOffset())
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		offset = int(syntax.ByteOffset)
	}
	offset = min(offset, len(j.data))
	col := utf8.RuneCount(j.data[:offset]) + 1
	switch {
	case errors.Is(err, errTooDeep):
		j.add(Error, j.line, col, "too-deep", fmt.Sprintf("lists and fields nest more than %d deep", MaxDepth), "nothing here needs more than four levels")
		return
	case errors.Is(err, errTooMany):
		j.add(Error, j.line, col, "too-big", fmt.Sprintf("the line has more than %d values", maxValues), "write one review a line")
		return
	case errors.Is(err, errTrailing):
		j.add(Error, j.line, col, "json-syntax", "something follows the end of the review", "write one review a line")
		return
	}
	if errText := err.Error(); strings.Contains(errText, "in string") && offset > 0 {
		// The library points at the character or just behind it.
		for _, i := range []int{offset, offset - 1} {
			if i < len(j.data) && j.data[i] == '\t' {
				j.add(Error, j.line, utf8.RuneCount(j.data[:i])+1, "json-syntax", "a tab stands in a text", `write \t for a tab and \n for a line break`)
				return
			}
		}
	}
	// A word that begins like true, false or null goes wrong inside.
	for offset > 0 && isLetter(j.data[offset-1]) && offset < len(j.data) && isLetter(j.data[offset]) {
		offset--
		col--
	}
	rest := strings.TrimLeft(string(j.data[offset:]), " \t")
	col += len(j.data) - offset - len(rest)
	message, suggestion := "this isn't JSON: "+echo(rest), "write one whole review a line, as {\"id\": \"…\", …}"
	switch {
	case rest == "" || errors.Is(err, io.ErrUnexpectedEOF):
		message, suggestion = "the line ends before the review does", "close its quotes and brackets, and write one whole review a line"
		col = utf8.RuneCount(j.data) + 1
	case rest[0] == '\'' || rest[0] == '`':
		suggestion = `put names and texts in double quotes (")`
	case rest[0] == '}' || rest[0] == ']':
		suggestion = "remove the comma before it, or give the value that is missing"
	case strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "#"):
		suggestion = "JSON has no comments; delete it"
	case rest[0] == '\\':
		message, suggestion = "there is an unknown escape "+echo(rest[:min(2, len(rest))]), `write \\ for a backslash`
	case strings.HasPrefix(rest, ",}") || strings.HasPrefix(rest, ",]"):
		suggestion = "remove the comma"
	case isLetter(rest[0]):
		suggestion = "put texts in double quotes"
	case rest[0] == '-' && j.line == 1:
		suggestion = "this looks like YAML; give the file the extension .yaml"
	}
	j.add(Error, j.line, col, "json-syntax", message, suggestion)
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// locate finds the byte at offset of a text whose escapes are undone.
func (j *jsonLine) locate(n *node, offset int) (line, col int) {
	raw := j.data[n.offset:]
	if n.kind != text || len(raw) == 0 {
		return n.line, n.col
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
	return n.line, n.col + utf8.RuneCount(raw[:min(i, len(raw))])
}
