package snapshot

import "slices"

// directory finds the reviews that mention a person or thing by any of its names.
type directory struct {
	mentions map[string]set      // by id
	names    map[string][]string // folded name, alias, first name or id -> ids
}

// newDirectory makes a directory from the sorted ordinals of each id, which is a name, too.
func newDirectory(mentions map[string][]uint32, n int) directory {
	d := directory{mentions: make(map[string]set, len(mentions)), names: map[string][]string{}}
	for id, ordinals := range mentions {
		d.mentions[id] = newSet(slices.Compact(ordinals), n)
		d.name(id)
	}
	return d
}

// name adds names for an id. A name that several ids have finds them all.
func (d *directory) name(id string, names ...string) {
	for _, name := range append(names, id) {
		key := foldString(name)
		if name != "" && !slices.Contains(d.names[key], id) {
			d.names[key] = append(d.names[key], id)
		}
	}
}

// ids returns the ids with a name as a whole, ignoring case, in no order.
func (d *directory) ids(name string) []string { return d.names[foldString(name)] }

// reviews returns the reviews that mention any id with the name.
func (d *directory) reviews(name string, n int) bitmap {
	b := newBitmap(n)
	for _, id := range d.ids(name) {
		d.mentions[id].addTo(b)
	}
	return b
}
