package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
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
	counts   = "counts"
)

const (
	// excerptLength is the most code points of a review's text in the concise format.
	excerptLength = 100
	// conciseBudget is the most bytes of all reviews of a page in the concise format:
	// about 1,250 tokens, twice in a result. A page that would be larger ends early, with a cursor.
	conciseBudget = 5000
	// maxMonths is the most months in the counts format, newest first. Years count the
	// older ones, and since and until select them.
	maxMonths = 12
	// maxListText is the most code points of a text in a list of reviews. get_review
	// returns the whole text.
	maxListText = 1500
)

// searchReviews answers search_reviews with the same reviews as /api/reviews/search
// returns for the same parameters.
func (t *tool) searchReviews(v *view, values map[string]string, args arguments) (jsontext.Value, error) {
	q, issues := reviewcast.BindSearch(args)
	if len(issues) > 0 {
		return nil, t.invalid(v, t.describe(issues))
	}
	format := values["response_format"]
	q.Facets = q.Facets || format == counts
	from := 0
	if values["cursor"] != "" {
		var err error
		if from, err = v.resume(q, values["cursor"]); err != nil {
			return nil, t.invalid(v, []string{err.Error()})
		}
	}
	found := v.SearchAlso(q, v.alsoMatching(q.Text), from)
	hint := ""
	if found.Matched == 0 {
		hint = v.widen(q)
	}
	review := cutTexts
	switch format {
	case counts:
		found.Reviews, found.Next = nil, -1
		if f := found.Facets; len(f.Month) > maxMonths {
			f.Month = f.Month[:maxMonths]
		}
	case concise:
		short := v.shorten(&found)
		next := 0
		review = func([]byte) []byte { next++; return short[next-1] }
	}
	return searchResult(found, review, hint), nil
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

// searchResult is the result of search_reviews: the notice, the members of the HTTP
// search, next_cursor, and a hint when nothing matches. review makes the agents' view
// of a review.
func searchResult(found snapshot.Result, review func([]byte) []byte, hint string) jsontext.Value {
	b := found.AppendMembers([]byte(`{"notice":"`+notice+`",`), review)
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
	return append(b, '}')
}

// shorten returns the reviews of a page in the concise format. It ends the page early
// when they exceed conciseBudget.
func (v *view) shorten(found *snapshot.Result) [][]byte {
	short, size := make([][]byte, 0, len(found.Reviews)), 0
	for i, raw := range found.Reviews {
		b := v.conciseReview(raw, found.Query.Text)
		if size += len(b) + 1; size > conciseBudget && i > 0 {
			found.Reviews, found.Next = found.Reviews[:i], i // any ordinal: a cursor names a review
			break
		}
		short = append(short, b)
	}
	return short
}

// shortReview is the part of a review that lists of reviews show.
type shortReview struct {
	ID       string              `json:"id"`
	Rating   int                 `json:"rating"`
	Date     reviewcast.Date     `json:"date"`
	Title    *string             `json:"title"`
	Text     *string             `json:"text"`
	Mentions reviewcast.Mentions `json:"mentions"`
}

func readReview(raw []byte) (r shortReview) {
	_ = jsonv2.Unmarshal(raw, &r) // checked when the snapshot was opened
	return r
}

// conciseReview is a review in the concise format. It has the title when the query
// occurs only there.
func (v *view) conciseReview(raw []byte, query string) []byte {
	r := readReview(raw)
	out := struct {
		ID          string          `json:"id"`
		Rating      int             `json:"rating"`
		Date        reviewcast.Date `json:"date"`
		Title       *string         `json:"title,omitempty"`
		Technicians []string        `json:"technicians,omitempty"`
		Excerpt     *string         `json:"excerpt"`
	}{ID: r.ID, Rating: r.Rating, Date: r.Date, Technicians: r.Mentions.Technicians}
	text := ""
	if r.Text != nil {
		text = cleanText(*r.Text)
		s := excerpt(text, query)
		out.Excerpt = &s
	}
	if r.Title != nil && indexFold(text, query) < 0 && indexFold(cleanText(*r.Title), query) >= 0 {
		title := excerpt(cleanText(*r.Title), query)
		out.Title = &title
	}
	b, err := jsonv2.Marshal(out)
	if err != nil {
		panic(err) // decoded from JSON above
	}
	return b
}

// cutTexts is a review in the detailed format. Strings that are too long are cut, and
// end with a note that says where the rest is.
func cutTexts(raw []byte) []byte {
	raw = cleanJSON(raw)
	if len(raw) <= maxListText {
		return raw
	}
	var out bytes.Buffer
	d, e := jsontext.NewDecoder(bytes.NewReader(raw)), jsontext.NewEncoder(&out)
	for {
		t, err := d.ReadToken()
		if err != nil {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n")) // the end
		}
		if t.Kind() == '"' && utf8.RuneCountInString(t.String()) > maxListText {
			t = jsontext.String(beginning(t.String(), maxListText) + " [cut; get_review has the whole text]")
		}
		if err := e.WriteToken(t); err != nil {
			return raw // can't happen: the tokens came from valid JSON
		}
	}
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

// filters is a short hash of a query without its limit and facets.
func filters(q reviewcast.Query) []byte {
	q.Limit, q.Facets = 0, false
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
	for _, f := range []struct {
		kind, name string
		in         namedList
		matched    int
	}{
		{"technician", q.Technician, v.names.technicians, v.Search(reviewcast.Query{Technician: q.Technician}).Matched},
		{"service", q.Service, v.names.services, v.Search(reviewcast.Query{Service: q.Service}).Matched},
		{"service area", q.ServiceArea, v.names.areas, v.Search(reviewcast.Query{ServiceArea: q.ServiceArea}).Matched},
		{"aspect", q.Aspect, v.names.aspects, v.Search(reviewcast.Query{Aspect: q.Aspect}).Matched},
	} {
		if f.name != "" && f.matched == 0 && !slices.ContainsFunc(f.in, func(n named) bool { return n.isCalled(f.name) }) {
			hints = append(hints, f.in.unknown(f.kind, f.name))
		}
	}
	if words := v.wordCounts(q); words != "" {
		hints = append(hints, words)
	}
	var without []string
	for _, f := range []struct {
		name  string
		given bool
		drop  func(*reviewcast.Query)
	}{
		{"rating", q.Rating != 0, func(q *reviewcast.Query) { q.Rating = 0 }},
		{"min_rating", q.MinRating != 0, func(q *reviewcast.Query) { q.MinRating = 0 }},
		{"max_rating", q.MaxRating != 0, func(q *reviewcast.Query) { q.MaxRating = 0 }},
		{"since", q.Since != "", func(q *reviewcast.Query) { q.Since = "" }},
		{"until", q.Until != "", func(q *reviewcast.Query) { q.Until = "" }},
		{"query", q.Text != "", func(q *reviewcast.Query) { q.Text = "" }},
		{"mentions_technician", q.Technician != "", func(q *reviewcast.Query) { q.Technician = "" }},
		{"mentions_service", q.Service != "", func(q *reviewcast.Query) { q.Service = "" }},
		{"mentions_service_area", q.ServiceArea != "", func(q *reviewcast.Query) { q.ServiceArea = "" }},
		{"language", q.Language != "", func(q *reviewcast.Query) { q.Language = "" }},
		{"source", q.Source != "", func(q *reviewcast.Query) { q.Source = "" }},
		{"verification", q.Verification != "", func(q *reviewcast.Query) { q.Verification = "" }},
		{"has_reply", q.HasReply != nil, func(q *reviewcast.Query) { q.HasReply = nil }},
		{"aspect", q.Aspect != "", func(q *reviewcast.Query) { q.Aspect = "" }},
		{"sentiment", q.Sentiment != "", func(q *reviewcast.Query) { q.Sentiment = "" }},
	} {
		if f.given {
			wider := q
			wider.Facets = false
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

// maxWords is the most words of a query that a hint counts.
const maxWords = 6

// wordCounts says how many reviews match each word of a query of several words.
func (v *view) wordCounts(q reviewcast.Query) string {
	words := strings.Fields(q.Text)
	if len(words) < 2 {
		return ""
	}
	var found []string
	for _, word := range words[:min(len(words), maxWords)] {
		one := q
		one.Text, one.Facets = word, false
		found = append(found, fmt.Sprintf("%s %d", echo(word), v.Search(one).Matched))
	}
	return "query matches the phrase as a whole. Reviews with each word alone: " + strings.Join(found, ", ") + "."
}
