package reviewcast

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParamType is the type of a parameter's value.
type ParamType string

// The parameter types.
const (
	IntegerParam ParamType = "integer" // [0-9]+
	NumberParam  ParamType = "number"  // [0-9]+(\.[0-9]+)?
	DateParam    ParamType = "date"    // a real YYYY-MM-DD
	StringParam  ParamType = "string"
	BooleanParam ParamType = "boolean" // true or false
)

// Param describes a search parameter. Parser, API description and MCP schema derive from [SearchParams].
type Param struct {
	Name        string
	Type        ParamType
	Min, Max    float64  // bounds of a number, inclusive
	MinLength   int      // of a string, in Unicode code points
	MaxLength   int      // of a string, in Unicode code points
	Default     int      // of an integer; 0 for none
	Values      []string // the allowed values of a string; nil for any
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

// SearchParams are the parameters of a search, in the order in which they are documented and their issues reported.
var SearchParams = []Param{
	{Name: "rating", Type: IntegerParam, Min: MinRating, Max: MaxRating, Example: 5,
		Description: "Only reviews with exactly this many stars.", set: func(q *Query, v value) { q.Rating = int(v.number) }},
	{Name: "min_rating", Type: NumberParam, Min: MinRating, Max: MaxRating, Example: 4,
		Description: "Only reviews with at least this many stars.", set: func(q *Query, v value) { q.MinRating = v.number }},
	{Name: "max_rating", Type: NumberParam, Min: MinRating, Max: MaxRating, Example: 3,
		Description: "Only reviews with at most this many stars.", set: func(q *Query, v value) { q.MaxRating = v.number }},
	{Name: "since", Type: DateParam, Example: "2026-01-01",
		Description: "Only reviews dated on or after this day (YYYY-MM-DD).", set: func(q *Query, v value) { q.Since = Date(v.text) }},
	{Name: "until", Type: DateParam, Example: "2026-03-31",
		Description: "Only reviews dated on or before this day (YYYY-MM-DD).", set: func(q *Query, v value) { q.Until = Date(v.text) }},
	{Name: "query", Type: StringParam, MaxLength: MaxQueryLength, Example: "on time",
		Description: "Only reviews whose title or text contains this, ignoring case. It is not trimmed; empty means no filter.", set: func(q *Query, v value) { q.Text = v.text }},
	{Name: "mentions_technician", Type: StringParam, MinLength: 1, MaxLength: MaxQueryLength, Example: "Marcus",
		Description: "Only reviews that mention this technician: name, alias, first name or id, ignoring case. A shared first name matches all who have it; an unknown name matches nothing.",
		set:         func(q *Query, v value) { q.Technician = v.text }},
	{Name: "mentions_service", Type: StringParam, MinLength: 1, MaxLength: MaxQueryLength, Example: "water-heater",
		Description: "Only reviews that mention this service: id or name, ignoring case. An unknown one matches nothing.", set: func(q *Query, v value) { q.Service = v.text }},
	{Name: "mentions_service_area", Type: StringParam, MinLength: 1, MaxLength: MaxQueryLength, Example: "verdun",
		Description: "Only reviews that mention this service area: id or name, ignoring case. An unknown one matches nothing.", set: func(q *Query, v value) { q.ServiceArea = v.text }},
	{Name: "language", Type: StringParam, MinLength: 1, MaxLength: MaxQueryLength, Example: "fr",
		Description: "Only reviews in this language: the whole BCP 47 tag, or a name in English or in the language itself (French, français), ignoring case. The name finds all regions of the language.",
		set:         func(q *Query, v value) { q.Language = v.text }},
	{Name: "source", Type: StringParam, MinLength: 1, MaxLength: MaxQueryLength, Example: "google",
		Description: "Only reviews from this source, ignoring case.", set: func(q *Query, v value) { q.Source = v.text }},
	{Name: "verification", Type: StringParam, MaxLength: MaxQueryLength, Values: VerificationMethods, Example: "job",
		Description: "Only reviews that were verified by this method.", set: func(q *Query, v value) { q.Verification = v.text }},
	{Name: "has_reply", Type: BooleanParam, Example: false,
		Description: "true: only reviews with an owner reply; false: only reviews without one.", set: func(q *Query, v value) { q.HasReply = new(v.text == "true") }},
	{Name: "aspect", Type: StringParam, MinLength: 1, MaxLength: MaxQueryLength, Example: "punctuality",
		Description: "Only reviews that mention this aspect of the insights: id or label, ignoring case. An unknown one matches nothing.",
		set:         func(q *Query, v value) { q.Aspect = v.text }},
	{Name: "sentiment", Type: StringParam, MaxLength: MaxQueryLength, Values: []string{string(Positive), string(Neutral), string(Negative), string(Mixed)}, Example: "negative",
		Description: "Only reviews with this sentiment: about the aspect if one is given, otherwise of the whole review.",
		set:         func(q *Query, v value) { q.Sentiment = Polarity(v.text) }},
	{Name: "facets", Type: BooleanParam, Example: true,
		Description: "true: also count all matches by stars, year, month, language, source, verification, technician, service, service area, aspect and reply.",
		set:         func(q *Query, v value) { q.Facets = v.text == "true" }},
	{Name: "order", Type: StringParam, MaxLength: MaxQueryLength, Values: []string{OrderNewest, OrderOldest, OrderLowest, OrderHighest}, Example: OrderLowest,
		Description: "newest (default), oldest, lowest or highest rating first. Reviews of the same rating are newest first; oldest is newest reversed.",
		set:         func(q *Query, v value) { q.Order = v.text }},
	{Name: "limit", Type: IntegerParam, Min: 1, Max: MaxLimit, Default: DefaultLimit, Example: 3,
		Description: "The most reviews to return.", set: func(q *Query, v value) { q.Limit = int(v.number) }},
}

// Schema is the JSON Schema of the parameter's value, for the API description and MCP.
func (p Param) Schema() map[string]any {
	s := map[string]any{"type": p.Type}
	switch p.Type {
	case IntegerParam, NumberParam:
		s["minimum"], s["maximum"] = p.Min, p.Max
	case DateParam:
		s["type"], s["format"] = "string", "date"
	case StringParam:
		if p.Values != nil {
			s["enum"] = p.Values
			break
		}
		s["maxLength"] = p.MaxLength
		if p.MinLength > 0 {
			s["minLength"] = p.MinLength
		}
	}
	if p.Default != 0 {
		s["default"] = p.Default
	}
	return s
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
	case BooleanParam:
		return "true or false"
	}
	if p.Values != nil {
		return "one of " + strings.Join(p.Values, ", ")
	}
	return fmt.Sprintf("text of %d to %d characters", p.MinLength, p.MaxLength)
}

// parse parses and checks the parameter's value from a query string.
func (p Param) parse(s string) (value, *Issue) {
	if !utf8.ValidString(s) {
		return value{}, &Issue{Code: InvalidFormat, Path: []string{p.Name}, Origin: "string", Format: "utf8",
			Message: "Invalid text: expected percent-encoded UTF-8"}
	}
	if p.Type == IntegerParam || p.Type == NumberParam {
		whole, frac, dot := strings.Cut(s, ".")
		if !digits(whole) || dot && (p.Type != NumberParam || !digits(frac)) {
			return value{}, p.invalid("expected " + p.describe() + ", received " + echo(s))
		}
		f, _ := strconv.ParseFloat(s, 64) // digits only: the only error is overflow, and +Inf is out of every range
		return p.check(value{number: f, text: s})
	}
	return p.check(value{text: s})
}

// decode parses and checks the parameter's value from JSON.
func (p Param) decode(raw json.RawMessage) (value, *Issue) {
	var v any
	_ = json.Unmarshal(raw, &v) // v stays nil if it isn't JSON
	switch v := v.(type) {
	case float64:
		if p.Type == NumberParam || p.Type == IntegerParam && v == math.Trunc(v) {
			return p.check(value{number: v, text: strconv.FormatFloat(v, 'f', -1, 64)})
		}
	case string:
		return p.parse(v)
	case bool:
		if p.Type == BooleanParam {
			return p.check(value{text: strconv.FormatBool(v)})
		}
	}
	return value{}, p.invalid("expected " + p.describe() + ", received " + EchoJSON(raw))
}

// invalid is the issue of a value that isn't of the parameter's type.
func (p Param) invalid(message string) *Issue {
	expected := cmp.Or(map[ParamType]string{IntegerParam: "int", DateParam: "string"}[p.Type], string(p.Type)) // zod's name of the type
	return &Issue{Code: InvalidType, Path: []string{p.Name}, Expected: expected, Message: "Invalid input: " + message}
}

// Text parses and checks a string or date in JSON. A number counts as its text: an id may look like one.
func (p Param) Text(raw json.RawMessage) (string, *Issue) {
	if text := string(raw); digits(text) {
		raw = json.RawMessage(`"` + text + `"`)
	}
	v, issue := p.decode(raw)
	return v.text, issue
}

// check checks a value of the right type against the parameter's bounds.
func (p Param) check(v value) (value, *Issue) {
	allowed, origin, n := p.Values, "number", v.number
	switch p.Type {
	case DateParam:
		if Date(v.text).Valid() {
			return v, nil
		}
		return v, invalidDate(p.Name, v.text)
	case BooleanParam:
		allowed = []string{"true", "false"}
	case StringParam:
		origin, n, p.Min, p.Max = "string", float64(utf8.RuneCountInString(v.text)), float64(p.MinLength), float64(p.MaxLength)
	}
	issue := Issue{Path: []string{p.Name}, Origin: origin, Inclusive: new(true)}
	switch {
	case allowed != nil && slices.Contains(allowed, v.text):
		return v, nil
	case allowed != nil:
		return v, &Issue{Code: InvalidValue, Path: issue.Path, Values: allowed, Message: "Invalid option: expected " + p.describe() + ", received " + echo(v.text)}
	case n < p.Min && p.Type == StringParam:
		issue.Code, issue.Minimum, issue.Message = TooSmall, &p.Min, "Too small: expected "+p.describe()+"; leave the parameter out for no filter"
	case n < p.Min:
		issue.Code, issue.Minimum, issue.Message = TooSmall, &p.Min, fmt.Sprintf("Too small: expected %s, received %g", p.describe(), n)
	case n > p.Max:
		issue.Code, issue.Maximum, issue.Message = TooBig, &p.Max, fmt.Sprintf("Too big: expected %s, received %g", p.describe(), n)
	default:
		return v, nil
	}
	return v, &issue
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
