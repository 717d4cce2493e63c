package mcpserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"reviewcast"
)

// refusal is an error that an agent is told of, in words that let it do better at
// once: what came, what is allowed, an example. It never holds a review's text.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func refuse(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// arguments are those of one call, each as it came. Null counts as left out: many
// models write it for what they don't want to say.
type arguments map[string]json.RawMessage

// readArguments takes the arguments of a call. No arguments at all are none.
func readArguments(raw json.RawMessage) (arguments, error) {
	args := arguments{}
	if len(raw) > 0 && string(raw) != "null" {
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, refuse("Invalid arguments: expected an object such as {}, received %s.", cleanText(reviewcast.EchoJSON(raw)))
		}
	}
	maps.DeleteFunc(args, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
	return args, nil
}

// param is a parameter of a tool other than the search parameters, which stand in
// reviewcast.SearchParams. Its value is a string.
type param struct {
	name        string
	description string
	values      []string // all that are allowed; nil for any text
	optional    bool
	byDefault   string
}

// maxArgument is the most code points that a string argument takes: longer ones are
// no name of anything, and are compared with every name there is.
const maxArgument = reviewcast.MaxQueryLength

// maxEcho is how many code points of what came an error repeats.
const maxEcho = 40

// echo quotes what an agent sent, shortened and without what can't be seen.
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

// read takes the parameter's value out of the arguments.
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
	if err := json.Unmarshal(raw, &s); err != nil || raw[0] != '"' {
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

// read takes the values of a tool's own parameters, by name. It reports everything
// that is wrong at once.
func (t *tool) read(args arguments) (map[string]string, error) {
	values := make(map[string]string, len(t.params))
	var wrong []string
	for _, p := range t.params {
		v, err := p.read(args)
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		values[p.name] = v
	}
	if len(args) > 0 && !t.search {
		wrong = append(wrong, t.unknown(slices.Sorted(maps.Keys(args))))
	}
	if len(wrong) > 0 {
		return nil, t.invalid(wrong)
	}
	return values, nil
}

// unknown says that the tool has no such arguments.
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

// invalid is the refusal of a call with wrong arguments.
func (t *tool) invalid(wrong []string) error {
	return refuse("Invalid arguments for %s:\n- %s\nExample: %s", t.name, strings.Join(wrong, "\n- "), t.example)
}

// maxKnown is how many known names an error or a hint lists.
const maxKnown = 10

// known lists names, at most maxKnown.
func known(what string, names []string) string {
	switch n := len(names); {
	case n == 0:
		return "No " + what + " are known."
	case n > maxKnown:
		return fmt.Sprintf("Known %s, %d of %d: %s.", what, maxKnown, n, strings.Join(names[:maxKnown], ", "))
	}
	return fmt.Sprintf("Known %s: %s.", what, strings.Join(names, ", "))
}
