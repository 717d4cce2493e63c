package diagnostic

import (
	"strings"

	"github.com/agnivade/levenshtein"
)

// Nearest returns the candidate that a word was probably meant to be: one that is equal but for case, spaces, hyphens,
// underscores and dots, or else the one at the smallest edit distance, if that is small for the word's length. The
// first of equally near ones wins. It returns "" if none is near.
func Nearest(word string, candidates []string) string {
	// A longer word is no typing mistake, and the distance takes quadratic time.
	if len(word) > 100 {
		return ""
	}
	word = Squash(word)
	limit := 1 + len([]rune(word))/4
	best := ""
	for _, c := range candidates {
		squashed := Squash(c)
		if squashed == word {
			return c
		}
		if len(squashed) > 2*len(word)+4 {
			continue
		}
		d := levenshtein.ComputeDistance(word, squashed)
		if d == 2 && transposed(word, squashed) {
			d = 1
		}
		if d < limit || d == limit && best == "" && d < len(word) {
			best, limit = c, d
		}
	}
	return best
}

// transposed reports whether two words differ only in the order of two adjacent bytes, which is one typing mistake and
// not two.
func transposed(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

var squashed = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")

// Squash lowers a word and drops spaces, hyphens, underscores and dots.
func Squash(s string) string { return squashed.Replace(strings.ToLower(s)) }

// DidYouMean returns the suggestion for a mistyped word, or other if no candidate is near.
func DidYouMean(word string, candidates []string, other string) string {
	if s := Nearest(word, candidates); s != "" {
		return `did you mean "` + s + `"?`
	}
	return other
}
