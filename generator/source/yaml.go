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
// read.
func readYAML(data []byte, p *problems, each func(*node)) (complete bool) {
	data, ok := clean(data, 1, true, p)
	if !ok {
		return false
	}
	if marks(data) > maxYAMLMarks {
		p.add(Error, 0, 0, "too-big", fmt.Sprintf("the file has more than %d lines, commas and brackets", maxYAMLMarks), "split it, or use JSONL")
		return false
	}
	y := yamlReader{problems: p, data: data, line: 1}
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(MaxDepth))), yaml.WithUniqueKeys(false))
	if err != nil {
		p.add(Error, 0, 0, "yaml-syntax", "the YAML reader does not start: "+err.Error(), "report this")
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
}

// convert builds n from v.
func (y *yamlReader) convert(v *yaml.Node, n *node) {
	n.line, n.col = v.Line, v.Column
	if v.Anchor != "" {
		y.add(Error, v.Line, v.Column, "yaml-anchor", "there is an anchor &"+v.Anchor, "write the value out; if & belongs to a text, put the text in quotes")
	}
	if v.Style&yaml.TaggedStyle != 0 {
		y.add(Error, v.Line, v.Column, "yaml-tag", "there is a tag "+v.Tag, "write the value without it; if ! belongs to a text, put the text in quotes")
	}
	switch v.Kind {
	case yaml.AliasNode:
		n.kind = refused
		y.add(Error, v.Line, v.Column, "yaml-alias", "there is an alias *"+v.Value, "write the value out; if * belongs to a text, put the text in quotes")
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
				y.add(Error, key.Line, key.Column, "yaml-merge", "there is a merge key <<", "write the fields out")
				continue
			}
			var e entry
			y.convert(key, &e.key)
			y.convert(v.Content[i+1], &e.value)
			if key.Kind == yaml.SequenceNode || key.Kind == yaml.MappingNode {
				y.add(Error, key.Line, key.Column, "wrong-type", "a field's name is "+e.key.kind.String(), "write a name; if a text begins with { or [, put it in quotes")
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
