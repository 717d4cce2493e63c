package reviewcast_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestImportRules keeps the import rules of docs/architecture.md: cmd -> generator,
// edge -> root. They hold for tests too, except those of cmd, bench and docs, which
// may combine packages.
func TestImportRules(t *testing.T) {
	rules := []struct{ pkg, mayNot, reason string }{
		{"", "reviewcast", "the root package holds the published contract and imports no other package of ours"},
		{"generator", "reviewcast/edge", "generator and edge share the root package and a directory, nothing else"},
		{"generator", "reviewcast/cmd", "commands combine packages, packages do not import commands"},
		{"edge", "reviewcast/generator", "generator and edge share the root package and a directory, nothing else"},
		{"edge", "reviewcast/cmd", "commands combine packages, packages do not import commands"},
		{"edge/hub", "reviewcast/edge/agents", "hub and agents are independent of each other"},
		{"edge/agents", "reviewcast/edge/hub", "hub and agents are independent of each other"},
		{"generator/diagnostic", "reviewcast/generator/syntax", "diagnostic is the lowest layer"},
		{"generator/diagnostic", "reviewcast/generator/source", "diagnostic is the lowest layer"},
		{"generator/syntax", "reviewcast/generator/source", "syntax knows no field of a review"},
		{"generator/source", "reviewcast/generator/lint", "lint reads what source has loaded"},
		{"generator/source", "reviewcast/generator/insights", "package generator combines them"},
		{"generator/source", "reviewcast/generator/render", "package generator combines them"},
		{"generator/lint", "reviewcast/generator/insights", "package generator combines them"},
		{"generator/lint", "reviewcast/generator/render", "package generator combines them"},
		{"generator/sentiment", "reviewcast/generator/source", "sentiment reads one text and needs nothing else of the generator"},
		{"generator/sentiment", "reviewcast/generator/render", "sentiment reads one text and needs nothing else of the generator"},
		{"generator/sentiment", "reviewcast/generator/insights", "sentiment reads one text and needs nothing else of the generator"},
		{"generator/source", "reviewcast/generator/sentiment", "package generator combines them"},
		{"generator/render", "reviewcast/generator/sentiment", "package generator combines them"},
		{"generator/insights", "reviewcast/generator/source", "package generator combines them"},
		{"generator/insights", "reviewcast/generator/render", "package generator combines them"},
		{"generator/render", "reviewcast/generator/source", "package generator combines them"},
		{"generator/render", "reviewcast/generator/insights", "package generator combines them"},
		{"generator/importer", "reviewcast/generator/source", "the command combines them"},
	}
	exactly := map[string]string{ // a package that may import below another, but not the other itself
		"edge/hub":    "reviewcast/edge",
		"edge/agents": "reviewcast/edge",
	}
	within := func(p, of string) bool { return p == of || strings.HasPrefix(p, of+"/") }
	files := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || len(d.Name()) > 1 && d.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		files++
		pkg := path.Dir(filepath.ToSlash(file))
		if pkg == "." {
			pkg = ""
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			for _, rule := range rules {
				inPackage := pkg == rule.pkg || rule.pkg != "" && within(pkg, rule.pkg)
				if inPackage && within(imported, rule.mayNot) {
					t.Errorf("%s imports %s: %s", file, imported, rule.reason)
				}
			}
			for p, parent := range exactly {
				if within(pkg, p) && imported == parent {
					t.Errorf("%s imports %s: the edge mounts its packages, they do not import it", file, imported)
				}
			}
			if pkg == "" && !strings.HasSuffix(file, "_test.go") && strings.Contains(strings.Split(imported, "/")[0], ".") {
				t.Errorf("%s imports %s: the root package needs the standard library only", file, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Fatalf("only %d Go files seen: the rules were not checked", files)
	}
}
