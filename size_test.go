package reviewcast_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The size limits of production code: what a reader can hold in mind.
const (
	maxFileLines     = 400
	maxFunctionLines = 70 // from func to the closing brace, both included
	maxPackageFiles  = 30
)

// TestSizeLimits reports production files, functions and packages over the size
// limits. Tests, testdata and the benchmarks below bench are not production code.
func TestSizeLimits(t *testing.T) {
	packageFiles := map[string]int{}
	for _, file := range productionFiles(t) {
		packageFiles[filepath.Dir(file)]++
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(source, []byte("\n")); n > maxFileLines {
			t.Errorf("%s has %d lines; the limit is %d", file, n, maxFileLines)
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, file, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range parsed.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			first, last := fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line
			if n := last - first + 1; n > maxFunctionLines {
				t.Errorf("%s:%d: function %s has %d lines; the limit is %d", file, first, fn.Name.Name, n, maxFunctionLines)
			}
		}
	}
	for dir, n := range packageFiles {
		if n > maxPackageFiles {
			t.Errorf("package %s has %d files; the limit is %d", dir, n, maxPackageFiles)
		}
	}
}

// productionFiles returns the Go files of the module that are neither tests nor
// benchmarks, with slash-separated paths relative to the module root.
func productionFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && file != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || file == "bench") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			files = append(files, filepath.ToSlash(file))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 100 {
		t.Fatalf("found %d production files; the walk has missed most of the module", len(files))
	}
	return files
}
