package snapshot

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"reviewcast"
)

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

// languageNames returns the names of a language in English and in itself, also without its region.
func languageNames(tag string) []string {
	t, err := language.Parse(tag)
	if err != nil {
		return nil
	}
	base, _ := t.Base()
	alone := language.Make(base.String())
	return []string{display.English.Tags().Name(t), display.Self.Name(t), display.English.Tags().Name(alone), display.Self.Name(alone)}
}

// languageHint says which languages the reviews have if name is none of them.
func (s *Snapshot) languageHint(name string) string {
	if name == "" || s.languages.ids(name) != nil || s.Len() == 0 {
		return ""
	}
	var known []string
	for _, f := range s.directoryFacets(s.match(reviewcast.Query{}, nil), s.languages) {
		known = append(known, fmt.Sprintf("%s (%d)", f.Value, f.Count))
	}
	return fmt.Sprintf("No review is in %q. Languages, with their reviews: %s.", name, strings.Join(known, ", "))
}
