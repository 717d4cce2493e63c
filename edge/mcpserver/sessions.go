package mcpserver

import (
	"container/list"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// quiet is how long a session must have been silent before another may take its
// place when all are taken. A client whose session is gone is told so (404) and
// opens another, as the protocol says.
const quiet = time.Minute

// sessions is the table of open sessions and streams. It stops those who open
// sessions only to leave them: there are never more than limit, and those that
// nobody has used for the idle time end.
type sessions struct {
	limit int
	idle  time.Duration

	mu      sync.Mutex
	byID    map[string]*session
	waiting *list.List // sessions that no request uses at the moment, longest silent first
	held    int        // places taken by what is no session, or none yet
}

// session is one client's.
type session struct {
	*mcp.ServerSession
	uses int       // requests and streams that are running
	last time.Time // when the last one ended
	at   *list.Element
}

func newSessions(limit int, idle time.Duration) *sessions {
	return &sessions{limit: limit, idle: idle, byID: map[string]*session{}, waiting: list.New()}
}

// hold takes a place for a session that is about to be opened, or for a stream
// without one. When all are taken, the session that has been silent for longest, and
// for at least the quiet time, ends. Otherwise ok is false: wait is when to try
// again.
func (t *sessions) hold(now time.Time) (release func(), wait time.Duration, ok bool) {
	t.mu.Lock()
	var ended *session
	if len(t.byID)+t.held >= t.limit {
		oldest := t.oldest()
		if oldest == nil {
			t.mu.Unlock()
			return nil, quiet, false
		}
		if silent := now.Sub(oldest.last); silent < quiet {
			t.mu.Unlock()
			return nil, quiet - silent, false
		}
		ended = oldest
		t.remove(ended)
	}
	t.held++
	t.mu.Unlock()
	if ended != nil {
		ended.Close()
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.held--
	}, 0, true
}

// add enters a session that was opened.
func (t *sessions) add(ss *mcp.ServerSession) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &session{ServerSession: ss, last: time.Now()}
	s.at = t.waiting.PushBack(s)
	t.byID[ss.ID()] = s
}

// use finds a session for a request. It doesn't end before done is called.
func (t *sessions) use(id string) (s *session, done func(), ok bool) {
	t.mu.Lock()
	s, ok = t.byID[id]
	if ok && s.uses == 0 && time.Since(s.last) >= t.idle {
		t.remove(s)
		t.mu.Unlock()
		s.Close()
		return nil, nil, false
	}
	defer t.mu.Unlock()
	if !ok {
		return nil, nil, false
	}
	if s.uses++; s.uses == 1 {
		t.waiting.Remove(s.at)
	}
	return s, func() { t.done(s) }, true
}

func (t *sessions) done(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.last = time.Now()
	if s.uses--; s.uses == 0 && t.byID[s.ID()] == s {
		s.at = t.waiting.PushBack(s)
	}
}

// end forgets a session that its client has ended.
func (t *sessions) end(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.remove(s)
}

// remove takes a session out of the table. The lock is held.
func (t *sessions) remove(s *session) {
	delete(t.byID, s.ID())
	if s.uses == 0 {
		t.waiting.Remove(s.at)
	}
}

// oldest is the session that has been silent for longest. The lock is held.
func (t *sessions) oldest() *session {
	if e := t.waiting.Front(); e != nil {
		return e.Value.(*session)
	}
	return nil
}

// expire ends the sessions that have been silent for the idle time, and tells when
// the next will have been; the idle time when there is none.
func (t *sessions) expire(now time.Time) (next time.Duration) {
	for {
		t.mu.Lock()
		oldest := t.oldest()
		if oldest == nil {
			t.mu.Unlock()
			return t.idle
		}
		if left := t.idle - now.Sub(oldest.last); left > 0 {
			t.mu.Unlock()
			return left
		}
		t.remove(oldest)
		t.mu.Unlock()
		oldest.Close() // waits for nothing: no request is running
	}
}

// open counts the sessions.
func (t *sessions) open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID)
}
