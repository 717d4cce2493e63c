package snapshot

import (
	"slices"

	"reviewcast"
)

// directory finds the reviews that mention somebody or something, by any of its
// names.
type directory struct {
	mentions map[string]set      // by id
	names    map[string][]string // folded name, alias, first name or id -> ids
}

// newDirectory takes the sorted ordinals of the reviews that mention each id.
// An id is a name of its own, even when the business doesn't list it.
func newDirectory(mentions map[string][]uint32, n int) directory {
	d := directory{mentions: make(map[string]set, len(mentions)), names: map[string][]string{}}
	for id, ordinals := range mentions {
		d.mentions[id] = newSet(slices.Compact(ordinals), n)
		d.name(id)
	}
	return d
}

// name lets the id be found by its names, too. A name that several bear finds
// them all.
func (d *directory) name(id string, names ...string) {
	for _, name := range append(names, id) {
		key := foldString(name)
		if name != "" && !slices.Contains(d.names[key], id) {
			d.names[key] = append(d.names[key], id)
		}
	}
}

// ids are those that bear the name, in no order. The whole name must be given;
// case doesn't matter.
func (d *directory) ids(name string) []string { return d.names[foldString(name)] }

// reviews are those that mention any who bears the name.
func (d *directory) reviews(name string, n int) bitmap {
	b := newBitmap(n)
	for _, id := range d.ids(name) {
		d.mentions[id].addTo(b)
	}
	return b
}

// Technicians are those who bear a name: full name, alias, first name or id,
// upper and lower case alike, in the business's order. A shared first name gives
// several, an unknown one none. A search that mentions the name finds the reviews
// of exactly these.
func (s *Snapshot) Technicians(name string) []reviewcast.Technician {
	ids := s.technicians.ids(name)
	var found []reviewcast.Technician
	for _, t := range s.dataset.Business.Technicians {
		if slices.Contains(ids, t.ID) {
			found = append(found, t)
		}
	}
	return found
}

// Services are those of an id or a name, upper and lower case alike.
func (s *Snapshot) Services(name string) []reviewcast.Named {
	ids := s.services.ids(name)
	var found []reviewcast.Named
	for _, v := range s.dataset.Business.Services {
		if slices.Contains(ids, v.ID) {
			found = append(found, v)
		}
	}
	return found
}
