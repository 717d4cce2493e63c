package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"reviewcast"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge"
	"reviewcast/edge/snapshot"
)

// A question that somebody asks an assistant, the tool calls that an agent makes for
// it, and where the answer is in the results. The expected answer is computed from the
// published files without the server.
type question struct {
	text  string
	calls []string // TOOL {arguments}
	// path is the answer in the result of the last call: members joined by ".", list
	// elements by [index] or [member=value], # for a length.
	path string
	want func(p published) any
}

// published is what the questions are about.
type published struct {
	reviewcast.Dataset
	in reviewcast.Insights
}

func (p published) count(match func(reviewcast.Review) bool) float64 {
	n := 0
	for _, r := range p.Reviews {
		if match(r) {
			n++
		}
	}
	return float64(n)
}

func (p published) mean(match func(reviewcast.Review) bool) float64 {
	n, stars := 0, 0
	for _, r := range p.Reviews {
		if match(r) {
			n, stars = n+1, stars+r.Rating
		}
	}
	return math.Round(100*float64(stars)/float64(n)) / 100
}

// about matches the reviews that mention an aspect, with one of the polarities or any.
func (p published) about(aspect string, polarities ...reviewcast.Polarity) func(reviewcast.Review) bool {
	return func(r reviewcast.Review) bool {
		polarity, ok := p.in.PerReview[r.ID].Aspects[aspect]
		return ok && (len(polarities) == 0 || slices.Contains(polarities, polarity))
	}
}

func (p published) service(id string) reviewcast.Entity { return find(p.in.Entities.Services, id) }

func (p published) technician(id string) reviewcast.Entity {
	return find(p.in.Entities.Technicians, id)
}

func find(list []reviewcast.Entity, id string) reviewcast.Entity {
	return list[slices.IndexFunc(list, func(e reviewcast.Entity) bool { return e.ID == id })]
}

func contains(text string) func(reviewcast.Review) bool {
	return func(r reviewcast.Review) bool {
		has := func(s *string) bool { return s != nil && strings.Contains(strings.ToLower(*s), text) }
		return has(r.Title) || has(r.Text)
	}
}

func names(technician string) func(reviewcast.Review) bool {
	return func(r reviewcast.Review) bool { return slices.Contains(r.Mentions.Technicians, technician) }
}

var questions = []question{
	{"How many reviews are there?", []string{`get_summary {}`}, "review_count", func(p published) any { return float64(p.ReviewCount) }},
	{"What is the average rating?", []string{`get_summary {}`}, "rating_value", func(p published) any { return *p.AggregateRating.RatingValue }},
	{"What do customers think overall?", []string{`get_summary {}`}, "summary", func(p published) any { return *p.in.Summary }},
	{"Are they getting better?", []string{`get_summary {}`}, "trend.direction", func(p published) any { return p.in.Temporal.Trend.Direction }},
	{"What was the average in the newest month?", []string{`get_summary {}`}, "monthly[-1].average_rating",
		func(p published) any { return *p.in.Temporal.Monthly[len(p.in.Temporal.Monthly)-1].AverageRating }},
	{"How many reviews came in January 2024?", []string{`get_summary {"since":"2024-01-01"}`}, "monthly[month=2024-01].review_count",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool { return r.Date.Month() == "2024-01" })
		}},
	{"Which languages were analysed?", []string{`get_summary {}`}, "languages_analysed[0]", func(p published) any { return p.in.Method.Languages[0] }},
	{"Are they open on Saturday?", []string{`get_business {}`}, "business.hours[1]", func(p published) any { return p.Business.Hours[1] }},
	{"What is their phone number?", []string{`get_business {}`}, "business.telephone", func(p published) any { return p.Business.Telephone }},
	{"How many five-star reviews?", []string{`get_business {}`}, "aggregate_rating.distribution.5", func(p published) any { return float64(p.AggregateRating.Distribution.Five) }},
	{"How were the reviews verified?", []string{`get_business {}`}, "verification[value=job].count",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool { return r.Verification.Method == "job" })
		}},
	{"How many reviews are left out, and why?", []string{`get_business {}`}, "unpublished.unverified", func(p published) any { return float64(p.Unpublished.Unverified) }},
	{"Which neighbourhoods do they serve?", []string{`get_business {}`}, "business.service_areas[#]", func(p published) any { return float64(len(p.Business.ServiceAreas)) }},
	{"How many one-star reviews in 2025?", []string{`search_reviews {"rating":1,"since":"2025-01-01","until":"2025-12-31","response_format":"counts"}`}, "matched",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool { return r.Rating == 1 && r.Date[:4] == "2025" })
		}},
	{"Mean stars by year?", []string{`search_reviews {"response_format":"counts"}`}, "facets.year[value=2024].average_rating",
		func(p published) any { return p.mean(func(r reviewcast.Review) bool { return r.Date[:4] == "2024" }) }},
	{"How many reviews are in French?", []string{`search_reviews {"language":"fr","response_format":"counts"}`}, "matched",
		func(p published) any { return p.count(func(r reviewcast.Review) bool { return r.Language == "fr" }) }},
	{"Where do reviews come from?", []string{`search_reviews {"response_format":"counts"}`}, "facets.source[value=google].count",
		func(p published) any { return p.count(func(r reviewcast.Review) bool { return r.Source == "google" }) }},
	{"How many bad reviews were left without a reply?", []string{`search_reviews {"max_rating":2,"has_reply":false,"response_format":"counts"}`}, "matched",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool { return r.Rating <= 2 && r.OwnerReply == nil })
		}},
	{"What share of reviews did the owner answer?", []string{`search_reviews {"response_format":"counts"}`}, "facets.replied[value=true].count",
		func(p published) any { return p.count(func(r reviewcast.Review) bool { return r.OwnerReply != nil }) }},
	{"How many reviews mention 'on time'?", []string{`search_reviews {"query":"on time","response_format":"counts"}`}, "matched",
		func(p published) any { return p.count(contains("on time")) }},
	{"How many customers complain about prices?", []string{`search_reviews {"aspect":"pricing","sentiment":"negative","response_format":"counts"}`}, "matched",
		func(p published) any { return p.count(p.about("pricing", reviewcast.Negative)) }},
	{"Which aspects do bad reviews mention most?", []string{`search_reviews {"max_rating":2,"response_format":"counts"}`}, "facets.aspect[0].count",
		func(p published) any {
			most := 0.0
			for _, a := range p.in.Aspects {
				most = max(most, p.count(func(r reviewcast.Review) bool { return r.Rating <= 2 && p.about(a.ID)(r) }))
			}
			return most
		}},
	{"How many negative reviews in Verdun?", []string{`search_reviews {"mentions_service_area":"verdun","sentiment":"negative","response_format":"counts"}`}, "matched",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool {
				return slices.Contains(r.Mentions.ServiceAreas, "verdun") && p.in.PerReview[r.ID].Sentiment == reviewcast.Negative
			})
		}},
	{"Show me the newest complaint.", []string{`search_reviews {"max_rating":2,"limit":1,"response_format":"concise"}`}, "reviews[0].id",
		func(p published) any {
			return p.Reviews[slices.IndexFunc(p.Reviews, func(r reviewcast.Review) bool { return r.Rating <= 2 })].ID
		}},
	{"What does the newest review say?", []string{`search_reviews {"limit":1}`}, "reviews[0].text", func(p published) any { return *p.Reviews[0].Text }},
	{"And how was it read?", []string{`search_reviews {"limit":1,"response_format":"concise"}`, `get_review {"id":"{0:reviews[0].id}"}`}, "insight.sentiment",
		func(p published) any { return string(p.in.PerReview[p.Reviews[0].ID].Sentiment) }},
	{"Are they on time?", []string{`get_aspect_sentiment {"aspect":"punctuality"}`}, "aspect.positive_pct", func(p published) any { return p.in.Aspects[0].PositivePct }},
	{"How sure is that?", []string{`get_aspect_sentiment {"aspect":"Punctuality"}`}, "aspect.confidence.level", func(p published) any { return p.in.Aspects[0].Confidence.Level }},
	{"Who says that they were late?", []string{`get_aspect_sentiment {"aspect":"punctual","polarity":"negative"}`}, "matched",
		func(p published) any { return p.count(p.about("punctuality", reviewcast.Negative)) }},
	{"What about the price?", []string{`get_aspect_sentiment {"aspect":"price"}`}, "matched", func(p published) any { return p.count(p.about("pricing")) }},
	{"What do people say of Helene?", []string{`get_technician {"name":"Helene"}`}, "technicians[0].reviews.average_rating",
		func(p published) any { return *p.technician("helene-thibodeau").AverageRating }},
	{"Is Mr Okafor good?", []string{`get_technician {"name":"okafor"}`}, "technicians[0].reviews.review_count",
		func(p published) any { return float64(p.technician("marcus-okafor").ReviewCount) }},
	{"Which Daniel should I ask for?", []string{`get_technician {"name":"Daniel"}`}, "matched", func(published) any { return 2.0 }},
	{"Who is rated best?", []string{`list_entities {"kind":"technicians"}`}, "technicians[id=helene-thibodeau].average_rating",
		func(p published) any { return *p.technician("helene-thibodeau").AverageRating }},
	{"Who gets the most reviews?", []string{`list_entities {"kind":"technicians"}`}, "technicians[0].review_count",
		func(p published) any {
			most := 0.0
			for _, t := range p.Business.Technicians {
				most = max(most, p.count(names(t.ID)))
			}
			return most
		}},
	{"How do customers like their drain cleaning?", []string{`get_service {"service":"drain"}`}, "reviews.average_rating",
		func(p published) any { return *p.service("drain-cleaning").AverageRating }},
	{"Do they repair furnaces well?", []string{`get_service {"service":"furnaces"}`}, "reviews.review_count",
		func(p published) any { return float64(p.service("heating").ReviewCount) }},
	{"Which problems come up?", []string{`list_entities {"kind":"problems"}`}, "problems[0].review_count",
		func(p published) any {
			most := 0
			for _, e := range p.in.Entities.Problems {
				most = max(most, e.ReviewCount)
			}
			return float64(most)
		}},
	{"What did Grace do for heating customers?", []string{`search_reviews {"mentions_technician":"Grace","mentions_service":"heating","response_format":"concise"}`}, "matched",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool {
				return names("grace-lachance")(r) && slices.Contains(r.Mentions.Services, "heating")
			})
		}},
	{"What comes up again and again?", []string{`list_topics {}`}, "topics[0].label", func(p published) any { return p.in.Topics[0].Label }},
	{"Do they come at night?", []string{`get_faq {}`}, "faq[0].answer", func(p published) any { return p.in.FAQ[0].Answer }},
	{"How many reviews are dated since July 2026?", []string{`get_changes {"since":"2026-07-01"}`}, "reviews_dated_since",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool { return r.Date >= "2026-07-01" })
		}},
}

// extreme is the mean stars of the lowest or, with sign -1, the highest of entities.
func extreme(list []reviewcast.Entity, sign float64) float64 {
	best := math.Inf(1)
	for _, e := range list {
		best = min(best, sign**e.AverageRating)
	}
	return sign * best
}

// worst is the id of the newest review among those with the fewest stars that match.
func (p published) worst(match func(reviewcast.Review) bool) string {
	matches := slices.DeleteFunc(slices.Clone(p.Reviews), func(r reviewcast.Review) bool { return !match(r) })
	return slices.MinFunc(matches, func(a, b reviewcast.Review) int { return a.Rating - b.Rating }).ID
}

func every(reviewcast.Review) bool { return true }

// most is the number of matching reviews of the technician who has most of them.
func (p published) most(match func(reviewcast.Review) bool) (most float64) {
	for _, t := range p.Business.Technicians {
		most = max(most, p.count(func(r reviewcast.Review) bool { return names(t.ID)(r) && match(r) }))
	}
	return most
}

// moreQuestions were written after the tools, by somebody who read the tool descriptions only.
var moreQuestions = []question{
	{"What are the three worst reviews?", []string{`search_reviews {"order":"lowest","limit":3,"response_format":"concise"}`}, "reviews[0].id",
		func(p published) any { return p.worst(every) }},
	{"What was their very first review?", []string{`search_reviews {"order":"oldest","limit":1}`}, "reviews[0].id",
		func(p published) any { return p.Reviews[len(p.Reviews)-1].ID }},
	{"And the worst that mentions Hélène?", []string{`search_reviews {"mentions_technician":"Hélène","order":"lowest","limit":1}`}, "reviews[0].id",
		func(p published) any { return p.worst(names("helene-thibodeau")) }},
	{"How many reviews came in each month of 2025?", []string{`search_reviews {"since":"2025-01-01","until":"2025-12-31","response_format":"counts"}`}, "facets.month[value=2025-07].count",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool { return r.Date.Month() == "2025-07" })
		}},
	{"Who is praised for communication?", []string{`search_reviews {"aspect":"communication","sentiment":"positive","response_format":"counts"}`}, "facets.technician[0].count",
		func(p published) any { return p.most(p.about("communication", reviewcast.Positive)) }},
	{"Marcus or Grace, whose customers are happier?", []string{`get_technician {"name":"Marcus"}`, `get_technician {"name":"Grace"}`}, "technicians[0].reviews.average_rating",
		func(p published) any { return *p.technician("grace-lachance").AverageRating }},
	{"Which reviews under three stars have no reply yet?", []string{`search_reviews {"max_rating":2,"has_reply":false,"response_format":"concise"}`}, "returned",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool { return r.Rating < 3 && r.OwnerReply == nil })
		}},
	{"Do French-speaking customers rate differently?", []string{`search_reviews {"response_format":"counts"}`}, "facets.language[value=fr].average_rating",
		func(p published) any { return p.mean(func(r reviewcast.Review) bool { return r.Language == "fr" }) }},
	{"What about Mrs Thibodau?", []string{`get_technician {"name":"Thibodau"}`}, "technicians[0].id", func(published) any { return "helene-thibodeau" }},
	{"How many were verified by a receipt?", []string{`get_business {}`}, "verification[value=receipt].count",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool { return r.Verification.Method == "receipt" })
		}},
	{"How many reviews were taken down for legal reasons?", []string{`get_business {}`}, "unpublished.legal", func(p published) any { return float64(p.Unpublished.Legal) }},
	{"What was withdrawn since 2024?", []string{`get_changes {"since":"2024-01-01"}`}, "withdrawn_count",
		func(p published) any { return float64(p.Unpublished.Withdrawn + p.Unpublished.Legal) }},
	{"Is pricing getting worse?", []string{`get_aspect_sentiment {"aspect":"pricing"}`}, "aspect.trend.direction",
		func(p published) any {
			return p.in.Aspects[slices.IndexFunc(p.in.Aspects, func(a reviewcast.Aspect) bool { return a.ID == "pricing" })].Trend.Direction
		}},
	{"Which service is rated worst?", []string{`list_entities {"kind":"services","order":"lowest"}`}, "services[0].average_rating",
		func(p published) any { return extreme(p.in.Entities.Services, 1) }},
	{"Who is rated best?", []string{`list_entities {"kind":"technicians","order":"highest"}`}, "technicians[0].average_rating",
		func(p published) any { return extreme(p.in.Entities.Technicians, -1) }},
	{"Who wrote about a hair dryer for elephants?", []string{`search_reviews {"query":"hair dryer for elephants"}`}, "reviews[0].author",
		func(p published) any {
			return p.Reviews[slices.IndexFunc(p.Reviews, contains("hair dryer for elephants"))].Author
		}},
	{"When was Grace mentioned last?", []string{`get_technician {"name":"Grace"}`}, "technicians[0].reviews.last_mentioned",
		func(p published) any { return string(*p.technician("grace-lachance").LastMentioned) }},
	{"More five-star reviews in 2025 than in 2024?", []string{`search_reviews {"rating":5,"response_format":"counts"}`}, "facets.year[value=2025].count",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool { return r.Rating == 5 && r.Date[:4] == "2025" })
		}},
	{"In which month did they get most five-star reviews?", []string{`search_reviews {"rating":5,"count_by":"month"}`}, "facets.month[value=2024-06].count",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool { return r.Rating == 5 && r.Date.Month() == "2024-06" })
		}},
	{"What do the newest reviews say?", []string{`search_reviews {"limit":5}`}, "reviews[3].text", func(p published) any { return *p.Reviews[3].Text }},
	{"Which complaints did they answer?", []string{`search_reviews {"max_rating":3,"has_reply":true,"response_format":"concise"}`}, "returned",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool { return r.Rating <= 3 && r.OwnerReply != nil })
		}},
	{"How are they rated on Google?", []string{`search_reviews {"response_format":"counts"}`}, "facets.source[value=google].average_rating",
		func(p published) any { return p.mean(func(r reviewcast.Review) bool { return r.Source == "google" }) }},
	{"Has anybody complained in French?", []string{`search_reviews {"language":"French","max_rating":2}`}, "returned",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool { return strings.HasPrefix(r.Language, "fr") && r.Rating <= 2 })
		}},
	{"Y en español, ¿qué dicen?", []string{`search_reviews {"language":"español","response_format":"concise"}`}, "matched",
		func(p published) any { return p.count(func(r reviewcast.Review) bool { return r.Language == "es" }) }},
	{"Who is praised most for leaving the place clean?", []string{`search_reviews {"aspect":"cleanliness","sentiment":"positive","count_by":"technician"}`}, "facets.technician[0].count",
		func(p published) any { return p.most(p.about("cleanliness", reviewcast.Positive)) }},
	{"Who should I ask for if my furnace is out?", []string{`search_reviews {"mentions_service":"heating","count_by":"technician"}`}, "facets.technician[0].count",
		func(p published) any {
			return p.most(func(r reviewcast.Review) bool { return slices.Contains(r.Mentions.Services, "heating") })
		}},
	{"What do customers say at the moment?", []string{`search_reviews {}`}, "reviews[4].text", func(p published) any { return *p.Reviews[4].Text }},
	{"Which complaints are there, and from when?", []string{`search_reviews {"max_rating":2,"facets":true,"response_format":"concise"}`}, "facets.year[value=2025].count",
		func(p published) any {
			return p.count(func(r reviewcast.Review) bool { return r.Rating <= 2 && r.Date[:4] == "2025" })
		}},
}

// TestQuestions asks the real server everything that people ask about the sample. Each
// answer is right, with at most two calls and 3,000 tokens.
func TestQuestions(t *testing.T) {
	t.Parallel()
	if len(questions) < 40 {
		t.Errorf("%d questions", len(questions))
	}
	askAll(t, samplePublic(t), slices.Concat(questions, moreQuestions))
}

// askAll asks questions about a published set.
func askAll(t *testing.T, public string, questions []question) {
	t.Helper()
	p, h := servePublic(t, public)
	one := 0
	for _, q := range questions {
		var results []any
		tokens := 0
		for _, call := range q.calls {
			tool, args, _ := strings.Cut(call, " ")
			for i, r := range results {
				if _, after, ok := strings.Cut(args, fmt.Sprintf("{%d:", i)); ok {
					path, _, _ := strings.Cut(after, "}")
					args = strings.ReplaceAll(args, fmt.Sprintf("{%d:%s}", i, path), fmt.Sprint(at(r, path)))
				}
			}
			result, size := callTool(t, h, tool, args)
			results, tokens = append(results, result), tokens+size
		}
		if got, want := at(results[len(results)-1], q.path), q.want(p); got != want {
			t.Errorf("%s %s: %v, want %v", q.text, q.calls, got, want)
		}
		if len(q.calls) == 1 {
			one++
		}
		if len(q.calls) > 2 || tokens > 3000 {
			t.Errorf("%s: %d calls, %d tokens", q.text, len(q.calls), tokens)
		}
	}
	t.Logf("%d questions, %d with one call", len(questions), one)
}

// servePublic serves a published set, which it also returns.
func servePublic(t *testing.T, public string) (published, http.Handler) {
	t.Helper()
	var p published
	for name, to := range map[string]any{"reviews.json": &p.Dataset, "insights.json": &p.in} {
		raw, err := os.ReadFile(filepath.Join(public, name))
		if err == nil {
			err = json.Unmarshal(raw, to)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := snapshot.OpenFiles(os.DirFS(public), snapshot.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := snapshottest.Index(t, f)
	holder := &snapshot.Holder{}
	snapshottest.Swap(holder, s)
	c := edge.Config{Snapshots: holder, BaseURL: snapshottest.BaseURL}
	if _, err := (&mcpFlags{}).mountMCP(&c, nil); err != nil {
		t.Fatal(err)
	}
	return p, edge.New(c)
}

// callTool returns the structured content of a call, and the tokens of the result: a
// quarter of its characters.
func callTool(t *testing.T, h http.Handler, tool, args string) (content any, tokens int) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	r := httptest.NewRequest(http.MethodPost, reviewcast.PathMCP, strings.NewReader(body))
	for name, value := range map[string]string{"Content-Type": "application/json", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var answer struct {
		Result struct {
			StructuredContent any
			IsError           bool
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Result.IsError {
		t.Fatalf("%s %s: %d %s (%v)", tool, args, w.Code, w.Body, err)
	}
	return answer.Result.StructuredContent, len([]rune(w.Body.String())) / 4
}

// at follows a path of a question.
func at(v any, path string) any {
	for part := range strings.SplitSeq(strings.NewReplacer("[", ".[", ".[", ".[").Replace(path), ".") {
		selector, isList := strings.CutPrefix(part, "[")
		selector = strings.TrimSuffix(selector, "]")
		if !isList {
			m, _ := v.(map[string]any)
			v = m[part]
			continue
		}
		list, _ := v.([]any)
		member, value, selects := strings.Cut(selector, "=")
		i, err := strconv.Atoi(selector)
		switch {
		case selector == "#":
			return float64(len(list))
		case selects:
			i = slices.IndexFunc(list, func(e any) bool {
				m, _ := e.(map[string]any)
				return fmt.Sprint(m[member]) == value
			})
		case err == nil && i < 0:
			i += len(list)
		}
		if i < 0 || i >= len(list) {
			return nil
		}
		v = list[i]
	}
	return v
}
