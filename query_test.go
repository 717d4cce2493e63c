package reviewcast

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestParseSearch(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want Query
	}{
		{"", Query{Limit: 20}},
		{"rating=5&limit=3", Query{Rating: 5, Limit: 3}},
		{"min_rating=4.5", Query{MinRating: 4.5, Limit: 20}},
		{"since=2024-02-29&until=2024-02-29", Query{Since: "2024-02-29", Until: "2024-02-29", Limit: 20}},
		{"query=", Query{Limit: 20}},
		{"query=+on%20time", Query{Text: " on time", Limit: 20}},
		{"mentions_technician=Jos%C3%A9&mentions_service=drains", Query{Technician: "José", Service: "drains", Limit: 20}},
		{"rating=005", Query{Rating: 5, Limit: 20}},
		{"limit=100", Query{Limit: 100}},
		{"min_rating=2&max_rating=3.5", Query{MinRating: 2, MaxRating: 3.5, Limit: 20}},
		{"language=fr-CA&source=google&verification=job", Query{Language: "fr-CA", Source: "google", Verification: "job", Limit: 20}},
		{"mentions_service_area=verdun&aspect=Pricing&sentiment=negative", Query{ServiceArea: "verdun", Aspect: "Pricing", Sentiment: Negative, Limit: 20}},
		{"has_reply=false&facets=true", Query{HasReply: new(false), Facets: true, Limit: 20}},
		{"facets=false", Query{Limit: 20}},
		{"query=" + strings.Repeat("%C3%A9", 200), Query{Text: strings.Repeat("é", 200), Limit: 20}},
	} {
		got, issues := ParseSearch(tt.raw)
		if len(issues) > 0 || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("ParseSearch(%q) = %+v, %v; want %+v", tt.raw, got, issues, tt.want)
		}
	}
}

func TestParseSearchIssues(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{"rating=6", "too_big rating"},
		{"rating=0", "too_small rating"},
		{"rating=99999999999999999999999999", "too_big rating"},
		{"rating=-1", "invalid_type rating"},
		{"rating=4.0", "invalid_type rating"},
		{"rating=", "invalid_type rating"},
		{"rating=%D9%A5", "invalid_type rating"},
		{"min_rating=.5", "invalid_type min_rating"},
		{"min_rating=5.", "invalid_type min_rating"},
		{"min_rating=1e0", "invalid_type min_rating"},
		{"min_rating=NaN", "invalid_type min_rating"},
		{"min_rating=5.1", "too_big min_rating"},
		{"since=2023-02-29", "invalid_format since"},
		{"since=2023-2-9", "invalid_format since"},
		{"until=", "invalid_format until"},
		{"since=2024-02-02&until=2024-02-01", "custom since"},
		{"mentions_technician=", "too_small mentions_technician"},
		{"query=" + strings.Repeat("x", 201), "too_big query"},
		{"query=%FF", "invalid_format query"},
		{"query=%zz", "invalid_format "},
		{"a=1;b=2", "invalid_format "},
		{"rating=9&query=%zz&limit=0", "invalid_format , too_big rating, too_small limit"},
		{"limit=101", "too_big limit"},
		{"max_rating=0", "too_small max_rating"},
		{"has_reply=1", "invalid_value has_reply"},
		{"facets=", "invalid_value facets"},
		{"verification=guess", "invalid_value verification"},
		{"sentiment=Positive", "invalid_value sentiment"},
		{"language=&aspect=", "too_small language, too_small aspect"},
		{"limit=3&limit=3", "invalid_type limit"},
		{"colour=red&Rating=5", "unrecognized_keys "},
		{"rating=9&limit=0&since=x&foo=", "too_big rating, invalid_format since, too_small limit, unrecognized_keys "},
	} {
		_, issues := ParseSearch(tt.raw)
		var got []string
		for _, i := range issues {
			got = append(got, string(i.Code)+" "+strings.Join(i.Path, "/"))
			if i.Path == nil || i.Message == "" {
				t.Errorf("ParseSearch(%q): issue %+v has no path or message", tt.raw, i)
			}
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("ParseSearch(%q): issues %q, want %q", tt.raw, s, tt.want)
		}
	}
}

func TestIssueMembers(t *testing.T) {
	_, issues := ParseSearch("limit=101&foo=1")
	got, err := json.Marshal(issues)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"code":"too_big","path":["limit"],"message":"Too big: expected a whole number from 1 to 100, received 101","origin":"number","maximum":100,"inclusive":true},` +
		`{"code":"unrecognized_keys","path":[],"message":"Unrecognized parameter: \"foo\"; known are rating, min_rating, max_rating, since, until, query, mentions_technician, mentions_service, mentions_service_area, language, source, verification, has_reply, aspect, sentiment, facets, order, limit","keys":["foo"]}]`
	if string(got) != want {
		t.Errorf("issues are\n%s\nwant\n%s", got, want)
	}
}

func TestBindSearch(t *testing.T) {
	got, issues := BindSearch(map[string]json.RawMessage{
		"rating": []byte("5"), "min_rating": []byte(`"4.5"`), "query": []byte(`"on time"`), "limit": []byte("3.0"),
		"has_reply": []byte("true"), "facets": []byte(`"true"`),
	})
	if want := (Query{Rating: 5, MinRating: 4.5, Text: "on time", Limit: 3, HasReply: new(true), Facets: true}); len(issues) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("BindSearch = %+v, %v; want %+v", got, issues, want)
	}
	for _, tt := range []struct{ name, raw string }{
		{"rating", `"5 "`}, {"rating", `"+5"`}, {"rating", `true`}, {"has_reply", `1`}, {"facets", `"yes"`}, {"sentiment", `"good"`}, {"rating", `4.5`}, {"rating", `null`}, {"since", `5`}, {"query", `["x"]`}, {"limit", `1000`}, {"nope", `1`},
	} {
		if _, issues := BindSearch(map[string]json.RawMessage{tt.name: []byte(tt.raw)}); len(issues) != 1 {
			t.Errorf("BindSearch(%s: %s): issues %v, want one", tt.name, tt.raw, issues)
		}
	}
}

func TestParseSince(t *testing.T) {
	if d, issues := ParseSince("2026-01-31", ""); d != "2026-01-31" || issues != nil {
		t.Errorf("a good date gives %q, %v", d, issues)
	}
	for _, date := range []string{"", "yesterday", "2026-02-30", "20260130", "2026-1-1", "2026-01-01T00:00:00Z"} {
		if _, issues := ParseSince(date, ""); len(issues) != 1 || issues[0].Code != InvalidFormat {
			t.Errorf("ParseSince(%q): issues %v, want one invalid_format", date, issues)
		}
	}
	if _, issues := ParseSince("2026-01-31", "limit=5"); len(issues) != 1 || issues[0].Code != UnrecognizedKeys {
		t.Errorf("a parameter gives %v, want unrecognized_keys", issues)
	}
}

// FuzzParseSearch holds that a query either has issues or stays what it is when
// it is written out and read again.
func FuzzParseSearch(f *testing.F) {
	for _, s := range []string{"rating=5&limit=3", "query=a%20b&min_rating=4.5", "since=2024-01-01", "x=%zz", "query=%ff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		q, issues := ParseSearch(raw)
		if len(issues) > 0 {
			return
		}
		body, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		var arguments map[string]json.RawMessage
		if err := json.Unmarshal(body, &arguments); err != nil {
			t.Fatal(err)
		}
		again, issues := BindSearch(arguments)
		if len(issues) > 0 || !reflect.DeepEqual(q, again) {
			t.Fatalf("%q is %+v, but bound again %+v, %v", raw, q, again, issues)
		}
	})
}
