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
	"reviewcast/generator/sentiment"
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

// TestEvidence holds every promise about numbers against a thousand reviews.
func TestEvidence(t *testing.T) {
	in := corpusInput(1_000)
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

// TestOrder shuffles the reviews: the bytes and the mentions stay the same.
func TestOrder(t *testing.T) {
	in := corpusInput(300)
	first := insights.Compute(in)
	want, err := json.Marshal(first.Insights)
	if err != nil {
		t.Fatal(err)
	}
	mentions := map[string]reviewcast.Mentions{}
	for _, r := range first.Reviews {
		mentions[r.ID] = r.Mentions
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
		for _, r := range res.Reviews {
			if diff := cmp.Diff(mentions[r.ID], r.Mentions); diff != "" {
				t.Fatalf("%s: %s", r.ID, diff)
			}
		}
	}
}

// TestCountKept counts with the analyses of an earlier build, as the generator does
// when few reviews change, and compares with a Compute of everything.
func TestCountKept(t *testing.T) {
	in := corpusInput(150)
	a := sentiment.NewAnalyzer(in.Config)
	kept := insights.Compute(in).Reviews
	for _, change := range []func(r *reviewcast.Review){
		func(r *reviewcast.Review) { r.Text = new("They showed up late and left a mess.") },
		func(r *reviewcast.Review) { r.Rating = r.Rating%5 + 1 },
	} {
		changed := *kept[7].Review.Review
		change(&changed)
		kept[7] = insights.Analyzed{Review: insights.Review{Review: &changed, Job: kept[7].Job}, Analysis: a.Analyze(&changed, kept[7].Job)}
		in.Reviews = nil
		for _, r := range kept {
			in.Reviews = append(in.Reviews, r.Review)
		}
		if diff := cmp.Diff(insights.Compute(in).Insights, insights.Count(a, kept).Insights); diff != "" {
			t.Errorf("kept analyses change the result:\n%s", diff)
		}
	}
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

// TestTopics pins, hides, renames and merges.
func TestTopics(t *testing.T) {
	texts := []string{"The water heater hums.", "Our water heater leaked.", "New water heater.", "A water heater, at last.", "Water heaters everywhere.",
		"Hot water tank, done on time.", "Shut-off valve replaced.", "Shut-off valve.", "Another shut-off valve."}
	var services []reviewcast.Named
	topics := func(rules sentiment.TopicRules) (labels []string) {
		config := sentiment.Config{Topics: rules, Business: reviewcast.Business{Services: services}}
		for _, topic := range one(insights.Input{Config: config}, 5, texts...).Topics {
			labels = append(labels, fmt.Sprintf("%s %d", topic.Label, topic.MentionCount))
		}
		return labels
	}
	if got, want := topics(sentiment.TopicRules{}), "water heater 5"; !slices.Contains(got, want) {
		t.Errorf("topics %q, want %q among them", got, want)
	}
	got := topics(sentiment.TopicRules{
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
	if got := topics(sentiment.TopicRules{Rename: map[string]string{"water heaters": "Tanks"}}); !slices.Contains(got, "Tanks 5") {
		t.Errorf("topics %q, want Tanks", got)
	}
	// The service is counted as such.
	services = []reviewcast.Named{{ID: "heater", Name: "Water heater"}}
	if got := topics(sentiment.TopicRules{}); slices.Contains(got, "water heater 5") || !slices.Contains(got, "shut-off valve 3") {
		t.Errorf("topics %q beside the service Water heater", got)
	}
}

// adversarial are texts that break what isn't careful.
var adversarial = []string{
	"", " ", "\n\n\n", "👍", "👍👍👍👍👍 😡", "🧑🏽‍🔧🧑🏽‍🔧 late 🧑🏽‍🔧", strings.Repeat("a", 100_000), strings.Repeat("late", 20_000),
	strings.Repeat("not ", 10_000) + "late", strings.Repeat("on time late price rude ", 800), strings.Repeat("late, ", 3_000), strings.Repeat("rude price ", 3_000), strings.Repeat("quote 100 bill 200 ", 1_500), strings.Repeat("Mr. ", 20_000),
	"THEY WERE LATE AND THE PRICE WAS HIGH AND I AM SHOUTING", "они опоздали 遅れました late متأخر", "l’l’l’l’", "'''''", "n't n't", "’s ’s",
	"e\u0301\u0301\u0301\u0301 le\u0301ak", "\u202elate\u202c\u200b on\u200btime", "1,2,3.4.5 $1,000,000.00 quote 1e9 bill 2", "a.b.c.d.e.f.g",
	strings.Repeat("quoted ", 3_000) + "charged", strings.Repeat("(", 5_000), strings.Repeat("if ", 5_000) + "late", "ﬁxed ＬＡＴＥ ℌ",
	strings.Repeat("took ", 3_000) + "hours", strings.Repeat("\u0300", 3_000), "Daniel Daniel Daniel", "?!?!?!", "late?", "\"late\"",
}

// TestAdversarial reads them in one set, and one by one.
func TestAdversarial(t *testing.T) {
	in := insights.Input{Config: sentiment.Config{Business: corpus.Business()}}
	all := slices.Clone(adversarial)
	for i := range all {
		in.Reviews = append(in.Reviews, insights.Review{Review: &reviewcast.Review{
			ID: fmt.Sprintf("r%03d", i), Rating: 1 + i%5, Date: "2026-03-01", Language: "en", Title: &all[i], Text: &all[i],
		}})
	}
	checkInsights(t, in, insights.Compute(in).Insights)
	a := sentiment.NewAnalyzer(in.Config)
	for _, r := range in.Reviews {
		if e := a.Explain(r.Review); e.Review != r.Review {
			t.Errorf("%s is explained as another review", r.ID)
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
	in := insights.Input{Config: sentiment.Config{Business: corpus.Business()}}
	f.Fuzz(func(t *testing.T, text, language string, stars int) {
		if !utf8.ValidString(text) || stars < 1 || stars > 5 || strings.TrimSpace(text) == "" {
			return // no text that is ever published
		}
		in := in
		in.Reviews = []insights.Review{{Review: &reviewcast.Review{ID: "r", Rating: stars, Date: "2026-03-01", Language: language, Text: &text}}}
		checkInsights(t, in, insights.Compute(in).Insights)
	})
}

// TestAmbiguous lists for the editor what was credited to nobody, and keeps job
// record and text apart.
func TestAmbiguous(t *testing.T) {
	in := insights.Input{Config: sentiment.Config{Business: reviewcast.Business{Technicians: []reviewcast.Technician{
		{ID: "marcus", Name: "Marcus Okafor", Aliases: []string{"Marcus"}},
		{ID: "dan-r", Name: "Daniel Roy"}, {ID: "dan-k", Name: "Daniel Kowalczyk"},
	}}}}
	text := "Daniel came with Marcus. Daniel was quick."
	in.Reviews = []insights.Review{{
		Review: &reviewcast.Review{ID: "r", Rating: 5, Date: "2026-03-01", Language: "en", Text: &text},
		Job:    reviewcast.Mentions{Technicians: []string{"dan-k", "marcus"}},
	}}
	res := insights.Compute(in)
	want := []*insights.AmbiguousName{{Name: "Daniel", TechnicianIDs: []string{"dan-r", "dan-k"}, ReviewIDs: []string{"r"}}}
	if diff := cmp.Diff(want, res.Ambiguous); diff != "" {
		t.Error(diff)
	}
	for _, e := range res.Insights.Entities.Technicians {
		job, texts, mentions := 0, 0, 0
		switch e.ID {
		case "dan-k":
			job, mentions = 1, 1
		case "marcus":
			job, texts, mentions = 1, 1, 2
		}
		if e.FromJob != job || e.FromText != texts || e.MentionCount != mentions {
			t.Errorf("%s: %d from the job, %d from the text, %d mentions; want %d, %d, %d", e.ID, e.FromJob, e.FromText, e.MentionCount, job, texts, mentions)
		}
	}
}

// TestNaming: a page of a person or a service quotes the sentence that names it, and says where it was cut.
func TestNaming(t *testing.T) {
	a := sentiment.NewAnalyzer(sentiment.Config{Business: reviewcast.Business{
		Technicians: []reviewcast.Technician{{ID: "marcus", Name: "Marcus Weber", Aliases: []string{"Marcus"}}},
		Services:    []reviewcast.Named{{ID: "drains", Name: "Drains"}},
	}})
	long := strings.Repeat("and then we waited ", 20)
	for text, want := range map[string][]string{
		"We called at nine. Mr. Marcus Weber came at ten! It was cold.": {"Mr. Marcus Weber came at ten!"},
		"It was cold.\nMarcus cleaned the drains. Thanks.":              {"Marcus cleaned the drains.", "Marcus cleaned the drains."},
		"Marcus": {"Marcus"},
		"We called " + long + "for Marcus " + long + "again": nil, // cut
	} {
		r := reviewcast.Review{ID: "r", Rating: 5, Date: "2026-01-01", Language: "en", Text: &text, Title: new("Marcus")}
		found := insights.Analyzed{Review: insights.Review{Review: &r}, Analysis: a.Analyze(&r, reviewcast.Mentions{})}
		var got []string
		for i := range found.Entities {
			if m := &found.Entities[i]; !m.Title {
				got = append(got, found.Naming(m))
			} else if found.Naming(m) != "Marcus" {
				t.Errorf("the title is %q", found.Naming(m))
			}
		}
		if want == nil {
			if len(got) != 1 || !strings.HasPrefix(got[0], "… ") || !strings.HasSuffix(got[0], " …") || !strings.Contains(got[0], "for Marcus and") || len(got[0]) > 410 {
				t.Errorf("cut to %q", got)
			}
		} else if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
