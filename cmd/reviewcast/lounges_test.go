package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reviewcast"
)

// What the reviews of lounges have, unlike those of the sample: many places and few
// services, no technicians, no replies, one language, ten years, long texts, and an
// editor's own aspects. The reviews are invented.
var (
	airports = []string{"Athens", "Bangkok", "Chicago", "Dublin", "Frankfurt", "Geneva", "Helsinki", "Istanbul", "Johannesburg",
		"Lisbon", "London Heathrow", "Madrid", "Oslo", "Prague", "Rome", "Singapore", "Sydney", "Tokyo Narita", "Vienna", "Zurich"}
	lounges  = []string{"Business Class", "First Class", "Arrivals", "Pay In"}
	verdicts = map[bool][]string{
		true: {"The staff were friendly and helpful.", "The food was delicious, with plenty of hot dishes.", "Good wine and excellent coffee.",
			"Comfortable chairs and a stylish interior.", "Everything was clean and tidy.", "Spacious and quiet, with plenty of seats.",
			"The showers were excellent.", "Free wifi, and it was fast."},
		false: {"The staff were rude and could not be bothered.", "The food was terrible and stale.", "The coffee was awful and there was no wine.",
			"The chairs were uncomfortable and the decor is dated.", "The tables were dirty and not cleared.", "Crowded and noisy, with nowhere to sit.",
			"The toilets were filthy.", "The wifi was not working."},
	}
	asides = []string{"I had three hours between my flights.", "It is on the second floor, after security.", "We came with our two children in the evening.",
		"They announce no flights, so keep an eye on the screens.", "There are newspapers and magazines in several languages."}
)

func slug(name string) string { return strings.ReplaceAll(strings.ToLower(name), " ", "-") }

// loungeContent writes a content folder with n reviews of lounges.
func loungeContent(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var business strings.Builder
	business.WriteString("id: lounges\nname: Lounges of Nowhere Air\nlanguage: en\n")
	for list, names := range map[string][]string{"services": lounges, "service_areas": airports} {
		fmt.Fprintf(&business, "%s:\n", list)
		for _, name := range names {
			fmt.Fprintf(&business, "  - {id: %s, name: %s}\n", slug(name), name)
		}
	}
	vocabulary, err := os.ReadFile("../../bench/eval/lounge/insights.yaml")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "business.yaml"), business.String())
	writeFile(t, filepath.Join(dir, "site.yaml"), "base_url: https://reviews.example.com\ntitle: Reviews of lounges\n")
	writeFile(t, filepath.Join(dir, "insights.yaml"), string(vocabulary))
	draw := rand.New(rand.NewPCG(15, 0))
	var lines strings.Builder
	for i := range n {
		stars := 1 + draw.IntN(5)
		text := []string{"Visited the lounge before a flight."}
		for _, j := range draw.Perm(8)[:3] {
			text = append(text, verdicts[draw.IntN(5) < stars][j], asides[draw.IntN(len(asides))])
		}
		day := time.Date(2006, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, draw.IntN(3600)).Format(time.DateOnly)
		raw, err := json.Marshal(map[string]any{"id": fmt.Sprintf("l-%04d", i), "author": fmt.Sprintf("Guest %d", i), "rating": stars, "date": day,
			"text": strings.Join(text, " "), "source": "skyline", "verification": map[string]string{"method": "platform", "verified_on": day},
			"services": []string{slug(lounges[draw.IntN(len(lounges))])}, "service_areas": []string{slug(airports[draw.IntN(len(airports))])}})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(raw, '\n'))
	}
	writeFile(t, filepath.Join(dir, "reviews/lounges.jsonl"), lines.String())
	return dir
}

func inArea(area string) func(reviewcast.Review) bool {
	return func(r reviewcast.Review) bool { return slices.Contains(r.Mentions.ServiceAreas, area) }
}

func both(a, b func(reviewcast.Review) bool) func(reviewcast.Review) bool {
	return func(r reviewcast.Review) bool { return a(r) && b(r) }
}

func from(first, last reviewcast.Date) func(reviewcast.Review) bool {
	return func(r reviewcast.Review) bool { return first <= r.Date && r.Date <= last }
}

func atMost(stars int) func(reviewcast.Review) bool {
	return func(r reviewcast.Review) bool { return r.Rating <= stars }
}

var loungeQuestions = []question{
	{"Which airport has the worst lounges?", []string{`list_entities {"kind":"service_areas","order":"lowest"}`}, "service_areas[0].average_rating",
		func(p published) any { return extreme(p.in.Entities.ServiceAreas, 1) }},
	{"What is the worst that was written about first class?", []string{`search_reviews {"mentions_service":"first-class","order":"lowest","limit":1}`}, "reviews[0].id",
		func(p published) any {
			return p.worst(func(r reviewcast.Review) bool { return slices.Contains(r.Mentions.Services, "first-class") })
		}},
	{"When was Oslo's lounge reviewed first?", []string{`search_reviews {"mentions_service_area":"oslo","order":"oldest","limit":1}`}, "reviews[0].date",
		func(p published) any {
			last := slices.MinFunc(slices.DeleteFunc(slices.Clone(p.Reviews), func(r reviewcast.Review) bool { return !inArea("oslo")(r) }),
				func(a, b reviewcast.Review) int { return strings.Compare(string(a.Date), string(b.Date)) })
			return string(last.Date)
		}},
	{"How are the airports distributed?", []string{`search_reviews {"response_format":"counts"}`}, "hint",
		func(p published) any {
			months := map[string]bool{}
			for _, r := range p.Reviews {
				months[r.Date.Month()] = true
			}
			return fmt.Sprintf("Cut lists: month has the first 12 of %d. service_area has the first 12 of %d. count_by lists more of one.", len(months), len(airports))
		}},
	{"How many reviews are there?", []string{`get_summary {}`}, "review_count", func(p published) any { return float64(p.ReviewCount) }},
	{"How were lounges rated in 2009?", []string{`search_reviews {"since":"2009-01-01","until":"2009-12-31","response_format":"counts"}`}, "facets.year[0].average_rating",
		func(p published) any { return p.mean(from("2009-01-01", "2009-12-31")) }},
	{"How many reviews mention showers with three stars or fewer in 2012?",
		[]string{`search_reviews {"query":"showers","max_rating":3,"since":"2012-01-01","until":"2012-12-31","response_format":"counts"}`}, "matched",
		func(p published) any {
			return p.count(both(both(contains("showers"), atMost(3)), from("2012-01-01", "2012-12-31")))
		}},
	{"What do people in Oslo complain about?", []string{`search_reviews {"mentions_service_area":"Oslo","sentiment":"negative","response_format":"concise","facets":true,"limit":5}`}, "matched",
		func(p published) any {
			return p.count(both(inArea("oslo"), func(r reviewcast.Review) bool { return p.in.PerReview[r.ID].Sentiment == reviewcast.Negative }))
		}},
	{"Where is it crowded?", []string{`search_reviews {"aspect":"space","sentiment":"negative","response_format":"counts"}`}, "facets.service_area[0].count",
		func(p published) any {
			most := 0.0
			for _, a := range airports {
				most = max(most, p.count(both(inArea(slug(a)), p.about("space", reviewcast.Negative))))
			}
			return most
		}},
	{"Is the wifi free?", []string{`get_aspect_sentiment {"aspect":"internet"}`}, "matched", func(p published) any { return p.count(p.about("internet")) }},
	{"Who found the toilets dirty?", []string{`get_aspect_sentiment {"aspect":"washrooms","polarity":"negative"}`}, "matched",
		func(p published) any { return p.count(p.about("washrooms", reviewcast.Negative)) }},
	{"How good is the arrivals lounge?", []string{`get_service {"service":"arrivals"}`}, "reviews.average_rating",
		func(p published) any { return *p.service("arrivals").AverageRating }},
	{"Which airport's lounge is reviewed most?", []string{`list_entities {"kind":"service_areas"}`}, "service_areas[0].review_count",
		func(p published) any {
			most := 0.0
			for _, a := range airports {
				most = max(most, p.count(inArea(slug(a))))
			}
			return most
		}},
	{"Did the first class lounges get better?", []string{`list_entities {"kind":"services"}`}, "services[id=first-class].recent.count",
		func(p published) any {
			newest := p.Reviews[0].Date.Noon().AddDate(-1, 0, 0).Format(time.DateOnly)
			return p.count(both(from(reviewcast.Date(newest), "9999"), func(r reviewcast.Review) bool { return slices.Contains(r.Mentions.Services, "first-class") }))
		}},
	{"Quote the newest bad review of Singapore.", []string{`search_reviews {"mentions_service_area":"singapore","max_rating":1,"limit":1}`}, "reviews[0].text",
		func(p published) any {
			return *p.Reviews[slices.IndexFunc(p.Reviews, both(inArea("singapore"), atMost(1)))].Text
		}},
	{"Does anybody answer the reviews?", []string{`search_reviews {"has_reply":true,"response_format":"counts"}`}, "matched", func(published) any { return 0.0 }},
	{"Compare London and Frankfurt.", []string{`list_entities {"kind":"service_areas"}`}, "service_areas[id=frankfurt].average_rating",
		func(p published) any { return p.mean(inArea("frankfurt")) }},
	{"How many in Frankfurt gave five stars?", []string{`search_reviews {"mentions_service_area":"Frankfurt","response_format":"counts"}`}, "facets.rating[value=5].count",
		func(p published) any {
			return p.count(both(inArea("frankfurt"), func(r reviewcast.Review) bool { return r.Rating == 5 }))
		}},
	{"What do happy guests like?", []string{`search_reviews {"rating":5,"response_format":"counts"}`}, "facets.aspect[0].count",
		func(p published) any {
			most := 0.0
			for _, a := range p.in.Aspects {
				most = max(most, p.count(both(p.about(a.ID), func(r reviewcast.Review) bool { return r.Rating == 5 })))
			}
			return most
		}},
	{"Which airport is best, among those with 50 reviews or more?", []string{`list_entities {"kind":"service_areas","order":"highest","min_reviews":50}`}, "service_areas[0].average_rating",
		func(p published) any {
			return extreme(slices.DeleteFunc(slices.Clone(p.in.Entities.ServiceAreas), func(e reviewcast.Entity) bool { return e.ReviewCount < 50 }), -1)
		}},
	{"How many airports have 50 reviews or more?", []string{`list_entities {"kind":"service_areas","min_reviews":"50"}`}, "service_areas[#]",
		func(p published) any {
			n := 0.0
			for _, a := range airports {
				if p.count(inArea(slug(a))) >= 50 {
					n++
				}
			}
			return n
		}},
	{"At which of all airports is it crowded?", []string{`search_reviews {"aspect":"space","sentiment":"negative","count_by":"service_area"}`}, "facets.service_area[#]",
		func(p published) any {
			n := 0.0
			for _, a := range airports {
				n += min(1, p.count(both(inArea(slug(a)), p.about("space", reviewcast.Negative))))
			}
			return n
		}},
	{"How did Oslo do, month by month in ten years?", []string{`search_reviews {"mentions_service_area":"oslo","count_by":"month"}`}, "facets.month[#]",
		func(p published) any {
			months := map[string]bool{}
			for _, r := range p.Reviews {
				if inArea("oslo")(r) {
					months[r.Date.Month()] = true
				}
			}
			return float64(len(months))
		}},
	{"What do the newest reviews say?", []string{`search_reviews {"limit":5}`}, "reviews[3].id", func(p published) any { return p.Reviews[3].ID }},
	{"Which airport has the dirtiest lounges?", []string{`search_reviews {"aspect":"cleanliness","sentiment":"negative","count_by":"service_area"}`}, "facets.service_area[0].count",
		func(p published) any {
			most := 0.0
			for _, a := range airports {
				most = max(most, p.count(both(inArea(slug(a)), p.about("cleanliness", reviewcast.Negative))))
			}
			return most
		}},
	{"Has it become more crowded over the years?", []string{`search_reviews {"aspect":"space","sentiment":"negative","count_by":"year"}`}, "facets.year[value=2010].count",
		func(p published) any {
			return p.count(both(from("2010-01-01", "2010-12-31"), p.about("space", reviewcast.Negative)))
		}},
	{"What do guests say at the moment?", []string{`search_reviews {}`}, "reviews[4].id", func(p published) any { return p.Reviews[4].ID }},
	{"What do guests say, and where?", []string{`search_reviews {"facets":true}`}, "facets.service_area[0].count",
		func(p published) any {
			most := 0.0
			for _, a := range airports {
				most = max(most, p.count(inArea(slug(a))))
			}
			return most
		}},
	{"How sure is the figure for food?", []string{`get_summary {}`}, "aspects[id=food].confidence",
		func(p published) any {
			return p.in.Aspects[slices.IndexFunc(p.in.Aspects, func(a reviewcast.Aspect) bool { return a.ID == "food" })].Confidence.Level
		}},
}

// TestLoungeQuestions asks about 1,000 reviews of another kind.
func TestLoungeQuestions(t *testing.T) {
	t.Parallel()
	public := filepath.Join(t.TempDir(), "public")
	buildSite(t, loungeContent(t, 1000), public)
	askAll(t, public, loungeQuestions)
}

// TestChangesOfAHistory: get_changes sums up what three builds published.
func TestChangesOfAHistory(t *testing.T) {
	t.Parallel()
	content, public := loungeContent(t, 60), filepath.Join(t.TempDir(), "public")
	build := func() int64 {
		t.Helper()
		buildSite(t, content, public)
		p, err := os.ReadFile(filepath.Join(public, "manifest.json"))
		var m reviewcast.Manifest
		if err != nil || json.Unmarshal(p, &m) != nil {
			t.Fatal(err)
		}
		return m.Sequence
	}
	first := build()
	lines, err := os.ReadFile(filepath.Join(content, "reviews/lounges.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.SplitAfter(string(lines), "\n")
	all[1] = strings.Replace(all[1], "Visited the lounge", "Went to the lounge", 1)
	all = append(all, strings.Replace(all[2], "l-0002", "l-new", 1), strings.Replace(all[3], "l-0003", "l-brief", 1))
	writeFile(t, filepath.Join(content, "reviews/lounges.jsonl"), strings.Join(all, ""))
	second := build()
	writeFile(t, filepath.Join(content, "reviews/lounges.jsonl"), strings.Join(slices.Delete(all[1:], len(all)-2, len(all)-1), ""))
	withdrawn := filepath.Join(content, "withdrawn.yaml")
	writeFile(t, withdrawn, "- {id: l-0000, reason: withdrawn, date: 2026-11-20}\n- {id: l-brief, reason: withdrawn, date: 2026-11-20}\n")
	build()
	tell := func(since any) string {
		t.Helper()
		_, h := servePublic(t, public)
		got, _ := callTool(t, h, "get_changes", fmt.Sprintf(`{"since":%q}`, fmt.Sprint(since)))
		return fmt.Sprintf("added %v, changed %v, withdrawn %v, shown %v, complete %v, hint %v", at(got, "added"), at(got, "changed"),
			at(got, "withdrawn_count"), at(got, "reviews[#]"), at(got, "complete"), at(got, "hint") != nil)
	}
	same := func(since any, want string) {
		t.Helper()
		if got := tell(since); got != want {
			t.Errorf("since %v: %s, want %s", since, got, want)
		}
	}
	same(first, "added [l-new], changed [l-0001], withdrawn 1, shown 2, complete true, hint false")
	same(second, "added [], changed [], withdrawn 2, shown 0, complete true, hint false")
	same("2020-01-01", "added [l-new], changed [l-0001], withdrawn 2, shown 2, complete true, hint true") // everything is new; l-brief was withdrawn since
	// A legal withdrawal ends the history: the documents before it name the review.
	writeFile(t, filepath.Join(content, "reviews/lounges.jsonl"), strings.Join(slices.Delete(all[1:], len(all)-3, len(all)-1), ""))
	writeFile(t, withdrawn, "- {id: l-0000, reason: withdrawn, date: 2026-11-20}\n- {id: l-brief, reason: withdrawn, date: 2026-11-20}\n- {id: l-new, reason: legal, date: 2026-11-20}\n")
	build()
	same(first, "added [], changed [], withdrawn 3, shown 0, complete false, hint true")
}
