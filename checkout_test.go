package reviewcast_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckoutOnWindows checks the files out as a Windows machine with
// core.autocrlf=true does: they must be the bytes that are built, hashed and published
// everywhere else.
func TestCheckoutOnWindows(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	list, err := exec.Command(git, "ls-files", "-z", "--", "*.css", "*.js", "*.tmpl", "*.txt", "*.md", "*.yaml", "*.sql", "*.go").Output()
	if err != nil {
		t.Skip("not a git checkout")
	}
	dir := t.TempDir()
	cmd := exec.Command(git, "-c", "core.autocrlf=true", "checkout-index", "-z", "--stdin", "--prefix="+filepath.ToSlash(dir)+"/")
	cmd.Stdin = bytes.NewReader(list)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("checkout-index: %v\n%s", err, out)
	}
	names := strings.Split(strings.TrimRight(string(list), "\x00"), "\x00")
	for _, name := range names {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(got, []byte("\r\n")) {
			t.Errorf("%s is checked out with CRLF", name)
		}
	}
	if len(names) < 100 {
		t.Errorf("only %d files", len(names))
	}
}
