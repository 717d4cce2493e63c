package lint

import (
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// Personal returns what [Check] calls personal data in a review: what its remedies have forgotten by --forget.
func Personal(content *source.Content, r *reviewcast.Review) (found []string) {
	settings := *content
	settings.Reviews = nil
	in, review := newInspector(&settings), &source.Review{Review: *r}
	in.personal(review, diagnostic.Position{}, "author", r.Author)
	for field, text := range map[string]*string{"title": r.Title, "text": r.Text, "owner_reply.text": replyOf(review)} {
		if text != nil {
			in.personal(review, diagnostic.Position{}, field, *text)
		}
	}
	for _, f := range in.findings {
		if strings.Contains(f.Suggestion, "--forget") {
			found = append(found, f.snippet)
		}
	}
	return found
}
