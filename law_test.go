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

// TestImportLaw keeps the house's one law: cmd -> generator, edge -> root. It
// looks at tests too, but for those of cmd, bench and docs, which may join rooms.
func TestImportLaw(t *testing.T) {
	laws := []struct{ room, mayNot, reason string }{
		{"", "reviewcast", "the root package holds the published words and imports none of ours"},
		{"generator", "reviewcast/edge", "generator and edge share the root package and a directory, nothing else"},
		{"generator", "reviewcast/cmd", "commands are made of rooms, not rooms of commands"},
		{"edge", "reviewcast/generator", "generator and edge share the root package and a directory, nothing else"},
		{"edge", "reviewcast/cmd", "commands are made of rooms, not rooms of commands"},
		{"edge/hub", "reviewcast/edge/agents", "hub and agents are neighbours under edge"},
		{"edge/agents", "reviewcast/edge/hub", "hub and agents are neighbours under edge"},
		{"generator/source", "reviewcast/generator/insights", "generator.go joins them"},
		{"generator/source", "reviewcast/generator/render", "generator.go joins them"},
		{"generator/insights", "reviewcast/generator/source", "generator.go joins them"},
		{"generator/insights", "reviewcast/generator/render", "generator.go joins them"},
		{"generator/render", "reviewcast/generator/source", "generator.go joins them"},
		{"generator/render", "reviewcast/generator/insights", "generator.go joins them"},
		{"generator/importer", "reviewcast/generator/source", "the command joins them"},
		{"internal", "reviewcast/generator", "internal is used by generator and edge"},
		{"internal", "reviewcast/edge", "internal is used by generator and edge"},
		{"internal", "reviewcast/cmd", "commands are made of rooms, not rooms of commands"},
	}
	exactly := map[string]string{ // a room that may import below a neighbour, but not the neighbour itself
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
		room := path.Dir(filepath.ToSlash(file))
		if room == "." {
			room = ""
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			for _, law := range laws {
				inRoom := room == law.room || law.room != "" && within(room, law.room)
				if inRoom && within(imported, law.mayNot) {
					t.Errorf("%s imports %s: %s", file, imported, law.reason)
				}
			}
			for r, neighbour := range exactly {
				if within(room, r) && imported == neighbour {
					t.Errorf("%s imports %s: the edge mounts its rooms, they don't know it", file, imported)
				}
			}
			if room == "" && !strings.HasSuffix(file, "_test.go") && strings.Contains(strings.Split(imported, "/")[0], ".") {
				t.Errorf("%s imports %s: the root package needs the standard library only", file, imported)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Fatalf("only %d Go files seen: the law was not held against the project", files)
	}
}
