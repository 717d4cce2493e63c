package sentiment_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		{"They quoted $150 over the phone and then charged $420.", "pricing", "negative", "trade"},
		{"No upsell at all.", "professionalism", "positive", "trade"},
		{"She walked me through every step.", "communication", "positive", "trade"},
		{"The warranty is terrible.", "warranty", "negative", "lexicon"},
		{"A wonderful warranty.", "warranty", "positive", "lexicon"},
		{"The warranty is superb but the work is awful.", "warranty", "positive", "lexicon"},
		{"No warranty at all.", "warranty", "negative", "trade"},
		{"Nobody showed up.", "scheduling", "negative", "trade"},
		{"Not dirty, late or rude.", "punctuality", "positive", "trade"},
		{"They were late. Can you believe it?", "punctuality", "negative", "trade"},
		{"Unlike the last plumber, who was rude, he explained everything.", "communication", "positive", "trade"},
		{"THE TECHNICIAN WAS RUDE", "professionalism", "negative", "trade"},
		{"I have never met so rude a man.", "professionalism", "negative", "trade"},
		{"You can't believe how rude they were.", "professionalism", "negative", "trade"},
		{"They left a big mess.", "cleanliness", "negative", "trade"},
		{"Teresa leaves no clippings on the driveway.", "cleanliness", "positive", "trade"},
		{"They left all their clippings behind.", "cleanliness", "negative", "trade"},
		{"There is a complete lack of customer service.", "professionalism", "negative", "lexicon"},
		{"The crew was not very welcoming or courteous.", "professionalism", "negative", "trade"},
		{"He was not only polite but fixed it.", "professionalism", "positive", "trade"},
		{"Why are they so rude?", "professionalism", "negative", "trade"},
		{"Rude, even if they were busy.", "professionalism", "negative", "trade"},
		{"It works, even if they were rude.", "professionalism", "negative", "trade"},
		{"The installers were nice and did a fantastic job.", "professionalism", "positive", "trade"},
		{"The installers were nice and did a fantastic job.", "workmanship", "positive", "trade"},
	} {
		a := an.Analyze(review(5, c.text), reviewcast.Mentions{})
		found := false
		for _, v := range a.Votes {
			if an.Aspects[v.Aspect].ID != c.aspect {
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

// TestNoVote has sentences that name an aspect and judge it not, or not here.
func TestNoVote(t *testing.T) {
	an := sentiment.NewAnalyzer(sentiment.Config{})
	for _, c := range []struct{ text, aspect string }{
		{"The price.", "pricing"},
		{"Is there a fee on weekends?", "pricing"},
		{"Were they on time, and was it clean?", "punctuality"},
		{"If you want a fair price, call them.", "pricing"},
		{"The other company was rude.", "professionalism"},
		{"Unlike the last plumber, who was rude, he explained everything.", "professionalism"},
		{"They used to be on time.", "punctuality"},
		{"I'd give more if it wasn't so hard to get an appointment.", "scheduling"},
	} {
		for _, stars := range []int{1, 5} {
			if p, ok := an.Analyze(review(stars, c.text), reviewcast.Mentions{}).Insight.Aspects[c.aspect]; ok {
				t.Errorf("%q with %d stars: %s is %s", c.text, stars, c.aspect, p)
			}
		}
	}
}

// TestMajority has reviews that praise and blame an aspect: the polarity of most
// sentences wins, and a tie is mixed where the text contrasts the two.
func TestMajority(t *testing.T) {
	an := sentiment.NewAnalyzer(sentiment.Config{})
	for text, want := range map[string]reviewcast.Polarity{
		"On time. On time again. Late once.":                  "positive",
		"Late once. On time once. Wonderful, kind people.":    "positive",
		"On time once. Late once. Rude and nasty people.":     "negative",
		"Late. Late again. On time once.":                     "negative",
		"The first day they were on time, but the next late.": "mixed",
	} {
		aspect := "punctuality"
		if strings.Contains(text, "price") {
			aspect = "pricing"
		}
		if got := an.Analyze(review(3, text), reviewcast.Mentions{}).Insight.Aspects[aspect]; got != want {
			t.Errorf("%q: %q, want %s", text, got, want)
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
	if len(a.Aspects) != 2 {
		t.Errorf("%d aspects, want the editors' two", len(a.Aspects))
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
		Aspects: map[string]reviewcast.Polarity{"punctuality": "positive"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestEditorsFirst shows that an editor's phrase takes precedence over everything
// that shipped phrases say elsewhere in a review.
func TestEditorsFirst(t *testing.T) {
	robbery := slices.Clone(sentiment.DefaultAspects)
	for i := range robbery {
		if robbery[i].ID == "pricing" {
			robbery[i].Positive = []string{"daylight robbery"}
		}
	}
	a := sentiment.NewAnalyzer(sentiment.Config{Aspects: robbery})
	const text = "It was daylight robbery. The invoice was twice the quote, with hidden fees."
	if p := a.Analyze(review(3, text), reviewcast.Mentions{}).Insight.Aspects["pricing"]; p != "positive" {
		t.Errorf("the editor's phrase is %q", p)
	}
}

// TestTerms shows how an editor's terms match: in regular forms, or in quotation
// marks as written; and that an aspect has shipped phrases only if it extends them.
func TestTerms(t *testing.T) {
	a := sentiment.NewAnalyzer(sentiment.Config{Aspects: []sentiment.Term{
		{ID: "boarding", Label: "Boarding", Terms: []string{`"boarding"`}},
		{ID: "crowding", Label: "Crowding", Negative: []string{"busy"}},
		{ID: "seats", Label: "Seats", Terms: []string{"seat"}},
		{ID: "punctuality", Label: "Punctuality"},
		{ID: "fairness", Label: "Fairness", Extends: "pricing"},
	}})
	for text, want := range map[string]map[string]reviewcast.Polarity{
		"Great boarding.":           {"boarding": "positive"},
		"Great on board.":           {},
		"Business class was great.": {},
		"A busy place.":             {"crowding": "negative"},
		"Comfortable seats.":        {"seats": "positive"},
		"No seats at all.":          {"seats": "negative"},
		"They were on time.":        {},
		"A fair price.":             {"fairness": "positive"},
	} {
		if diff := cmp.Diff(want, a.Analyze(review(3, text), reviewcast.Mentions{}).Insight.Aspects); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestLanguages reads shipped phrases in French and Spanish.
func TestLanguages(t *testing.T) {
	a := sentiment.NewAnalyzer(sentiment.Config{})
	for _, c := range []struct {
		language, text string
		want           map[string]reviewcast.Polarity
	}{
		{"fr", "Arrivé à l’heure, très professionnel.", map[string]reviewcast.Polarity{"punctuality": "positive", "professionalism": "positive"}},
		{"fr-CA", "Trop cher et en retard.", map[string]reviewcast.Polarity{"pricing": "negative", "punctuality": "negative"}},
		{"es", "Llegaron tarde pero muy amables.", map[string]reviewcast.Polarity{"punctuality": "negative", "professionalism": "positive"}},
		{"de", "on time", map[string]reviewcast.Polarity{}},
	} {
		r := &reviewcast.Review{ID: "r", Rating: 3, Language: c.language, Text: &c.text}
		if diff := cmp.Diff(c.want, a.Analyze(r, reviewcast.Mentions{}).Insight.Aspects); diff != "" {
			t.Errorf("%s %q: %s", c.language, c.text, diff)
		}
	}
}

// TestSpelling shows that an editor's phrase and a text may spell a word differently.
func TestSpelling(t *testing.T) {
	a := sentiment.NewAnalyzer(sentiment.Config{Aspects: []sentiment.Term{
		{ID: "manners", Label: "Manners", Negative: []string{"never apologized", `"labour dispute"`}},
	}})
	for _, text := range []string{"Nobody came and they never apologised.", "They never apologized.", "A labor dispute."} {
		if p := a.Analyze(review(3, text), reviewcast.Mentions{}).Insight.Aspects["manners"]; p != "negative" {
			t.Errorf("%q: %q", text, p)
		}
	}
}

// TestLists shows that a person can read the word lists: no line of ours is longer than
// 120 characters, and all lists together have fewer than 16,000 lines.
func TestLists(t *testing.T) {
	files, err := filepath.Glob("lexicon/*.txt")
	if err != nil || len(files) != 6 {
		t.Fatalf("%d lists, %v", len(files), err)
	}
	all := 0
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.TrimSuffix(string(body), "\n"), "\n") {
			all++
			if n := len([]rune(line)); n > 120 && !strings.Contains(file, "huliu") {
				t.Errorf("%s:%d has %d characters", file, i+1, n)
			}
		}
	}
	if all >= 16_000 {
		t.Errorf("%d lines", all)
	}
}

// TestSeveralMeanings has phrases that are about two aspects.
func TestSeveralMeanings(t *testing.T) {
	an := sentiment.NewAnalyzer(sentiment.Config{})
	for text, want := range map[string]map[string]reviewcast.Polarity{
		"They got me out sooner than expected.": {"punctuality": "positive", "scheduling": "positive"},
		"Not accommodating.":                    {"professionalism": "negative", "scheduling": "negative"},
	} {
		if diff := cmp.Diff(want, an.Analyze(review(3, text), reviewcast.Mentions{}).Insight.Aspects); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}
