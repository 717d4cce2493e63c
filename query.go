package reviewcast

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Query is a search: filters that combine with AND, none by the zero value, and the number of reviews to
// return. A result has it with the defaults.
type Query struct {
	Rating       int      `json:"rating,omitempty"`
	MinRating    float64  `json:"min_rating,omitempty"`
	MaxRating    float64  `json:"max_rating,omitempty"`
	Since        Date     `json:"since,omitempty"`
	Until        Date     `json:"until,omitempty"`
	Text         string   `json:"query,omitempty"`
	Technician   string   `json:"mentions_technician,omitempty"`
	Service      string   `json:"mentions_service,omitempty"`
	ServiceArea  string   `json:"mentions_service_area,omitempty"`
	Language     string   `json:"language,omitempty"`
	Source       string   `json:"source,omitempty"`
	Verification string   `json:"verification,omitempty"`
	HasReply     *bool    `json:"has_reply,omitempty"`
	Aspect       string   `json:"aspect,omitempty"`
	Sentiment    Polarity `json:"sentiment,omitempty"`
	Facets       bool     `json:"facets,omitempty"`
	Order        string   `json:"order,omitempty"`
	Limit        int      `json:"limit"`
}

// The values of Query.Order. Empty is OrderNewest.
const (
	OrderNewest  = "newest"  // date descending, then id ascending
	OrderOldest  = "oldest"  // the reverse
	OrderLowest  = "lowest"  // rating ascending, then as OrderNewest
	OrderHighest = "highest" // rating descending, then as OrderNewest
)

// SearchResult is the response of /api/reviews/search.
type SearchResult struct {
	Matched  int      `json:"matched" jsonschema:"how many reviews match, returned or not"`
	Returned int      `json:"returned" jsonschema:"how many of them are here: at most the limit"`
	Reviews  []Review `json:"reviews" jsonschema:"the first that match in the order asked for; by default the newest: date descending, then id ascending"`
	Query    Query    `json:"query" jsonschema:"the filters as applied, including defaults"`
	Facets   *Facets  `json:"facets,omitempty" jsonschema:"with facets=true: how many of the matches have each value"`
	Hint     string   `json:"hint,omitempty" jsonschema:"what to search for instead, when no review is in the language"`
}

// Facets counts all matches of a search by their values, without zeros: ratings, years and months descending,
// the others by count, then by value.
type Facets struct {
	Rating       []RatingFacet `json:"rating"`
	Year         []Facet       `json:"year"`
	Month        []Facet       `json:"month"`
	Language     []Facet       `json:"language"`
	Source       []Facet       `json:"source"`
	Verification []Facet       `json:"verification"`
	Technician   []Facet       `json:"technician" jsonschema:"by id"`
	Service      []Facet       `json:"service" jsonschema:"by id"`
	ServiceArea  []Facet       `json:"service_area" jsonschema:"by id"`
	Aspect       []AspectFacet `json:"aspect" jsonschema:"by id"`
	Replied      []ReplyFacet  `json:"replied"`
}

// FacetCount is the number of matches with a value, and their mean stars.
type FacetCount struct {
	Count         int     `json:"count"`
	AverageRating float64 `json:"average_rating" jsonschema:"mean stars, rounded to two decimals"`
}

// Facet counts the matches with a value, such as the year 2026.
type Facet struct {
	Value string `json:"value"`
	FacetCount
}

// RatingFacet counts the matches with a number of stars.
type RatingFacet struct {
	Value int `json:"value"`
	FacetCount
}

// ReplyFacet counts the matches with or without an owner reply.
type ReplyFacet struct {
	Value bool `json:"value"`
	FacetCount
}

// AspectFacet counts the matches that mention an aspect, by polarity.
type AspectFacet struct {
	Value string `json:"value"`
	FacetCount
	SentimentCounts
}

// SinceResult is the response of /api/reviews/since/{date}.
type SinceResult struct {
	Since    Date     `json:"since" jsonschema:"the date asked for"`
	Matched  int      `json:"matched"`
	Returned int      `json:"returned" jsonschema:"the same as matched: nothing is left out"`
	Reviews  []Review `json:"reviews" jsonschema:"every review dated on or after since: date descending, then id ascending"`
}

// ParseSearch parses the raw query of a search. The Query is valid only without issues.
func ParseSearch(rawQuery string) (Query, []Issue) {
	values, issues := parseRaw(rawQuery)
	return search(values, issues, func(p Param, given []string) (value, *Issue) {
		if len(given) > 1 {
			return value{}, p.invalid(fmt.Sprintf("%s is given %d times; give it once", p.Name, len(given)))
		}
		return p.parse(given[0])
	})
}

// BindSearch is [ParseSearch] for JSON arguments, as of an MCP tool. Numbers and booleans may be strings, which
// many models send.
func BindSearch(arguments map[string]json.RawMessage) (Query, []Issue) {
	return search(arguments, nil, Param.decode)
}

// search fills a Query with the parameters of the table that are given, and checks the relations between them.
func search[T any](given map[string]T, issues []Issue, parse func(Param, T) (value, *Issue)) (Query, []Issue) {
	q := Query{Limit: DefaultLimit}
	unknown := slices.Sorted(maps.Keys(given))
	for _, p := range SearchParams {
		raw, ok := given[p.Name]
		if !ok {
			continue
		}
		unknown = slices.DeleteFunc(unknown, func(key string) bool { return key == p.Name })
		v, issue := parse(p, raw)
		if issue == nil {
			issue = p.check(v)
		}
		if issue != nil {
			issues = append(issues, *issue)
		} else {
			p.set(&q, v)
		}
	}
	if q.Since != "" && q.Until != "" && q.Since > q.Until {
		issues = append(issues, Issue{Code: Custom, Path: []string{"since"},
			Message: fmt.Sprintf("since (%s) is after until (%s): no day lies between them", q.Since, q.Until)})
	}
	if len(unknown) > 0 {
		names := make([]string, len(SearchParams))
		for i, p := range SearchParams {
			names[i] = p.Name
		}
		issues = append(issues, unrecognized(unknown, "known are "+strings.Join(names, ", ")))
	}
	return q, issues
}

// ParseSince parses the date in the path of a since request and its raw query string, which must have no parameters.
func ParseSince(date, rawQuery string) (Date, []Issue) {
	values, issues := parseRaw(rawQuery)
	if !Date(date).Valid() {
		issues = append(issues, *invalidDate("date", date))
	}
	if keys := slices.Sorted(maps.Keys(values)); len(keys) > 0 {
		issues = append(issues, unrecognized(keys, "this address takes none; filter with "+PathSearch))
	}
	return Date(date), issues
}

func parseRaw(rawQuery string) (url.Values, []Issue) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil { // the valid parameters are still checked
		return values, []Issue{{Code: InvalidFormat, Path: []string{}, Origin: "string", Format: "query_string",
			Message: "Invalid query string: expected name=value pairs joined by &, percent-encoded"}}
	}
	return values, nil
}

func unrecognized(keys []string, remedy string) Issue {
	shown := make([]string, 0, len(keys))
	for _, k := range keys {
		shown = append(shown, echo(k))
	}
	plural := ""
	if len(keys) > 1 {
		plural = "s"
	}
	return Issue{Code: UnrecognizedKeys, Path: []string{}, Keys: keys,
		Message: fmt.Sprintf("Unrecognized parameter%s: %s; %s", plural, strings.Join(shown, ", "), remedy)}
}
