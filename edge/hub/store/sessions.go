package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"time"
)

// sessionKey is the name of the secret that seals the ids of MCP sessions.
const sessionKey = "mcp session ids"

// SessionKey returns the key that seals the ids of MCP sessions. The first call creates
// it; all edges that share the state get the same.
func (s *Store) SessionKey(ctx context.Context) (key []byte, err error) {
	fresh := make([]byte, 32)
	_, _ = rand.Read(fresh) // never fails
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		if err := tx.exec(ctx, "create secret", sessionKey, fresh); err != nil {
			return err
		}
		_, err := tx.row(ctx, []any{&key}, "secret", sessionKey)
		return err
	})
	return key, wrap("session key", err)
}

// EndSession records that an MCP session has ended, until its id expires. It deletes
// the records of those that have expired.
func (s *Store) EndSession(ctx context.Context, id string, now, expires time.Time) error {
	err := s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		if err := tx.exec(ctx, "expired sessions", millis(now)); err != nil {
			return err
		}
		return tx.exec(ctx, "end session", id, millis(expires))
	})
	return wrap("end session", err)
}

// EndedSessions returns the MCP sessions that have ended, and when their ids expire.
func (s *Store) EndedSessions(ctx context.Context, now time.Time) (map[string]time.Time, error) {
	ended := map[string]time.Time{}
	err := s.db.read(ctx, func(rows *sql.Rows) error {
		var id string
		var expires time.Time
		err := rows.Scan(&id, (*stamp)(&expires))
		ended[id] = expires
		return err
	}, "ended sessions", millis(now))
	return ended, wrap("read ended sessions", err)
}
