package insights

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reviewcast"
)

// kind is a kind of named thing that texts are searched for.
type kind int

// Order matters: of two equally long matches at one place the earlier kind wins,
// so that a place is never taken for a person.
const (
	area kind = iota
	technician
	service
	kinds
)

// all gives the id and name of everything of the kind.
func (k kind) all(b reviewcast.Business) iter.Seq2[string, string] {
	return func(yield func(id, name string) bool) {
		switch k {
		case technician:
			for _, t := range b.Technicians {
				if !yield(t.ID, t.Name) {
					return
				}
			}
		case service, area:
			list := b.Services
			if k == area {
				list = b.ServiceAreas
			}
			for _, n := range list {
				if !yield(n.ID, n.Name) {
					return
				}
			}
		}
	}
}

// of picks the kind's ids out of mentions.
func (k kind) of(m reviewcast.Mentions) []string {
	switch k {
	case technician:
		return m.Technicians
	case service:
		return m.Services
	}
	return m.ServiceAreas
}

// found holds the ids named in one review, in the order of the text; an id stands
// as often as it is named.
type found [kinds][]string

// names finds the names and aliases of technicians, services and areas in a
// text: whole words, the longest name first, places before people. Names of
// people and places keep their case ("Will" is not "will"); services do not
// ("Drain cleaning" is "drain cleaning"). A name that two entities of a kind
// share credits nobody.
type names struct {
	byWord map[string][]name // by lower-cased first word, best match first
}

type name struct {
	text string // as written; lower-cased when fold
	fold bool
	kind kind
	ids  []string // more than one: ambiguous
}

func newNames(in Input) *names {
	type key struct {
		kind kind
		text string
	}
	ids := map[key][]string{}
	add := func(k kind, id string, texts ...string) {
		for _, t := range texts {
			t = strings.TrimSpace(t)
			if k == service {
				t = strings.ToLower(t)
			}
			if at := (key{k, t}); t != "" && !slices.Contains(ids[at], id) {
				ids[at] = append(ids[at], id)
			}
		}
	}
	for _, t := range in.Business.Technicians {
		add(technician, t.ID, t.Name)
		add(technician, t.ID, t.Aliases...)
	}
	for _, s := range in.Business.Services {
		add(service, s.ID, s.Name)
		add(service, s.ID, in.ServiceAliases[s.ID]...)
	}
	for _, a := range in.Business.ServiceAreas {
		add(area, a.ID, a.Name)
		add(area, a.ID, in.AreaAliases[a.ID]...)
	}
	n := &names{byWord: map[string][]name{}}
	for k, who := range ids {
		w := strings.ToLower(firstWord(k.text))
		n.byWord[w] = append(n.byWord[w], name{text: k.text, fold: k.kind == service, kind: k.kind, ids: who})
	}
	for _, list := range n.byWord {
		slices.SortFunc(list, func(a, b name) int {
			return cmp.Or(cmp.Compare(len(b.text), len(a.text)), cmp.Compare(a.kind, b.kind), cmp.Compare(a.text, b.text))
		})
	}
	return n
}

// find looks for names in the title and in the text.
func (n *names) find(r *reviewcast.Review) found {
	var f found
	if r.Title != nil {
		n.scan(*r.Title, &f)
	}
	if r.Text != nil {
		n.scan(*r.Text, &f)
	}
	return f
}

func (n *names) scan(text string, f *found) {
	var lower [64]byte // most words fit, so that a lookup allocates nothing
	for i := 0; i < len(text); {
		word := firstWord(text[i:])
		if word == "" || !isWord(word) {
			_, size := utf8.DecodeRuneInString(text[i:])
			i += size
			continue
		}
		next := i + len(word)
		for _, c := range n.byWord[string(appendLower(lower[:0], word))] {
			end := i + len(c.text)
			if end > len(text) || !c.matches(text[i:end]) || !atBoundary(text, end) {
				continue
			}
			if len(c.ids) == 1 {
				f[c.kind] = append(f[c.kind], c.ids[0])
			}
			next = end
			break
		}
		i = next
	}
}

func (c name) matches(s string) bool {
	if c.fold {
		return strings.ToLower(s) == c.text
	}
	return s == c.text
}

func appendLower(b []byte, s string) []byte {
	for _, r := range s {
		b = utf8.AppendRune(b, unicode.ToLower(r))
	}
	return b
}

// firstWord is the run of letters, marks and digits that s begins with, or its
// first character when that is none.
func firstWord(s string) string {
	end := 0
	for i, r := range s {
		if !wordRune(r) {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	if end == 0 && s != "" {
		_, end = utf8.DecodeRuneInString(s)
	}
	return s[:end]
}

func isWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return wordRune(r)
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// atBoundary tells whether a word can end at i.
func atBoundary(s string, i int) bool {
	r, size := utf8.DecodeRuneInString(s[i:])
	return size == 0 || !wordRune(r)
}
