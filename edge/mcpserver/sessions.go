package mcpserver

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"reviewcast"
)

// Limits on what clients keep in memory. A session that has neither a subscription nor
// a stream keeps nothing.
const (
	// maxSubscriptions is the most resources that a session or stream may subscribe to.
	// Each is compared whenever a new set of files is published.
	maxSubscriptions = 100
	// maxSubscriptionsTotal is the limit for all clients together.
	maxSubscriptionsTotal = 100_000
	// addressShare is the part of Config.MaxSessions, and of all subscriptions, that
	// one client address may take: one in addressShare. It stops one address from
	// locking out the others. It is not less, because many users share the address of a
	// hosted assistant.
	addressShare = 10
	// minShare is the least share of streams and of sessions for an address.
	minShare = 3
	// minSilence is how long a session must have been silent before its subscriptions
	// may be dropped in favour of another client.
	minSilence = time.Minute
)

// sessions are the sessions and streams that keep something in memory.
type sessions struct {
	limit int           // of sessions and streams
	idle  time.Duration // a session without a stream is dropped after it

	mu            sync.Mutex
	byID          map[sessionID]*session
	listeners     map[*listener]struct{}
	streams       int
	subscriptions int
	byAddress     map[string]*share
}

// share is what one client address uses.
type share struct{ places, subscriptions int }

// session has the subscriptions of a client, and its stream.
type session struct {
	address  string
	updates  map[string]uint64 // by subscribed URI: the number of its last update, 0 for none
	last     uint64            // number of the last update
	sent     uint64            // number of the last update that was sent
	stream   *stream           // nil when the client has none open
	lastUsed time.Time
}

// stream is an open GET request of a session.
type stream struct {
	wake chan struct{} // there are updates to send
	done chan struct{} // closed when the stream must end
}

// listener is an open subscriptions/listen request of revision 2026-07-28.
type listener struct{ uris []string }

func newSessions(limit int, idle time.Duration) *sessions {
	return &sessions{limit: limit, idle: idle, byID: map[sessionID]*session{}, listeners: map[*listener]struct{}{}, byAddress: map[string]*share{}}
}

// maxShare is one address's share of a limit.
func maxShare(limit int) int { return max(limit/addressShare, minShare) }

// take takes a place and subscriptions for an address, or returns the reason why not.
// The caller holds mu.
func (t *sessions) take(address string, places, subscriptions int) *rpcError {
	used := t.byAddress[address]
	if used == nil {
		used = &share{}
	}
	switch {
	case places > 0 && used.places+places > maxShare(t.limit),
		subscriptions > 0 && used.subscriptions+subscriptions > maxShare(maxSubscriptionsTotal):
		return &rpcError{status: http.StatusTooManyRequests, code: codeRequest, retryAfter: minSilence,
			message: "This address has too many streams or subscriptions. End some, or try again after Retry-After."}
	case subscriptions > 0 && t.subscriptions+subscriptions > maxSubscriptionsTotal,
		places > 0 && len(t.byID)+len(t.listeners)+places > t.limit && !t.evict(time.Now()):
		return &rpcError{status: http.StatusServiceUnavailable, code: codeRequest, retryAfter: minSilence,
			message: "All streams and subscriptions are taken. Retry-After says when to try again."}
	}
	used.places, used.subscriptions = used.places+places, used.subscriptions+subscriptions
	t.byAddress[address] = used
	t.subscriptions += subscriptions
	return nil
}

// give returns what take took. The caller holds mu.
func (t *sessions) give(address string, places, subscriptions int) {
	used := t.byAddress[address]
	used.places, used.subscriptions = used.places-places, used.subscriptions-subscriptions
	if *used == (share{}) {
		delete(t.byAddress, address)
	}
	t.subscriptions -= subscriptions
}

// evict drops the session without a stream that has been silent longest, if that is at
// least minSilence. The caller holds mu.
func (t *sessions) evict(now time.Time) bool {
	var oldest sessionID
	var found *session
	for id, s := range t.byID {
		if s.stream == nil && (found == nil || s.lastUsed.Before(found.lastUsed)) {
			oldest, found = id, s
		}
	}
	if found == nil || now.Sub(found.lastUsed) < minSilence {
		return false
	}
	t.delete(oldest)
	return true
}

// session returns the session with an id. It makes one if there is none. The caller
// holds mu.
func (t *sessions) session(id sessionID, address string) (*session, *rpcError) {
	if s := t.byID[id]; s != nil {
		return s, nil
	}
	if err := t.take(address, 1, 0); err != nil {
		return nil, err
	}
	s := &session{address: address, updates: map[string]uint64{}, lastUsed: time.Now()}
	t.byID[id] = s
	return s, nil
}

// used records that a session was used.
func (t *sessions) used(id sessionID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.byID[id]; s != nil {
		s.lastUsed = time.Now()
	}
}

// subscribe adds a subscription.
func (t *sessions) subscribe(id sessionID, address, uri string) *rpcError {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.session(id, address)
	if err != nil {
		return err
	}
	if _, ok := s.updates[uri]; ok {
		return nil
	}
	if len(s.updates) >= maxSubscriptions {
		return tooManySubscriptions()
	}
	if err := t.take(s.address, 0, 1); err != nil {
		t.dropUnused(id)
		return err
	}
	s.updates[uri] = 0
	return nil
}

// unsubscribe removes a subscription.
func (t *sessions) unsubscribe(id sessionID, uri string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil {
		return
	}
	if _, ok := s.updates[uri]; ok {
		delete(s.updates, uri)
		t.give(s.address, 0, 1)
	}
	t.dropUnused(id)
}

// attach opens the stream of a session. It ends one that is open: the client has lost
// it, even if the server hasn't noticed yet. after is the number of the last update
// that the client has received, nil if it doesn't say.
func (t *sessions) attach(id sessionID, address string, after *uint64) (*stream, *rpcError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, err := t.session(id, address)
	if err != nil {
		return nil, err
	}
	if s.stream != nil {
		close(s.stream.done)
		t.streams--
	}
	if after != nil {
		s.sent = min(*after, s.last)
	}
	s.stream = &stream{wake: make(chan struct{}, 1), done: make(chan struct{})}
	t.streams++
	return s.stream, nil
}

// detach closes a stream, unless another has taken its place.
func (t *sessions) detach(id sessionID, st *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.byID[id]; s != nil && s.stream == st {
		s.stream, s.lastUsed = nil, time.Now()
		t.streams--
		t.dropUnused(id)
	}
}

// dropUnused drops a session that has neither subscriptions nor a stream. The caller
// holds mu.
func (t *sessions) dropUnused(id sessionID) {
	if s := t.byID[id]; s != nil && len(s.updates) == 0 && s.stream == nil {
		t.delete(id)
	}
}

// remove drops a session and ends its stream.
func (t *sessions) remove(id sessionID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.delete(id)
}

// delete drops a session. The caller holds mu.
func (t *sessions) delete(id sessionID) {
	s := t.byID[id]
	if s == nil {
		return
	}
	if s.stream != nil {
		close(s.stream.done)
		t.streams--
	}
	t.give(s.address, 1, len(s.updates))
	delete(t.byID, id)
}

// resourceUpdate is a changed resource, with its number in the session.
type resourceUpdate struct {
	number uint64
	uri    string
}

// pending returns the updates that a stream has to send: the last one of each resource.
func (t *sessions) pending(id sessionID, st *stream) (updates []resourceUpdate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil || s.stream != st {
		return nil
	}
	for uri, number := range s.updates {
		if number > s.sent {
			updates = append(updates, resourceUpdate{number, uri})
		}
	}
	slices.SortFunc(updates, func(a, b resourceUpdate) int { return cmp.Compare(a.number, b.number) })
	return updates
}

// sent records that a stream has sent an update.
func (t *sessions) sent(id sessionID, number uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.byID[id]; s != nil {
		s.sent = max(s.sent, number)
	}
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

// listen adds the subscriptions of a stream of revision 2026-07-28 until release is
// called.
func (t *sessions) listen(address string, uris []string) (release func(), _ *rpcError) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(uris) > maxSubscriptions {
		return nil, tooManySubscriptions()
	}
	if err := t.take(address, 1, len(uris)); err != nil {
		return nil, err
	}
	l := &listener{uris}
	t.listeners[l] = struct{}{}
	t.streams++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.listeners, l)
		t.streams--
		t.give(address, 1, len(uris))
	}, nil
}

// uris returns all subscribed URIs, sorted.
func (t *sessions) uris() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := map[string]struct{}{}
	for _, s := range t.byID {
		for uri := range s.updates {
			all[uri] = struct{}{}
		}
	}
	for l := range t.listeners {
		for _, uri := range l.uris {
			all[uri] = struct{}{}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// expire drops the sessions without a stream that have been silent for the idle time.
// It returns the time until the next one expires, at most the idle time.
func (t *sessions) expire(now time.Time) (next time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	next = t.idle
	for id, s := range t.byID {
		if s.stream != nil {
			continue
		}
		if left := t.idle - now.Sub(s.lastUsed); left > 0 {
			next = min(next, left)
		} else {
			t.delete(id)
		}
	}
	return next
}

// close ends all streams of sessions.
func (t *sessions) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id := range t.byID {
		t.delete(id)
	}
}

// counts returns the number of sessions in memory, of streams and of subscriptions.
func (t *sessions) counts() (sessions, streams, subscriptions int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID), t.streams, t.subscriptions
}

// canonicalURI reports whether uri is the canonical spelling of a resource that exists
// or may exist later. Only these can be subscribed to, so that a resource has one URI.
func canonicalURI(uri string) bool {
	kind, id, hasID := cutURI(uri)
	switch kind {
	case "business", "summary":
		return !hasID
	case "review", "aspect", "technician":
		return hasID && reviewcast.ValidID(id)
	}
	return false
}
