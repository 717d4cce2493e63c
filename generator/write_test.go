package generator

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/generator/render"
)

// result makes a writable result out of names and bodies, following the set
// before.
func result(before *Result, files map[string]string) *Result {
	site := &Site{BaseURL: "https://example.com"}
	for path, body := range files {
		site.Artifacts = append(site.Artifacts, render.Artifact{Path: path, MediaType: "text/plain", Body: []byte(body), SHA256: sha256.Sum256([]byte(body))})
	}
	slices.SortFunc(site.Artifacts, func(a, b render.Artifact) int { return strings.Compare(a.Path, b.Path) })
	prev := &reviewcast.Manifest{}
	if before != nil {
		prev = before.Manifest
	}
	res := &Result{Site: site}
	res.Manifest, res.Changed, res.Removed = nextManifest(prev, site, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	return res
}

func mustWrite(t *testing.T, dir string, res *Result, codings ...render.Coding) {
	t.Helper()
	out, err := lockOutput(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer out.unlock()
	if err := out.write(t.Context(), res, codings); err != nil {
		t.Fatal(err)
	}
}

// read gives every file below dir with its content.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func beside(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(dir) {
			names = append(names, e.Name())
		}
	}
	return names
}

var (
	oldSet = map[string]string{"/reviews.json": "old reviews", "/feed.xml": "old feed", "/gone.json": "gone", "/api/feed.json": "same"}
	newSet = map[string]string{"/reviews.json": "new reviews", "/feed.xml": "new feed", "/api/feed.json": "same", "/more/deep.json": "more"}
)

// TestCrashAnywhere kills a write at every one of its steps and looks at what is
// left: the old set or the new one, as a whole, and nothing that the next build
// doesn't clear up.
func TestCrashAnywhere(t *testing.T) {
	for _, inPlace := range []bool{false, true} {
		steps := 1
		for n := 0; n < steps; n++ {
			name := fmt.Sprintf("inPlace=%v/step=%d", inPlace, n)
			dir := filepath.Join(t.TempDir(), "public")
			before := result(nil, oldSet)
			mustWrite(t, dir, before)
			if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*"), 0o644); err != nil {
				t.Fatal(err)
			}
			after := result(before, newSet)
			oldFiles := read(t, dir)

			at := crash(t, dir, after, inPlace, n)
			if n == 0 {
				steps = at
			}
			left := read(t, dir)
			// The second build of a killed one is what counts in place; a swap leaves a
			// whole set at every moment.
			if inPlace {
				out, err := lockOutput(t.Context(), dir)
				if err != nil {
					t.Fatalf("%s: lock after the crash: %v", name, err)
				}
				out.unlock()
				left = read(t, dir)
			}
			clean := filepath.Join(t.TempDir(), "public")
			mustWrite(t, clean, before)
			mustWrite(t, clean, after)
			newFiles := read(t, clean)
			newFiles[".gitignore"] = "*"
			if !maps.Equal(left, oldFiles) && !maps.Equal(left, newFiles) {
				t.Errorf("%s: after the crash the folder holds neither set: %v", name, left)
			}
			mustWrite(t, dir, after)
			if got := read(t, dir); !maps.Equal(got, newFiles) {
				t.Errorf("%s: the next build leaves %v, want %v", name, got, newFiles)
			}
			if rest := beside(t, dir); len(rest) > 0 {
				t.Errorf("%s: the next build leaves %v beside the folder", name, rest)
			}
		}
		if steps < 6 {
			t.Errorf("inPlace=%v: only %d steps seen", inPlace, steps)
		}
	}
}

// crash writes until step n (counted from 1; 0 never) and then stops dead: no
// clean-up runs. It gives how many steps a whole write has, plus one.
func crash(t *testing.T, dir string, res *Result, inPlace bool, n int) (steps int) {
	t.Helper()
	out, err := lockOutput(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer out.lock.Close() // as the kernel does; the file stays
	out.inPlace = inPlace
	out.step = func(string) {
		if steps++; steps == n {
			panic("crash")
		}
	}
	defer func() {
		if r := recover(); r != nil && r != "crash" {
			panic(r)
		}
		steps++
	}()
	if err := out.write(t.Context(), res, nil); err != nil {
		t.Fatal(err)
	}
	return steps
}

// TestCrashWhileClearing: a removal of staging that was cut short leaves some of
// its files. The record of the commit must be gone by then.
func TestCrashWhileClearing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	before := result(nil, oldSet)
	mustWrite(t, dir, before)
	after := result(before, newSet)
	out, err := lockOutput(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	out.inPlace = true
	out.step = func(step string) {
		if step == "cleared" {
			os.Remove(filepath.Join(out.staging, "feed.xml"))
			panic("crash")
		}
	}
	func() {
		defer func() { _ = recover() }()
		_ = out.write(t.Context(), after, nil)
	}()
	out.lock.Close()
	mustWrite(t, dir, after)
	if rest := beside(t, dir); len(rest) > 0 {
		t.Errorf("left beside the folder: %v", rest)
	}
}

func TestWriteTwiceTouchesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	res := result(nil, oldSet)
	mustWrite(t, dir, res, render.Gzip)
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	again := result(res, oldSet)
	if again.Manifest.Sequence != res.Manifest.Sequence || len(again.Changed)+len(again.Removed) > 0 {
		t.Errorf("the same files make sequence %d, changed %v, removed %v", again.Manifest.Sequence, again.Changed, again.Removed)
	}
	mustWrite(t, dir, again, render.Gzip)
	after, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("the folder was swapped although nothing changed")
	}
	// A damaged file is no "nothing changed".
	if err := os.WriteFile(filepath.Join(dir, "feed.xml"), []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir, again, render.Gzip)
	if got := read(t, dir)["feed.xml"]; got != "old feed" {
		t.Errorf("a damaged file stays: %q", got)
	}
}

func TestForeignFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	if err := os.MkdirAll(filepath.Join(dir, "photos"), 0o755); err != nil {
		t.Fatal(err)
	}
	photo := filepath.Join(dir, "photos", "cat.jpg")
	if err := os.WriteFile(photo, []byte("meow"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := lockOutput(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	err = out.write(t.Context(), result(nil, oldSet), nil)
	out.unlock()
	if err == nil || !strings.Contains(err.Error(), "photos/cat.jpg") {
		t.Errorf("a folder of photos is published into: %v", err)
	}
	if got := read(t, dir); len(got) != 1 {
		t.Errorf("the refusal wrote something: %v", got)
	}

	// Once the folder is ours, what others put there stays, links too.
	os.RemoveAll(dir)
	mustWrite(t, dir, result(nil, oldSet))
	if err := os.WriteFile(filepath.Join(dir, "CNAME"), []byte("reviews.example.com"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("CNAME", filepath.Join(dir, "alias")); err != nil {
		t.Fatal(err)
	}
	mustWrite(t, dir, result(nil, newSet))
	info, err := os.Lstat(filepath.Join(dir, "CNAME"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("CNAME after a build: %v, %v", info, err)
	}
	if to, err := os.Readlink(filepath.Join(dir, "alias")); err != nil || to != "CNAME" {
		t.Errorf("the link after a build: %q, %v", to, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "gone.json")); err == nil {
		t.Error("a file of ours that is no longer published stays")
	}
	// But a name of ours that somebody else took is not overwritten.
	out, err = lockOutput(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer out.unlock()
	if err := out.write(t.Context(), result(nil, map[string]string{"/CNAME": "ours"}), nil); err == nil {
		t.Error("somebody else's CNAME is overwritten")
	}
}

func TestTwoBuildsWait(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	first, err := lockOutput(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := lockOutput(ctx, dir); err == nil {
		t.Fatal("two builds hold the folder at once")
	}
	got := make(chan error, 1)
	go func() {
		second, err := lockOutput(t.Context(), dir)
		if err == nil {
			second.unlock()
		}
		got <- err
	}()
	first.unlock()
	if err := <-got; err != nil {
		t.Errorf("the second build after the first: %v", err)
	}
	if rest := beside(t, dir); len(rest) > 0 {
		t.Errorf("left beside the folder: %v", rest)
	}
}

func TestManifestDates(t *testing.T) {
	now := time.Date(2026, 5, 6, 7, 8, 9, 500, time.UTC)
	site := func(body string) *Site {
		return &Site{Artifacts: []render.Artifact{{Path: "/a", Body: []byte(body), SHA256: sha256.Sum256([]byte(body))}, {Path: "/b", Body: []byte("b")}}}
	}
	m1, changed, _ := nextManifest(&reviewcast.Manifest{}, site("1"), now)
	if m1.Sequence != 1 || len(changed) != 2 {
		t.Fatalf("first: sequence %d, changed %v", m1.Sequence, changed)
	}
	m2, changed, _ := nextManifest(m1, site("2"), now)
	if got := m2.Files[0].LastModified; !got.Equal(m1.Files[0].LastModified.Add(time.Second)) {
		t.Errorf("a change within the second is dated %s, the old one %s: a client that asks If-Modified-Since would miss it", got, m1.Files[0].LastModified)
	}
	if !m2.Files[1].LastModified.Equal(m1.Files[1].LastModified) || len(changed) != 1 || changed[0] != "/a" {
		t.Errorf("an unchanged file is dated anew, or reported: %v", changed)
	}
	back, _, _ := nextManifest(m2, site("3"), now.Add(-time.Hour))
	if !back.Files[0].LastModified.After(m2.Files[0].LastModified) {
		t.Error("a clock that went back makes a date that goes back")
	}
	_, _, removed := nextManifest(m2, &Site{Artifacts: site("2").Artifacts[:1]}, now)
	if len(removed) != 1 || removed[0] != "/b" {
		t.Errorf("removed %v, want /b", removed)
	}
}
