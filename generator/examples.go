package generator

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// What `reviewcast init` writes is marked: its reviews have the source "example", and
// its business has one of these ids, the second after `init --empty`.
const exampleSource = "example"

var exampleBusinesses = []string{"willow-street-home-services", "my-business"}

// exampleProblems returns an error for everything made up that a build for a public
// origin would publish as real.
func exampleProblems(content *source.Content, baseURL string) []diagnostic.Problem {
	if !public(baseURL) {
		return nil
	}
	var problems []diagnostic.Problem
	add := func(at diagnostic.Position, message, suggestion string) {
		problems = append(problems, diagnostic.Problem{
			Severity: diagnostic.Error, File: at.File, Line: at.Line, Col: at.Col, Code: "example", Message: message, Suggestion: suggestion,
		})
	}
	if slices.Contains(exampleBusinesses, content.Business.ID) {
		add(diagnostic.Position{File: source.BusinessFile}, "this is still the example business that init wrote, and "+baseURL+" is public",
			"replace its values with your own; to look at the examples, run `reviewcast dev`")
	}
	for _, r := range content.Reviews {
		if r.Published && r.Source == exampleSource {
			add(content.Position(r), fmt.Sprintf("review %q is a made-up example that init wrote, and %s is public", r.ID, baseURL),
				"delete it; if a customer wrote it, write where in its source")
		}
	}
	diagnostic.Sort(problems)
	return problems
}

// public reports whether anybody may be able to reach an origin: it is neither this
// machine nor a name below .example (RFC 2606).
func public(baseURL string) bool {
	u, err := url.Parse(baseURL)
	if err != nil {
		return true
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return !ip.IsLoopback() && !ip.IsUnspecified()
	}
	return host != "localhost" && !strings.HasSuffix(host, ".localhost") && !strings.HasSuffix(host, ".example")
}
