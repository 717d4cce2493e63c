package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"reviewcast"
)

// TestCacheHeaders: the edge and netlify.toml give each published file the same headers,
// and what says which version is the newest is never taken from a cache unasked.
func TestCacheHeaders(t *testing.T) {
	t.Parallel()
	h := site(t)
	get := func(path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d", path, w.Code)
		}
		return w
	}
	var m reviewcast.Manifest
	if err := json.Unmarshal(get(reviewcast.PathManifest).Body.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	rules := netlifyHeaders(t)
	paths := []string{reviewcast.PathManifest, reviewcast.ChangePath(m.Sequence)}
	for _, f := range m.Files {
		paths = append(paths, strings.TrimSuffix(f.Path, "index.html"))
	}
	for _, path := range paths {
		want := "public, max-age=60, stale-while-revalidate=600"
		if path == reviewcast.PathManifest || path == reviewcast.PathLatestChange || path == reviewcast.PathVersions {
			want = "public, no-cache"
		}
		ours, netlify := get(path).Header(), rules.of(path)
		if got := ours.Get("Cache-Control"); got != want {
			t.Errorf("%s: Cache-Control of the edge is %q, want %q", path, got, want)
		}
		for _, name := range []string{"Cache-Control", "Content-Security-Policy", "Content-Type", "Link", "X-Content-Type-Options",
			"Access-Control-Allow-Origin", "Access-Control-Expose-Headers"} {
			if name == "Content-Type" && netlify[name] == "" || // by the file's name
				name == "Content-Security-Policy" && ours.Get("Content-Type") != reviewcast.MediaJSON { // pages have their own
				continue
			}
			if got, want := netlify[name], strings.Join(ours.Values(name), ", "); got != want {
				t.Errorf("%s: %s is %q in netlify.toml, and %q at the edge", path, name, got, want)
			}
		}
	}
}

// netlifyRule is a [[headers]] table of netlify.toml.
type netlifyRule struct {
	path   string
	values map[string]string
}

type netlifyRules []netlifyRule

// of returns the headers of a path: a later rule replaces what an earlier one says.
func (rules netlifyRules) of(p string) map[string]string {
	values := map[string]string{}
	for _, rule := range rules {
		prefix, below := strings.CutSuffix(rule.path, "*")
		if matched, _ := path.Match(rule.path, p); matched || below && strings.HasPrefix(p, prefix) {
			for name, value := range rule.values {
				values[name] = value
			}
		}
	}
	return values
}

var netlifyLine = regexp.MustCompile(`^\s*([A-Za-z-]+) = (".*")$`)

// netlifyHeaders reads the tables of headers, which have one string a line.
func netlifyHeaders(t *testing.T) netlifyRules {
	t.Helper()
	data, err := os.ReadFile("../../netlify.toml")
	if err != nil {
		t.Fatal(err)
	}
	var rules netlifyRules
	for _, table := range strings.Split(string(data), "[[headers]]")[1:] {
		rule := netlifyRule{values: map[string]string{}}
		for line := range strings.Lines(table) {
			m := netlifyLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
			if m == nil {
				continue
			}
			value, err := strconv.Unquote(m[2])
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			if m[1] == "for" {
				rule.path = value
			} else {
				rule.values[m[1]] = value
			}
		}
		rules = append(rules, rule)
	}
	return rules
}
