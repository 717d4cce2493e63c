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
		if i < 10 { // those that are asked for alone
			e.Quarters = quarters
		}
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

// longNames is a business with 100 technicians, 50 services and 200 areas whose names and ids are as long as those of
// real ones get, and with long reviews.
func longNames(t *testing.T) snapshottest.Public {
	d := corpus.Dataset(300)
	d.Business.Technicians, d.Business.Services, d.Business.ServiceAreas = nil, nil, nil
	var in reviewcast.Insights
	if err := json.Unmarshal(read(t, "insights.json"), &in); err != nil {
		t.Fatal(err)
	}
	in.Entities, in.PerReview = reviewcast.Entities{}, map[string]reviewcast.ReviewInsight{}
	id := func(i int) string {
		return fmt.Sprintf("aeroport-international-pierre-elliott-trudeau-terminal-%03d", i)
	}
	name := func(i int) string {
		return fmt.Sprintf("Aéroport international Pierre-Elliott-Trudeau de Montréal, terminal %d", i)
	}
	entity := func(i int) reviewcast.Entity {
		e := reviewcast.Entity{ID: id(i), Name: name(i), ReviewCount: 3, ExampleReviewIDs: []string{d.Reviews[i].ID, d.Reviews[i+1].ID, d.Reviews[i+2].ID}}
		for _, a := range in.Aspects {
			e.TopAspects = append(e.TopAspects, a.ID)
		}
		return e
	}
	for i := range 200 {
		if i < 100 {
			d.Business.Technicians = append(d.Business.Technicians, reviewcast.Technician{ID: id(i), Name: "Daniel " + name(i), Aliases: []string{"Dan " + name(i)}})
			in.Entities.Technicians = append(in.Entities.Technicians, entity(i))
		}
		if i < 50 {
			d.Business.Services = append(d.Business.Services, reviewcast.Named{ID: id(i), Name: name(i)})
			in.Entities.Services = append(in.Entities.Services, entity(i))
			in.Entities.Problems = append(in.Entities.Problems, entity(i))
		}
		d.Business.ServiceAreas = append(d.Business.ServiceAreas, reviewcast.Named{ID: id(i), Name: name(i)})
		in.Entities.ServiceAreas = append(in.Entities.ServiceAreas, entity(i))
	}
	for i := range d.Reviews {
		r := &d.Reviews[i]
		text := strings.Repeat("The \"Business\" lounge was crowded, and the coffee was cold. ", 15)
		r.Text = &text
		r.Mentions = reviewcast.Mentions{Technicians: []string{id(i % 100)}, Services: []string{id(i % 50)}, ServiceAreas: []string{id(i % 200)}}
		in.PerReview[r.ID] = reviewcast.ReviewInsight{Sentiment: reviewcast.Negative, Aspects: map[string]reviewcast.Polarity{"punctuality": reviewcast.Negative}}
	}
	p := snapshottest.Publish(t, d)
	p[reviewcast.PathInsights] = snapshottest.Marshal(t, in)
	return p
}

// TestLongLists: however much is published, a call that doesn't ask for a number of reviews takes at most 3,000
// tokens, and a hint or a cursor tells that there is more.
func TestLongLists(t *testing.T) {
	s, _ := serve(t, large(t), Config{})
	c := newTalker(t, s)
	t.Run("many names", func(t *testing.T) { testLongLists(t, s, c) })
	t.Run("min_reviews", func(t *testing.T) { testMinReviews(t, c) })
	t.Run("count_by", func(t *testing.T) { testCountBy(t, s, c) })
	s, _ = serve(t, longNames(t), Config{})
	t.Run("long names and texts", func(t *testing.T) { testLongLists(t, s, newTalker(t, s)) })
}

func testLongLists(t *testing.T, s *Server, c *talker) {
	v, err := s.views.load()
	if err != nil {
		t.Fatal(err)
	}
	technician, service := v.dataset.Business.Technicians[7], v.dataset.Business.Services[7]
	calls := map[string][]string{ // all of each tool's kinds of arguments
		"get_summary":          {`{}`, `{"since":"2016-01-01"}`},
		"get_business":         {`{}`},
		"get_review":           {`{"id":"` + v.newest(1)[0] + `"}`},
		"get_aspect_sentiment": {`{"aspect":"punctuality"}`, `{"aspect":"punctuality","polarity":"negative"}`},
		"get_technician":       {`{"name":"` + technician.ID + `"}`, `{"name":"` + technician.Name + `"}`, `{"name":"Daniel"}`},
		"get_service":          {`{"service":"` + service.ID + `"}`},
		"list_entities": {`{}`, `{"order":"lowest"}`, `{"min_reviews":2}`, `{"kind":"technicians"}`, `{"kind":"services"}`, `{"kind":"problems"}`,
			`{"kind":"service_areas"}`, `{"kind":"service_areas","order":"highest"}`},
		"list_topics": {`{}`},
		"get_faq":     {`{}`},
		"get_changes": {`{"since":"2016-01-01"}`, `{"since":"1"}`},
	}
	for _, format := range []string{detailed, concise, counts} {
		for _, filter := range []string{`"min_rating":1`, `"facets":true`, `"query":"the"`, `"order":"lowest"`, `"order":"oldest","facets":true`,
			`"mentions_service":"` + service.ID + `"`, `"query":"nothing has this"`, `"language":"Klingon","query":"a b c d e f g"`,
			`"count_by":"service_area"`, `"count_by":"month"`, `"count_by":"technician"`, `"count_by":"aspect"`} {
			calls["search_reviews"] = append(calls["search_reviews"], `{"response_format":"`+format+`",`+filter+`}`)
		}
	}
	calls["search_reviews"] = append(calls["search_reviews"], `{}`, `{"response_format":"concise","limit":100}`, `{"limit":3}`)
	for _, tool := range tools {
		if calls[tool.name] == nil {
			t.Errorf("no call of %s", tool.name)
		}
		for _, args := range calls[tool.name] {
			r := c.tool(t, tool.name, json.RawMessage(args))
			if r.IsError {
				t.Fatalf("%s %s: %s", tool.name, args, r.Content[0].Text)
			}
			n := tokens(r.StructuredContent) + tokens([]byte(r.Content[0].Text))
			t.Logf("%5d tokens: %s %s", n, tool.name, args)
			if n > 3000 {
				t.Errorf("%s %s: %d tokens", tool.name, args, n)
			}
			checkRest(t, args, r.StructuredContent)
		}
	}
}

// checkRest checks that a result whose lists are cut says so.
func checkRest(t *testing.T, args string, content []byte) {
	t.Helper()
	var rest struct {
		Hint              string
		NextCursor        *string `json:"next_cursor"`
		Matched, Returned int
		Business          struct{ Technicians []any }
		Technicians       []any
		TopicCount        int `json:"topic_count"`
		Topics            []any
		Facets            struct {
			ServiceArea []any `json:"service_area"`
			Month       []any
		}
	}
	if err := json.Unmarshal(content, &rest); err != nil {
		t.Fatal(err)
	}
	cut := len(rest.Business.Technicians) > 0 && len(rest.Business.Technicians) < 100 || len(rest.Technicians) == maxEntities ||
		len(rest.Topics) < rest.TopicCount || len(rest.Facets.ServiceArea) > 1 && rest.Matched == 300 && len(rest.Facets.ServiceArea) < 200
	if cut && rest.Hint == "" {
		t.Errorf("%s: no hint: %.300s", args, content)
	}
	if rest.Returned > 0 && (rest.NextCursor == nil) != (rest.Returned == rest.Matched) {
		t.Errorf("%s: %d of %d, cursor %v", args, rest.Returned, rest.Matched, rest.NextCursor)
	}
}

// testMinReviews: list_entities leaves out those with fewer reviews, and takes a number in any form.
func testMinReviews(t *testing.T, c *talker) {
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

// testCountBy: only the facet that is asked for is listed, in full; the short ones stay.
func testCountBy(t *testing.T, s *Server, c *talker) {
	var got reviewcast.SearchResult
	all := s.config.Snapshots.Indexed.Load().Search(reviewcast.Query{Facets: true}).Facets
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
