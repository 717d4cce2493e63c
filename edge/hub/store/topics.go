package store

import (
	"context"
	"database/sql"
	"time"
)

// Publication is the content of a topic.
type Publication struct {
	Topic     string    // the whole URL, base URL included
	SHA256    string    // hex, of the body
	Sequence  int64     // of the manifest that lists it
	Modified  time.Time // when the content last changed, as it is published
	Version   int64     // counts the changes; Publish ignores it
	ChangedAt time.Time
}

// Publish makes p the newest content of its topic if the hash differs and p is newer: the sequence of its manifest is
// higher or, at an equal sequence, it was modified later. It reports whether it did. The first content of a topic
// changes nothing. For equal content the highest sequence is kept.
func (s *Store) Publish(ctx context.Context, now time.Time, p Publication) (changed bool, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		var version int64
		published, err := tx.row(ctx, []any{&version}, "publish", p.Topic, p.SHA256, p.Sequence, millis(now), millis(p.Modified))
		switch {
		case err != nil:
			return err
		case !published:
			return tx.exec(ctx, "same content", p.Topic, p.SHA256, p.Sequence, millis(p.Modified))
		}
		changed = version > 1
		return s.db.announce(ctx, tx)
	})
	return changed, wrap("publish "+p.Topic, err)
}

// Topics returns the newest publications by topic.
func (s *Store) Topics(ctx context.Context) (map[string]Publication, error) {
	topics := map[string]Publication{}
	err := s.db.read(ctx, func(rows *sql.Rows) error {
		var p Publication
		err := rows.Scan(&p.Topic, &p.Version, &p.SHA256, &p.Sequence, (*stamp)(&p.ChangedAt), (*stamp)(&p.Modified))
		topics[p.Topic] = p
		return err
	}, "topics")
	return topics, wrap("read topics", err)
}

// servedVersion returns the version that a topic has where it is served. The
// subscriber can fetch that one, so every higher version is to be delivered.
func servedVersion(ctx context.Context, tx transaction, now time.Time, topic string, served Publication) (int64, error) {
	var version, sequence int64
	var hash string
	row := []any{&version, &hash, &sequence}
	known, err := tx.row(ctx, row, "version", topic)
	if err == nil && !known && served.SHA256 != "" {
		// The topic has no row yet. If the hub stopped before it wrote one, the next
		// change would look like the first content.
		if err = tx.exec(ctx, "first content", topic, served.SHA256, served.Sequence, millis(now), millis(served.Modified)); err == nil {
			_, err = tx.row(ctx, row, "version", topic)
		}
	}
	if served.SHA256 != "" && served.SHA256 != hash && served.Sequence < sequence {
		version-- // an edge that lags has served older content
	}
	return version, err // 0: there is nothing to fetch, and any content is a change
}
