package mcpserver

import (
	"cmp"
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

// minPrefix is the least number of letters that find a longer word.
const minPrefix = 3

// find returns the ids that a name may mean. It tries ever weaker rules and stops at
// the first that finds something: equal without case, accents, punctuation and plural;
// some whole words of a name, such as a surname; the beginnings of words; words of one
// stem, such as price and pricing; all words of a name within a longer phrase.
func (l namedList) find(name string) []string {
	query := nameWords(name)
	if len(query) == 0 {
		return nil
	}
	rules := []func(words []string) bool{
		func(words []string) bool { return slices.Equal(words, query) },
		func(words []string) bool { return containsAll(words, query) },
		func(words []string) bool { return startsAll(words, query) },
		func(words []string) bool { return relatedAll(words, query) },
		func(words []string) bool { return containsAll(query, words) },
	}
	for _, rule := range rules {
		var ids []string
		for _, n := range l {
			if slices.ContainsFunc(n.words, rule) {
				ids = append(ids, n.id)
			}
		}
		if ids != nil {
			return ids
		}
	}
	return nil
}

func containsAll(words, query []string) bool {
	return !slices.ContainsFunc(query, func(w string) bool { return !slices.Contains(words, w) })
}

func startsAll(words, query []string) bool {
	return !slices.ContainsFunc(query, func(prefix string) bool {
		return len(prefix) < minPrefix || !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, prefix) })
	})
}

// relatedAll reports whether each word of the query has a stem in common with a word:
// at least minStem letters, and two thirds of the shorter one.
func relatedAll(words, query []string) bool {
	return !slices.ContainsFunc(query, func(q string) bool {
		return !slices.ContainsFunc(words, func(w string) bool {
			common := 0
			for common < min(len(w), len(q)) && w[common] == q[common] {
				common++
			}
			return common >= minStem && 3*common >= 2*min(len(w), len(q))
		})
	})
}

// minStem is the least number of letters that two words of one stem share.
const minStem = 4

// sorted returns the displayed names, those most similar to name first.
func (l namedList) sorted(name string) []string {
	query := strings.Join(nameWords(name), " ")
	type similar struct {
		name     string
		distance float64
	}
	var all []similar
	for _, n := range l {
		least := similar{n.names[0], 2}
		for _, words := range n.words {
			for _, part := range append(words, strings.Join(words, " ")) {
				longest := max(len(part), len(query), 1)
				least.distance = min(least.distance, float64(levenshtein.ComputeDistance(part, query))/float64(longest))
			}
		}
		all = append(all, least)
	}
	slices.SortStableFunc(all, func(a, b similar) int { return cmp.Compare(a.distance, b.distance) })
	names := make([]string, len(all))
	for i, s := range all {
		names[i] = s.name
	}
	return names
}

// nameWords are the words of a name in the form in which they are compared: lower
// case, without accents and plural endings.
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

// isCalled reports whether one of the names or the id is the given one, ignoring case.
func (n named) isCalled(name string) bool {
	return slices.ContainsFunc(append(n.names, n.id), func(own string) bool { return strings.EqualFold(own, name) })
}
