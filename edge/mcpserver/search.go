package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
	// conciseBudget is the most bytes of the reviews of a concise page: about 1,250 tokens, twice in a result.
	conciseBudget = 5000
	// maxMonths is the most months of a result, the newest ones. Years count the older ones.
	maxMonths = 12
	// maxValues is the most values of another facet in the counts format, the most frequent ones.
	maxValues = 12
	// maxListText is the most code points of a text in a list. get_review returns the whole text.
	maxListText = 1500
)

// searchReviews answers search_reviews with the same reviews as /api/reviews/search.
func searchReviews(v *view, args arguments) (any, error) {
	q, format := args.query, args.values["response_format"]
	q.Facets = q.Facets || format == counts
	last, err := resume(q, args.values["cursor"])
	if err != nil {
		return nil, err
	}
	found := v.SearchAfter(q, last, v.alsoMatching(q.Text)...)
	review, hint := cutTexts, ""
	switch format {
	case counts:
		found.Reviews, found.More = nil, false
		cutFacets(found.Facets, &hint)
	case concise:
		lines := conciseLines(&found)
		review = func([]byte) []byte {
			first := lines[0]
			lines = lines[1:]
			return first
		}
	}
	b := found.AppendMembers([]byte(`{"notice":"`+notice+`",`), review)
	b = append(b, `,"next_cursor":`...)
	if next := nextCursor(found); next != nil {
		b = appendQuoted(b, *next)
	} else {
		b = append(b, "null"...)
	}
	if found.Matched == 0 {
		hint = v.widen(q)
	}
	if hint != "" {
		b = appendQuoted(append(b, `,"hint":`...), hint)
	}
	return jsontext.Value(append(b, '}')), nil
}

// cutFacets shortens the facets of the counts format, and says so in a hint.
func cutFacets(f *reviewcast.Facets, hint *string) {
	f.Month = cut(f.Month, maxMonths, "month", hint)
	f.Technician = cut(f.Technician, maxValues, "technician", hint)
	f.Service = cut(f.Service, maxValues, "service", hint)
	f.ServiceArea = cut(f.ServiceArea, maxValues, "service_area", hint)
	f.Aspect = cut(f.Aspect, maxValues, "aspect", hint)
	f.Language = cut(f.Language, maxValues, "language", hint)
	f.Source = cut(f.Source, maxValues, "source", hint)
}

// conciseLines returns the reviews of a concise page, which ends early when they exceed conciseBudget.
func conciseLines(found *snapshot.Result) (lines [][]byte) {
	query, size := matching(found.Query.Text), 0
	for i, raw := range found.Reviews {
		b, err := jsonv2.Marshal(newLine(raw, query))
		if err != nil {
			panic(err) // decoded from JSON
		}
		if size += len(b) + 1; size > conciseBudget && i > 0 {
			found.Reviews, found.More = found.Reviews[:i], true
			break
		}
		lines = append(lines, b)
	}
	return lines
}

// cutTexts is a review in the detailed format. Long strings are cut and say where the rest is.
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

var nothing = regexp.MustCompile(`[^\x00-\x{10FFFF}]`)

func matching(query string) *regexp.Regexp {
	if query == "" {
		return nothing
	}
	return regexp.MustCompile("(?i)" + regexp.QuoteMeta(query)) // UTF-8, and short: see maxArgument
}

// lead is the number of code points before the match in an excerpt.
const lead = 40

// excerpt is the part of a text around the query, otherwise its beginning, cut between words. It
// keeps line breaks, so that a phrase copied from it finds the review.
func excerpt(text string, query *regexp.Regexp) string {
	match := query.FindStringIndex(text)
	if match == nil {
		return beginning(text, excerptLength)
	}
	before := []rune(text[:match[0]])
	if len(before) <= lead {
		return beginning(text, excerptLength)
	}
	near := string(before[len(before)-lead:])
	if _, words, ok := strings.Cut(near, " "); ok {
		near = words
	}
	return "…" + beginning(near+text[match[0]:], excerptLength-1)
}

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

// A cursor names the filters and the last review of a page, by its place in every order. It stays
// valid at every edge: no review appears twice, and none that was there is left out.

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

func cursor(q reviewcast.Query, last snapshot.Place) string {
	return base64.RawURLEncoding.EncodeToString(append(filters(q), strconv.Itoa(last.Rating)+string(last.Date)+last.ID...))
}

func nextCursor(found snapshot.Result) *string {
	if !found.More {
		return nil
	}
	next := cursor(found.Query, snapshot.PlaceOf(found.Reviews[len(found.Reviews)-1]))
	return &next
}

// resume returns the place after which a search continues, nil without a cursor.
func resume(q reviewcast.Query, cursor string) (*snapshot.Place, error) {
	if cursor == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	const hash, rating, date = 6, 7, 7 + len("2006-01-02")
	if err != nil || len(raw) < date || raw[hash] < '1' || raw[hash] > '5' || !reviewcast.Date(raw[rating:date]).Valid() || !reviewcast.ValidID(string(raw[date:])) {
		return nil, badArguments{fmt.Sprintf("cursor: received %s: expected next_cursor of an earlier result, unchanged", echo(cursor))}
	}
	if !bytes.Equal(raw[:hash], filters(q)) {
		return nil, badArguments{"cursor: it belongs to another search: repeat all filters and the order of the search that returned it (limit and response_format may change)"}
	}
	return &snapshot.Place{Rating: int(raw[hash] - '0'), Date: reviewcast.Date(raw[rating:date]), ID: string(raw[date:])}, nil
}

// widen is the hint for a search that found nothing: known names, and what matches without each filter.
func (v *view) widen(q reviewcast.Query) string {
	q.Facets = false
	var hints []string
	for _, f := range []struct {
		kind, name string
		alone      reviewcast.Query
	}{
		{"technician", q.Technician, reviewcast.Query{Technician: q.Technician}},
		{"service", q.Service, reviewcast.Query{Service: q.Service}},
		{"service area", q.ServiceArea, reviewcast.Query{ServiceArea: q.ServiceArea}},
		{"aspect", q.Aspect, reviewcast.Query{Aspect: q.Aspect}},
	} {
		known := slices.ContainsFunc(v.names[f.kind], func(n named) bool {
			return slices.ContainsFunc(append(n.names, n.id), func(own string) bool { return strings.EqualFold(own, f.name) })
		})
		if f.name != "" && !known && v.Search(f.alone).Matched == 0 {
			hints = append(hints, v.names[f.kind].unknown(f.kind, f.name))
		}
	}
	if words := strings.Fields(q.Text); len(words) > 1 {
		var found []string
		for _, word := range words[:min(len(words), maxWords)] {
			one := q
			one.Text = word
			found = append(found, fmt.Sprintf("%s %d", echo(word), v.Search(one).Matched))
		}
		hints = append(hints, "query matches the phrase as a whole. Reviews with each word alone: "+strings.Join(found, ", ")+".")
	}
	without := v.countsWithout(q)
	switch {
	case without != nil:
		hints = append(hints, "Nothing matches all filters: "+strings.Join(without, ", ")+".")
	case v.Len() == 0:
		hints = append(hints, "No reviews are published.")
	default:
		hints = append(hints, fmt.Sprintf("Nothing matches, even without any one of the filters: use fewer. %d reviews are published.", v.Len()))
	}
	return strings.Join(hints, " ")
}

const maxWords = 6

// countsWithout says how many reviews match without each of the filters of a query.
func (v *view) countsWithout(q reviewcast.Query) (counts []string) {
	raw, err := json.Marshal(q)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	for _, p := range reviewcast.SearchParams {
		var given map[string]json.RawMessage
		_ = json.Unmarshal(raw, &given) // marshalled above
		if given[p.Name] == nil || p.Name == "limit" || p.Name == "order" {
			continue
		}
		delete(given, p.Name)
		wider, _ := reviewcast.BindSearch(given) // part of a valid query
		if n := v.Search(wider).Matched; n > 0 {
			counts = append(counts, fmt.Sprintf("without %s %d match", p.Name, n))
		}
	}
	return counts
}
