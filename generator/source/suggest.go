package source

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// nearest finds what an editor probably meant by a word: the candidate that is
// equal but for case, blanks, hyphens and underscores, or else the one at the
// smallest edit distance, if that is small for the word's length. "" means that
// nothing is near. Of equally near ones the first wins.
func nearest(word string, candidates []string) string {
	// A longer word is no slip of the pen, and the distance is quadratic.
	if len(word) > 100 {
		return ""
	}
	word = squash(word)
	limit := 1 + len([]rune(word))/4
	best := ""
	for _, c := range candidates {
		squashed := squash(c)
		if squashed == word {
			return c
		}
		if len(squashed) > 2*len(word)+4 {
			continue
		}
		d := levenshtein.ComputeDistance(word, squashed)
		if d == 2 && swapped(word, squashed) {
			d = 1
		}
		if d < limit || d == limit && best == "" && d < len(word) {
			best, limit = c, d
		}
	}
	return best
}

// swapped tells whether two words differ in the order of two letters, which is one
// slip of the pen and not two.
func swapped(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// squash drops what people vary without thinking.
func squash(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// didYouMean is a suggestion for a mistyped word, or other when nothing is near.
func didYouMean(word string, candidates []string, other string) string {
	if s := nearest(word, candidates); s != "" {
		return `did you mean "` + s + `"?`
	}
	return other
}
