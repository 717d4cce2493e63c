package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"reviewcast"
)

// Holder holds the current files and the last snapshot, which follows when their indexes are built.
// The zero value holds nothing and is ready to use.
type Holder struct {
	// Files are those of the current snapshot or newer.
	Files Current[Files]
	// Indexed is the current snapshot. A request loads it once, so that its response is consistent.
	Indexed Current[Snapshot]
}

// Index builds the indexes of the current files whenever they change, until ctx is done. Files that change meanwhile
// are next. Files that can't be indexed leave the old snapshot in place; the error is logged.
func (h *Holder) Index(ctx context.Context, log *slog.Logger) {
	changed := h.Files.Changed()
	for {
		if f, s := h.Files.Load(), h.Indexed.Load(); f != nil && (s == nil || s.Files != f) {
			started := time.Now()
			if s, err := f.Index(); err != nil {
				log.Error("files not indexed; search answers from the version before", "sequence", f.Sequence(), "error", err)
			} else {
				h.Indexed.Swap(s)
				log.Info("search index built", "sequence", s.Sequence(), "reviews", s.Len(), "took", time.Since(started).Round(time.Millisecond))
			}
			// The old snapshot is larger than what serving allocates: the next collection may be minutes away.
			debug.FreeOSMemory()
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// Current is a value that is replaced as a whole. The zero value is nil and ready to use.
type Current[T any] struct {
	value atomic.Pointer[T]

	mu          sync.Mutex // serialises swaps and the subscribers that they call
	subscribers []func(old, new *T)
}

// Load returns the current value, or nil.
func (c *Current[T]) Load() *T { return c.value.Load() }

// Swap makes t the current value, calls the subscribers and returns the value before.
func (c *Current[T]) Swap(t *T) (old *T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old = c.value.Swap(t)
	for _, f := range c.subscribers {
		f(old, t)
	}
	return old
}

// Subscribe registers f to be called after every change from now on. f must return quickly, because
// the next swap waits for it, and must not call Swap or Subscribe.
func (c *Current[T]) Subscribe(f func(old, new *T)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subscribers = append(c.subscribers, f)
}

// Changed returns a channel that receives after changes from now on. Several may become one.
func (c *Current[T]) Changed() <-chan struct{} {
	changed := make(chan struct{}, 1)
	c.Subscribe(func(_, _ *T) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	return changed
}

// Watcher follows a published directory. It polls the content of manifest.json, which a build writes last: file times
// mean nothing when directories are swapped, and network file systems send no events. It serves what is there, whatever
// its sequence; a lower one means that an operator has rolled back this edge.
type Watcher struct {
	// Dir is the name of the directory, resolved at every check: a build may replace it.
	Dir string
	// Config is used to open every snapshot. Its logger also receives every change and, once for each cause, every error.
	Config Config
	// Holder receives the files. Required.
	Holder *Holder
	// Wake makes Run check at once. It may be nil.
	Wake <-chan struct{}

	reported string       // the error that was logged last
	manifest bytes.Buffer // of the last check: a new buffer each second would be most of an idle edge's garbage
}

// Run checks the directory at once and then every second until ctx is done, and returns nil. A check
// that hangs, as on a network disk, is left alone then.
func (w *Watcher) Run(ctx context.Context) error {
	for {
		started, looked := time.Now(), make(chan error, 1)
		go func() { looked <- w.Look() }() // it logs the error
		rest := time.Second
		select {
		case <-ctx.Done():
			return nil
		case err := <-looked:
			if err != nil { // reading a large broken set again and again takes a tenth of a core
				rest = max(rest, 10*time.Since(started))
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
	w.Config.Logger = cmp.Or(w.Config.Logger, slog.New(slog.DiscardHandler))
	err := w.look()
	if err == nil {
		w.reported = ""
	} else if err.Error() != w.reported {
		w.reported = err.Error()
		w.Config.Logger.Error("published directory not opened; the current files stay", "dir", w.Dir,
			"serving", w.Holder.Files.Load() != nil, "error", err)
	}
	return err
}

func (w *Watcher) look() error {
	fsys := os.DirFS(w.Dir)
	manifest, err := readRegular(fsys, reviewcast.PathManifest[1:], &w.manifest)
	if err != nil {
		return fmt.Errorf("look at %s: %w", w.Dir, err)
	}
	current := cmp.Or(w.Holder.Files.Load(), &Files{})
	if served, ok := current.File(reviewcast.PathManifest); ok && bytes.Equal(manifest, served.Body) {
		return nil
	}
	started := time.Now()
	f, err := OpenFiles(fsys, w.Config)
	if err != nil {
		return fmt.Errorf("look at %s: %w", w.Dir, err)
	}
	args := []any{"dir", w.Dir, "sequence", f.Sequence(), "took", time.Since(started).Round(time.Millisecond)}
	if old := w.Holder.Files.Swap(f); old != nil && f.Sequence() <= old.Sequence() {
		w.Config.Logger.Warn("published directory opened; its sequence is not higher than before", append(args, "sequence_before", old.Sequence())...)
		return nil
	}
	w.Config.Logger.Info("published directory opened", args...)
	return nil
}
