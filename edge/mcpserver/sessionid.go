package mcpserver

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sync"
	"time"
)

// SessionLifetime is how long a session id is valid. Clients don't initialize again
// when an id is refused, so it outlives restarts, other edges and laptops that sleep.
const SessionLifetime = 7 * 24 * time.Hour

// State is what the edges of one business share: the key that seals session ids, and
// the sessions that have ended. A session that one edge opened is then valid at all.
type State interface {
	// SessionKey returns the key, which the first call creates.
	SessionKey(ctx context.Context) ([]byte, error)
	// EndSession records that a session has ended. The record may be dropped when the
	// session's id expires.
	EndSession(ctx context.Context, id string, now, expires time.Time) error
	// EndedSessions returns the sessions that have ended and whose ids expire after now,
	// with their expiry.
	EndedSessions(ctx context.Context, now time.Time) (map[string]time.Time, error)
}

// maxEnded is the most ended sessions that are remembered. It stops clients that open
// and end sessions from filling memory. Beyond it the ids that expire first are
// forgotten; such a session can be used again, which only its client can do.
const maxEnded = 100_000

// sessionID is the content of a session id.
type sessionID struct {
	random  [12]byte
	expires int64 // Unix time
}

func (id sessionID) String() string { return hex.EncodeToString(id.random[:]) }

const (
	sealedSize = len(sessionID{}.random) + 8
	macSize    = 16
)

// sessionIDs seals and opens session ids. An id contains its expiry and a message
// authentication code, so that an open session takes no memory.
type sessionIDs struct {
	key []byte

	mu    sync.Mutex
	ended map[string]int64 // expiry by String()
}

// newKey makes a key for session ids.
func newKey() []byte {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return key
}

func newSessionIDs(key []byte) *sessionIDs {
	return &sessionIDs{key: key, ended: map[string]int64{}}
}

// seal returns a new id that is valid for [SessionLifetime].
func (s *sessionIDs) seal(now time.Time) string {
	var id sessionID
	_, _ = rand.Read(id.random[:]) // never fails
	sealed := binary.BigEndian.AppendUint64(id.random[:], uint64(now.Add(SessionLifetime).Unix()))
	return base64.RawURLEncoding.EncodeToString(append(sealed, s.mac(sealed)...))
}

// open checks an id. It reports false for one that was not sealed with the key, has
// expired or has ended.
func (s *sessionIDs) open(sealed string, now time.Time) (id sessionID, ok bool) {
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil || len(raw) != sealedSize+macSize || !hmac.Equal(raw[sealedSize:], s.mac(raw[:sealedSize])) {
		return id, false
	}
	copy(id.random[:], raw)
	id.expires = int64(binary.BigEndian.Uint64(raw[len(id.random):]))
	s.mu.Lock()
	_, ended := s.ended[id.String()]
	s.mu.Unlock()
	return id, !ended && now.Unix() < id.expires
}

func (s *sessionIDs) mac(sealed []byte) []byte {
	m := hmac.New(sha256.New, s.key)
	m.Write(sealed)
	return m.Sum(nil)[:macSize]
}

// end remembers that a session has ended.
func (s *sessionIDs) end(id string, expires int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.ended) >= maxEnded {
		first := id
		for other, at := range s.ended {
			if at < s.ended[first] || first == id {
				first = other
			}
		}
		delete(s.ended, first)
	}
	s.ended[id] = expires
}

// prune forgets ended sessions whose ids have expired.
func (s *sessionIDs) prune(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, expires := range s.ended {
		if expires <= now.Unix() {
			delete(s.ended, id)
		}
	}
}

// load adds the sessions that have ended at other edges.
func (s *sessionIDs) load(ctx context.Context, from State, now time.Time) error {
	ended, err := from.EndedSessions(ctx, now)
	if err != nil {
		return fmt.Errorf("read ended sessions: %w", err)
	}
	for id, expires := range ended {
		s.end(id, expires.Unix())
	}
	s.prune(now)
	return nil
}
