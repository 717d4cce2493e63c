package mcpserver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
	"golang.org/x/text/unicode/norm"
)

// named is a technician, a service or an aspect with everything it is called.
type named struct {
	id    string
	names []string // the first one is displayed
	words [][]string
}

// namedList finds things by names that are not exactly right.
type namedList []named

func (l *namedList) add(id string, names ...string) {
	n := named{id: id, names: names}
	for _, name := range append(names, id) {
		if w := nameWords(name); len(w) > 0 {
			n.words = append(n.words, w)
		}
	}
	*l = append(*l, n)
}

func (l namedList) ids() []string { return each(l, func(n named) string { return n.id }) }

// each returns what f makes of the elements of a list; nil if there are none.
func each[T, S any](list []T, f func(T) S) (made []S) {
	for _, one := range list {
		made = append(made, f(one))
	}
	return made
}

const minPrefix = 3 // the least number of letters that find a longer word

// find returns the ids that a name may mean. It tries ever weaker rules and stops at the first that finds something:
// equal without case, accents, punctuation and plural; some whole words of a name, such as a surname; the beginnings
// of words; words of one stem, such as price and pricing; all words of a name within a longer phrase.
func (l namedList) find(name string) []string {
	query := nameWords(name)
	if len(query) == 0 {
		return nil
	}
	for _, rule := range []func(words []string) bool{
		func(words []string) bool { return slices.Equal(words, query) },
		func(words []string) bool { return allMatch(query, words, strings.EqualFold) },
		func(words []string) bool { return allMatch(query, words, begins) },
		func(words []string) bool { return allMatch(query, words, related) },
		func(words []string) bool { return allMatch(words, query, strings.EqualFold) },
	} {
		found := slices.DeleteFunc(slices.Clone(l), func(n named) bool { return !slices.ContainsFunc(n.words, rule) })
		if len(found) > 0 {
			return found.ids()
		}
	}
	return nil
}

// allMatch reports whether every one of words has a match in others.
func allMatch(words, others []string, match func(word, other string) bool) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return !slices.ContainsFunc(others, func(o string) bool { return match(w, o) })
	})
}

func begins(prefix, word string) bool {
	return len(prefix) >= minPrefix && strings.HasPrefix(word, prefix)
}

// related reports whether two words share their first four letters, and two thirds of the shorter one.
func related(a, b string) bool {
	const minStem = 4
	common, shorter := 0, min(len(a), len(b))
	for common < shorter && a[common] == b[common] {
		common++
	}
	return common >= minStem && 3*common >= 2*shorter
}

// sorted returns the displayed names, those most similar to name first.
func (l namedList) sorted(name string) (names []string) {
	query := strings.Join(nameWords(name), " ")
	distances := map[string]float64{}
	for _, n := range l {
		least := 2.0
		for _, words := range n.words {
			for _, part := range append(words, strings.Join(words, " ")) {
				longest := max(len(part), len(query), 1)
				least = min(least, float64(levenshtein.ComputeDistance(part, query))/float64(longest))
			}
		}
		names = append(names, n.names[0])
		distances[n.names[0]] = least
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(distances[a], distances[b]) })
	return names
}

// unknown says that a name is unknown, and which names are most similar to it.
func (l namedList) unknown(kind, name string) string {
	text := fmt.Sprintf("No %s is called %s.", kind, echo(name))
	sorted := l.sorted(name)
	n := len(sorted)
	if n > 3 {
		text += " Most similar: " + strings.Join(sorted[:3], ", ") + "."
	}
	switch {
	case n == 0:
		return fmt.Sprintf("%s No %ss are known.", text, kind)
	case n > maxKnown:
		return fmt.Sprintf("%s Known %ss, %d of %d: %s.", text, kind, maxKnown, n, strings.Join(sorted[:maxKnown], ", "))
	}
	return fmt.Sprintf("%s Known %ss: %s.", text, kind, strings.Join(sorted, ", "))
}

// nameWords are the words of a name, compared in lower case, without accents and plural endings.
func nameWords(name string) []string {
	var b strings.Builder
	for _, r := range norm.NFD.String(name) {
		switch {
		case unicode.Is(unicode.Mn, r), r == '\'', r == '’':
		case unicode.IsLetter(r), unicode.IsDigit(r):
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteByte(' ')
		}
	}
	words := strings.Fields(b.String())
	for i, w := range words {
		if len(w) > minPrefix && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			words[i] = w[:len(w)-1]
		}
	}
	return words
}
