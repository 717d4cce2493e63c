package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// The values of response_format.
const (
	detailed = "detailed"
	concise  = "concise"
)

// excerptLength is the most code points of a review's text in the concise format.
const excerptLength = 100

// searchReviews answers search_reviews with the same reviews as /api/reviews/search
// returns for the same parameters.
func (t *tool) searchReviews(v *view, values map[string]string, args arguments) (jsontext.Value, error) {
	q, issues := reviewcast.BindSearch(args)
	if len(issues) > 0 {
		return nil, t.invalid(t.describe(issues))
	}
	from := 0
	if values["cursor"] != "" {
		var err error
		if from, err = v.resume(q, values["cursor"]); err != nil {
			return nil, t.invalid([]string{err.Error()})
		}
	}
	found := v.SearchFrom(q, from)
	hint := ""
	if found.Matched == 0 {
		hint = v.widen(q)
	}
	return searchResult(found, values["response_format"], hint), nil
}

// describe turns the issues of a search into lines for an agent.
func (t *tool) describe(issues []reviewcast.Issue) []string {
	lines := make([]string, 0, len(issues))
	for _, issue := range issues {
		switch {
		case issue.Code == reviewcast.UnrecognizedKeys:
			lines = append(lines, t.unknown(issue.Keys))
		case len(issue.Path) > 0:
			lines = append(lines, issue.Path[0]+": "+cleanText(issue.Message))
		default:
			lines = append(lines, issue.Message)
		}
	}
	return lines
}

// searchResult is the result of search_reviews: the members of the HTTP search, and
// next_cursor, a hint when nothing matches, and the notice.
func searchResult(found snapshot.Result, format, hint string) jsontext.Value {
	review := cleanJSON
	if format == concise {
		review = func(raw []byte) []byte { return excerptOf(raw, found.Query.Text) }
	}
	b := found.AppendMembers([]byte{'{'}, review)
	b = append(b, `,"next_cursor":`...)
	if found.Next < 0 {
		b = append(b, "null"...)
	} else {
		b = append(b, '"')
		b = append(b, cursor(found.Query, keyOf(found.Reviews[len(found.Reviews)-1]))...)
		b = append(b, '"')
	}
	if hint != "" {
		b = append(b, `,"hint":`...)
		b, _ = jsontext.AppendQuote(b, hint) // valid UTF-8: all of it was decoded from JSON
	}
	return append(b, `,"notice":"`+notice+`"}`...)
}

// excerptOf is a review in the concise format.
func excerptOf(raw []byte, query string) []byte {
	var r struct {
		ID     string          `json:"id"`
		Rating int             `json:"rating"`
		Date   reviewcast.Date `json:"date"`
		Text   *string         `json:"text"`
	}
	_ = jsonv2.Unmarshal(raw, &r) // checked when the snapshot was opened
	out := struct {
		ID      string          `json:"id"`
		Rating  int             `json:"rating"`
		Date    reviewcast.Date `json:"date"`
		Excerpt *string         `json:"excerpt"`
	}{r.ID, r.Rating, r.Date, nil}
	if r.Text != nil {
		s := excerpt(cleanText(*r.Text), query)
		out.Excerpt = &s
	}
	b, err := jsonv2.Marshal(out)
	if err != nil {
		panic(err) // decoded from JSON above
	}
	return b
}

// lead is the number of code points before the match in an excerpt.
const lead = 40

// excerpt is the part of a text that contains the query, otherwise its beginning, in
// one line and cut between words where possible.
func excerpt(text, query string) string {
	text = strings.Join(strings.Fields(text), " ")
	if at := indexFold(text, query); at > 0 {
		start := at
		for n := 0; start > 0 && n < lead; n++ {
			_, size := utf8.DecodeLastRuneInString(text[:start])
			start -= size
		}
		if start > 0 {
			if space := strings.IndexByte(text[start:at], ' '); space >= 0 {
				start += space + 1
			}
			return "…" + beginning(text[start:], excerptLength-1)
		}
	}
	return beginning(text, excerptLength)
}

// beginning is at most length code points of a text.
func beginning(text string, length int) string {
	n := 0
	for i := range text {
		if n == length {
			cut := text[:i]
			if space := strings.LastIndexByte(cut, ' '); space > i/2 {
				cut = cut[:space]
			}
			return cut + "…"
		}
		n++
	}
	return text
}

// indexFold is the index of query in text, ignoring case; -1 when it is absent or
// empty.
func indexFold(text, query string) int {
	length := utf8.RuneCountInString(query)
	if length == 0 {
		return -1
	}
	end, runes := 0, 0
	for start := range text {
		for ; runes < length; runes++ {
			if end == len(text) {
				return -1
			}
			_, size := utf8.DecodeRuneInString(text[end:])
			end += size
		}
		if strings.EqualFold(text[start:end], query) {
			return start
		}
		runes--
	}
	return -1
}

// A cursor names the filters and the last review of a page, by its position in the
// published order. It stays valid at every edge when reviews are published or
// withdrawn: no review appears twice, and none that was there is left out.

// filters is a short hash of a query without its limit.
func filters(q reviewcast.Query) []byte {
	q.Limit = 0
	raw, err := json.Marshal(q)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	sum := sha256.Sum256(raw)
	return sum[:6]
}

func cursor(q reviewcast.Query, last key) string {
	raw := append(filters(q), last.Date...)
	return base64.RawURLEncoding.EncodeToString(append(raw, last.ID...))
}

// resume finds the ordinal at which a search continues.
func (v *view) resume(q reviewcast.Query, cursor string) (int, error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	const date = len("2006-01-02")
	if err != nil || len(raw) < 6+date {
		return 0, fmt.Errorf("cursor: received %s: expected next_cursor of an earlier result, unchanged", echo(cursor))
	}
	last := key{Date: reviewcast.Date(raw[6 : 6+date]), ID: string(raw[6+date:])}
	switch {
	case !last.Date.Valid() || !reviewcast.ValidID(last.ID):
		return 0, fmt.Errorf("cursor: received %s: expected next_cursor of an earlier result, unchanged", echo(cursor))
	case !bytes.Equal(raw[:6], filters(q)):
		return 0, fmt.Errorf("cursor: it belongs to another search: repeat all filters of the search that returned it (limit and response_format may change)")
	}
	// The reviews of the same day, and the number of newer ones.
	day := v.SearchFrom(reviewcast.Query{Since: last.Date, Until: last.Date, Limit: math.MaxInt}, 0)
	from := v.Since(last.Date).Matched - day.Matched
	for _, review := range day.Reviews {
		if keyOf(review).compare(last) > 0 {
			break
		}
		from++
	}
	return from, nil
}

// widen is the hint for a search that found nothing: the known names, and how many
// reviews match without each of the filters.
func (v *view) widen(q reviewcast.Query) string {
	var hints []string
	if q.Technician != "" && len(v.Technicians(q.Technician)) == 0 {
		hints = append(hints, fmt.Sprintf("No technician is called %s. %s", echo(q.Technician), known("technicians", v.technicianNames())))
	}
	if q.Service != "" && len(v.Services(q.Service)) == 0 {
		hints = append(hints, fmt.Sprintf("No service is called %s. %s", echo(q.Service), known("services", v.serviceNames())))
	}
	var without []string
	for _, f := range []struct {
		name  string
		given bool
		drop  func(*reviewcast.Query)
	}{
		{"rating", q.Rating != 0, func(q *reviewcast.Query) { q.Rating = 0 }},
		{"min_rating", q.MinRating != 0, func(q *reviewcast.Query) { q.MinRating = 0 }},
		{"since", q.Since != "", func(q *reviewcast.Query) { q.Since = "" }},
		{"until", q.Until != "", func(q *reviewcast.Query) { q.Until = "" }},
		{"query", q.Text != "", func(q *reviewcast.Query) { q.Text = "" }},
		{"mentions_technician", q.Technician != "", func(q *reviewcast.Query) { q.Technician = "" }},
		{"mentions_service", q.Service != "", func(q *reviewcast.Query) { q.Service = "" }},
	} {
		if f.given {
			wider := q
			f.drop(&wider)
			if n := v.Search(wider).Matched; n > 0 {
				without = append(without, fmt.Sprintf("without %s %d match", f.name, n))
			}
		}
	}
	switch {
	case len(without) > 0:
		hints = append(hints, "Nothing matches all filters: "+strings.Join(without, ", ")+".")
	case v.Len() == 0:
		hints = append(hints, "No reviews are published.")
	default:
		hints = append(hints, fmt.Sprintf("Nothing matches, even without any one of the filters: use fewer. %d reviews are published.", v.Len()))
	}
	return strings.Join(hints, " ")
}
