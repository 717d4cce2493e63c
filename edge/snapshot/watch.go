package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"reviewcast"
)

// DefaultInterval is how often a Watcher checks the directory.
const DefaultInterval = time.Second

// Watcher follows a published directory. It polls the content of manifest.json, the
// file that a build writes last: file times mean nothing when directories are swapped,
// and network file systems send no events. It serves what the directory contains,
// whatever its sequence; a lower one means that an operator has rolled back this edge.
// The hub decides whether it notifies subscribers.
type Watcher struct {
	// Dir is the name of the directory. It is resolved at every check, so that a build
	// may replace the directory.
	Dir string
	// Config is used to open every snapshot.
	Config Config
	// Holder receives the snapshots. Required.
	Holder *Holder
	// Interval is the time between checks. Zero means DefaultInterval.
	Interval time.Duration
	// Logger receives every change and, once for each cause, every error. Nil discards
	// them.
	Logger *slog.Logger

	mu       sync.Mutex
	reported string // the error that was logged last
	refused  []byte // the manifest that failed for good, with its error
	refusal  error
}

// Run checks the directory at once and then regularly until ctx is done. It always
// returns nil, because errors may be fixed in the directory.
func (w *Watcher) Run(ctx context.Context) error {
	interval := w.Interval
	if interval == 0 {
		interval = DefaultInterval
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		_ = w.Look() // it logs the error
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Look checks the directory now and opens it if its manifest is not the current one.
// An error leaves the current snapshot in place. If files don't match the manifest, as
// may happen while they are replaced one by one, every check reads and hashes them
// again. After any other error the manifest has to change first. Look may be called
// concurrently, so that a ping need not wait for the next tick.
func (w *Watcher) Look() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.look()
	if err == nil {
		w.reported = ""
	} else if err.Error() != w.reported {
		w.reported = err.Error()
		w.logger().Error("published directory not opened; the current snapshot stays", "dir", w.Dir,
			"serving", w.Holder.Load() != nil, "error", err)
	}
	return err
}

func (w *Watcher) look() error {
	fsys := os.DirFS(w.Dir)
	manifest, err := fs.ReadFile(fsys, reviewcast.PathManifest[1:])
	if err != nil {
		return fmt.Errorf("look at %s: %w", w.Dir, err)
	}
	if current := w.Holder.Load(); current != nil {
		if served, _ := current.File(reviewcast.PathManifest); bytes.Equal(manifest, served.Body) {
			return nil
		}
	}
	if w.refused != nil && bytes.Equal(manifest, w.refused) {
		return w.refusal
	}
	started := time.Now()
	s, err := Open(fsys, w.Config)
	if err != nil {
		err = fmt.Errorf("look at %s: %w", w.Dir, err)
		if w.refused = nil; !errors.As(err, new(mismatch)) {
			w.refused, w.refusal = manifest, err
		}
		return err
	}
	args := []any{"dir", w.Dir, "sequence", s.Sequence(), "reviews", s.Len(), "took", time.Since(started).Round(time.Millisecond)}
	back := false
	if old := w.Holder.Swap(s); old != nil && s.Sequence() <= old.Sequence() {
		back, args = true, append(args, "sequence_before", old.Sequence())
	}
	// The old snapshot and the garbage of opening are larger than what serving
	// allocates; without this the next collection may be minutes away.
	debug.FreeOSMemory()
	if back {
		w.logger().Warn("published directory opened; its sequence is not higher than before", args...)
		return nil
	}
	w.logger().Info("published directory opened", args...)
	return nil
}

func (w *Watcher) logger() *slog.Logger {
	if w.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return w.Logger
}
