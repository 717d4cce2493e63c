package mcpserver

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"time"
)

// SessionLifetime is how long a session id is valid. Clients don't initialize again when one is refused.
const SessionLifetime = 7 * 24 * time.Hour

// State is what the edges of one business share, so that a session is valid at all of them.
type State interface {
	// SessionKey returns the key, which the first call creates.
	SessionKey(ctx context.Context) ([]byte, error)
	// EndSession records that a session has ended, until the session's id expires.
	EndSession(ctx context.Context, id string, now, expires time.Time) error
	// EndedSessions returns the ended sessions whose ids expire after now, with their expiry.
	EndedSessions(ctx context.Context, now time.Time) (map[string]time.Time, error)
}

// maxEnded is the most ended sessions that are remembered, in 8 bytes each. Beyond it those that expire first
// are forgotten; such a session can be used again, which only its client can do.
const maxEnded = 25_000

const (
	randomSize = 12
	sealedSize = randomSize + 8
	macSize    = 16
)

var encoding = base64.RawURLEncoding.Strict() // so that an id has one spelling

// sessionIDs makes and checks ids of random bytes, expiry and a MAC. An open session takes no memory.
type sessionIDs struct {
	mu    sync.Mutex
	keys  [][]byte // the last one seals, all open: that of this process and, once it is read, that of the state
	ended []uint64 // the ids that have ended, sorted: for each the second of its expiry, then 32 random bits
}

// seal returns a new id that is valid for [SessionLifetime].
func (s *sessionIDs) seal(now time.Time) string {
	sealed := make([]byte, randomSize, sealedSize+macSize)
	_, _ = rand.Read(sealed) // never fails
	sealed = binary.BigEndian.AppendUint64(sealed, uint64(now.Add(SessionLifetime).Unix()))
	s.mu.Lock()
	defer s.mu.Unlock()
	return encoding.EncodeToString(append(sealed, mac(s.keys[len(s.keys)-1], sealed)...))
}

// valid reports whether an id was sealed with one of the keys and has neither expired nor ended.
func (s *sessionIDs) valid(id string, now time.Time) bool {
	raw, err := encoding.DecodeString(id)
	if err != nil || len(raw) != sealedSize+macSize {
		return false
	}
	key, expires := content(raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ended := slices.BinarySearch(s.ended, key)
	return !ended && now.Unix() < expires &&
		slices.ContainsFunc(s.keys, func(key []byte) bool { return hmac.Equal(raw[sealedSize:], mac(key, raw[:sealedSize])) })
}

func content(raw []byte) (key uint64, expires int64) {
	expires = int64(binary.BigEndian.Uint64(raw[randomSize:]))
	return uint64(expires)<<32 | uint64(binary.BigEndian.Uint32(raw)), expires
}

func mac(key, sealed []byte) []byte {
	m := hmac.New(sha256.New, key)
	m.Write(sealed)
	return m.Sum(nil)[:macSize]
}

// end remembers that a session has ended, and returns when its id expires. It ignores what is no id.
func (s *sessionIDs) end(id string) time.Time {
	raw, err := encoding.DecodeString(id)
	if err != nil || len(raw) < sealedSize {
		return time.Time{}
	}
	key, expires := content(raw)
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, known := slices.BinarySearch(s.ended, key); !known {
		s.ended = slices.Insert(s.ended, at, key)
	}
	s.ended = s.ended[max(0, len(s.ended)-maxEnded):]
	return time.Unix(expires, 0)
}

// forget drops the ended sessions whose ids have expired.
func (s *sessionIDs) forget(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	expired, _ := slices.BinarySearch(s.ended, uint64(now.Unix()+1)<<32)
	s.ended = slices.Delete(s.ended, 0, expired)
}

// readState reads from the state the key of session ids, unless it has been read, and the sessions that have ended at
// other edges. Until then a key of this process seals ids, which stay valid here.
func (s *Server) readState(ctx context.Context) {
	s.ids.forget(time.Now())
	if s.config.State == nil {
		return
	}
	const stateTimeout = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, stateTimeout)
	defer cancel()
	state, err := s.config.State()
	if err == nil && len(s.ids.keys) == 1 { // only this function adds one
		var key []byte
		if key, err = state.SessionKey(ctx); err == nil {
			s.ids.mu.Lock()
			s.ids.keys = append(s.ids.keys, key)
			s.ids.mu.Unlock()
		}
	}
	var ended map[string]time.Time
	if err == nil {
		ended, err = state.EndedSessions(ctx, time.Now())
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		s.config.Logger.Warn("state of MCP sessions not read; they are valid at this edge only, also after they have ended elsewhere", "error", err)
	}
	for id := range ended {
		s.ids.end(id)
	}
}
