package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"reviewcast"
)

// interval is how often a Watcher checks the directory.
const interval = time.Second

// restFactor is how much longer than a failed check Run waits before the next one, so that reading a
// large broken set again and again takes a tenth of a core.
const restFactor = 10

// Watcher follows a published directory. It polls the content of manifest.json, which a build writes last: file times
// mean nothing when directories are swapped, and network file systems send no events. It serves what is there, whatever
// its sequence; a lower one means that an operator has rolled back this edge.
type Watcher struct {
	// Dir is the name of the directory, resolved at every check: a build may replace it.
	Dir string
	// Config is used to open every snapshot.
	Config Config
	// Holder receives the files. Required.
	Holder *Holder
	// Wake makes Run check at once. It may be nil.
	Wake <-chan struct{}
	// Logger receives every change and, once for each cause, every error. It may be nil.
	Logger *slog.Logger

	reported string       // the error that was logged last
	manifest bytes.Buffer // of the last check: a new buffer each second would be most of an idle edge's garbage
}

// Run checks the directory at once and then regularly until ctx is done, and returns nil. A check
// that hangs, as on a network disk, is left alone then.
func (w *Watcher) Run(ctx context.Context) error {
	for {
		started, looked := time.Now(), make(chan error, 1)
		go func() { looked <- w.Look() }() // it logs the error
		rest := interval
		select {
		case <-ctx.Done():
			return nil
		case err := <-looked:
			if err != nil {
				rest = max(rest, restFactor*time.Since(started))
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(rest):
		case <-w.Wake:
		}
	}
}

// Look checks the directory now and opens it if its manifest is not the current one. An error
// leaves the current files in place. One Look at a time may run.
func (w *Watcher) Look() error {
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
	manifest, err := readRegular(fsys, reviewcast.PathManifest[1:], &w.manifest)
	if err != nil {
		return fmt.Errorf("look at %s: %w", w.Dir, err)
	}
	if current := w.Holder.LoadFiles(); current != nil {
		if served, _ := current.File(reviewcast.PathManifest); bytes.Equal(manifest, served.Body) {
			return nil
		}
	}
	started := time.Now()
	f, err := OpenFiles(fsys, w.Config)
	if err != nil {
		return fmt.Errorf("look at %s: %w", w.Dir, err)
	}
	args := []any{"dir", w.Dir, "sequence", f.Sequence(), "took", time.Since(started).Round(time.Millisecond)}
	if old := w.Holder.SwapFiles(f); old != nil && f.Sequence() <= old.Sequence() {
		w.logger().Warn("published directory opened; its sequence is not higher than before", append(args, "sequence_before", old.Sequence())...)
		return nil
	}
	w.logger().Info("published directory opened", args...)
	return nil
}

func (w *Watcher) logger() *slog.Logger { return cmp.Or(w.Logger, slog.New(slog.DiscardHandler)) }
