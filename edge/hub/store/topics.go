package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
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

// Publish makes p the newest content of its topic if the hash differs and p is newer: the
// sequence of its manifest is higher or, at an equal sequence, it was modified later. It
// reports whether it did. The first content of a topic changes nothing. For equal content
// the highest sequence is kept.
func (s *Store) Publish(ctx context.Context, now time.Time, p Publication) (changed bool, err error) {
	err = s.db.write(ctx, func(ctx context.Context, tx transaction) error {
		var version int64
		err := tx.row(ctx, "publish", p.Topic, p.SHA256, p.Sequence, millis(now), millis(p.Modified)).Scan(&version)
		if errors.Is(err, sql.ErrNoRows) {
			_, err = tx.exec(ctx, "same content", p.Topic, p.SHA256, p.Sequence, millis(p.Modified))
			return err
		} else if err != nil {
			return err
		}
		changed = version > 1
		return s.db.announce(ctx, tx)
	})
	if err != nil {
		return false, fmt.Errorf("publish %s: %w", p.Topic, err)
	}
	return changed, nil
}

// Topics returns the newest publications by topic.
func (s *Store) Topics(ctx context.Context) (map[string]Publication, error) {
	topics := map[string]Publication{}
	err := s.each(ctx, func(rows *sql.Rows) error {
		var p Publication
		var changed, modified int64
		err := rows.Scan(&p.Topic, &p.Version, &p.SHA256, &p.Sequence, &changed, &modified)
		p.ChangedAt, p.Modified = moment(changed), moment(modified)
		topics[p.Topic] = p
		return err
	}, "topics")
	if err != nil {
		return nil, fmt.Errorf("read topics: %w", err)
	}
	return topics, nil
}

// servedVersion returns the version that a topic has where it is served. The
// subscriber can fetch that one, so every higher version is to be delivered.
func servedVersion(ctx context.Context, tx transaction, now time.Time, topic string, served Publication) (int64, error) {
	var version, sequence int64
	var hash string
	read := func() error { return tx.row(ctx, "version", topic).Scan(&version, &hash, &sequence) }
	err := read()
	if errors.Is(err, sql.ErrNoRows) && served.SHA256 != "" {
		// The topic has no row yet. If the hub stopped before it wrote one, the next
		// change would look like the first content.
		if _, err = tx.exec(ctx, "first content", topic, served.SHA256, served.Sequence, millis(now), millis(served.Modified)); err == nil {
			err = read()
		}
	}
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, nil // there is nothing to fetch: any content is a change
	case err != nil:
		return 0, err
	case served.SHA256 != "" && served.SHA256 != hash && served.Sequence < sequence:
		return version - 1, nil // an edge that lags has served older content
	default:
		return version, nil
	}
}
