package mirror_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/mirrortest"
	"reviewcast/internal/mirror"
)

// onDisk reads the files below a directory, by path.
func onDisk(t *testing.T, dir string) mirrortest.Files {
	t.Helper()
	files := mirrortest.Files{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(name)
		rel, rerr := filepath.Rel(dir, name)
		files["/"+filepath.ToSlash(rel)] = body
		return errors.Join(err, rerr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func sameFiles(a, b mirrortest.Files) bool {
	for path, body := range a {
		if other, ok := b[path]; !ok || !bytes.Equal(body, other) {
			return false
		}
	}
	return len(a) == len(b)
}

// copy returns a copy of the site in a directory.
func (h *history) copy(dir string, scope mirror.Scope) *mirror.Copy {
	return &mirror.Copy{Dir: dir, Follower: mirror.Follower{Scope: scope, Source: open(h.T, mirrortest.Transport{Handler: h.origin})}}
}

// TestCopy keeps a directory through a history, each time as a new process would.
func TestCopy(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 7, 20)
	path := filepath.Join(t.TempDir(), "copy")
	for n := range 9 {
		c := h.copy(path, []mirror.Scope{mirror.All, mirror.Data}[n/3%2])
		if _, err := c.Update(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !sameFiles(onDisk(t, path), wants(h.site.Files, c.Scope)) {
			t.Fatalf("update %d: the directory differs from the origin", n)
		}
		if n%3 > 0 {
			damage(t, h, path)
		}
		h.step()
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("beside the copy there are %v, %v", left, err)
	}
}

// TestRepair: each file that is removed or damaged is repaired, although nothing new
// is published.
func TestRepair(t *testing.T) {
	t.Parallel()
	h := newHistory(t, 7, 20)
	for range 3 {
		h.step()
	}
	path := filepath.Join(t.TempDir(), "copy")
	update := func() {
		t.Helper()
		if _, err := h.copy(path, mirror.Data).Update(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	update()
	for name := range onDisk(t, path) {
		file := filepath.Join(path, filepath.FromSlash(name))
		if err := os.WriteFile(file, []byte("damaged"), 0o644); err != nil {
			t.Fatal(err)
		}
		update()
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		update()
		if !sameFiles(onDisk(t, path), wants(h.site.Files, mirror.Data)) {
			t.Fatalf("%s is not repaired", name)
		}
	}
}

// damage damages, removes or adds one file of a copy.
func damage(t *testing.T, h *history, path string) {
	t.Helper()
	// Without the manifest nobody knows that a page which has gone meanwhile was the
	// copy's own, so it is left alone here.
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(onDisk(t, path))), func(name string) bool { return name == reviewcast.PathManifest })
	for _, i := range h.rand.Perm(len(names))[:1] {
		name := filepath.Join(path, filepath.FromSlash(names[i]))
		var err error
		switch h.rand.IntN(4) {
		case 0:
			err = os.Remove(name)
		case 1:
			err = os.WriteFile(name, []byte("damaged"), 0o644)
		case 2:
			err = os.WriteFile(filepath.Join(path, "changes", "1.json"), []byte("left over"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestReadDirectory reads what a copy wrote, and says what is wrong with it.
func TestReadDirectory(t *testing.T) {
	h := newHistory(t, 8, 20)
	path := filepath.Join(t.TempDir(), "copy")
	read := func() (*mirror.Set, error) {
		source, err := mirror.Open(path, mirror.Config{})
		if err != nil {
			t.Fatal(err)
		}
		return mirror.Read(t.Context(), source, mirror.All)
	}
	nameOf := func(file string) string { return filepath.Join(path, filepath.FromSlash(file)) }
	if _, err := read(); !errors.Is(err, mirror.ErrNeverPublished) {
		t.Errorf("no directory: %v", err)
	}
	if _, err := h.copy(path, mirror.All).Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	if set, err := read(); err != nil || difference(set, h.site.Files) != "" {
		t.Fatal(err)
	}
	for path, body := range h.site.Files {
		name := nameOf(path)
		if err := os.WriteFile(name, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := read(); path != reviewcast.PathManifest && !errors.Is(err, mirror.ErrDamaged) || err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s is damaged: %v", path, err)
		}
		if err := os.WriteFile(name, body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	name := nameOf(reviewcast.PathReviews)
	if err := errors.Join(os.Remove(name), os.Mkdir(name, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := read(); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory in place of a file: %v", err)
	}
}

// TestWaitingIsKept: the time that an older version has stood for counts over
// processes, and the evidence of a fork stands beside the copy.
func TestWaitingIsKept(t *testing.T) {
	h := newHistory(t, 9, 20)
	old := h.site.Files
	other := *h.site
	h.site.Add()
	h.publish(false)
	path := filepath.Join(t.TempDir(), "copy")
	update := func() error {
		_, err := h.copy(path, mirror.All).Update(t.Context())
		return err
	}
	if err := update(); err != nil {
		t.Fatal(err)
	}
	h.origin.Serve(old)
	if err := update(); !errors.Is(err, mirror.ErrOlder) {
		t.Fatal(err)
	}
	waiting, err := os.ReadFile(path + ".waiting")
	if err != nil || !strings.Contains(string(waiting), reviewcast.SHA256(old[reviewcast.PathManifest])) {
		t.Fatalf("%s, %v", waiting, err)
	}
	if err := update(); !errors.Is(err, mirror.ErrOlder) {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(path + ".waiting"); err != nil || !bytes.Equal(again, waiting) {
		t.Errorf("the time began anew: %s, then %s", waiting, again)
	}
	ahead := time.Now().Add(24 * time.Hour) // the clock was, and has been put right
	body, _ := json.Marshal(mirror.Waiting{Manifest: reviewcast.SHA256(old[reviewcast.PathManifest]), Since: ahead})
	if err := os.WriteFile(path+".waiting", body, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := update(); !errors.Is(err, mirror.ErrOlder) {
		t.Fatal(err)
	}
	var kept mirror.Waiting
	if body, err := os.ReadFile(path + ".waiting"); err != nil || json.Unmarshal(body, &kept) != nil || !kept.Since.Before(ahead) {
		t.Errorf("it waits for ten minutes after a time to come: %s, %v", body, err)
	}
	other.Business.Name = "Acme Ltd"
	other.Publish(false)
	h.origin.Serve(other.Files)
	if err := update(); !errors.Is(err, mirror.ErrForked) {
		t.Fatal(err)
	}
	evidence := onDisk(t, path+".fork")
	for _, name := range []string{"/mine/manifest.json", "/mine/changes/versions.txt", "/theirs/manifest.json", "/theirs/changes/versions.txt"} {
		if len(evidence[name]) == 0 {
			t.Errorf("no %s in the evidence", name)
		}
	}
	for name, body := range evidence {
		if bytes.Contains(body, []byte("secret-of-")) {
			t.Errorf("%s holds text of a review", name)
		}
	}
	if !sameFiles(onDisk(t, path), h.site.Files) {
		t.Error("the copy is not what it was")
	}
}
