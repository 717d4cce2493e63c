package schema

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v4"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

func resolved(t *testing.T) map[string]*jsonschema.Resolved {
	t.Helper()
	out := map[string]*jsonschema.Resolved{}
	for name, data := range All() {
		var s jsonschema.Schema
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatal(name, err)
		}
		r, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(name, err)
		}
		out[name] = r
	}
	return out
}

// asJSON reads YAML as an editor's language server does: a date is a string.
func asJSON(t *testing.T, data []byte) any {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	var value func(n *yaml.Node) any
	value = func(n *yaml.Node) any {
		switch n.Kind {
		case yaml.DocumentNode:
			return value(n.Content[0])
		case yaml.SequenceNode:
			list := []any{}
			for _, c := range n.Content {
				list = append(list, value(c))
			}
			return list
		case yaml.MappingNode:
			m := map[string]any{}
			for i := 0; i < len(n.Content); i += 2 {
				m[n.Content[i].Value] = value(n.Content[i+1])
			}
			return m
		}
		var v any
		if n.ShortTag() == "!!timestamp" {
			return n.Value
		}
		if err := n.Decode(&v); err != nil {
			t.Fatal(err)
		}
		if i, ok := v.(int); ok {
			return float64(i)
		}
		return v
	}
	return value(&doc)
}

// commented matches a field in a comment, or a line below one.
var commented = regexp.MustCompile(`(?m)^# ((?:  |[a-z_]+:).*)$`)

// TestSchemasOfSamples: every sample file names its schema in its first line, is
// right by it, and the schemas that stand beside the sample are the current ones.
func TestSchemasOfSamples(t *testing.T) {
	schemas := resolved(t)
	for _, root := range []string{"../../content", "../starter/files"} {
		n := 0
		err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".yaml") {
				return err
			}
			data, err := os.ReadFile(filepath.Join(root, name))
			if err != nil {
				return err
			}
			first, _, _ := strings.Cut(string(data), "\n")
			kind := strings.TrimSuffix(name, ".yaml")
			if strings.HasPrefix(name, "reviews/") {
				kind = "review"
			}
			if at, ok := strings.CutPrefix(first, "# yaml-language-server: $schema="); !ok || path.Join(path.Dir(name), at) != Folder+"/"+kind+".schema.json" {
				t.Errorf("%s/%s begins with %q, which doesn't name its schema", root, name, first)
			}
			if strings.Count(name, "/") == 2 && first != ReviewLine {
				t.Errorf("%s/%s begins with %q, want %q", root, name, first, ReviewLine)
			}
			doc := asJSON(t, data)
			if doc == nil && kind == "insights" { // all fields are comments, which have to be right as well
				doc = asJSON(t, commented.ReplaceAll(data, []byte("$1")))
			}
			if err := schemas[kind+".schema.json"].Validate(doc); err != nil {
				t.Errorf("%s/%s: %v", root, name, err)
			}
			n++
			return nil
		})
		if err != nil || n < 6 {
			t.Errorf("%s: %d files, %v", root, n, err)
		}
	}
	for name, want := range All() {
		got, err := os.ReadFile(filepath.Join("../../content", Folder, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("content/%s/%s is not current (%v); run `reviewcast schema`", Folder, name, err)
		}
	}
}

// TestSchemasRefuse: what the loader refuses for its fields, an editor underlines.
func TestSchemasRefuse(t *testing.T) {
	schemas := resolved(t)
	for _, test := range []struct{ schema, yaml string }{
		{"review", "{id: a b, author: M, rating: 5, date: 2026-03-01}"},
		{"review", "{id: a, author: M, rating: 6, date: 2026-03-01}"},
		{"review", "{id: a, author: M, rating: '5', date: 2026-03-01}"},
		{"review", "{id: a, author: M, rating: 5, date: 1.3.2026}"},
		{"review", "{id: a, author: M, rating: 5}"},
		{"review", "[{id: a, author: M, rating: 5, date: 2026-03-01, ratng: 5}]"},
		{"review", "[{id: a, author: M, rating: 5, date: 2026-03-01, verification: {method: bribe}}]"},
		{"review", "[{id: a, author: M, rating: 5, date: 2026-03-01, owner_reply: {text: Thanks}}]"},
		{"review", "[{id: a, author: true, rating: 5, date: 2026-03-01}]"},
		{"business", "{name: Acme}"},
		{"business", "{id: a, name: Acme, geo: {latitude: 91, longitude: 0}}"},
		{"business", "{id: a, name: Acme, technicians: [{id: a}]}"},
		{"site", "{policies: {author_names: none}}"},
		{"faq", "{question: a, answer: b}"},
		{"insights", "{problems: [{id: a, label: A}]}"},
		{"withdrawn", "[{id: a, reason: shame, date: 2026-01-01}]"},
	} {
		if err := schemas[test.schema+".schema.json"].Validate(asJSON(t, []byte(test.yaml))); err == nil {
			t.Errorf("%s: %s passes", test.schema, test.yaml)
		}
		dir, file := t.TempDir(), test.schema+".yaml"
		if test.schema == "review" {
			file = "reviews/a.yaml"
		}
		for _, f := range [][2]string{{"business.yaml", "id: a\nname: A\n"}, {file, test.yaml}} {
			path := filepath.Join(dir, filepath.FromSlash(f[0]))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(f[1]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, problems, err := source.NewLoader(dir, source.Config{Today: "2026-11-21"}).Load(t.Context(), nil); err != nil || !diagnostic.HasErrors(problems) {
			t.Errorf("the loader takes %s", test.yaml)
		}
	}
}
