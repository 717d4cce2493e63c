package durable

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMountPoint replaces the files of a mount point, which cannot be exchanged.
func TestMountPoint(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("mounting is not permitted here: ", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	for _, set := range []map[string]string{oldSet, newSet, oldSet} {
		mustReplace(t, dir, set)
		if got := read(t, dir); !maps.Equal(got, set) {
			t.Errorf("the directory holds %v, want %v", got, set)
		}
		wantAlone(t, dir)
	}
}
