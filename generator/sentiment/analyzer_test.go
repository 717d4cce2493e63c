package sentiment_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reviewcast"
	"reviewcast/generator/sentiment"
)

// review returns an English review.
func review(stars int, text string) *reviewcast.Review {
	return &reviewcast.Review{ID: "r", Rating: stars, Date: "2026-03-01", Language: "en", Text: &text}
}

// TestPolarity says what a sentence means for an aspect, and where that comes from.
func TestPolarity(t *testing.T) {
	an := sentiment.NewAnalyzer(sentiment.Config{})
	for _, c := range []struct {
		text, aspect string
		want         reviewcast.Polarity
		source       string
	}{
		{"They were on time.", "punctuality", "positive", "trade"},
		{"They were not on time.", "punctuality", "negative", "trade"},
		{"He was not late, great job.", "punctuality", "positive", "trade"},
		{"He was not late, great job.", "workmanship", "positive", "trade"},
		{"Showed up an hour late.", "punctuality", "negative", "trade"},
		{"The final bill was higher than the quote.", "pricing", "negative", "trade"},
		{"The quote said $1,640 and the bill said $1,640.", "pricing", "positive", "trade"},
		{"Estimate said 900, invoice said 1,350.", "pricing", "negative", "trade"},
		{"No upsell at all.", "professionalism", "positive", "trade"},
		{"She walked me through every step.", "communication", "positive", "trade"},
		{"I would pay more if they ever picked up the phone.", "responsiveness", "negative", "trade"},
		{"Is there a fee on weekends?", "pricing", "neutral", "cues"},
		{"The warranty is terrible.", "warranty", "negative", "cues"},
		{"A wonderful warranty.", "warranty", "positive", "cues"},
		{"The warranty is superb but the work is awful.", "warranty", "positive", "cues"},
		{"Told us nine and rang the bell at 8:55.", "punctuality", "positive", "cues"},
		{"He had the fault within a minute of opening the lid.", "technical_knowledge", "positive", "cues"},
		{"The price.", "pricing", "positive", "stars"},
		{"THE TECHNICIAN WAS RUDE", "professionalism", "negative", "trade"},
	} {
		a := an.Analyze(review(5, c.text), reviewcast.Mentions{})
		found := false
		for _, v := range a.Votes {
			if an.Aspects()[v.Aspect].ID != c.aspect {
				continue
			}
			found = true
			if source := a.Aspects[v.Mention].Origin.String(); v.Polarity != c.want || source != c.source {
				t.Errorf("%q: %s is %s by %s, want %s by %s", c.text, c.aspect, v.Polarity, source, c.want, c.source)
			}
		}
		if !found {
			t.Errorf("%q: %s isn't found", c.text, c.aspect)
		}
	}
}

// TestEditors shows that the editors' words come first, in any language, and that
// English word lists are silent about others.
func TestEditors(t *testing.T) {
	in := sentiment.Config{
		Aspects: []sentiment.Term{
			{ID: "punctuality", Label: "Punctuality", Negative: []string{"on the dot"}, Positive: []string{"à l’heure"}},
			{ID: "smell", Label: "Smell", Terms: []string{"smell"}},
		},
		Ignore: []string{"late husband"},
	}
	a := sentiment.NewAnalyzer(in)
	if len(a.Aspects()) != 2 {
		t.Errorf("%d aspects, want the editors' two", len(a.Aspects()))
	}
	for text, want := range map[string]map[string]reviewcast.Polarity{
		"On the dot.":             {"punctuality": "negative"},
		"My late husband.":        {},
		"What a wonderful smell.": {"smell": "positive"},
	} {
		got := a.Analyze(review(3, text), reviewcast.Mentions{})
		if diff := cmp.Diff(want, got.Insight.Aspects); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		if len(got.Aspects) > 0 && want["punctuality"] != "" && got.Aspects[0].Origin != sentiment.FromEditor {
			t.Errorf("%q: decided by %s", text, got.Aspects[0].Origin)
		}
	}
	french := "Ils sont arrivés a l'heure. Pricing late rude. Smell!"
	got := a.Analyze(&reviewcast.Review{ID: "f", Rating: 5, Language: "fr-CA", Text: &french}, reviewcast.Mentions{}).Insight
	want := reviewcast.ReviewInsight{Sentiment: "positive", Score: 1, Source: "stars",
		Aspects: map[string]reviewcast.Polarity{"punctuality": "positive", "smell": "positive"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestEditorsAndCues shows that cues hear nothing of what editors ignore, that an
// editor's phrase comes before all that cues and shipped phrases say elsewhere in a
// review, and so do the figures of quote and bill.
func TestEditorsAndCues(t *testing.T) {
	of := func(c sentiment.Config, text, aspect string) reviewcast.Polarity {
		return sentiment.NewAnalyzer(c).Analyze(review(3, text), reviewcast.Mentions{}).Insight.Aspects[aspect]
	}
	const bell = "He had the fault within a minute of opening the lid."
	if p := of(sentiment.Config{}, bell, "technical_knowledge"); p != "positive" {
		t.Errorf("%s: %q", bell, p)
	}
	if p := of(sentiment.Config{Ignore: []string{"he had the fault within a minute"}}, bell, "technical_knowledge"); p != "" {
		t.Errorf("ignored, and %q", p)
	}
	robbery := slices.Clone(sentiment.DefaultAspects)
	for i := range robbery {
		if robbery[i].ID == "pricing" {
			robbery[i].Positive = []string{"daylight robbery"}
		}
	}
	if p := of(sentiment.Config{Aspects: robbery}, "It was daylight robbery. The invoice was twice the quote, with hidden fees.", "pricing"); p != "positive" {
		t.Errorf("the editor's phrase is %q", p)
	}
	if p := of(sentiment.Config{}, "The estimate said 900 and the invoice said 1,350. I still think the price was very reasonable.", "pricing"); p != "negative" {
		t.Errorf("the figures are %q", p)
	}
	if p := of(sentiment.Config{}, "Told us nine and rang the bell at 8:55.\n\n---\n\n***\n\n🎄. 🎄", "punctuality"); p != "positive" {
		t.Errorf("lines of signs make a short text long: %q", p)
	}
}
