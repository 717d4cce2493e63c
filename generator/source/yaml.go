package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// Caps on YAML, which is for files that people write.
const (
	// MaxYAMLFile is the size of the largest YAML file, in bytes. YAML is read
	// whole and slowly; 16 MiB are some 20,000 reviews.
	MaxYAMLFile = 16 << 20
	// MaxDepth is how deep lists and fields may nest, in YAML and JSON. It stops
	// 100,000 brackets, which cost a parser minutes or all of the memory.
	MaxDepth = 64
	// maxYAMLMarks is how many lines, commas and brackets a YAML file may have.
	// Each may make a value that takes the parser a kilobyte: it stops a file of
	// nothing but hyphens or commas from filling the memory.
	maxYAMLMarks = 1 << 19
)

// readYAML reads every document of a YAML file. Anchors, aliases, merge keys and
// tags are refused: they save a programmer's typing, and cost the editor who
// meets one an hour. complete is false when the rest of the file couldn't be
// read. The trees live only until each returns; root is memory for them.
func readYAML(data []byte, p *problems, root *node, each func(*node)) (complete bool) {
	data, ok := cleanYAML(data, p)
	if !ok {
		return false
	}
	if q := (quickYAML{}); q.read(string(data), root) {
		each(root)
		return true
	}
	y := yamlReader{problems: p, data: data, line: 1}
	return y.read(each)
}

// cleanYAML looks at the bytes before the parser does; ok is false when it mustn't
// see them.
func cleanYAML(data []byte, p *problems) (_ []byte, ok bool) {
	if data, ok = clean(data, 1, true, p); !ok {
		return nil, false
	}
	if marks(data) > maxYAMLMarks {
		p.add(Error, 0, 0, "too-big", fmt.Sprintf("the file has more than %d lines, commas and brackets", maxYAMLMarks), "split it, or use JSONL")
		return nil, false
	}
	return data, true
}

// readReviews is readYAML for a file that may be a list of many: a syntax error in
// one item hides nothing that is to be said about the others.
func readReviews(data []byte, p *problems, root *node, each func(*node)) (complete bool) {
	data, ok := cleanYAML(data, p)
	if !ok {
		return false
	}
	if q := (quickYAML{}); q.read(string(data), root) {
		each(root)
		return true
	}
	whole := problems{file: p.file}
	var trees []node
	y := yamlReader{problems: &whole, data: data, line: 1}
	complete = y.read(func(n *node) { trees = append(trees, *n) })
	if pieces := items(data); !complete && len(pieces) > 1 {
		broken := false
		for _, piece := range pieces {
			y := yamlReader{problems: p, data: data[piece.start:piece.end], line: 1, before: piece.line - 1}
			if !y.read(each) {
				broken = true
			}
		}
		if broken {
			return false
		}
	} else {
		for i := range trees {
			each(&trees[i])
		}
	}
	p.join(&whole)
	return complete
}

// maxItems is how many items of a list are read one by one after a syntax error;
// with more, nobody mends them by hand.
const maxItems = 20_000

// item is a piece of a file that is a list: an item, or what stands before the first.
type item struct{ start, end, line int }

// items cuts a list up where its hyphens stand, in the column of the first one. Texts
// of an item are further in, so that none of their lines begins there. nil means that
// it is no list, or too long.
func items(data []byte) []item {
	var list []item
	indent := -1
	for start, line := 0, 1; start < len(data); line++ {
		end := len(data)
		if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		words := bytes.TrimLeft(data[start:end], " ")
		in := end - start - len(words)
		hyphen := len(words) > 0 && words[0] == '-' && (in == indent || indent < 0)
		switch {
		case hyphen && len(list) == maxItems:
			return nil
		case hyphen:
			indent = in
			list = append(list, item{start, end, line})
		case len(list) > 0:
			list[len(list)-1].end = end
		case len(bytes.TrimSpace(words)) > 0 && words[0] != '#':
			return nil // the file begins with something else
		}
		start = end
	}
	return list
}

// read has the library read every document.
func (y *yamlReader) read(each func(*node)) (complete bool) {
	loader, err := yaml.NewLoader(bytes.NewReader(y.data), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(MaxDepth))), yaml.WithUniqueKeys(false))
	if err != nil {
		y.add(Error, 0, 0, "yaml-syntax", "the YAML reader does not start: "+err.Error(), "report this")
		return false
	}
	for {
		var doc yaml.Node
		err := loader.Load(&doc)
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			y.explain(err)
			return false
		}
		for _, child := range doc.Content {
			var n node
			y.convert(child, &n)
			each(&n)
		}
	}
}

// marks counts what makes values.
func marks(data []byte) int {
	n := 0
	for _, c := range data {
		if c == '\n' || c == ',' || c == '[' || c == '{' {
			n++
		}
	}
	return n
}

// yamlReader turns the library's tree into ours.
type yamlReader struct {
	*problems
	data []byte
	// rest of data begins with line; both only move on.
	line, rest int
	before     int // how many lines the file has before data
}

// convert builds n from v.
func (y *yamlReader) convert(v *yaml.Node, n *node) {
	n.line, n.col = v.Line+y.before, v.Column
	if v.Anchor != "" {
		y.add(Error, n.line, n.col, "yaml-anchor", "there is an anchor &"+v.Anchor, "write the value out; if & belongs to a text, put the text in quotes")
	}
	if v.Style&yaml.TaggedStyle != 0 {
		y.add(Error, n.line, n.col, "yaml-tag", "there is a tag "+v.Tag, "write the value without it; if ! belongs to a text, put the text in quotes")
	}
	switch v.Kind {
	case yaml.AliasNode:
		n.kind = refused
		y.add(Error, n.line, n.col, "yaml-alias", "there is an alias *"+v.Value, "write the value out; if * belongs to a text, put the text in quotes")
	case yaml.ScalarNode:
		y.scalar(v, n)
	case yaml.SequenceNode:
		n.kind = list
		n.items = make([]node, len(v.Content))
		for i, item := range v.Content {
			y.convert(item, &n.items[i])
		}
	case yaml.MappingNode:
		n.kind = mapping
		n.entries = make([]entry, 0, len(v.Content)/2)
		for i := 0; i+1 < len(v.Content); i += 2 {
			key := v.Content[i]
			if key.Kind == yaml.ScalarNode && key.Tag == "!!merge" {
				y.add(Error, key.Line+y.before, key.Column, "yaml-merge", "there is a merge key <<", "write the fields out")
				continue
			}
			var e entry
			y.convert(key, &e.key)
			y.convert(v.Content[i+1], &e.value)
			if key.Kind == yaml.SequenceNode || key.Kind == yaml.MappingNode {
				y.add(Error, key.Line+y.before, key.Column, "wrong-type", "a field's name is "+e.key.kind.String(), "write a name; if a text begins with { or [, put it in quotes")
				continue
			}
			if key.Kind == yaml.AliasNode {
				continue
			}
			n.entries = append(n.entries, e)
		}
	}
}

// scalar reads a value that is neither list nor mapping.
func (y *yamlReader) scalar(v *yaml.Node, n *node) {
	n.kind, n.text = text, v.Value
	if v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		if strings.HasSuffix(n.text, "\n") && !y.keeps(v.Line, v.Column) {
			n.text = n.text[:len(n.text)-1]
		}
		return
	}
	if v.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.TaggedStyle) != 0 {
		return
	}
	switch v.ShortTag() {
	case "!!null":
		n.kind = null
	case "!!bool":
		n.kind = boolean
	case "!!int", "!!float":
		n.kind = number
	case "!!timestamp":
		n.kind = date
	}
}

// keeps tells whether the block scalar that begins at a place ends with all its
// line breaks (|+ or >+). Otherwise the last one is the format's, not the
// customer's. Nodes come in the order of the file, so that the file is gone
// through once.
func (y *yamlReader) keeps(line, col int) bool {
	for y.line < line {
		i := bytes.IndexByte(y.data[y.rest:], '\n')
		if i < 0 {
			return false
		}
		y.rest += i + 1
		y.line++
	}
	header := y.data[y.rest:]
	for ; col > 1; col-- {
		_, size := utf8.DecodeRune(header)
		header = header[size:]
	}
	end := bytes.IndexAny(header, " \t\r\n")
	return end > 0 && bytes.IndexByte(header[:end], '+') > 0
}
