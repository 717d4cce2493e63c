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

// DefaultInterval is how often a Watcher looks.
const DefaultInterval = time.Second

// Watcher follows a published directory. It looks at the content of manifest.json,
// the file that a build writes last: times say nothing where directories are
// exchanged by name, and events don't come from network file systems. What the
// directory says is served, whatever its sequence: one that is lower than before
// is an operator going back, on this one edge. Whether subscribers of the hub
// hear of it is the hub's decision.
type Watcher struct {
	// Dir is the directory's name. It is looked up anew each time, so that a build
	// may put another directory in its place.
	Dir string
	// Config is what every snapshot is opened with.
	Config Config
	// Holder gets the snapshots. Required.
	Holder *Holder
	// Interval between two looks. Zero is DefaultInterval.
	Interval time.Duration
	// Logger is told of every change and, once for each cause, of what stands in
	// its way. Nil drops it.
	Logger *slog.Logger

	mu       sync.Mutex
	reported string // the error that was logged last
	refused  []byte // the manifest that no further look makes better, with its error
	refusal  error
}

// Run looks at the directory until ctx is done, the first time at once. It always
// returns nil: whatever is wrong with the directory may be mended there.
func (w *Watcher) Run(ctx context.Context) error {
	interval := w.Interval
	if interval == 0 {
		interval = DefaultInterval
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		_ = w.Look() // it has logged the error
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Look opens the directory now if its manifest isn't the one that is served. Any
// error leaves the current snapshot as it is. While files don't match the manifest,
// as they may when they are replaced one by one, every look tries again, which
// costs reading and hashing; with any other fault the manifest has to change first.
// Several goroutines may call it: a ping needn't wait for the next tick.
func (w *Watcher) Look() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.look()
	if err == nil {
		w.reported = ""
	} else if err.Error() != w.reported {
		w.reported = err.Error()
		w.logger().Error("published directory not taken; the last good one is served", "dir", w.Dir,
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
	// The old snapshot and what opening took are larger than all that serving
	// allocates, so that without this the next collection may be minutes away.
	debug.FreeOSMemory()
	if back {
		w.logger().Warn("published directory goes back, or comes from another line of builds; serving it", args...)
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
