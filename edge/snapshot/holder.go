package snapshot

import (
	"context"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Holder holds the current files and the last snapshot, which follows when their indexes are built.
// The zero value holds nothing and is ready to use.
type Holder struct {
	files     current[Files]
	snapshots current[Snapshot]
}

// Load returns the current snapshot, or nil. A request loads it once, so that its response is consistent.
func (h *Holder) Load() *Snapshot { return h.snapshots.Load() }

// LoadFiles returns the current files, or nil: those of the current snapshot or newer.
func (h *Holder) LoadFiles() *Files { return h.files.Load() }

// Swap makes s and its files the current ones, calls the subscribers and returns the snapshot before.
func (h *Holder) Swap(s *Snapshot) (old *Snapshot) {
	if h.files.Load() != s.Files {
		h.files.swap(s.Files)
	}
	return h.snapshots.swap(s)
}

// SwapFiles makes f the current files, calls their subscribers and returns the files before.
func (h *Holder) SwapFiles(f *Files) (old *Files) { return h.files.swap(f) }

// SwapIndexed makes s the current snapshot. The files stay: they may be newer.
func (h *Holder) SwapIndexed(s *Snapshot) { h.snapshots.swap(s) }

// Subscribe registers f to be called after every change of the snapshot from now on. f must return
// quickly, because the next swap waits for it, and must not call Swap, Subscribe or cancel.
func (h *Holder) Subscribe(f func(old, new *Snapshot)) (cancel func()) {
	return h.snapshots.subscribe(f)
}

// SubscribeFiles is Subscribe for the files.
func (h *Holder) SubscribeFiles(f func(old, new *Files)) (cancel func()) { return h.files.subscribe(f) }

// Index builds the indexes of the current files whenever they change, until ctx is done. Files that change meanwhile
// are next. Files that can't be indexed leave the old snapshot in place; the error is logged.
func (h *Holder) Index(ctx context.Context, log *slog.Logger) {
	changed := make(chan struct{}, 1)
	defer h.SubscribeFiles(func(_, _ *Files) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})()
	for {
		if f, s := h.LoadFiles(), h.Load(); f != nil && (s == nil || s.Files != f) {
			started := time.Now()
			if s, err := f.Index(); err != nil {
				log.Error("files not indexed; search answers from the version before", "sequence", f.Sequence(), "error", err)
			} else {
				h.SwapIndexed(s)
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

// current is a pointer whose changes can be subscribed to.
type current[T any] struct {
	atomic.Pointer[T]

	mu          sync.Mutex // serialises swaps and the subscribers that they call
	subscribers []*func(old, new *T)
}

func (c *current[T]) swap(t *T) (old *T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old = c.Swap(t)
	for _, f := range c.subscribers {
		(*f)(old, t)
	}
	return old
}

func (c *current[T]) subscribe(f func(old, new *T)) (cancel func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subscribers = append(c.subscribers, &f)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.subscribers = slices.DeleteFunc(c.subscribers, func(g *func(old, new *T)) bool { return g == &f })
	}
}
