package snapshot

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Holder holds the snapshot that is served at the moment. The zero value holds
// none and is ready to use.
type Holder struct {
	current atomic.Pointer[Snapshot]

	mu          sync.Mutex // serialises swaps with what they call
	subscribers []*func(old, new *Snapshot)
}

// Load is the current snapshot; nil before the first. A request loads it once, so
// that its answer is of one piece.
func (h *Holder) Load() *Snapshot { return h.current.Load() }

// Swap makes s the current snapshot, tells the subscribers, and returns when all
// have been told. Swaps from several goroutines come one after the other.
func (h *Holder) Swap(s *Snapshot) (old *Snapshot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	old = h.current.Swap(s)
	for _, f := range h.subscribers {
		(*f)(old, s)
	}
	return old
}

// Subscribe has f called after every swap, with what was current and what is now.
// It is not called for a snapshot that is there already: subscribe, then Load. f
// must be quick, since the next swap waits for it, and must not swap, subscribe or
// cancel itself.
func (h *Holder) Subscribe(f func(old, new *Snapshot)) (cancel func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subscribers = append(h.subscribers, &f)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.subscribers = slices.DeleteFunc(h.subscribers, func(g *func(old, new *Snapshot)) bool { return g == &f })
	}
}
