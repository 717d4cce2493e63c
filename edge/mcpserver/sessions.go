package mcpserver

import (
	"container/list"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// minSilence is how long a session must have been silent before a new one may take
// its place when the limit is reached. The client of an evicted session gets 404 and
// initializes again, as the protocol says.
const minSilence = time.Minute

// sessions is the table of open sessions and streams. It enforces the session limits
// of [Config]: at most limit of them are open, and a session that no request has used
// for the idle time ends.
type sessions struct {
	limit int
	idle  time.Duration

	mu       sync.Mutex
	byID     map[string]*session
	unused   *list.List // sessions without a running request, longest silent first
	reserved int        // places taken by streams and by sessions that are being opened
}

// session is the session of one client.
type session struct {
	*mcp.ServerSession
	requests int       // running requests and streams
	lastUsed time.Time // when the last one ended
	element  *list.Element
}

func newSessions(limit int, idle time.Duration) *sessions {
	return &sessions{limit: limit, idle: idle, byID: map[string]*session{}, unused: list.New()}
}

// reserve takes a place for a session that is about to open, or for a stream without
// a session. At the limit it ends the session that has been silent longest, if that
// is at least minSilence. Otherwise ok is false and wait says when to try again.
func (t *sessions) reserve(now time.Time) (release func(), wait time.Duration, ok bool) {
	t.mu.Lock()
	var evicted *session
	if len(t.byID)+t.reserved >= t.limit {
		oldest := t.oldest()
		if oldest == nil {
			t.mu.Unlock()
			return nil, minSilence, false
		}
		if silent := now.Sub(oldest.lastUsed); silent < minSilence {
			t.mu.Unlock()
			return nil, minSilence - silent, false
		}
		evicted = oldest
		t.delete(evicted)
	}
	t.reserved++
	t.mu.Unlock()
	if evicted != nil {
		evicted.Close()
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.reserved--
	}, 0, true
}

// add enters a session that has been opened.
func (t *sessions) add(ss *mcp.ServerSession) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &session{ServerSession: ss, lastUsed: time.Now()}
	s.element = t.unused.PushBack(s)
	t.byID[ss.ID()] = s
}

// acquire finds a session for a request. The session does not end before release is
// called.
func (t *sessions) acquire(id string) (s *session, release func(), ok bool) {
	t.mu.Lock()
	s, ok = t.byID[id]
	if ok && s.requests == 0 && time.Since(s.lastUsed) >= t.idle {
		t.delete(s)
		t.mu.Unlock()
		s.Close()
		return nil, nil, false
	}
	defer t.mu.Unlock()
	if !ok {
		return nil, nil, false
	}
	if s.requests++; s.requests == 1 {
		t.unused.Remove(s.element)
	}
	return s, func() { t.release(s) }, true
}

func (t *sessions) release(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.lastUsed = time.Now()
	if s.requests--; s.requests == 0 && t.byID[s.ID()] == s {
		s.element = t.unused.PushBack(s)
	}
}

// remove drops a session that its client has ended.
func (t *sessions) remove(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.delete(s)
}

// delete drops a session. The caller holds mu.
func (t *sessions) delete(s *session) {
	delete(t.byID, s.ID())
	if s.requests == 0 {
		t.unused.Remove(s.element)
	}
}

// oldest returns the session that has been silent longest. The caller holds mu.
func (t *sessions) oldest() *session {
	if e := t.unused.Front(); e != nil {
		return e.Value.(*session)
	}
	return nil
}

// expire ends the sessions that have been silent for the idle time. It returns the
// time until the next one expires, or the idle time if there is none.
func (t *sessions) expire(now time.Time) (next time.Duration) {
	for {
		t.mu.Lock()
		oldest := t.oldest()
		if oldest == nil {
			t.mu.Unlock()
			return t.idle
		}
		if left := t.idle - now.Sub(oldest.lastUsed); left > 0 {
			t.mu.Unlock()
			return left
		}
		t.delete(oldest)
		t.mu.Unlock()
		oldest.Close() // returns at once: no request is running
	}
}
