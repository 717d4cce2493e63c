package mcpserver

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Limits on what clients keep in memory. A session without subscriptions and stream keeps nothing.
const (
	maxSubscriptions      = 100     // the most resources that a session may subscribe to; each is compared at a change
	maxSubscriptionsTotal = 100_000 // the limit for all clients together
	// addressShare: one client address may take one in addressShare of Config.MaxSessions and of all subscriptions. It
	// is not less, because many users share the address of a hosted assistant.
	addressShare = 10
	minShare     = 3           // the least share of streams and of sessions for an address
	retryAfter   = time.Minute // when a client may try again that got no place
)

// sessions are the sessions that keep something in memory.
type sessions struct {
	limit int           // of sessions
	idle  time.Duration // a session without a stream is dropped after it

	mu     sync.Mutex
	byID   map[string]*session
	ended  int // since the last release of memory; see settled
	polled int // ended at the last call of settled
}

// session has a client's subscriptions and its stream. A subscriptions/listen call has one for its time.
type session struct {
	address  string
	updates  map[string]uint64 // by subscribed URI: the number of its last update, 0 for none
	last     uint64            // number of the last update
	sent     uint64            // number of the last update that was sent
	stream   *stream           // nil when the client has none open
	lastUsed time.Time
}

// stream is an open GET request of a session, or a subscriptions/listen call.
type stream struct {
	wake chan struct{} // there are updates to send
	done chan struct{} // closed when the stream must end
}

func maxShare(limit int) int { return max(limit/addressShare, minShare) }

// totals are numbers of sessions in memory, of streams and of subscriptions.
type totals struct{ sessions, streams, subscriptions int }

// count counts what an address has, all clients if it is empty. The caller holds mu.
func (t *sessions) count(address string) (n totals) {
	for _, s := range t.byID {
		if address != "" && s.address != address {
			continue
		}
		n.sessions++
		n.subscriptions += len(s.updates)
		if s.stream != nil {
			n.streams++
		}
	}
	return n
}

// allow returns the reason why an address can't have more. The caller holds mu.
func (t *sessions) allow(address string, sessions, subscriptions int) *rpcError {
	all, own := t.count(""), t.count(address)
	var err *rpcError
	switch {
	case sessions > 0 && own.sessions+sessions > maxShare(t.limit),
		subscriptions > 0 && own.subscriptions+subscriptions > maxShare(maxSubscriptionsTotal):
		err = reject(http.StatusTooManyRequests, "This address has too many streams or subscriptions. End some, or try again after Retry-After.")
	case subscriptions > 0 && all.subscriptions+subscriptions > maxSubscriptionsTotal,
		sessions > 0 && all.sessions+sessions > t.limit:
		err = reject(http.StatusServiceUnavailable, "All streams and subscriptions are taken. Retry-After says when to try again.")
	default:
		return nil
	}
	err.retryAfter = retryAfter
	return err
}

// session returns or makes the session with an id. The caller holds mu.
func (t *sessions) session(id, address string) (*session, *rpcError) {
	if s := t.byID[id]; s != nil {
		return s, nil
	}
	if err := t.allow(address, 1, 0); err != nil {
		return nil, err
	}
	s := &session{address: address, updates: map[string]uint64{}, lastUsed: time.Now()}
	t.byID[id] = s
	return s, nil
}

func (t *sessions) used(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.byID[id]; s != nil {
		s.lastUsed = time.Now()
	}
}

// subscribe adds subscriptions to a session: all of them or none.
func (t *sessions) subscribe(id, address string, uris ...string) *rpcError {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.session(id, address)
	if err != nil {
		return err
	}
	added := map[string]uint64{}
	for _, uri := range uris {
		if _, ok := s.updates[uri]; !ok {
			added[uri] = 0
		}
	}
	if len(s.updates)+len(added) > maxSubscriptions {
		err = fail(http.StatusOK, jsonrpc.CodeInvalidParams,
			"a client may subscribe to %d resources; unsubscribe from one, or subscribe to %ssummary, which changes with every review", maxSubscriptions, scheme)
	} else if err = t.allow(s.address, 0, len(added)); err == nil {
		maps.Copy(s.updates, added)
	}
	t.dropUnused(id)
	return err
}

func (t *sessions) unsubscribe(id, uri string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.byID[id]; s != nil {
		delete(s.updates, uri)
		t.dropUnused(id)
	}
}

// attach opens the stream of a session and ends one that is open: the client has lost it. last is
// the number of the last update that the client has received, or what is no number.
func (t *sessions) attach(id, address, last string) (*stream, *rpcError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.session(id, address)
	if err != nil {
		return nil, err
	}
	if s.stream != nil {
		close(s.stream.done)
	}
	if n, err := strconv.ParseUint(last, 10, 64); err == nil {
		s.sent = min(n, s.last)
	}
	s.stream = &stream{wake: make(chan struct{}, 1), done: make(chan struct{})}
	return s.stream, nil
}

func (t *sessions) detach(id string, st *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.byID[id]; s != nil && s.stream == st {
		s.stream, s.lastUsed = nil, time.Now()
		t.dropUnused(id)
	}
}

// dropUnused drops a session without subscriptions and stream. The caller holds mu.
func (t *sessions) dropUnused(id string) {
	if s := t.byID[id]; s != nil && len(s.updates) == 0 && s.stream == nil {
		t.drop(id)
	}
}

// drop drops a session and ends its stream. The caller holds mu.
func (t *sessions) drop(id string) {
	if s := t.byID[id]; s != nil && s.stream != nil {
		close(s.stream.done)
	}
	delete(t.byID, id)
}

// end drops sessions and ends their streams: all sessions if none is given.
func (t *sessions) end(ids ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(ids) == 0 {
		ids = slices.Collect(maps.Keys(t.byID))
	}
	t.ended += len(ids)
	for _, id := range ids {
		t.drop(id)
	}
}

type resourceUpdate struct {
	number uint64
	uri    string
}

// pending records what a stream has sent and returns what it has to send, the last update of each resource.
func (t *sessions) pending(id string, st *stream, sent uint64) (updates []resourceUpdate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil || s.stream != st {
		return nil
	}
	s.sent = max(s.sent, sent)
	for uri, number := range s.updates {
		if number > s.sent {
			updates = append(updates, resourceUpdate{number, uri})
		}
	}
	slices.SortFunc(updates, func(a, b resourceUpdate) int { return cmp.Compare(a.number, b.number) })
	return updates
}

// updated records that resources have changed, and wakes the streams.
func (t *sessions) updated(uris []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.byID {
		for _, uri := range uris {
			if _, ok := s.updates[uri]; ok {
				s.last++
				s.updates[uri] = s.last
			}
		}
		if s.stream != nil && s.last > s.sent {
			select {
			case s.stream.wake <- struct{}{}:
			default: // it is awake already
			}
		}
	}
}

// uris returns all subscribed URIs, sorted.
func (t *sessions) uris() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := map[string]uint64{}
	for _, s := range t.byID {
		maps.Copy(all, s.updates)
	}
	return slices.Sorted(maps.Keys(all))
}

// expire drops the sessions without a stream that have been silent for the idle time.
func (t *sessions) expire(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, s := range t.byID {
		if s.stream == nil && now.Sub(s.lastUsed) >= t.idle {
			t.drop(id)
			t.ended++
		}
	}
}

const manyEnded = 1000 // the number of ended sessions whose garbage is worth a collection

// settled reports whether many sessions have ended since it last did, and none since the last call.
func (t *sessions) settled() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	quiet := t.ended == t.polled
	if t.polled = t.ended; !quiet || t.ended < manyEnded {
		return false
	}
	t.ended, t.polled = 0, 0
	return true
}

// totals is count for all clients.
func (t *sessions) totals() totals {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count("")
}
