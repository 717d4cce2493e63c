package reviewcast

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

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

// maxEcho is how many code points of a bad value an issue repeats.
const maxEcho = 40

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
