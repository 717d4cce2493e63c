//go:build unix

package source

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// TestUnreadable: a pipe isn't waited for, and a file without permission is a
// problem of that file only.
func TestUnreadable(t *testing.T) {
	dir := writeFolder(t, map[string]string{"reviews/a.yaml": goodYAML, "reviews/b.yaml": goodYAML, "reviews/c/d.yaml": goodYAML})
	if err := syscall.Mkfifo(filepath.Join(dir, "reviews", "pipe.csv"), 0o644); err != nil {
		t.Skip("no pipes: ", err)
	}
	want := []string{"error unreadable reviews/pipe.csv: it is not a regular file; replace it by a regular file"}
	if os.Geteuid() == 0 { // who may read everything
		for _, name := range []string{"b.yaml", "c"} {
			if err := os.RemoveAll(filepath.Join(dir, "reviews", name)); err != nil {
				t.Fatal(err)
			}
		}
	} else {
		for _, name := range []string{"b.yaml", "c"} {
			path := filepath.Join(dir, "reviews", name)
			if err := os.Chmod(path, 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(path, 0o755) })
		}
		want = []string{
			"error unreadable reviews/b.yaml: the file can't be read: permission denied; if it is yours, make it readable (in the content folder, chmod u+rw reviews/b.yaml); if not, ask whoever made it, or put a copy of your own in its place",
			"error unreadable reviews/c: the folder can't be read: permission denied; if it is yours, make it readable (in the content folder, chmod u+rw reviews/c); if not, ask whoever made it, or put a copy of your own in its place",
			want[0],
		}
	}
	if got := problemLines(t, dir); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
