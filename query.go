package reviewcast

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
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
	shown, plural := make([]string, len(keys)), ""
	for i, k := range keys {
		shown[i] = echo(k)
	}
	if len(keys) > 1 {
		plural = "s"
	}
	return Issue{Code: UnrecognizedKeys, Path: []string{}, Keys: keys,
		Message: fmt.Sprintf("Unrecognized parameter%s: %s; %s", plural, strings.Join(shown, ", "), remedy)}
}

// ErrorBody is the body of every HTTP error: problem details (RFC 9457), with issues of parameters.
type ErrorBody struct {
	Type   string  `json:"type" jsonschema:"about:blank: the title says it all (RFC 9457, section 4.2.1)"`
	Title  string  `json:"title" jsonschema:"the status's standard phrase"`
	Status int     `json:"status" jsonschema:"the HTTP status"`
	Detail string  `json:"detail" jsonschema:"what went wrong and what to do, for a person"`
	Issues []Issue `json:"issues,omitempty" jsonschema:"every bad parameter at once"`
}

// NewError makes the body of an error with a status and a sentence for a person.
func NewError(status int, detail string, issues ...Issue) ErrorBody {
	return ErrorBody{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Issues: issues}
}

// IssueCode names a kind of Issue, as zod 4 does.
type IssueCode string

// The codes and the members that come with them.
const (
	TooSmall         IssueCode = "too_small"         // origin, minimum, inclusive
	TooBig           IssueCode = "too_big"           // origin, maximum, inclusive
	InvalidType      IssueCode = "invalid_type"      // expected
	InvalidFormat    IssueCode = "invalid_format"    // origin, format
	InvalidValue     IssueCode = "invalid_value"     // values
	UnrecognizedKeys IssueCode = "unrecognized_keys" // keys
	Custom           IssueCode = "custom"
)

// IssueCodes are all the codes, in the order in which they are described.
var IssueCodes = []IssueCode{TooSmall, TooBig, InvalidType, InvalidFormat, InvalidValue, UnrecognizedKeys, Custom}

// Issue is one thing wrong with one parameter.
type Issue struct {
	Code      IssueCode `json:"code"`
	Path      []string  `json:"path" jsonschema:"the parameter; empty for the query as a whole"`
	Message   string    `json:"message" jsonschema:"what came, and what would be right"`
	Expected  string    `json:"expected,omitempty" jsonschema:"invalid_type: int, number, boolean or string"`
	Origin    string    `json:"origin,omitempty" jsonschema:"too_small, too_big, invalid_format: number or string"`
	Format    string    `json:"format,omitempty" jsonschema:"invalid_format: date or query_string"`
	Minimum   *float64  `json:"minimum,omitempty"`
	Maximum   *float64  `json:"maximum,omitempty"`
	Inclusive *bool     `json:"inclusive,omitempty"`
	Values    []string  `json:"values,omitempty" jsonschema:"invalid_value: what is allowed"`
	Keys      []string  `json:"keys,omitempty" jsonschema:"unrecognized_keys: the unknown parameters"`
}

const maxEcho = 40 // how many code points of a bad value an issue repeats

// echo quotes what a client sent, shortened to maxEcho.
func echo(s string) string {
	short, rest := shorten(s)
	return strconv.Quote(short) + rest
}

// EchoJSON shows a JSON value that a client sent, shortened: a string in quotes, anything else as it came.
func EchoJSON(raw []byte) string {
	var text string
	if json.Unmarshal(raw, &text) == nil && raw[0] == '"' {
		return echo(text)
	}
	short, rest := shorten(strings.Join(strings.Fields(string(raw)), " "))
	return short + rest
}

// shorten cuts s to maxEcho; rest is a sign that it did.
func shorten(s string) (short, rest string) {
	if runes := []rune(s); len(runes) > maxEcho {
		return string(runes[:maxEcho]), " …"
	}
	return s, ""
}

func invalidDate(name, got string) *Issue {
	return &Issue{Code: InvalidFormat, Path: []string{name}, Origin: "string", Format: "date",
		Message: fmt.Sprintf("Invalid date: expected a calendar date YYYY-MM-DD such as 2026-03-31, received %s", echo(got))}
}
