package syntax

import (
	"encoding/binary"
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
	if first != 1 {
		n.shift(1 - first)
	}
	return first
}

func (n *Node) shift(lines int) {
	n.Line += lines
	for i := range n.Items {
		n.Items[i].shift(lines)
	}
	for i := range n.Entries {
		n.Entries[i].Key.shift(lines)
		n.Entries[i].Value.shift(lines)
	}
}

// AddTo adds the tree to a hash: kinds, texts and places.
func (n *Node) AddTo(h *maphash.Hash) {
	var head [1 + 5*8]byte
	head[0] = byte(n.Kind)
	for i, v := range [...]int{n.Line, n.Col, len(n.Text), len(n.Items), len(n.Entries)} {
		binary.LittleEndian.PutUint64(head[1+8*i:], uint64(v))
	}
	_, _ = h.Write(head[:])
	_, _ = h.WriteString(n.Text)
	for i := range n.Items {
		n.Items[i].AddTo(h)
	}
	for i := range n.Entries {
		n.Entries[i].Key.AddTo(h)
		n.Entries[i].Value.AddTo(h)
	}
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
	if quoted == `"`+s+`"` {
		return s
	}
	return quoted
}
