package source_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// codeAt is the argument of a call that is the code of a problem, by the name of the function.
var codeAt = map[string][]int{"Error": {0}, "Warning": {0}, "fail": {1}, "warn": {1}, "add": {2}, "Add": {3}, "note": {2}}

// TestCodes: the documentation lists each code that the packages report. Those of lint are in its own.
func TestCodes(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(doc), "The codes, which stay as they are:")
	list, _, _ = strings.Cut(list, "package source")
	listed := strings.Fields(strings.ReplaceAll(list, "//", ""))
	if !slices.IsSorted(listed) {
		t.Error("the codes in doc.go are not sorted")
	}
	used := map[string]bool{"unknown-service": true, "unknown-service-area": true, "unknown-technician": true} // made of the name of the list
	for _, folder := range []string{".", "../syntax", "../diagnostic"} {
		for code, place := range codesIn(t, folder) {
			if used[code] = true; !slices.Contains(listed, code) {
				t.Errorf("%s: doc.go doesn't list %s", place, code)
			}
		}
	}
	for _, code := range listed {
		if !used[code] {
			t.Errorf("doc.go lists %s, which nothing reports", code)
		}
	}
	own, err := os.ReadFile("../lint/lint.go")
	if err != nil {
		t.Fatal(err)
	}
	own, _, _ = bytes.Cut(own, []byte("\npackage lint"))
	for code, place := range codesIn(t, "../lint") {
		if code != "no-phone" && !regexp.MustCompile(`//\t.*\b`+code+`\b`).Match(own) { // no-phone is never reported
			t.Errorf("%s: lint.go doesn't list %s", place, code)
		}
	}
}

// codesIn returns the codes in the sources and the tables of a folder, each with a place.
func codesIn(t *testing.T, folder string) map[string]string {
	found := map[string]string{}
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok {
					for _, i := range codeAt[f.Sel.Name] {
						if i < len(n.Args) {
							note(found, n.Args[i], files)
						}
					}
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Code" {
					note(found, n.Value, files)
				}
			case *ast.AssignStmt: // code, message := "…", …
				for i, left := range n.Lhs {
					if name, ok := left.(*ast.Ident); ok && name.Name == "code" && len(n.Lhs) == len(n.Rhs) {
						note(found, n.Rhs[i], files)
					}
				}
			case *ast.CompositeLit: // &jsonError{"too-deep", …}
				if name, ok := n.Type.(*ast.Ident); ok && name.Name == "jsonError" && len(n.Elts) > 0 {
					note(found, n.Elts[0], files)
				}
			}
			return true
		})
	}
	table, err := os.ReadFile(filepath.Join(folder, "words.txt"))
	if err != nil {
		return found // none
	}
	for i, line := range strings.Split(string(table), "\n") {
		if cells := strings.Split(line, "\t"); len(cells) >= 4 && isCode(cells[2]) {
			found[cells[2]] = filepath.Join(folder, "words.txt:"+strconv.Itoa(i+1))
		}
	}
	return found
}

// isCode reports whether a word may be a code.
func isCode(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" && (strings.Contains(s, "-") || len(s) > 3)
}

// note keeps a code that is a literal.
func note(found map[string]string, e ast.Expr, files *token.FileSet) {
	if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
		if code, err := strconv.Unquote(literal.Value); err == nil && isCode(code) {
			found[code] = files.Position(e.Pos()).String()
		}
	}
}
