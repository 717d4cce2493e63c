package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
)

// refusal is an error that is shown to the agent. Its text lets the agent correct the
// call: what was received, what is allowed, an example. It never contains a review's
// text.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// arguments are the arguments of one tool call, undecoded. Null counts as omitted,
// because many models write null for what they omit.
type arguments map[string]json.RawMessage

// readArguments decodes the arguments object of a call, which may be missing.
func readArguments(raw json.RawMessage) (arguments, error) {
	args := arguments{}
	if len(raw) == 0 || string(raw) == "null" {
		return args, nil
	}
	d := jsontext.NewDecoder(bytes.NewBuffer(raw)) // reads the bytes of a Buffer in place
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, refuse("Invalid arguments: expected an object such as {}, received %s.", cleanText(reviewcast.EchoJSON(raw)))
	}
	for d.PeekKind() != '}' {
		if len(args) == maxArguments {
			return nil, refuse("Invalid arguments: more than %d.", maxArguments)
		}
		name, err := d.ReadToken()
		if err != nil {
			return nil, refuse("Invalid arguments: expected an object such as {}.")
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, refuse("Invalid arguments: expected an object such as {}.")
		}
		if value.Kind() != 'n' {
			end := d.InputOffset()
			args[key] = raw[int(end)-len(value) : end]
		}
	}
	return args, nil
}

// maxArguments is the most arguments of a call. It stops calls whose only purpose is to
// be expensive to refuse.
const maxArguments = 64

// param is a parameter of a tool, except the search parameters, which are in
// [reviewcast.SearchParams]. Its value is a string.
type param struct {
	name        string
	description string
	values      []string // the allowed values; nil for any text
	optional    bool
	number      bool // a whole number is taken as well
	byDefault   string
}

// maxArgument is the most code points of a string argument. Longer ones are not names,
// and every argument is compared with all names.
const maxArgument = reviewcast.MaxQueryLength

// maxEcho is the most code points of an argument that an error repeats.
const maxEcho = 40

// echo quotes what an agent sent, shortened and without invisible characters.
func echo(s string) string {
	s = cleanText(strings.ToValidUTF8(s, "\uFFFD"))
	n := 0
	for i := range s {
		if n == maxEcho {
			return strconv.Quote(s[:i]) + "…"
		}
		n++
	}
	return strconv.Quote(s)
}

// read removes the parameter's value from the arguments and returns it.
func (p param) read(args arguments) (string, error) {
	raw, ok := args[p.name]
	delete(args, p.name)
	if !ok {
		if p.optional {
			return p.byDefault, nil
		}
		return "", fmt.Errorf("%s: missing: %s", p.name, p.expected())
	}
	var s string
	if p.number && jsontext.Value(raw).Kind() == '0' {
		s = string(raw)
	} else if err := json.Unmarshal(raw, &s); err != nil || raw[0] != '"' {
		return "", fmt.Errorf("%s: expected a string, received %s: %s", p.name, cleanText(reviewcast.EchoJSON(raw)), p.expected())
	}
	switch n := utf8.RuneCountInString(s); {
	case p.values != nil && !slices.Contains(p.values, s), strings.TrimSpace(s) == "":
		return "", fmt.Errorf("%s: received %s: %s", p.name, echo(s), p.expected())
	case n > maxArgument:
		return "", fmt.Errorf("%s: received %d characters: %s of at most %d", p.name, n, p.expected(), maxArgument)
	}
	return s, nil
}

func (p param) expected() string {
	if p.values != nil {
		return "expected one of " + strings.Join(p.values, ", ")
	}
	return "expected " + p.description
}

// read removes the values of the tool's own parameters from the arguments and returns
// them by name. The error reports every bad argument.
func (t *tool) read(v *view, args arguments) (map[string]string, error) {
	values := make(map[string]string, len(t.params))
	var wrong []string
	for _, p := range t.params {
		value, err := p.read(args)
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		values[p.name] = value
	}
	if len(args) > 0 && !t.search {
		wrong = append(wrong, t.unknown(slices.Sorted(maps.Keys(args))))
	}
	if len(wrong) > 0 {
		return nil, t.invalid(v, wrong)
	}
	return values, nil
}

// unknown is the error text for arguments that the tool doesn't have.
func (t *tool) unknown(keys []string) string {
	shown := make([]string, 0, maxKnown)
	for _, k := range keys[:min(len(keys), maxKnown)] {
		shown = append(shown, echo(k))
	}
	takes := "takes no arguments"
	if names := t.parameters(); len(names) > 0 {
		takes = "takes " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("unknown %s: %s %s", strings.Join(shown, ", "), t.name, takes)
}

// invalid is the refusal of a call with bad arguments. The example uses names of the
// business.
func (t *tool) invalid(v *view, wrong []string) error {
	return refuse("Invalid arguments for %s:\n- %s\nExample: %s", t.name, strings.Join(wrong, "\n- "), v.examples.Replace(t.example))
}

// maxKnown is the most names that an error or a hint lists.
const maxKnown = 10

// known lists at most maxKnown names.
func known(what string, names []string) string {
	switch n := len(names); {
	case n == 0:
		return "No " + what + " are known."
	case n > maxKnown:
		return fmt.Sprintf("Known %s, %d of %d: %s.", what, maxKnown, n, strings.Join(names[:maxKnown], ", "))
	}
	return fmt.Sprintf("Known %s: %s.", what, strings.Join(names, ", "))
}
