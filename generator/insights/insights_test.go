package insights_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/generator/insights"
)

var update = flag.Bool("update", false, "write what comes out as what is wanted")

// golden holds JSON against a file.
func golden(t *testing.T, file string, value any) {
	t.Helper()
	got, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got)+"\n", "\n")); diff != "" {
		t.Errorf("%s differs (read the difference, then -update):\n%s", path, diff)
	}
}

// TestGolden holds the insights of 60 made-up reviews.
func TestGolden(t *testing.T) {
	in := corpusInput(60)
	ins := insights.Compute(in).Insights
	ins.Method.LexiconSHA256 = nil // a word more is no change here
	golden(t, "corpus.json", ins)
}

// TestEvidence holds every promise about numbers against a few thousand reviews.
func TestEvidence(t *testing.T) {
	in := corpusInput(3_000)
	ins := insights.Compute(in).Insights
	checkInsights(t, in, ins)
}

// checkInsights checks what must hold of any insights: quotes are slices, where
// there is a number there is its evidence, votes add up.
func checkInsights(t *testing.T, in insights.Input, ins *reviewcast.Insights) {
	t.Helper()
	texts := map[string]string{}
	for _, r := range in.Reviews {
		if r.Text != nil {
			texts[r.ID] = *r.Text
		}
	}
	for _, a := range ins.Aspects {
		if sum := a.PositiveCount + a.NegativeCount + a.NeutralCount + a.MixedCount; sum != a.MentionCount {
			t.Errorf("%s: %d votes of %d mentions", a.ID, sum, a.MentionCount)
		}
		if a.Confidence.Low > a.Confidence.High || a.Confidence.Low < 0 || a.Confidence.High > 1 {
			t.Errorf("%s: confidence %+v", a.ID, a.Confidence)
		}
		seen := map[string]bool{}
		of := map[reviewcast.Polarity]int{}
		for _, e := range a.Evidence {
			runes := []rune(texts[e.ReviewID])
			if e.Start < 0 || e.End > len(runes) || e.Start >= e.End || string(runes[e.Start:e.End]) != e.Quote {
				t.Errorf("%s: %q is not %d to %d of %s", a.ID, e.Quote, e.Start, e.End, e.ReviewID)
			}
			if seen[e.ReviewID] {
				t.Errorf("%s quotes %s twice", a.ID, e.ReviewID)
			}
			if e.Source == "" {
				t.Errorf("%s: a quote of %s doesn't say what settled it", a.ID, e.ReviewID)
			}
			seen[e.ReviewID] = true
			of[e.Polarity]++
		}
		if a.PositiveCount > 0 && of[reviewcast.Positive] == 0 || a.NegativeCount > 0 && of[reviewcast.Negative] == 0 ||
			a.NeutralCount > 0 && of[reviewcast.Neutral] == 0 || a.MentionCount > 0 && len(a.Evidence) == 0 {
			t.Errorf("%s: %+v has the evidence %v", a.ID, a.SentimentCounts, of)
		}
		months := 0
		for _, m := range a.Monthly {
			months += m.MentionCount
		}
		if months != a.MentionCount {
			t.Errorf("%s: %d mentions in its months, %d in all", a.ID, months, a.MentionCount)
		}
		votes := 0
		for _, r := range ins.PerReview {
			if _, ok := r.Aspects[a.ID]; ok {
				votes++
			}
		}
		if votes != a.MentionCount {
			t.Errorf("%s: %d reviews vote, %d are counted", a.ID, votes, a.MentionCount)
		}
	}
	for _, topic := range ins.Topics {
		if topic.MentionCount == 0 || len(topic.ExampleReviewIDs) == 0 {
			t.Errorf("topic %s without a review", topic.ID)
		}
	}
	if len(ins.PerReview) != len(in.Reviews) {
		t.Errorf("%d of %d reviews are told of", len(ins.PerReview), len(in.Reviews))
	}
}

// TestOrder shuffles the reviews: the bytes stay, and Mentions follow the input.
func TestOrder(t *testing.T) {
	in := corpusInput(700)
	first := insights.Compute(in)
	want, err := json.Marshal(first.Insights)
	if err != nil {
		t.Fatal(err)
	}
	mentions := map[string]reviewcast.Mentions{}
	for i, r := range in.Reviews {
		mentions[r.ID] = first.Mentions[i]
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		random.Shuffle(len(in.Reviews), func(i, j int) { in.Reviews[i], in.Reviews[j] = in.Reviews[j], in.Reviews[i] })
		res := insights.Compute(in)
		got, err := json.Marshal(res.Insights)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) {
			t.Fatal("shuffled reviews gave other bytes")
		}
		for i, r := range in.Reviews {
			if diff := cmp.Diff(mentions[r.ID], res.Mentions[i]); diff != "" {
				t.Fatalf("%s: %s", r.ID, diff)
			}
		}
	}
}

// TestCache changes one review of many, the vocabulary, and the set: each Compute
// with a cache gives what one without gives, and reads only what it must.
func TestCache(t *testing.T) {
	in := corpusInput(400)
	in.Cache = &insights.Cache{}
	step := func(name string, wantRead int) {
		t.Helper()
		cached := insights.Compute(in).Insights
		plain := in
		plain.Cache = nil
		if diff := cmp.Diff(insights.Compute(plain).Insights, cached); diff != "" {
			t.Errorf("%s: the cache changes what comes out:\n%s", name, diff)
		}
		if in.Cache.Analyzed != wantRead {
			t.Errorf("%s: %d reviews were read, want %d", name, in.Cache.Analyzed, wantRead)
		}
	}
	step("at first", 400)
	step("again", 0)
	changed := *in.Reviews[7].Review
	changed.Text = new("They showed up late and left a mess.")
	in.Reviews[7].Review = &changed
	step("one text changed", 1)
	fewer := *in.Reviews[8].Review
	fewer.Rating = 6 - fewer.Rating
	in.Reviews[8].Review = &fewer
	if fewer.Rating == 3 {
		fewer.Rating = 1
	}
	step("one rating changed", 1)
	in.Reviews = in.Reviews[:300]
	step("some are gone", 0)
	in.Ignore = []string{"left a mess"}
	step("another vocabulary", 300)
}

// one computes the insights of texts, five stars each unless stars are given.
func one(in insights.Input, stars int, texts ...string) *reviewcast.Insights {
	for i := range texts {
		in.Reviews = append(in.Reviews, insights.Review{Review: &reviewcast.Review{
			ID: fmt.Sprintf("r%03d", i), Rating: stars, Date: "2026-03-01", Language: "en", Text: &texts[i],
		}})
	}
	return insights.Compute(in).Insights
}

// TestPolarity says what a sentence means for an aspect, and where that comes from.
func TestPolarity(t *testing.T) {
	in := insights.Input{Cache: &insights.Cache{}}
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
		for _, a := range one(in, 5, c.text).Aspects {
			if a.ID != c.aspect {
				continue
			}
			if len(a.Evidence) == 0 {
				t.Errorf("%q: %s isn't found", c.text, c.aspect)
			} else if e := a.Evidence[0]; e.Polarity != c.want || e.Source != c.source {
				t.Errorf("%q: %s is %s by %s, want %s by %s", c.text, c.aspect, e.Polarity, e.Source, c.want, c.source)
			}
		}
	}
}

// TestEditors shows that the editors' words come first, in any language, and that
// English word lists are silent about others.
func TestEditors(t *testing.T) {
	in := insights.Input{
		Aspects: []insights.Term{
			{ID: "punctuality", Label: "Punctuality", Negative: []string{"on the dot"}, Positive: []string{"à l’heure"}},
			{ID: "smell", Label: "Smell", Terms: []string{"smell"}},
		},
		Ignore: []string{"late husband"},
	}
	ins := one(in, 3, "On the dot.", "My late husband.", "What a wonderful smell.")
	if a := ins.Aspects[0]; a.NegativeCount != 1 || a.MentionCount != 1 || a.Evidence[0].Source != "editor" {
		t.Errorf("punctuality: %+v", a)
	}
	if a := ins.Aspects[1]; a.PositiveCount != 1 {
		t.Errorf("smell: %+v", a)
	}
	if len(ins.Aspects) != 2 {
		t.Errorf("%d aspects, want the editors' two", len(ins.Aspects))
	}
	french := "Ils sont arrivés a l'heure. Pricing late rude. Smell!"
	in.Reviews = []insights.Review{{Review: &reviewcast.Review{ID: "f", Rating: 5, Date: "2026-03-01", Language: "fr-CA", Text: &french}}}
	got := insights.Compute(in).Insights.PerReview["f"]
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
	of := func(in insights.Input, text, aspect string) reviewcast.Polarity {
		return one(in, 3, text).PerReview["r000"].Aspects[aspect]
	}
	const bell = "He had the fault within a minute of opening the lid."
	if p := of(insights.Input{}, bell, "technical_knowledge"); p != "positive" {
		t.Errorf("%s: %q", bell, p)
	}
	if p := of(insights.Input{Ignore: []string{"he had the fault within a minute"}}, bell, "technical_knowledge"); p != "" {
		t.Errorf("ignored, and %q", p)
	}
	robbery := slices.Clone(insights.DefaultAspects)
	for i := range robbery {
		if robbery[i].ID == "pricing" {
			robbery[i].Positive = []string{"daylight robbery"}
		}
	}
	if p := of(insights.Input{Aspects: robbery}, "It was daylight robbery. The invoice was twice the quote, with hidden fees.", "pricing"); p != "positive" {
		t.Errorf("the editor's phrase is %q", p)
	}
	if p := of(insights.Input{}, "The estimate said 900 and the invoice said 1,350. I still think the price was very reasonable.", "pricing"); p != "negative" {
		t.Errorf("the figures are %q", p)
	}
	if p := of(insights.Input{}, "Told us nine and rang the bell at 8:55.\n\n---\n\n***\n\n🎄. 🎄", "punctuality"); p != "positive" {
		t.Errorf("lines of signs make a short text long: %q", p)
	}
}

// TestTopics pins, hides, renames and merges.
func TestTopics(t *testing.T) {
	texts := []string{"The water heater hums.", "Our water heater leaked.", "New water heater.", "A water heater, at last.", "Water heaters everywhere.",
		"Hot water tank, done on time.", "Shut-off valve replaced.", "Shut-off valve.", "Another shut-off valve."}
	topics := func(rules insights.TopicRules) (labels []string) {
		for _, topic := range one(insights.Input{Topics: rules}, 5, texts...).Topics {
			labels = append(labels, fmt.Sprintf("%s %d", topic.Label, topic.MentionCount))
		}
		return labels
	}
	if got, want := topics(insights.TopicRules{}), "water heater 5"; !slices.Contains(got, want) {
		t.Errorf("topics %q, want %q among them", got, want)
	}
	got := topics(insights.TopicRules{
		Pin: []string{"on time"}, Hide: []string{"off valve"},
		Merge: map[string][]string{"Hot water": {"water heater", "hot water tank"}},
	})
	if len(got) < 2 || got[0] != "on time 1" || got[1] != "Hot water 6" {
		t.Errorf("topics %q", got)
	}
	for _, label := range got {
		if strings.Contains(label, "valve") || strings.HasPrefix(label, "water heater") {
			t.Errorf("%q is hidden or merged, and listed", label)
		}
	}
	if got := topics(insights.TopicRules{Rename: map[string]string{"water heaters": "Tanks"}}); !slices.Contains(got, "Tanks 5") {
		t.Errorf("topics %q, want Tanks", got)
	}
}

// adversarial are texts that break what isn't careful.
var adversarial = []string{
	"", " ", "\n\n\n", "👍", "👍👍👍👍👍 😡", "🧑🏽‍🔧🧑🏽‍🔧 late 🧑🏽‍🔧", strings.Repeat("a", 100_000), strings.Repeat("late", 20_000),
	strings.Repeat("not ", 10_000) + "late", strings.Repeat("on time late price rude ", 2_500), strings.Repeat("late, ", 10_000), strings.Repeat("rude price ", 9_000), strings.Repeat("quote 100 bill 200 ", 5_000), strings.Repeat("Mr. ", 20_000),
	"THEY WERE LATE AND THE PRICE WAS HIGH AND I AM SHOUTING", "они опоздали 遅れました late متأخر", "l’l’l’l’", "'''''", "n't n't", "’s ’s",
	"e\u0301\u0301\u0301\u0301 le\u0301ak", "\u202elate\u202c\u200b on\u200btime", "1,2,3.4.5 $1,000,000.00 quote 1e9 bill 2", "a.b.c.d.e.f.g",
	strings.Repeat("quoted ", 3_000) + "charged", strings.Repeat("(", 5_000), strings.Repeat("if ", 5_000) + "late", "ﬁxed ＬＡＴＥ ℌ",
	strings.Repeat("took ", 3_000) + "hours", strings.Repeat("\u0300", 3_000), "Daniel Daniel Daniel", "?!?!?!", "late?", "\"late\"",
}

// TestAdversarial reads them in one set, and one by one.
func TestAdversarial(t *testing.T) {
	in := insights.Input{Business: corpus.Business(), Cache: &insights.Cache{}}
	all := slices.Clone(adversarial)
	for i := range all {
		in.Reviews = append(in.Reviews, insights.Review{Review: &reviewcast.Review{
			ID: fmt.Sprintf("r%03d", i), Rating: 1 + i%5, Date: "2026-03-01", Language: "en", Title: &all[i], Text: &all[i],
		}})
	}
	checkInsights(t, in, insights.Compute(in).Insights)
	for _, r := range in.Reviews {
		if _, ok := insights.Explain(in, r.ID); !ok {
			t.Errorf("%s can't be explained", r.ID)
		}
	}
}

// FuzzCompute reads any text without a panic, and keeps every promise about it.
func FuzzCompute(f *testing.F) {
	for _, s := range adversarial {
		if len(s) < 200 {
			f.Add(s, "en", 4)
		}
	}
	f.Add("The quote said $900 and the bill said 1,350. Dana Kim wasn't late!", "fr", 1)
	in := insights.Input{Business: corpus.Business(), Cache: &insights.Cache{}}
	f.Fuzz(func(t *testing.T, text, language string, stars int) {
		if !utf8.ValidString(text) || stars < 1 || stars > 5 || strings.TrimSpace(text) == "" {
			return // no text that is ever published
		}
		in := in
		in.Reviews = []insights.Review{{Review: &reviewcast.Review{ID: "r", Rating: stars, Date: "2026-03-01", Language: language, Text: &text}}}
		checkInsights(t, in, insights.Compute(in).Insights)
	})
}
