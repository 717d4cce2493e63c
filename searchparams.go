package reviewcast

import (
	"cmp"
	_ "embed"
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
}

// value is a parameter's value after parsing. The text of a number or a boolean is JSON.
type value struct {
	number float64
	text   string
}

func numberValue(n float64) value { return value{n, strconv.FormatFloat(n, 'f', -1, 64)} }

// MaxQueryLength is the most code points of a string parameter.
const MaxQueryLength = 200

// The number of reviews that a search returns: default and maximum.
const (
	DefaultLimit = 20
	MaxLimit     = 100
)

// SearchParams are the parameters of a search, in the order in which they are documented and their issues reported.
// Each sets the member of [Query] that has its name.
var SearchParams = readParams()

//go:embed searchparams.json
var searchParams []byte

func readParams() (params []Param) {
	if err := json.Unmarshal(searchParams, &params); err != nil {
		panic(err)
	}
	return params
}

// expected is zod's name of the parameter's type.
func (p Param) expected() string {
	return cmp.Or(map[ParamType]string{IntegerParam: "int", DateParam: "string"}[p.Type], string(p.Type))
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
		return p.check(numberValue(f))
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
			return p.check(numberValue(v))
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
	return &Issue{Code: InvalidType, Path: []string{p.Name}, Expected: p.expected(), Message: "Invalid input: " + message}
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
