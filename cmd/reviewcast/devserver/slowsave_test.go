package devserver

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"reviewcast/edge/snapshot"
	"reviewcast/generator"
)

// slowDesk is a preview on the clock of a bubble, of a folder with a large file of reviews.
type slowDesk struct {
	t      *testing.T
	file   string
	text   string              // of the file
	events chan fsnotify.Event // nil when polling

	building sync.Mutex // held while server builds
	server   *Server
	out      bytes.Buffer
}

func newSlowDesk(t *testing.T, dir string, poll time.Duration) *slowDesk {
	var all strings.Builder
	for i := range 100 {
		fmt.Fprintf(&all, `{"id":"r%d","author":"Jo K.","rating":5,"date":"2026-01-02","verification":{"method":"job"},"text":"On time. Number %d."}`+"\n", i, i)
	}
	put(t, dir, map[string]string{"business.yaml": business, "reviews/all.jsonl": all.String(), "reviews/first.jsonl": strings.Replace(all.String()[:strings.IndexByte(all.String(), '\n')], "r0", "first", 1)})
	d := &slowDesk{t: t, file: filepath.Join(dir, "reviews", "all.jsonl"), text: all.String()}
	d.server = New(Config{
		Builder:    generator.NewBuilder(generator.Config{ContentDir: dir, PublicDir: dir + "-public", BaseURL: "http://localhost", Today: "2026-11-21", Lenient: true}),
		ContentDir: dir, Poll: poll, Snapshots: &snapshot.Holder{}, BaseURL: "http://localhost", Logger: slog.New(slog.DiscardHandler), Out: &d.out, Err: &d.out,
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	t.Cleanup(func() { cancel(); <-done })
	rebuild := func(names []string, quiet time.Duration) time.Duration {
		d.building.Lock()
		defer d.building.Unlock()
		return d.server.rebuild(ctx, names, quiet)
	}
	if poll > 0 {
		go func() { done <- Watch(ctx, d.server.Config, rebuild) }()
	} else { // the system's events come from outside of the bubble; here the test sends them
		d.events = make(chan fsnotify.Event)
		w := &watch{dir: dir, Watcher: &fsnotify.Watcher{Events: d.events}, log: d.server.Logger, errs: make(chan error), names: map[string]int64{}, sizes: map[string]int64{}, all: true,
			timer: time.NewTimer(0), changed: rebuild}
		go func() { done <- w.run(ctx) }()
	}
	d.rest()
	return d
}

// rest lets everything happen that has begun.
func (d *slowDesk) rest() {
	time.Sleep(3 * lossWait)
	synctest.Wait()
}

// step changes the file, and the system tells.
func (d *slowDesk) step(text string) {
	d.t.Helper()
	if err := os.WriteFile(d.file, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
	if d.events != nil {
		d.events <- fsnotify.Event{Name: d.file, Op: fsnotify.Write}
	}
}

// shows returns how many reviews are shown, whether one has some words, and what was printed since the last call.
func (d *slowDesk) shows(words string) (reviews int, found bool, out string) {
	d.building.Lock()
	defer d.building.Unlock()
	defer d.out.Reset()
	for _, r := range d.server.shown.Dataset.Reviews {
		found = found || r.Text != nil && strings.Contains(*r.Text, words)
	}
	return len(d.server.shown.Dataset.Reviews), found, d.out.String()
}

// TestSlowSave empties a file and writes it a while later, in two steps, as happens on a busy machine: the reviews
// must not vanish from the page in between. A file that stays empty is shown, too, and one that stays empty for longer
// than any save takes.
func TestSlowSave(t *testing.T) {
	for name, poll := range map[string]time.Duration{"events": 0, "polling": 20 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				d := newSlowDesk(t, filepath.Join(dir, "content"), poll)
				if n, found, out := d.shows("On time."); n != 101 || !found {
					t.Fatalf("%d reviews at first\n%s", n, out)
				}
				for i, pause := range []time.Duration{0, 5 * time.Millisecond, 40 * time.Millisecond, doubtWait - time.Millisecond, lossWait - 50*time.Millisecond} {
					mark := fmt.Sprintf("Written %d.", i)
					text := strings.Replace(d.text, "On time.", mark, 1)
					d.step("")
					time.Sleep(pause)
					d.step(text[:len(text)/2])
					time.Sleep(min(pause, doubtWait/2))
					d.step(text)
					d.rest()
					n, found, out := d.shows(mark)
					if n != 101 || !found {
						t.Errorf("a pause of %s: %d reviews are shown at the end", pause, n)
					}
					if strings.Contains(out, "removed") || strings.Contains(out, "error") {
						t.Errorf("a pause of %s: half a save was taken for a whole one:\n%s", pause, out)
					}
				}
				d.step("")
				time.Sleep(lossWait / 2)
				synctest.Wait()
				if n, _, _ := d.shows(""); n != 101 {
					t.Error("an empty file is shown before it can be known that it stays empty")
				}
				d.rest()
				if n, _, _ := d.shows(""); n != 1 {
					t.Errorf("%d reviews are shown, and the file stays empty", n)
				}
			})
		})
	}
}
