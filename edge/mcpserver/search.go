package mcpserver

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
	excerptLength = 100  // the most code points of a review's text in the concise format
	pageBudget    = 5000 // the most bytes of a list in a result: about 1,250 tokens, and a result has it twice
	maxValues     = 12   // the most values of a facet: the most frequent ones, the newest months
	maxCountBy    = 60   // the most values of the only facet that is asked for
	maxListText   = 1500 // the most code points of a text in a list; get_review returns the whole text
)

// searchReviews answers search_reviews with the same reviews as /api/reviews/search.
func searchReviews(v *view, args arguments) (any, error) {
	q, format, only := args.query, args.values["response_format"], args.values["count_by"]
	q.Facets = q.Facets || format == counts || only != ""
	last, err := resume(q, args.values["cursor"])
	if err != nil {
		return nil, err
	}
	found := v.SearchAfter(q, last, v.alsoMatching(q.Text)...)
	hint, budget := "", pageBudget
	switch {
	case format == counts || only != "":
		found.Reviews, found.More = nil, false
		cutFacets(found.Facets, only, pageBudget, &hint)
	case found.Facets != nil:
		cutFacets(found.Facets, "", pageBudget/2, &hint)
		budget /= 2
	}
	form := cutTexts
	switch {
	case format == concise:
		query := matching(q.Text)
		form = func(raw []byte) []byte {
			b, _ := encode(newLine(raw, query)) // it was decoded from JSON
			return b
		}
	case args.limited:
		budget = math.MaxInt
	}
	var page []json.RawMessage
	left := budget
	for i, raw := range found.Reviews {
		b := form(raw)
		if left -= len(b) + 1; left < 0 && i > 0 { // the page ends early, but not before the first
			found.Reviews, found.More = found.Reviews[:i], true
			break
		}
		page = append(page, b)
	}
	next := nextCursor(found)
	if found.Reviews = page; next != nil && len(page) < q.Limit {
		hint = strings.TrimSpace(fmt.Sprintf("%s The page ends at %d bytes; next_cursor continues.", hint, budget))
	}
	switch {
	case found.Hint != "": // as over HTTP
		hint = cleanText(found.Hint)
	case found.Matched == 0:
		hint = v.widen(q)
	}
	found.Hint = hint
	b := found.AppendMembers([]byte(`{"notice":"` + notice + `",`))
	after, _ := encode(next) // a string or null
	return jsontext.Value(append(append(append(b, `,"next_cursor":`...), after...), '}')), nil
}

// cutFacets shortens facets to the first values of each, so that they take at most some bytes, and says so in a
// hint. If only is a facet's name, it is longer and the other long ones are empty.
func cutFacets(f *reviewcast.Facets, only string, budget int, hint *string) {
	all, most := *f, maxCountBy
	if only == "" {
		most = maxValues
	}
	shrink(most, budget, func(most int) any {
		*f, *hint = all, ""
		n := func(name string) int {
			if only == "" || only == name {
				return most
			}
			return 0
		}
		f.Month = cut(f.Month, n("month"), "month", hint)
		f.Technician = cut(f.Technician, n("technician"), "technician", hint)
		f.Service = cut(f.Service, n("service"), "service", hint)
		f.ServiceArea = cut(f.ServiceArea, n("service_area"), "service_area", hint)
		f.Aspect = cut(f.Aspect, n("aspect"), "aspect", hint)
		f.Language = cut(f.Language, n("language"), "language", hint)
		f.Source = cut(f.Source, n("source"), "source", hint)
		return f
	})
	if *hint != "" && only == "" {
		*hint += " count_by lists more of one."
	}
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
		_ = e.WriteToken(t) // the tokens came from valid JSON
	}
}

var nothing = regexp.MustCompile(`[^\x00-\x{10FFFF}]`)

func matching(query string) *regexp.Regexp {
	if query == "" {
		return nothing
	}
	return regexp.MustCompile("(?i)" + regexp.QuoteMeta(query)) // UTF-8, and short: see ownParams
}

// excerpt is the part of a text around the query, otherwise its beginning, cut between words. It
// keeps line breaks, so that a phrase copied from it finds the review.
func excerpt(text string, query *regexp.Regexp) string {
	const lead = 40 // code points before the match
	match := query.FindStringIndex(text)
	if match == nil || utf8.RuneCountInString(text[:match[0]]) <= lead {
		return beginning(text, excerptLength)
	}
	before := []rune(text[:match[0]])
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
	raw, _ := json.Marshal(q) // strings and numbers always marshal
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
	return new(cursor(found.Query, snapshot.PlaceOf(found.Reviews[len(found.Reviews)-1])))
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
	const maxWords = 6
	if words := strings.Fields(q.Text); len(words) > 1 {
		found := each(words[:min(len(words), maxWords)], func(word string) string {
			one := q
			one.Text = word
			return fmt.Sprintf("%s %d", echo(word), v.Search(one).Matched)
		})
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

// countsWithout says how many reviews match without each of the filters of a query.
func (v *view) countsWithout(q reviewcast.Query) (counts []string) {
	raw, _ := json.Marshal(q) // strings and numbers always marshal
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
