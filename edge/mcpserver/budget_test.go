package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
)

// large is a business with long lists of everything, ten years old.
func large(t *testing.T) snapshottest.Public {
	d := corpus.Dataset(300)
	d.Business.Technicians, d.Business.Services, d.Business.ServiceAreas = nil, nil, nil
	var in reviewcast.Insights
	if err := json.Unmarshal(read(t, "insights.json"), &in); err != nil {
		t.Fatal(err)
	}
	in.Topics, in.Entities, in.PerReview = nil, reviewcast.Entities{}, map[string]reviewcast.ReviewInsight{}
	examples := make([]string, 5)
	for i := range examples {
		examples[i] = d.Reviews[i].ID
	}
	var quarters []reviewcast.Quarter
	for i := range 40 {
		q := reviewcast.Quarter{Quarter: fmt.Sprintf("%d-Q%d", 2016+i/4, 1+i%4), ReviewCount: 12}
		for a := range 8 {
			q.Votes = append(q.Votes, reviewcast.AspectVotes{ID: fmt.Sprintf("aspect-number-%d", a)})
		}
		quarters = append(quarters, q)
	}
	for i := range 200 {
		id, name := fmt.Sprintf("thing-%03d", i), fmt.Sprintf("Thing number %d", i)
		d.Business.Technicians = append(d.Business.Technicians, reviewcast.Technician{ID: id, Name: "Daniel " + name, Aliases: []string{"Dan " + name}})
		d.Business.Services = append(d.Business.Services, reviewcast.Named{ID: id, Name: name})
		d.Business.ServiceAreas = append(d.Business.ServiceAreas, reviewcast.Named{ID: id, Name: name})
		e := reviewcast.Entity{ID: id, Name: name, ReviewCount: 200 - i, ExampleReviewIDs: examples}
		in.Entities.Services, in.Entities.ServiceAreas = append(in.Entities.Services, e), append(in.Entities.ServiceAreas, e)
		e.Quarters = quarters
		in.Entities.Technicians = append(in.Entities.Technicians, e)
		in.Topics = append(in.Topics, reviewcast.Topic{ID: id, Label: name, ExampleReviewIDs: examples})
	}
	for i := range d.Reviews {
		r := &d.Reviews[i]
		id := fmt.Sprintf("thing-%03d", i%200)
		r.Mentions = reviewcast.Mentions{Technicians: []string{id}, Services: []string{id}, ServiceAreas: []string{id}}
	}
	p := snapshottest.Publish(t, d)
	p[reviewcast.PathInsights] = snapshottest.Marshal(t, in)
	return p
}

// TestLongLists: however much is published, a call that doesn't ask for more takes at most 3,000 tokens,
// and a hint or a cursor tells that there is more.
func TestLongLists(t *testing.T) {
	s, _ := serve(t, large(t), Config{})
	c := newTalker(t, s)
	for _, call := range []string{
		`get_business {}`, `get_summary {}`, `list_topics {}`, `list_entities {}`, `list_entities {"kind":"technicians"}`,
		`get_technician {"name":"thing-007"}`, `get_technician {"name":"Daniel"}`,
		`search_reviews {"response_format":"concise","limit":100}`, `search_reviews {"response_format":"counts"}`,
		`search_reviews {"count_by":"service_area"}`, `search_reviews {"count_by":"month"}`,
	} {
		name, args, _ := strings.Cut(call, " ")
		r := c.tool(t, name, json.RawMessage(args))
		if r.IsError {
			t.Fatalf("%s: %s", call, r.Content[0].Text)
		}
		if n := tokens(r.StructuredContent) + tokens([]byte(r.Content[0].Text)); n > 3000 {
			t.Errorf("%s: %d tokens", call, n)
		}
		var rest struct {
			Hint       string
			NextCursor *string `json:"next_cursor"`
		}
		if err := json.Unmarshal(r.StructuredContent, &rest); err != nil {
			t.Fatal(err)
		}
		if name != "get_summary" && !strings.Contains(call, "month") && rest.Hint == "" && rest.NextCursor == nil && !strings.Contains(call, "007") {
			t.Errorf("%s: neither hint nor cursor: %.300s", call, r.StructuredContent)
		}
	}
}

// TestMinReviews: list_entities leaves out those with fewer reviews, and takes a number in any form.
func TestMinReviews(t *testing.T) {
	s, _ := serve(t, large(t), Config{})
	c := newTalker(t, s)
	for _, least := range []string{`198`, `"198"`, `198.0`} {
		var got struct{ Technicians, Services []struct{ ID string } }
		r := c.tool(t, "list_entities", json.RawMessage(`{"min_reviews":`+least+`}`))
		if err := json.Unmarshal(r.StructuredContent, &got); err != nil || len(got.Technicians) != 3 || len(got.Services) != 3 {
			t.Errorf("min_reviews %s: %v, %+v", least, err, got)
		}
	}
	for _, bad := range []string{`0`, `-1`, `1.5`, `"many"`, `[]`} {
		if r := c.tool(t, "list_entities", json.RawMessage(`{"min_reviews":`+bad+`}`)); !r.IsError || !strings.Contains(r.Content[0].Text, "min_reviews: ") {
			t.Errorf("min_reviews %s: %+v", bad, r.Content)
		}
	}
}

// TestCountBy: only the facet that is asked for is listed, in full; the short ones stay.
func TestCountBy(t *testing.T) {
	s, _ := serve(t, large(t), Config{})
	c := newTalker(t, s)
	var got reviewcast.SearchResult
	all := s.config.Snapshots.Load().Search(reviewcast.Query{Facets: true}).Facets
	if err := json.Unmarshal(c.tool(t, "search_reviews", map[string]any{"count_by": "month"}).StructuredContent, &got); err != nil {
		t.Fatal(err)
	}
	f := got.Facets
	if len(f.Month) != len(all.Month) || f.Technician == nil || len(f.Technician)+len(f.ServiceArea)+len(f.Aspect) != 0 || len(f.Rating) != len(all.Rating) {
		t.Errorf("count_by month: %+v", f)
	}
	if r := c.tool(t, "search_reviews", map[string]any{"count_by": "weather"}); !r.IsError || !strings.Contains(r.Content[0].Text, "service_area") {
		t.Errorf("count_by weather: %+v", r.Content)
	}
}
