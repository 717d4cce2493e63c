package hub

import (
	"context"
	"time"

	"reviewcast"
	"reviewcast/edge/hub/store"
)

// behindFor is how long files may be older than a change that another hub has published
// before a warning is logged. With several edges one is always the first.
const behindFor = 15 * time.Second

// publisher compares what is published with the topics in the store. It belongs to deliverLoop.
type publisher struct {
	*Hub
	behind map[string]time.Time // since when the files of topics are older than another hub's; zero once that was logged
	served map[string]string    // sha256 of the content that this hub had at its last comparison
}

// publish stores what has changed, and has newer files loaded where another hub has published some.
func (p *publisher) publish(ctx context.Context) {
	edition := p.Published()
	if edition == nil {
		return
	}
	rows, err := p.Store.Topics(ctx)
	if err != nil {
		p.storeError(ctx, "topics not read", err)
		return
	}
	for _, path := range reviewcast.Topics {
		content, ok := edition.Topics[path]
		row, known := rows[p.topic(path)]
		// Two builds of one second may have the same times. If this content replaced the
		// content in the row, it is the newer one, and gets a later time.
		if known && p.served[path] == row.SHA256 && content.SHA256 != row.SHA256 && edition.Sequence == row.Sequence && !content.Modified.After(row.Modified) {
			content.Modified = row.Modified.Add(time.Second)
		}
		p.served[path] = content.SHA256
		switch {
		case !ok || known && row.SHA256 == content.SHA256 && row.Sequence >= edition.Sequence:
			delete(p.behind, path)
		case !known || newer(content, edition.Sequence, row):
			delete(p.behind, path)
			p.store(ctx, path, content, edition.Sequence)
		default:
			signal(p.wakeReload)
			p.warnBehind(path, edition.Sequence, row.Sequence)
		}
	}
}

// newer reports whether content is newer than what a topic's row holds. Two edges may
// have been given different files with one sequence; the later modified ones are newer.
func newer(c Content, sequence int64, row store.Publication) bool {
	return sequence > row.Sequence || sequence == row.Sequence && c.Modified.After(row.Modified)
}

// warnBehind logs once that the files of a topic have been older than another hub's for longer than behindFor.
func (p *publisher) warnBehind(path string, sequence, published int64) {
	since, behind := p.behind[path]
	if !behind {
		p.behind[path] = time.Now()
	} else if !since.IsZero() && time.Since(since) >= behindFor {
		p.behind[path] = time.Time{}
		p.Logger.Warn("published files are older than what subscribers were notified of; nothing is sent from them",
			"topic", p.topic(path), "sequence", sequence, "notified", published)
	}
}

func (p *publisher) store(ctx context.Context, path string, content Content, sequence int64) {
	publication := store.Publication{Topic: p.topic(path), SHA256: content.SHA256, Sequence: sequence, Modified: content.Modified}
	changed, err := p.Store.Publish(ctx, time.Now(), publication)
	switch {
	case err != nil:
		p.storeError(ctx, "change not stored", err)
	case changed:
		p.metrics.changes.WithLabelValues(publication.Topic).Inc()
		p.Logger.Info("topic changed", "topic", publication.Topic, "sequence", sequence, "bytes", len(content.Body))
	}
}
