package snapshot

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Holder holds the current snapshot. The zero value holds none and is ready to use.
type Holder struct {
	current atomic.Pointer[Snapshot]

	mu          sync.Mutex // serialises swaps and the subscribers that they call
	subscribers []*func(old, new *Snapshot)
}

// Load returns the current snapshot, or nil before the first. A request loads it once,
// so that its response is consistent.
func (h *Holder) Load() *Snapshot { return h.current.Load() }

// Swap makes s the current snapshot, calls the subscribers and returns the snapshot
// before. Concurrent swaps run one after the other.
func (h *Holder) Swap(s *Snapshot) (old *Snapshot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	old = h.current.Swap(s)
	for _, f := range h.subscribers {
		(*f)(old, s)
	}
	return old
}

// Subscribe registers f to be called after every swap with the old and the new
// snapshot. f is not called for the snapshot that is already current: subscribe first,
// then Load. f must return quickly, because the next swap waits for it, and must not
// call Swap, Subscribe or cancel.
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
