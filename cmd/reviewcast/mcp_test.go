package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge"
	"reviewcast/edge/snapshot"
)

// TestAgentsSearchAsTheWebDoes asks /api/reviews/search and the MCP tool
// search_reviews of one edge the same: good parameters give the same members, bad
// ones the same complaints.
func TestAgentsSearchAsTheWebDoes(t *testing.T) {
	holder := &snapshot.Holder{}
	snapshottest.Swap(holder, snapshottest.Publish(t, corpus.Dataset(300)).Open(t, 1))
	c := edge.Config{Snapshots: holder, BaseURL: snapshottest.BaseURL}
	if _, err := (&mcpFlags{}).mountMCP(&c, nil); err != nil {
		t.Fatal(err)
	}
	h := edge.New(c)
	session := ""
	post := func(body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, reviewcast.PathMCP, strings.NewReader(body))
		r.Header.Set("Content-Type", reviewcast.MediaJSON)
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	session = post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`).Header().Get("Mcp-Session-Id")

	bad := 0
	rapid.Check(t, func(rt *rapid.T) {
		query, args := url.Values{}, map[string]any{}
		give := func(name string, value any) { query.Set(name, fmt.Sprint(value)); args[name] = value }
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"rating", "min_rating", "since", "until", "query", "mentions_technician", "mentions_service", "limit",
			"max_rating", "mentions_service_area", "language", "source", "verification", "has_reply", "aspect", "sentiment", "facets", "order"}), 0, 5, rapid.ID).Draw(rt, "names") {
			switch name {
			case "rating", "limit":
				give(name, rapid.IntRange(0, 7).Draw(rt, name))
			case "min_rating", "max_rating":
				give(name, rapid.SampledFrom([]float64{0, 1, 4, 4.5, 6}).Draw(rt, name))
			case "since", "until":
				give(name, rapid.SampledFrom([]string{"2024-06-01", "2025-06-01", "2026-01-31", "2026-02-30", "soon"}).Draw(rt, name))
			case "verification", "sentiment":
				give(name, rapid.SampledFrom([]string{"job", "platform", "positive", "mixed", ""}).Draw(rt, name))
			case "order":
				give(name, rapid.SampledFrom([]string{"lowest", "oldest", "Lowest", ""}).Draw(rt, name))
			case "has_reply", "facets":
				give(name, rapid.SampledFrom([]any{true, false, "true", "yes"}).Draw(rt, name))
			case "language", "source":
				give(name, rapid.SampledFrom([]string{"en", "google", "Direct", "x"}).Draw(rt, name))
			case "query":
				give(name, rapid.SampledFrom([]string{"", "on time", "É", "a", strings.Repeat("x", 201)}).Draw(rt, name))
			default:
				give(name, rapid.SampledFrom([]string{"", "nobody", corpus.Business().Technicians[0].Name, corpus.Business().Services[0].ID}).Draw(rt, name))
			}
		}
		web := httptest.NewRecorder()
		h.ServeHTTP(web, httptest.NewRequest(http.MethodGet, reviewcast.PathSearch+"?"+query.Encode(), nil))

		if args["limit"] == nil {
			args["limit"] = reviewcast.DefaultLimit // without it a page of the tool ends at a number of bytes
		}
		raw, _ := json.Marshal(args)
		var answer struct {
			Result struct {
				Content           []struct{ Text string }
				StructuredContent map[string]any
				IsError           bool
			}
		}
		w := post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search_reviews","arguments":` + string(raw) + `}}`)
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			rt.Fatalf("%d %s", w.Code, w.Body)
		}
		if answer.Result.IsError != (web.Code == http.StatusBadRequest) {
			rt.Fatalf("%v: the web says %d %s, the tool says %s", args, web.Code, web.Body, w.Body)
		}
		if answer.Result.IsError {
			bad++
			var problem reviewcast.ErrorBody
			if err := json.Unmarshal(web.Body.Bytes(), &problem); err != nil {
				rt.Fatal(err)
			}
			for _, issue := range problem.Issues {
				if !strings.Contains(answer.Result.Content[0].Text, issue.Message) {
					rt.Fatalf("%v: the tool doesn't say %q: %s", args, issue.Message, answer.Result.Content[0].Text)
				}
			}
			return
		}
		var want map[string]any
		if err := json.Unmarshal(web.Body.Bytes(), &want); err != nil {
			rt.Fatal(err)
		}
		hint, _ := answer.Result.StructuredContent["hint"].(string)
		for name, value := range want {
			if name == "facets" && strings.Contains(hint, "Cut lists:") {
				continue // mcpserver's own test compares them
			}
			if !reflect.DeepEqual(value, answer.Result.StructuredContent[name]) {
				rt.Fatalf("%v: %s is %v in the tool's answer, %v on the web", args, name, answer.Result.StructuredContent[name], value)
			}
		}
	})
	if bad == 0 {
		t.Error("no bad parameter was tried")
	}
}
