package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// genQuery draws the arguments of a search, of which some match.
func genQuery(rt *rapid.T) map[string]any {
	args := map[string]any{}
	maybe := func(name string, value func() any) {
		if rapid.Bool().Draw(rt, "give "+name) {
			args[name] = value()
		}
	}
	day := func() any {
		return fmt.Sprintf("%d-%02d-%02d", rapid.IntRange(2023, 2026).Draw(rt, "year"), rapid.IntRange(1, 12).Draw(rt, "month"), rapid.IntRange(1, 28).Draw(rt, "day"))
	}
	maybe("rating", func() any { return rapid.IntRange(1, 5).Draw(rt, "rating") })
	maybe("min_rating", func() any { return rapid.SampledFrom([]float64{1, 2.5, 4, 5}).Draw(rt, "min_rating") })
	maybe("query", func() any { return rapid.SampledFrom([]string{"", "on time", "É", "the", "zzz"}).Draw(rt, "query") })
	maybe("mentions_technician", func() any {
		return rapid.SampledFrom([]string{corpus.Business().Technicians[0].Name, "nobody"}).Draw(rt, "technician")
	})
	maybe("mentions_service", func() any {
		return rapid.SampledFrom([]string{corpus.Business().Services[0].ID, "nothing"}).Draw(rt, "service")
	})
	maybe("max_rating", func() any { return rapid.SampledFrom([]any{1, 3.5, "4", 5}).Draw(rt, "max_rating") })
	maybe("language", func() any { return rapid.SampledFrom([]string{"en", "EN", "fr"}).Draw(rt, "language") })
	maybe("source", func() any { return rapid.SampledFrom([]string{"google", "direct", "nowhere"}).Draw(rt, "source") })
	maybe("verification", func() any { return rapid.SampledFrom(reviewcast.VerificationMethods).Draw(rt, "verification") })
	maybe("has_reply", func() any { return rapid.SampledFrom([]any{true, false, "true"}).Draw(rt, "has_reply") })
	maybe("facets", func() any { return rapid.Bool().Draw(rt, "facets") })
	maybe("limit", func() any { return rapid.IntRange(1, 100).Draw(rt, "limit") })
	maybe("order", func() any {
		return rapid.SampledFrom([]string{"newest", "oldest", "lowest", "highest"}).Draw(rt, "order")
	})
	maybe("since", day)
	maybe("until", day)
	if s, ok := args["since"].(string); ok {
		if u, ok := args["until"].(string); ok && s > u {
			args["since"], args["until"] = u, s
		}
	}
	return args
}

// TestSearchIsTheHTTPSearch: search_reviews gives what a search of the snapshot
// gives; cmd/reviewcast holds it against the HTTP interface, too.
func TestSearchIsTheHTTPSearch(t *testing.T) {
	s, _ := serve(t, snapshottest.Publish(t, corpus.Dataset(300)), Config{})
	c := newTalker(t, s)
	rapid.Check(t, func(rt *rapid.T) {
		args := genQuery(rt)
		raw := map[string]json.RawMessage{}
		for name, v := range args {
			raw[name], _ = json.Marshal(v)
		}
		q, issues := reviewcast.BindSearch(raw)
		if len(issues) > 0 {
			rt.Fatalf("%v: %v", args, issues)
		}
		want := s.config.Snapshots.Indexed.Load().Search(q)

		var got struct {
			Matched, Returned int
			Reviews           []json.RawMessage
			Query             reviewcast.Query
			Facets            *reviewcast.Facets
			NextCursor        *string `json:"next_cursor"`
			Hint              string
		}
		if err := json.Unmarshal(c.tool(t, "search_reviews", args).StructuredContent, &got); err != nil {
			rt.Fatal(err)
		}
		whole := args["limit"] != nil || got.NextCursor == nil // a page without a limit ends at a number of bytes
		if n := len(want.Reviews); got.Returned == n || !whole && 0 < got.Returned && got.Returned < n {
			want.More = want.More || got.Returned < n
			want.Reviews = want.Reviews[:got.Returned]
		}
		if got.Matched != want.Matched || got.Returned != len(want.Reviews) || !reflect.DeepEqual(got.Query, q) ||
			!slices.EqualFunc(got.Reviews, want.Reviews, func(a, b json.RawMessage) bool {
				return bytes.Equal(a, cleanJSON(b)) || bytes.Equal(a, cutTexts(b))
			}) {
			rt.Fatalf("%v: matched %d, returned %d, query %+v; want %d, %d, %+v", args, got.Matched, got.Returned, got.Query, want.Matched, len(want.Reviews), q)
		}
		cutFacet := checkFacets(rt, got.Facets, want.Facets, got.Hint)
		ended := !whole && got.Returned < q.Limit
		if (got.NextCursor == nil) != (!want.More) || (got.Hint != "") != (got.Matched == 0 || ended || cutFacet) {
			rt.Fatalf("%v: cursor %v and hint %q with %d of %d", args, got.NextCursor, got.Hint, got.Returned, got.Matched)
		}
	})
}

// checkFacets checks that lists of facets are those of a search or begin like them, which the hint says. It reports
// whether one is cut.
func checkFacets(t rapid.TB, got, want *reviewcast.Facets, hint string) (cut bool) {
	t.Helper()
	var lists [2]map[string][]any
	for i, f := range []*reviewcast.Facets{got, want} {
		raw, err := json.Marshal(f)
		if err == nil {
			err = json.Unmarshal(raw, &lists[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(lists[0]) != len(lists[1]) {
		t.Fatalf("facets are %v, want %v", lists[0], lists[1])
	}
	for name, all := range lists[1] {
		list := lists[0][name]
		said := strings.Contains(hint, fmt.Sprintf(" %s has the first %d of %d.", name, len(list), len(all)))
		if len(list) > len(all) || !reflect.DeepEqual(list, all[:len(list)]) || (len(list) < len(all)) != said {
			t.Fatalf("facet %s is %v, want %v; hint %q", name, list, all, hint)
		}
		cut = cut || said
	}
	return cut
}

// TestPages: the pages of a search are the whole, whatever is published between
// them: what was there all the time is there once.
func TestPages(t *testing.T) {
	all := corpus.Dataset(60)
	whole := snapshottest.Publish(t, all).Open(t, 1)
	s, _ := serve(t, nil, Config{})
	snapshottest.Swap(s.config.Snapshots, whole)
	c := newTalker(t, s)
	rapid.Check(t, func(rt *rapid.T) {
		args := genQuery(rt)
		delete(args, "limit")
		args["response_format"] = rapid.SampledFrom([]string{concise, detailed}).Draw(rt, "format")
		var got []string
		removed := map[string]bool{}
		for sequence := int64(2); ; sequence++ {
			if args["limit"] = rapid.IntRange(1, 20).Draw(rt, "limit"); rapid.Bool().Draw(rt, "without limit") {
				delete(args, "limit")
			}
			var page struct {
				Reviews    []snapshot.Place
				NextCursor *string `json:"next_cursor"`
			}
			if err := json.Unmarshal(c.tool(t, "search_reviews", args).StructuredContent, &page); err != nil {
				rt.Fatal(err)
			}
			for _, r := range page.Reviews {
				got = append(got, r.ID)
			}
			if page.NextCursor == nil {
				break
			}
			args["cursor"] = *page.NextCursor
			// Somebody publishes, and a review goes: the last one of the page, even.
			if rapid.Bool().Draw(rt, "withdraw") {
				removed[page.Reviews[len(page.Reviews)-1].ID] = true
				d := all
				d.Reviews = slices.DeleteFunc(slices.Clone(d.Reviews), func(r reviewcast.Review) bool { return removed[r.ID] })
				snapshottest.Swap(s.config.Snapshots, snapshottest.Publish(t, d).Open(t, sequence))
			}
		}
		snapshottest.Swap(s.config.Snapshots, whole)
		delete(args, "cursor")
		raw := map[string]json.RawMessage{}
		for name, v := range args {
			raw[name], _ = json.Marshal(v)
		}
		delete(raw, "response_format")
		q, _ := reviewcast.BindSearch(raw)
		q.Limit = 1000
		var want []string
		for _, r := range s.config.Snapshots.Indexed.Load().Search(q).Reviews {
			want = append(want, snapshot.PlaceOf(r).ID)
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("%v: pages hold %v, want %v", args, got, want)
		}
	})
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("They came and went. ", 10) + "Then the ÉLECTRICIEN was on time, at last, and " + strings.Repeat("all was well ", 10)
	for _, tt := range []struct{ text, query, want string }{
		{"Short.", "", "Short."},
		{"Two\nlines,  and\tmore.", "", "Two\nlines,  and\tmore."},
		{long, "", "They came and went. They came and went. They came and went. They came and went. They came and went.…"},
		{long, "électricien", "…and went. They came and went. Then the ÉLECTRICIEN was on time, at last, and all was well all was…"},
		{long, "nothing of it", "They came and went. They came and went. They came and went. They came and went. They came and went.…"},
		{"On time.", "on time", "On time."},
		{strings.Repeat("é", 150), "", strings.Repeat("é", 100) + "…"},
		{strings.Repeat("é", 150) + "x", "x", "…" + strings.Repeat("é", 40) + "x"},
	} {
		if got := excerpt(tt.text, matching(tt.query)); got != tt.want {
			t.Errorf("%.30q, %q: %q, want %q", tt.text, tt.query, got, tt.want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		text, query := rapid.StringOf(rapid.RuneFrom([]rune("aBé \nſK"))).Draw(rt, "text"), rapid.StringOf(rapid.RuneFrom([]rune("AbÉskK"))).Draw(rt, "query")
		got := excerpt(text, matching(query))
		if n := utf8.RuneCountInString(got); n > excerptLength+1 || !utf8.ValidString(got) {
			rt.Fatalf("%d code points of %q: %q", n, text, got)
		}
		if at := matching(query).FindStringIndex(text); at != nil && !strings.EqualFold(text[at[0]:at[1]], query) {
			rt.Fatalf("%q isn't at %d of %q", query, at, text)
		}
	})
}

// TestAnswersFitTheirSchemas checks every tool's answers against the output schema
// that it shows, as strict clients do, and the text block against the structured
// content.
func TestAnswersFitTheirSchemas(t *testing.T) {
	s, _ := serve(t, sample(t), Config{})
	c := newTalker(t, s)
	var list struct {
		Tools []struct {
			Name         string
			OutputSchema *jsonschema.Schema
			Annotations  map[string]bool
			Title        string
		}
	}
	if err := json.Unmarshal(c.result(t, "tools/list", map[string]any{}), &list); err != nil {
		t.Fatal(err)
	}
	calls := map[string][]map[string]any{
		"get_business": {nil}, "list_topics": {nil}, "get_faq": {nil}, "get_summary": {nil, {"since": "2025-01-01"}},
		"get_review":           {{"id": "r5"}, {"id": "r3"}},
		"get_aspect_sentiment": {{"aspect": "punctuality"}, {"aspect": "Pricing"}, {"aspect": "punct", "polarity": "negative"}},
		"get_technician":       {{"name": "Daniel"}, {"name": "marcus-okafor"}, {"name": "kowal"}},
		"get_changes":          {{"since": "2026-01-01"}, {"since": 1}, {"since": "0"}},
		"list_entities":        {{}, {"kind": "problems"}, {"kind": "technicians"}},
		"get_service":          {{"service": "drain-cleaning"}, {"service": "Water heater"}},
		"search_reviews":       {{}, {"response_format": "concise"}, {"rating": 4}, {"limit": 1}, {"response_format": "counts"}, {"facets": true}},
	}
	if len(list.Tools) != len(calls) {
		t.Errorf("there are %d tools, want %d", len(list.Tools), len(calls))
	}
	for _, tool := range list.Tools {
		if want := map[string]bool{"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false}; fmt.Sprint(tool.Annotations) != fmt.Sprint(want) || tool.Title == "" {
			t.Errorf("%s has the annotations %v and the title %q", tool.Name, tool.Annotations, tool.Title)
		}
		schema, err := tool.OutputSchema.Resolve(nil)
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		for _, args := range calls[tool.Name] {
			got := c.tool(t, tool.Name, args)
			var value any
			if err := json.Unmarshal(got.StructuredContent, &value); err != nil || got.IsError {
				t.Fatalf("%s %v: %v, error %t: %v", tool.Name, args, err, got.IsError, got.Content)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s %v: the answer doesn't fit the output schema: %v", tool.Name, args, err)
			}
			if len(got.Content) != 1 || got.Content[0].Type != "text" || got.Content[0].Text != string(got.StructuredContent) {
				t.Errorf("%s %v: the text is not the structured content", tool.Name, args)
			}
		}
	}
}

// TestInputSchemaIsTheTable: the bounds that agents are shown are those that are
// checked.
func TestInputSchemaIsTheTable(t *testing.T) {
	for _, tool := range tools {
		if !tool.search {
			continue
		}
		s := inputSchema(tool)
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range reviewcast.SearchParams {
			for _, v := range []any{p.Min, p.Max, p.Min - 1, p.Max + 1, 1.5, "2026-01-01", "", strings.Repeat("x", p.MaxLength+1), true} {
				raw, _ := json.Marshal(v)
				_, issues := reviewcast.BindSearch(map[string]json.RawMessage{p.Name: raw})
				fits := resolved.Validate(map[string]any{p.Name: v}) == nil
				if fits != (len(issues) == 0) && p.Type != reviewcast.DateParam { // format is not checked by schema
					t.Errorf("%s: %v fits the schema %t, but has the issues %v", p.Name, v, fits, issues)
				}
			}
		}
	}
}

// TestErrorsHoldNoReview: whatever is asked wrongly, no customer's words come back.
func TestErrorsHoldNoReview(t *testing.T) {
	s, _ := serve(t, sample(t), Config{})
	c := newTalker(t, s)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom([]string{"get_review", "get_aspect_sentiment", "get_technician", "get_service", "search_reviews"}).Draw(rt, "tool")
		args := rapid.MapOfN(rapid.SampledFrom([]string{"id", "aspect", "name", "service", "rating", "query", "cursor", "x"}),
			rapid.OneOf(rapid.String().AsAny(), rapid.Int().AsAny(), rapid.Just[any](nil), rapid.Just[any]([]string{"a"})), 0, 3).Draw(rt, "arguments")
		got := c.tool(t, name, args)
		if !got.IsError {
			return
		}
		text := got.Content[0].Text
		for _, words := range []string{"IGNORE", "Two hours", "came on time", "Quick and clean"} {
			if strings.Contains(text, words) {
				rt.Fatalf("%s %v: %s", name, args, text)
			}
		}
		for _, schema := range []string{"json:", "unmarshal", "jsonschema", "validating", "Go "} {
			if strings.Contains(text, schema) {
				rt.Fatalf("%s %v speaks of Go: %s", name, args, text)
			}
		}
		if !utf8.ValidString(text) || got.StructuredContent != nil {
			rt.Fatalf("%s %v: %q %s", name, args, text, got.StructuredContent)
		}
	})
}

// TestCutTexts: a list cuts long strings, also those with many escapes, and no others.
func TestCutTexts(t *testing.T) {
	for _, tt := range []struct {
		text string
		cut  bool
	}{
		{strings.Repeat("x", maxListText), false},
		{strings.Repeat("x", maxListText+1), true},
		{strings.Repeat("é", maxListText), false},
		{strings.Repeat(`é"`, maxListText), true}, // quotation marks within a string
		{strings.Repeat("word ", 20_000), true},
	} {
		raw, err := json.Marshal(map[string]any{"id": "a", "text": tt.text})
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ ID, Text string }
		if err := json.Unmarshal(cutTexts(raw), &got); err != nil {
			t.Fatal(err)
		}
		if cut := got.Text != tt.text; cut != tt.cut || got.ID != "a" || cut && utf8.RuneCountInString(got.Text) > maxListText+50 {
			t.Errorf("%.20q…: cut %t, want %t: %d code points", tt.text, cut, tt.cut, utf8.RuneCountInString(got.Text))
		}
	}
}
