package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// Two texts are nearly the same if their first or last sharedWords words are equal: who posts a text in two places
// changes one end of it, if any. Texts of wholeWords are if all words are equal, of exactWords if all characters are.
const sharedWords, wholeWords, exactWords = 12, 10, 6

// duplicates reports reviews whose text is nearly that of an older one. Short texts are often alike: of those author,
// stars and date must be equal, too.
func (in *inspector) duplicates(reviews []*source.Review) {
	older := map[string]*source.Review{}         // by what is equal in nearly equal texts
	for _, r := range slices.Backward(reviews) { // oldest first
		if r.Text == nil || r.Date == "" {
			continue
		}
		words := wordsOf(strings.ToLower(*r.Text))
		if half := len(words) / 2; half >= exactWords && slices.Equal(words[:half], words[half:]) && len(slices.Compact(slices.Sorted(slices.Values(words)))) >= exactWords-1 {
			in.add(in.content.Position(r), firstLine(*r.Text), "near-duplicate", fmt.Sprintf("review %q has its text twice", r.ID), "delete one of them")
		}
		keys := []string{fmt.Sprint(strings.ToLower(r.Author), r.Rating, r.Date, words)}
		if len(words) >= exactWords {
			keys = append(keys, "exactly "+*r.Text)
		}
		if len(words) >= wholeWords {
			keys = append(keys, strings.Join(words, " "))
		}
		if n := len(words) - sharedWords; n >= 0 {
			keys = append(keys, "begins "+strings.Join(words[:sharedWords], " "), "ends "+strings.Join(words[n:], " "))
		}
		var same *source.Review
		for _, key := range keys {
			same = cmp.Or(same, older[key])
			older[key] = cmp.Or(older[key], r)
		}
		if same != nil {
			titles := r.Title != nil && same.Title != nil && *r.Title == *same.Title
			how := diagnostic.Pick(*same.Text == *r.Text, "the same ", "nearly the same ") + diagnostic.When(titles, "title and ") + "text as"
			at := in.content.Position(same)
			if here := in.content.Position(r); here.File == at.File && here.Line < at.Line && r.Date == same.Date {
				r, same, at = same, r, here // the copy is below
			}
			in.add(in.content.Position(r), firstLine(*r.Text), "near-duplicate", fmt.Sprintf("review %q has %s %q (%s:%d)", r.ID, how, same.ID, at.File, at.Line),
				diagnostic.Pick(at.File == in.content.Position(r).File, "delete one of them, or write its own words there, and its own verification, technicians and services, unless two customers wrote the same", "if one export was imported twice, delete one of the two files; if the review was entered twice, or posted in two places, keep one of them; if it was copied for another customer, write their own words there"))
		}
	}
}
