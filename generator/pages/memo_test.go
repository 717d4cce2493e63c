package pages

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"reviewcast"
)

// TestMemo changes the content at random, again and again: with a memo the files are
// the same as without one.
func TestMemo(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	c := corpusContent(150)
	praised := slices.IndexFunc(c.Dataset.Reviews, func(r reviewcast.Review) bool { return c.Insights.PerReview[r.ID].Aspects["punctuality"] != "" })
	c.Insights.Aspects[0].Evidence = []reviewcast.Evidence{{ReviewID: c.Dataset.Reviews[praised].ID, Quote: "Before.", Polarity: reviewcast.Positive}}
	memo := &Memo{}
	renderAll(t, c, memo)
	changes := map[string]func(*Content, *reviewcast.Review){
		"text":     func(_ *Content, r *reviewcast.Review) { r.Text = pointer("New words.") },
		"title":    func(_ *Content, r *reviewcast.Review) { r.Title = pointer("New title") },
		"rating":   func(_ *Content, r *reviewcast.Review) { r.Rating = 1 + r.Rating%5 },
		"author":   func(_ *Content, r *reviewcast.Review) { r.Author += "x" },
		"language": func(_ *Content, r *reviewcast.Review) { r.Language = "fr" },
		"source":   func(_ *Content, r *reviewcast.Review) { r.Source += "x" },
		"reply": func(_ *Content, r *reviewcast.Review) {
			r.OwnerReply = &reviewcast.OwnerReply{Text: "Thanks", Date: r.Date}
		},
		"mention":  func(_ *Content, r *reviewcast.Review) { r.Mentions.Technicians = nil },
		"verified": func(_ *Content, r *reviewcast.Review) { r.Verification.Method = "platform" },
		"polarity": func(c *Content, r *reviewcast.Review) {
			c.Insights.PerReview[r.ID] = reviewcast.ReviewInsight{Sentiment: reviewcast.Mixed, Aspects: map[string]reviewcast.Polarity{"pricing": reviewcast.Mixed}}
		},
		"label":   func(c *Content, _ *reviewcast.Review) { c.Insights.Aspects[1].Label += "x" },
		"figures": func(c *Content, _ *reviewcast.Review) { c.Insights.Aspects[1].PositivePct++ },
		"quote":   func(c *Content, _ *reviewcast.Review) { c.Insights.Aspects[0].Evidence[0].Quote += " More." },
		"all quotes": func(c *Content, _ *reviewcast.Review) {
			c.Quotes = make([][]Quote, len(c.Dataset.Reviews))
			for i := range c.Quotes {
				c.Quotes[i] = []Quote{{"pricing", "Dear."}}
			}
		},
		"business":   func(c *Content, _ *reviewcast.Review) { c.Dataset.Business.Name += "x" },
		"technician": func(c *Content, _ *reviewcast.Review) { c.Dataset.Business.Technicians[0].Name += "x" },
		"license":    func(c *Content, _ *reviewcast.Review) { c.Dataset.License += "x" },
		"title page": func(c *Content, _ *reviewcast.Review) { c.Channel.Title = "Other" },
		"summary":    func(c *Content, _ *reviewcast.Review) { c.Insights.Summary = pointer("Sum.") },
		"theme":      func(c *Content, _ *reviewcast.Review) { c.Theme.CSS = append(c.Theme.CSS, ' ') },
		"template": func(c *Content, _ *reviewcast.Review) {
			c.Theme.Templates = map[string][]byte{"footer.html": []byte("<footer>{{.Path}}</footer>")}
		},
		"withdrawn": func(c *Content, r *reviewcast.Review) {
			c.Withdrawals = append(c.Withdrawals, reviewcast.Withdrawal{ID: "gone-" + r.ID, Reason: reviewcast.ReasonLegal, Date: r.Date, Month: pointer(r.Date.Month())})
		},
		"removed": func(c *Content, r *reviewcast.Review) {
			i := slices.IndexFunc(c.Dataset.Reviews, func(o reviewcast.Review) bool { return o.ID == r.ID })
			c.Dataset.Reviews, c.Quotes = slices.Delete(c.Dataset.Reviews, i, i+1), slices.Delete(c.Quotes, i, i+1)
		},
		"rating value": func(c *Content, _ *reviewcast.Review) { c.Dataset.AggregateRating.RatingValue = pointer(3.21) },
	}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		before := renderAll(t, c, nil)
		d := *c.Dataset
		d.Reviews = slices.Clone(d.Reviews)
		d.Business.Technicians = slices.Clone(d.Business.Technicians)
		c.Dataset = &d
		changes[name](&c, &d.Reviews[rng.IntN(len(d.Reviews))])
		want, got := renderAll(t, c, nil), renderAll(t, c, memo)
		if maps.EqualFunc(before, want, bytes.Equal) {
			t.Errorf("%s: nothing changed", name)
		}
		for p := range want {
			if !bytes.Equal(want[p], got[p]) {
				t.Errorf("%s: %s is an old one", name, p)
			}
		}
		if len(want) != len(got) {
			t.Errorf("%s: %d files, want %d", name, len(got), len(want))
		}
	}
}
