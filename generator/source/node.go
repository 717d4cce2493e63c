package source

// kind is what a value is, whatever the format that it was written in.
type kind uint8

const (
	null    kind = iota // YAML and JSON null, nothing after a colon, an empty cell
	text                // quoted, or YAML text without quotes
	number              // a number without quotes
	date                // a YAML date without quotes
	boolean             // true or false without quotes
	list                // items
	mapping             // entries
	cell                // a CSV cell, which may stand for any of the above
)

// String names the kind as editors know it.
func (k kind) String() string {
	return [...]string{"empty", "text", "a number", "a date", "true or false", "a list", "a group of fields", "text"}[k]
}

// node is one value in an editor's file: the same tree for YAML, JSONL and CSV,
// so that one decoder knows what a review is. A tree lives only while its file is
// decoded.
type node struct {
	kind    kind
	text    string // of a scalar: quotes and escapes undone, otherwise as written
	line    int
	col     int // from 1, in Unicode code points
	offset  int // in bytes, of the scalar in the reader's text; for locators
	items   []node
	entries []entry
}

// entry is one field of a mapping.
type entry struct {
	key   node
	value node
}

// A locator finds the place of one character: the byte at offset in the text of
// a scalar n. The readers know their quotes and escapes.
type locator func(n *node, offset int) (line, col int)
