package syntax

import (
	"bytes"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"reviewcast/generator/diagnostic"
)

// Limits of YAML, which is the format of people.
const (
	// MaxYAMLFile is the size of the largest YAML file in bytes. YAML is read as a whole and slowly; 16 MiB are about
	// 20,000 reviews.
	MaxYAMLFile = 16 << 20
	// MaxDepth is how deep lists and fields may be nested, in YAML and JSON. It stops 100,000 brackets, which cost a
	// parser minutes or all memory.
	MaxDepth = 64
	// maxYAMLMarks is how many lines, commas and brackets a YAML file may have. Each may become a value that costs the
	// parser a kilobyte: it stops a file of hyphens or commas from filling the memory.
	maxYAMLMarks = 1 << 19
)

// Fields is what a reader knows of the fields of files, which helps to explain syntax errors.
type Fields struct {
	Is     func(name string) bool        // whether any file has the field
	Within func(group, name string) bool // whether a group of fields has the field
}

// ReadYAML calls each with every document of a file. Anchors, aliases, merge keys and tags are refused: they are a
// programmer's abbreviations, and they are how YAML bombs are built. After a syntax error in a list, each is called
// with its items one by one if itemwise is set, so that the error hides no problem of the others. complete is false if
// the rest of the file could not be read.
func ReadYAML(data []byte, fields Fields, itemwise bool, p *diagnostic.List, each func(*Node)) (complete bool) {
	data, ok := cleanYAML(data, p)
	if !ok {
		return false
	}
	budget := trialBytes
	whole := yamlText{List: p, Fields: fields, data: string(data), budget: &budget}
	documents, err := parse(whole.data)
	var pieces []item
	if err != nil && itemwise {
		pieces = items(data)
	}
	if len(pieces) < 2 {
		whole.read(documents, err, each)
		return err == nil
	}
	broken := false
	for _, piece := range pieces {
		t := yamlText{List: p, Fields: fields, data: string(data[piece.start:piece.end]), before: piece.line - 1, budget: &budget}
		documents, err := parse(t.data)
		broken = broken || err != nil
		t.read(documents, err, each)
	}
	if !broken {
		whole.explain(err) // it is between the items
	}
	return false
}

// read corrects what can be corrected in a piece and converts what was parsed.
func (y *yamlText) read(documents []*yaml.Node, err error, each func(*Node)) {
	if documents, err = y.mend(documents, err); err != nil {
		y.explain(err)
	}
	for _, d := range documents {
		for _, child := range d.Content {
			n := y.convert(child)
			each(&n)
		}
	}
}

// cleanYAML checks the bytes before the parser sees them. ok is false if it must not.
func cleanYAML(data []byte, p *diagnostic.List) (_ []byte, ok bool) {
	if data, ok = Clean(data, true, p); !ok {
		return nil, false
	}
	for _, sign := range []string{`\_`, `\N`, `\L`, `\P`} { // escapes of YAML that nobody writes on purpose
		i := bytes.Index(data, []byte(sign))
		start := bytes.LastIndexByte(data[:max(i, 0)], '\n') + 1
		if i > 0 && data[i-1] != '\\' && bytes.Count(data[start:i], []byte(`"`))%2 == 1 {
			p.Add(diagnostic.Warning, 1+bytes.Count(data[:i], []byte("\n")), 1+utf8.RuneCount(data[start:i]), "escape", "in double quotes "+sign+" is an invisible character", "write \\"+sign+", or put the text in single quotes")
		}
	}
	marks := 0
	for _, mark := range []string{"\n", ",", "[", "{"} {
		marks += bytes.Count(data, []byte(mark))
	}
	if marks > maxYAMLMarks {
		p.Add(diagnostic.Error, 0, 0, "too-big", fmt.Sprintf("the file has more than %d lines, commas and brackets", maxYAMLMarks), "split it, or use JSONL")
		return nil, false
	}
	return data, true
}

// maxItems is how many items of a list are read one by one after a syntax error.
const maxItems = 20_000

// item is a piece of a file that is a list: an item, or what is before the first one.
type item struct{ start, end, line int }

// items cuts a list into its items, at the hyphens in the column of the first one. The lines of an item are indented
// further. nil means that it is not a list, or too long.
func items(data []byte) []item {
	var list []item
	indent, line, end := -1, 0, 0
	for text := range bytes.Lines(data) {
		start := end
		line, end = line+1, end+len(text)
		words := bytes.TrimLeft(text, " ")
		in := len(text) - len(words)
		hyphen := len(words) > 0 && words[0] == '-' && !bytes.HasPrefix(words, []byte("----")) && (in == indent || indent < 0)
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
	}
	return list
}

// parse has the library parse every document, up to the first syntax error.
func parse(data string) (documents []*yaml.Node, _ error) {
	loader, err := yaml.NewLoader(strings.NewReader(data), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(MaxDepth))), yaml.WithUniqueKeys(false))
	if err != nil {
		return nil, err
	}
	for {
		d := new(yaml.Node)
		if err := loader.Load(d); errors.Is(err, io.EOF) {
			return documents, nil
		} else if err != nil {
			return documents, err
		}
		documents = append(documents, d)
	}
}

// yamlText is a file, or a piece of one, with the problems that are reported for it.
type yamlText struct {
	*diagnostic.List
	Fields
	data   string
	starts []int // of the lines of data, once one was looked at
	before int   // how many lines the file has before data
	budget *int  // how many bytes may still be parsed to try corrections
}

func (y *yamlText) convert(v *yaml.Node) Node {
	n := Node{Line: v.Line + y.before, Col: v.Column}
	if v.Anchor != "" {
		y.Add(diagnostic.Error, n.Line, n.Col, "yaml-anchor", "the anchor &"+v.Anchor+" is not supported", "write the value itself; if & is part of a text, put the text in quotes")
	}
	if v.Style&yaml.TaggedStyle != 0 {
		y.Add(diagnostic.Error, n.Line, n.Col, "yaml-tag", "the tag "+v.Tag+" is not supported", "remove it; if ! is part of a text, put the text in quotes")
	}
	switch v.Kind {
	case yaml.AliasNode:
		n.Kind = Refused
		y.Add(diagnostic.Error, n.Line, n.Col, "yaml-alias", "the alias *"+v.Value+" is not supported", "write the value itself; if * is part of a text, put the text in quotes")
	case yaml.ScalarNode:
		y.scalar(v, &n)
	case yaml.SequenceNode:
		n.Kind = List
		for _, item := range v.Content {
			n.Items = append(n.Items, y.convert(item))
		}
	case yaml.MappingNode:
		n.Kind = Mapping
		for i := 0; i+1 < len(v.Content); i += 2 {
			key := v.Content[i]
			if key.Kind == yaml.ScalarNode && key.Tag == "!!merge" {
				y.Add(diagnostic.Error, key.Line+y.before, key.Column, "yaml-merge", "the merge key << is not supported", "write the fields out")
				continue
			}
			e := Entry{y.convert(key), y.convert(v.Content[i+1])}
			y.cut(&e.Key, &e.Value)
			y.folded(&e.Key, v.Content[i+1], v.Style&yaml.FlowStyle != 0)
			switch key.Kind {
			case yaml.ScalarNode:
				n.Entries = append(n.Entries, e)
			case yaml.SequenceNode, yaml.MappingNode:
				y.Add(diagnostic.Error, key.Line+y.before, key.Column, "wrong-type", "a field name is "+e.Key.Kind.String(), "write a name; if a text begins with { or [, put it in quotes")
			}
		}
	}
	return n
}

// folded reports a text without quotes, a bar or > that has several paragraphs: YAML makes a line break of the empty line
// between them.
func (y *yamlText) folded(key *Node, v *yaml.Node, inBraces bool) {
	other := v.Style&(yaml.LiteralStyle|yaml.FoldedStyle|yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	if other || inBraces || v.Kind != yaml.ScalarNode || key.Text != "text" && key.Text != "answer" || !strings.Contains(strings.TrimSpace(v.Value), "\n") {
		return
	}
	y.Add(diagnostic.Warning, key.Line, key.Col, "joined-paragraphs", "without a bar, the empty lines of this text are published as mere line breaks",
		fmt.Sprintf("write %s: | alone on line %d, and the whole text on the lines below, each indented further", key.Text, key.Line))
}

// scalar sets n to a value that is neither list nor mapping.
func (y *yamlText) scalar(v *yaml.Node, n *Node) {
	n.Kind, n.Text = Text, v.Value
	if v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		if strings.HasSuffix(n.Text, "\n") && !y.keeps(v.Line, v.Column) {
			n.Text = n.Text[:len(n.Text)-1]
		}
		return
	}
	quoted := v.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.TaggedStyle) != 0
	if kind, ok := kinds[v.ShortTag()]; ok && !quoted {
		n.Kind = kind
	}
}

// kinds are those of values without quotes by their tags; all others are texts.
var kinds = map[string]Kind{"!!null": Null, "!!bool": Boolean, "!!int": Number, "!!float": Number, "!!timestamp": Date}

func (y *yamlText) from(line, col int) string {
	if y.starts == nil {
		y.starts = []int{0}
		for i, c := range y.data {
			if c == '\n' {
				y.starts = append(y.starts, i+1)
			}
		}
	}
	rest := y.data[y.starts[min(line, len(y.starts))-1]:]
	for ; col > 1 && len(rest) > 0; col-- {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	return rest
}

// keeps reports whether the block scalar at a place keeps all its line breaks (|+ or >+). Otherwise the last one
// belongs to the format and not to the text.
func (y *yamlText) keeps(line, col int) bool {
	header, _, _ := strings.Cut(y.from(line, col), "\n")
	words := strings.Fields(header)
	return len(words) > 0 && strings.Contains(words[0], "+")
}

//go:embed words.txt
var wordsFile string

// forms are the regular expressions of words.txt, which says what each matches.
var forms = diagnostic.Forms(wordsFile, "forms")

// causes are the parser errors that no correction fixed; the first that fits is used: what its message says, the
// context of a message, the code, and what is reported instead. %o is the line where the context begins.
var causes = diagnostic.Rows(wordsFile, "causes")

// explain reports a syntax error: its cause and its remedy in place of the parser's message.
func (y *yamlText) explain(err error) {
	e, ok := errors.AsType[*yaml.LoadError](err)
	if !ok { // the last cause
		e = &yaml.LoadError{Message: err.Error()}
	}
	line, col := e.Mark.Line, e.Mark.Column
	quoted := strings.Contains(e.ContextMsg, "quoted scalar")
	for _, c := range causes {
		if !strings.Contains(e.Message, c[0]) || !strings.Contains(e.ContextMsg, c[1]) {
			continue
		}
		if quoted && strings.Contains(c[3], "not closed") {
			line, col = e.ContextMark.Line, e.ContextMark.Column
		}
		fill := strings.NewReplacer("%o", strconv.Itoa(e.ContextMark.Line+y.before), "%m", e.Message, "%d", strconv.Itoa(MaxDepth))
		if line > 0 {
			line += y.before
		}
		y.Add(diagnostic.Error, line, col, cmp.Or(c[2], "yaml-syntax"), fill.Replace(c[3]), c[4])
		return
	}
}
