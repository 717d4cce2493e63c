package reviewcast_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDependenciesDocument checks that docs/dependencies.md has one table row for
// each dependency, and none for a dependency that is gone: the direct
// requirements of every go.mod, the packages of .ci/node/package.json, and the
// modules that CI runs by version.
func TestDependenciesDocument(t *testing.T) {
	document := readFile(t, "docs/dependencies.md")
	rows := map[string]int{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(document, -1) {
		rows[m[1]]++
	}
	used := map[string]bool{}
	for _, file := range []string{"go.mod", "bench/mcp/go.mod", ".ci/openapi/client/go.mod"} {
		for _, module := range directRequirements(t, file) {
			used[module] = true
		}
	}
	for _, name := range nodePackages(t) {
		used[name] = true
	}
	for _, module := range goTools(t) {
		used[module] = true
	}
	for name := range used {
		if rows[name] != 1 {
			t.Errorf("docs/dependencies.md has %d rows for %s; it must have 1", rows[name], name)
		}
	}
	for name := range rows {
		if !used[name] {
			t.Errorf("docs/dependencies.md has a row for %s, which nothing requires", name)
		}
	}
}

// directRequirements returns the modules that a go.mod requires directly, except
// this module.
func directRequirements(t *testing.T, file string) []string {
	t.Helper()
	out, err := exec.Command("go", "mod", "edit", "-json", file).Output()
	if err != nil {
		t.Fatalf("go mod edit -json %s: %v", file, err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, r := range mod.Require {
		if !r.Indirect && r.Path != "reviewcast" {
			paths = append(paths, r.Path)
		}
	}
	if len(paths) == 0 {
		t.Fatalf("%s has no direct requirement", file)
	}
	return paths
}

// nodePackages returns the packages that .ci/node/package.json names.
func nodePackages(t *testing.T) []string {
	t.Helper()
	var manifest struct{ Dependencies map[string]string }
	if err := json.Unmarshal([]byte(readFile(t, ".ci/node/package.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range manifest.Dependencies {
		names = append(names, name)
	}
	if len(names) == 0 {
		t.Fatal(".ci/node/package.json has no dependencies")
	}
	return names
}

// goTools returns the modules whose commands CI installs or runs by version.
func goTools(t *testing.T) []string {
	t.Helper()
	byVersion := regexp.MustCompile(`\bgo (?:install|run) (\S+)@v`)
	var tools []string
	for _, file := range []string{"Makefile", ".ci/run", ".ci/tools"} {
		for _, m := range byVersion.FindAllStringSubmatch(readFile(t, file), -1) {
			module, _, _ := strings.Cut(m[1], "/cmd/")
			tools = append(tools, module)
		}
	}
	slices.Sort(tools)
	return slices.Compact(tools)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
