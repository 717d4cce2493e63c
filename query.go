package reviewcast

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Query is a search: filters that combine with AND, and the number of reviews to
// return. The zero value of a filter means no filter. As JSON it is the query member
// of a result: the filters as applied, including defaults.
type Query struct {
	Rating     int     `json:"rating,omitempty"`
	MinRating  float64 `json:"min_rating,omitempty"`
	Since      Date    `json:"since,omitempty"`
	Until      Date    `json:"until,omitempty"`
	Text       string  `json:"query,omitempty"`
	Technician string  `json:"mentions_technician,omitempty"`
	Service    string  `json:"mentions_service,omitempty"`
	Limit      int     `json:"limit"`
}

// SearchResult is the response of /api/reviews/search.
type SearchResult struct {
	Matched  int      `json:"matched" jsonschema:"how many reviews match, returned or not"`
	Returned int      `json:"returned" jsonschema:"how many of them are here: at most the limit"`
	Reviews  []Review `json:"reviews" jsonschema:"the newest that match: date descending, then id ascending"`
	Query    Query    `json:"query" jsonschema:"the filters as applied, defaults included"`
}

// SinceResult is the response of /api/reviews/since/{date}.
type SinceResult struct {
	Since    Date     `json:"since" jsonschema:"the date asked for"`
	Matched  int      `json:"matched"`
	Returned int      `json:"returned" jsonschema:"the same as matched: nothing is left out"`
	Reviews  []Review `json:"reviews" jsonschema:"every review dated on or after since: date descending, then id ascending"`
}

// ParamType is the type of a parameter's value.
type ParamType string

// The parameter types.
const (
	IntegerParam ParamType = "integer" // [0-9]+
	NumberParam  ParamType = "number"  // [0-9]+(\.[0-9]+)?
	DateParam    ParamType = "date"    // a real YYYY-MM-DD
	StringParam  ParamType = "string"
)

// Param describes a search parameter. [SearchParams] is the only list of them: the
// HTTP parser, the API description and the MCP tool's input schema are derived from
// it.
type Param struct {
	Name        string
	Type        ParamType
	Min, Max    float64 // bounds of a number, inclusive
	MinLength   int     // of a string, in Unicode code points
	MaxLength   int     // of a string, in Unicode code points
	Default     int     // of an integer; 0 for none
	Description string
	Example     any

	set func(*Query, value)
}

// value is a parameter's value after parsing.
type value struct {
	number float64
	text   string
}

// MaxQueryLength is the most code points of a string parameter.
const MaxQueryLength = 200

// The number of reviews that a search returns: default and maximum.
const (
	DefaultLimit = 20
	MaxLimit     = 100
)

// SearchParams are the parameters of a search, in the order in which they are
// documented and their issues reported.
var SearchParams = []Param{
	{
		Name: "rating", Type: IntegerParam, Min: MinRating, Max: MaxRating, Example: 5,
		Description: "Only reviews with exactly this many stars.",
		set:         func(q *Query, v value) { q.Rating = int(v.number) },
	}, {
		Name: "min_rating", Type: NumberParam, Min: MinRating, Max: MaxRating, Example: 4,
		Description: "Only reviews with at least this many stars.",
		set:         func(q *Query, v value) { q.MinRating = v.number },
	}, {
		Name: "since", Type: DateParam, Example: "2026-01-01",
		Description: "Only reviews dated on or after this day (YYYY-MM-DD).",
		set:         func(q *Query, v value) { q.Since = Date(v.text) },
	}, {
		Name: "until", Type: DateParam, Example: "2026-03-31",
		Description: "Only reviews dated on or before this day (YYYY-MM-DD).",
		set:         func(q *Query, v value) { q.Until = Date(v.text) },
	}, {
		Name: "query", Type: StringParam, MaxLength: MaxQueryLength, Example: "on time",
		Description: "Only reviews whose title or text contains this, upper and lower case alike. It is not trimmed; empty means no filter.",
		set:         func(q *Query, v value) { q.Text = v.text },
	}, {
		Name: "mentions_technician", Type: StringParam, MinLength: 1, MaxLength: MaxQueryLength, Example: "Marcus",
		Description: "Only reviews that mention this technician: name, alias, first name or id, upper and lower case alike. A first name that several share matches them all; an unknown name matches nothing.",
		set:         func(q *Query, v value) { q.Technician = v.text },
	}, {
		Name: "mentions_service", Type: StringParam, MinLength: 1, MaxLength: MaxQueryLength, Example: "water-heater",
		Description: "Only reviews that mention this service: id or name, upper and lower case alike. An unknown one matches nothing.",
		set:         func(q *Query, v value) { q.Service = v.text },
	}, {
		Name: "limit", Type: IntegerParam, Min: 1, Max: MaxLimit, Default: DefaultLimit, Example: 3,
		Description: "How many reviews to return at most, the newest first.",
		set:         func(q *Query, v value) { q.Limit = int(v.number) },
	},
}

// ParseSearch parses the raw query string of a search. It reports every bad parameter;
// the Query is valid only if there are no issues.
func ParseSearch(rawQuery string) (Query, []Issue) {
	values, issues := parseRaw(rawQuery)
	return search(func(p Param) (value, bool, *Issue) {
		given, ok := values[p.Name]
		if !ok {
			return value{}, false, nil
		}
		delete(values, p.Name)
		if len(given) > 1 {
			issue := invalidType(p.Name, p.expected(), fmt.Sprintf("%s is given %d times; give it once", p.Name, len(given)))
			return value{}, false, &issue
		}
		v, issue := p.parse(given[0])
		return v, issue == nil, issue
	}, issues, func() []string { return slices.Sorted(maps.Keys(values)) })
}

// BindSearch parses the arguments of a search from JSON values, as in an MCP tool call.
// The rules are those of [ParseSearch], but an integer is a JSON number instead of a
// string of digits.
func BindSearch(arguments map[string]json.RawMessage) (Query, []Issue) {
	rest := maps.Clone(arguments)
	return search(func(p Param) (value, bool, *Issue) {
		raw, ok := rest[p.Name]
		if !ok {
			return value{}, false, nil
		}
		delete(rest, p.Name)
		v, issue := p.decode(raw)
		return v, issue == nil, issue
	}, nil, func() []string { return slices.Sorted(maps.Keys(rest)) })
}

// search fills a Query with the value that get returns for each parameter of the
// table, and checks the relations between parameters.
func search(get func(Param) (value, bool, *Issue), issues []Issue, unknown func() []string) (Query, []Issue) {
	q := Query{Limit: DefaultLimit}
	for _, p := range SearchParams {
		v, ok, issue := get(p)
		if ok {
			issue = p.check(v)
		}
		if issue != nil {
			issues = append(issues, *issue)
		} else if ok {
			p.set(&q, v)
		}
	}
	if q.Since != "" && q.Until != "" && q.Since > q.Until {
		issues = append(issues, Issue{Code: Custom, Path: []string{"since"},
			Message: fmt.Sprintf("since (%s) is after until (%s): no day lies between them", q.Since, q.Until)})
	}
	if keys := unknown(); len(keys) > 0 {
		issues = append(issues, unrecognized(keys, "known are "+paramNames()))
	}
	return q, issues
}

// ParseSince parses the date in the path of a since request and its raw query string,
// which must have no parameters.
func ParseSince(date, rawQuery string) (Date, []Issue) {
	values, issues := parseRaw(rawQuery)
	if !Date(date).Valid() {
		issues = append(issues, invalidDate("date", date))
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

func paramNames() string {
	names := make([]string, len(SearchParams))
	for i, p := range SearchParams {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}

// expected is zod's name of the parameter's type.
func (p Param) expected() string {
	switch p.Type {
	case IntegerParam:
		return "int"
	case NumberParam:
		return "number"
	}
	return "string"
}

// describe describes the valid values.
func (p Param) describe() string {
	switch p.Type {
	case IntegerParam:
		return fmt.Sprintf("a whole number from %g to %g", p.Min, p.Max)
	case NumberParam:
		return fmt.Sprintf("a number from %g to %g", p.Min, p.Max)
	case DateParam:
		return "a calendar date YYYY-MM-DD"
	}
	return fmt.Sprintf("text of %d to %d characters", p.MinLength, p.MaxLength)
}

// parse parses the parameter's value from a query string.
func (p Param) parse(s string) (value, *Issue) {
	if !utf8.ValidString(s) {
		issue := Issue{Code: InvalidFormat, Path: []string{p.Name}, Origin: "string", Format: "utf8",
			Message: "Invalid text: expected percent-encoded UTF-8"}
		return value{}, &issue
	}
	if p.Type == IntegerParam || p.Type == NumberParam {
		whole, frac, dot := strings.Cut(s, ".")
		ok := digits(whole) && (!dot || p.Type == NumberParam && digits(frac))
		if !ok {
			issue := invalidType(p.Name, p.expected(), fmt.Sprintf("expected %s, received %s", p.describe(), echo(s)))
			return value{}, &issue
		}
		f, _ := strconv.ParseFloat(s, 64) // digits only: the only error is overflow, and +Inf is out of every range
		return value{number: f}, nil
	}
	return value{text: s}, nil
}

// decode parses the parameter's value from JSON.
func (p Param) decode(raw json.RawMessage) (value, *Issue) {
	var v any
	if err := json.Unmarshal(raw, &v); err == nil {
		switch v := v.(type) {
		case float64:
			if p.Type == NumberParam || p.Type == IntegerParam && v == math.Trunc(v) {
				return value{number: v}, nil
			}
		case string:
			if p.Type == DateParam || p.Type == StringParam {
				return value{text: v}, nil
			}
		}
	}
	issue := invalidType(p.Name, p.expected(), fmt.Sprintf("expected %s, received %s", p.describe(), EchoJSON(raw)))
	return value{}, &issue
}

// check checks a value of the right type against the parameter's bounds.
func (p Param) check(v value) *Issue {
	var issue Issue
	switch n := utf8.RuneCountInString(v.text); {
	case p.Type == DateParam:
		if Date(v.text).Valid() {
			return nil
		}
		issue = invalidDate(p.Name, v.text)
	case p.Type == StringParam && n < p.MinLength:
		issue = tooSmall(p.Name, "string", float64(p.MinLength), p.describe()+"; leave the parameter out for no filter")
	case p.Type == StringParam && n > p.MaxLength:
		issue = tooBig(p.Name, "string", float64(p.MaxLength), fmt.Sprintf("%s, received %d", p.describe(), n))
	case p.Type != StringParam && v.number < p.Min:
		issue = tooSmall(p.Name, "number", p.Min, fmt.Sprintf("%s, received %g", p.describe(), v.number))
	case p.Type != StringParam && v.number > p.Max:
		issue = tooBig(p.Name, "number", p.Max, fmt.Sprintf("%s, received %g", p.describe(), v.number))
	default:
		return nil
	}
	return &issue
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
