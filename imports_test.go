package reviewcast_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport lists, for each package of ours, what it may import of ours beside the
// root package: cmd → generator, edge → internal → root. A name that ends in /...
// stands for everything below it. Tests may import their own package, what is
// below bench, and packages that exist for tests (…test).
var mayImport = map[string][]string{
	"": {},

	"generator": {"generator/...", "internal/..."},
	// Within the generator, package generator combines the others.
	"generator/diagnostic": {},
	"generator/syntax":     {"generator/diagnostic"},
	"generator/source":     {"generator/diagnostic", "generator/syntax", "generator/sentiment"},
	"generator/schema":     {"generator/diagnostic", "generator/source"},
	"generator/lint":       {"generator/diagnostic", "generator/source"},
	"generator/sentiment":  {},
	"generator/insights":   {"generator/sentiment"},
	"generator/render":     {},
	"generator/pages":      {"generator/render"},
	"generator/changes":    {"generator/render", "internal/mirror"}, // render: its tests
	"generator/importer":   {"generator/diagnostic", "generator/syntax"},
	"generator/starter":    {},

	"edge":               {"edge/snapshot", "internal/..."},
	"edge/snapshot":      {"internal/..."},
	"edge/mcpserver":     {"edge/snapshot"},
	"edge/hub":           {"edge/hub/store", "edge/snapshot"},
	"edge/hub/store":     {"internal/durable"},
	"edge/hub/killtest":  {"edge/hub", "edge/hub/store"},
	"internal/durable":   {},
	"internal/mirror":    {"internal/durable"},
	"internal/verify":    {"internal/mirror"},
	"cmd/reviewcast/...": {"cmd/reviewcast/...", "generator/...", "edge/...", "internal/..."},
	"bench/...":          {"bench/...", "cmd/reviewcast/devserver", "generator/...", "edge/...", "internal/..."},
	"content":            {},
}

// TestImports keeps the import rules of docs/architecture.md.
func TestImports(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || len(d.Name()) > 1 && d.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if strings.HasSuffix(file, ".go") {
			pkg := strings.TrimPrefix(path.Dir(filepath.ToSlash(file)), ".")
			seen[pkg] = true
			checkImports(t, pkg, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 20 {
		t.Fatalf("only %d packages seen: the rules were not checked", len(seen))
	}
}

func checkImports(t *testing.T, pkg, file string) {
	t.Helper()
	allowed, listed := rule(pkg)
	if !listed {
		t.Errorf("package %s is new: say in imports_test.go what it may import", pkg)
		return
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Error(err)
		return
	}
	test := strings.HasSuffix(file, "_test.go")
	for _, spec := range parsed.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		ours, ok := strings.CutPrefix(imported, "reviewcast/")
		if !ok {
			if pkg == "" && !test && strings.Contains(strings.Split(imported, "/")[0], ".") {
				t.Errorf("%s imports %s: the root package needs the standard library only", file, imported)
			}
			continue
		}
		forTests := (test || strings.HasSuffix(pkg, "test")) && (ours == pkg || strings.HasPrefix(ours, "bench/") || strings.HasSuffix(ours, "test"))
		if !forTests && !slices.ContainsFunc(allowed, func(p string) bool { return matches(p, ours) }) {
			t.Errorf("%s imports %s; package %s may import only %v", file, imported, pkg, allowed)
		}
	}
}

// rule returns what a package may import. A package that exists for tests has the
// rule of the package that it is below, and may import that package.
func rule(pkg string) ([]string, bool) {
	for p, allowed := range mayImport {
		if matches(p, pkg) {
			return allowed, true
		}
	}
	if parent := path.Dir(pkg); strings.HasSuffix(pkg, "test") {
		allowed, ok := mayImport[parent]
		return append(slices.Clone(allowed), parent), ok
	}
	return nil, false
}

func matches(pattern, pkg string) bool {
	if below, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == below || strings.HasPrefix(pkg, below+"/")
	}
	return pkg == pattern
}
