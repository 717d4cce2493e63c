package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"reviewcast"
)

// DefaultInterval is how often a Watcher checks the directory.
const DefaultInterval = time.Second

// lookAgain is how often files that don't match their manifest are read again although none has changed.
const lookAgain = time.Minute

// Watcher follows a published directory. It polls the content of manifest.json, which a build
// writes last: file times mean nothing when directories are swapped, and network file systems send
// no events. It serves what is there, whatever its sequence; a lower one means that an operator has
// rolled back this edge.
type Watcher struct {
	// Dir is the name of the directory, resolved at every check: a build may replace it.
	Dir string
	// Config is used to open every snapshot.
	Config Config
	// Holder receives the files. Required.
	Holder *Holder
	// Interval is the time between checks. Zero means DefaultInterval.
	Interval time.Duration
	// Wake makes Run check at once. It may be nil.
	Wake <-chan struct{}
	// Logger receives every change and, once for each cause, every error. It may be nil.
	Logger *slog.Logger

	mu       sync.Mutex
	reported string // the error that was logged last
	refused  refusal
}

// refusal is why a set was not opened.
type refusal struct {
	manifest []byte
	err      error
	state    string // of the directory, if another one may be opened; see stateOf
	at       time.Time
}

// Run checks the directory at once and then regularly until ctx is done, and returns nil. A check
// that hangs, as on a network disk, is left alone then.
func (w *Watcher) Run(ctx context.Context) error {
	interval := w.Interval
	if interval == 0 {
		interval = DefaultInterval
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		looked := make(chan struct{})
		go func() {
			defer close(looked)
			_ = w.Look() // it logs the error
		}()
		select {
		case <-ctx.Done():
			return nil
		case <-looked:
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-w.Wake:
		}
	}
}

// Look checks the directory now and opens it if its manifest is not the current one. An error
// leaves the current files in place. A set that can't be opened is read again when its manifest
// changes or, if files don't match it, any file.
func (w *Watcher) Look() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.look()
	if err == nil {
		w.reported = ""
	} else if err.Error() != w.reported {
		w.reported = err.Error()
		w.logger().Error("published directory not opened; the current files stay", "dir", w.Dir,
			"serving", w.Holder.LoadFiles() != nil, "error", err)
	}
	return err
}

func (w *Watcher) look() error {
	fsys := os.DirFS(w.Dir)
	manifest, err := readRegular(fsys, reviewcast.PathManifest[1:])
	if err != nil {
		return fmt.Errorf("look at %s: %w", w.Dir, err)
	}
	if current := w.Holder.LoadFiles(); current != nil {
		if served, _ := current.File(reviewcast.PathManifest); bytes.Equal(manifest, served.Body) {
			return nil
		}
	}
	state := stateOf(fsys)
	if r := w.refused; bytes.Equal(manifest, r.manifest) && (r.state == "" || r.state == state && time.Since(r.at) < lookAgain) {
		return r.err
	}
	started := time.Now()
	f, err := OpenFiles(fsys, w.Config)
	if err != nil {
		w.refused = refusal{manifest: manifest, err: fmt.Errorf("look at %s: %w", w.Dir, err), at: started}
		if errors.As(err, new(mismatch)) {
			w.refused.state = state
		}
		return w.refused.err
	}
	args := []any{"dir", w.Dir, "sequence", f.Sequence(), "took", time.Since(started).Round(time.Millisecond)}
	if old := w.Holder.SwapFiles(f); old != nil && f.Sequence() <= old.Sequence() {
		w.logger().Warn("published directory opened; its sequence is not higher than before", append(args, "sequence_before", old.Sequence())...)
		return nil
	}
	w.logger().Info("published directory opened", args...)
	return nil
}

func stateOf(fsys fs.FS) string {
	var b strings.Builder
	_ = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error { // what can't be read is missing from the list
		if err != nil {
			return nil //nolint:nilerr
		}
		if info, err := entry.Info(); err == nil {
			fmt.Fprintln(&b, name, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return b.String()
}

func (w *Watcher) logger() *slog.Logger {
	if w.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return w.Logger
}
