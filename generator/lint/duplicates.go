package lint

import (
	"fmt"
	"strings"

	"reviewcast/generator/source"
)

// sharedWords is how many first or last words two texts share that are nearly the same: whoever posts a text in two
// places changes it at one end, if at all.
const sharedWords = 12

// duplicates reports reviews whose text is nearly that of an older one. Short texts are often alike: of those author,
// stars and date must be equal, too.
func (in *inspector) duplicates(reviews []*source.Review) {
	older := map[string]*source.Review{}     // by what is equal in nearly equal texts
	for i := len(reviews) - 1; i >= 0; i-- { // oldest first
		r := reviews[i]
		if r.Text == nil || r.Date == "" {
			continue
		}
		words := wordsOf(strings.ToLower(*r.Text))
		keys := []string{fmt.Sprint(strings.ToLower(r.Author), r.Rating, r.Date, words)}
		if n := len(words) - sharedWords; n >= 0 {
			keys = append(keys, "begins "+strings.Join(words[:sharedWords], " "), "ends "+strings.Join(words[n:], " "))
		}
		var same *source.Review
		for _, key := range keys {
			if other, found := older[key]; !found {
				older[key] = r
			} else if same == nil {
				same = other
			}
		}
		if same != nil {
			how := "nearly the same text as"
			if *same.Text == *r.Text {
				how = "the same text as"
			}
			at := in.content.Position(same)
			in.add(r, firstLine(*r.Text), "near-duplicate", fmt.Sprintf("review %q has %s %q (%s:%d)", r.ID, how, same.ID, at.File, at.Line),
				"if one customer posted it in two places, keep one of them")
		}
	}
}
