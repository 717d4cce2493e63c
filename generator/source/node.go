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
	refused             // something that the format's reader has reported already
)

// String names the kind as editors know it.
func (k kind) String() string {
	return [...]string{"empty", "text", "a number", "a date", "true or false", "a list", "a group of fields", "text", "refused"}[k]
}

// node is one value in an editor's file: the same tree for YAML, JSONL and CSV,
// so that one decoder knows what a review is. A tree lives only while its file is
// decoded, and the next one is built in its memory.
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

// grow adds an entry, in memory used before if there is any.
func (n *node) grow() *entry {
	if len(n.entries) < cap(n.entries) {
		n.entries = n.entries[:len(n.entries)+1]
		e := &n.entries[len(n.entries)-1]
		e.key.reset()
		e.value.reset()
		return e
	}
	n.entries = append(n.entries, entry{})
	return &n.entries[len(n.entries)-1]
}

// growItems adds an item in the same way.
func (n *node) growItems() *node {
	if len(n.items) < cap(n.items) {
		n.items = n.items[:len(n.items)+1]
		n.items[len(n.items)-1].reset()
	} else {
		n.items = append(n.items, node{})
	}
	return &n.items[len(n.items)-1]
}

// reset empties a node but for its memory.
func (n *node) reset() {
	*n = node{items: n.items[:0], entries: n.entries[:0]}
}

// A locator finds the place of one character: the byte at offset in the text of
// a scalar n. The readers know their quotes and escapes.
type locator func(n *node, offset int) (line, col int)
