package devserver

import (
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// patience ends tests that would wait forever.
const patience = 5 * time.Minute

const business = "id: acme\nname: Acme\n"

func put(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWatchFollowsLinks: a content folder that is a link is watched like any other, with links
// to folders in it, which are not followed.
func TestWatchFollowsLinks(t *testing.T) {
	for name, poll := range map[string]time.Duration{"events": 0, "polling": 5 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			real, shared := filepath.Join(dir, "real"), filepath.Join(dir, "real", "shared")
			put(t, real, map[string]string{"business.yaml": business, "shared/x.yaml": ""})
			put(t, dir, map[string]string{"real/reviews/README.md": ""})
			link := filepath.Join(dir, "content")
			for from, to := range map[string]string{link: real, filepath.Join(real, "reviews", "more"): shared, filepath.Join(shared, "circle"): real} {
				if err := os.Symlink(to, from); err != nil {
					t.Fatal(err)
				}
			}
			changed := make(chan struct{}, 100)
			done := make(chan error, 1)
			go func() {
				done <- Watch(t.Context(), Config{ContentDir: link, Poll: poll, Logger: slog.New(slog.DiscardHandler)}, func([]string, time.Duration) time.Duration { changed <- struct{}{}; return 0 })
			}()
			for i, file := range []string{"", "real/business.yaml", "real/shared/x.yaml"} {
				if file != "" {
					put(t, dir, map[string]string{file: business + string(rune('a'+i))})
				}
				select {
				case <-changed:
				case err := <-done:
					t.Fatalf("watch ended: %v", err)
				case <-time.After(patience):
					t.Fatalf("a change of %q isn't seen", file)
				}
			}
		})
	}
}

// TestWatchFollowsMoves: folders that come, go and are renamed into one another are
// watched under the names they have in the end, in whatever order the system tells.
func TestWatchFollowsMoves(t *testing.T) {
	if testing.Short() {
		t.Skip("renames folders for seconds")
	}
	dir := filepath.Join(t.TempDir(), "content")
	put(t, dir, map[string]string{"business.yaml": business, "reviews/a/x.yaml": "", "reviews/noise.yaml": ""})
	changed := make(chan []string, 10000)
	done := make(chan error, 1)
	go func() {
		done <- Watch(t.Context(), Config{ContentDir: dir, Logger: slog.New(slog.DiscardHandler)}, func(names []string, _ time.Duration) time.Duration { changed <- names; return 0 })
	}()
	// sees waits until a file is named, or everything may have changed.
	sees := func(file string) {
		t.Helper()
		for {
			select {
			case names := <-changed:
				if names == nil || slices.Contains(names, file) {
					return
				}
			case err := <-done:
				t.Fatalf("watch ended: %v", err)
			case <-time.After(patience):
				t.Fatalf("a change of %s isn't seen", file)
			}
		}
	}
	sees("")
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	folders := [...]string{"reviews/a", "reviews/a/b", "reviews/c", "reviews/c/b"}
	at := func(name string) string { return filepath.Join(dir, name) }
	rounds := 6
	if s := os.Getenv("MOVES"); s != "" {
		var err error
		if rounds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	for range rounds {
		for range 5 + rnd.IntN(60) {
			one, other := folders[rnd.IntN(len(folders))], folders[rnd.IntN(len(folders))]
			switch rnd.IntN(6) {
			case 0:
				_ = os.Rename(at(one), at(other)) // it may not be there, or the other isn't empty
			case 1:
				if rnd.IntN(3) == 0 {
					_ = os.RemoveAll(at(one))
				}
			default:
				_ = os.MkdirAll(at(one), 0o755)
				_ = os.WriteFile(at(one+"/x.yaml"), nil, 0o644)
			}
			if rnd.IntN(3) == 0 {
				time.Sleep(time.Duration(rnd.IntN(10)) * time.Millisecond) // so that some is told of before the rest happens
			}
		}
		for _, one := range folders {
			// Once all is told of, only a watch on the folder can tell of this.
			for quiet := false; !quiet; {
				select {
				case <-changed:
				case <-time.After(60 * time.Millisecond):
					quiet = true
				}
			}
			if os.WriteFile(at(one+"/x.yaml"), nil, 0o644) == nil {
				sees(one + "/x.yaml")
			}
		}
	}
}

// TestUnfinished: a file that grows or is empty is not read yet, unless it stays so.
func TestUnfinished(t *testing.T) {
	dir := t.TempDir()
	w := &watch{dir: dir, burst: time.Now().Add(time.Hour), names: map[string]int64{"x.yaml": -1}, sizes: map[string]int64{"x.yaml": 14}}
	for _, text := range []string{"", "", "half", "half", "half and half", "half and half"} {
		put(t, dir, map[string]string{"x.yaml": text})
		was := w.names["x.yaml"]
		if got, want := w.unfinished(), was != int64(len(text)) || len(text) < 10; got != want {
			t.Errorf("at %q after %d bytes: unfinished %v", text, was, got)
		}
	}
	put(t, dir, map[string]string{"x.yaml": ""})
	w.burst = time.Time{}
	if w.unfinished() {
		t.Error("a file that stays empty is never read")
	}
}
