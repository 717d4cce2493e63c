package hub

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/edge/hub/store"
	"reviewcast/edge/snapshot"
)

// claimer claims due deliveries for the scheduler. It belongs to deliverLoop.
type claimer struct {
	*Hub
	due       []store.WorkKey            // where work may be due, in the order of claiming
	exhausted map[store.WorkKey][]string // work keys without further due deliveries, except to these endpoints
}

// deliverLoop publishes changes and keeps the scheduler filled until ctx is done. Deliveries go on in work.
func (h *Hub) deliverLoop(ctx, work context.Context) {
	p := &publisher{Hub: h, behind: map[string]time.Time{}, served: map[string]string{}}
	c := &claimer{Hub: h, exhausted: map[store.WorkKey][]string{}}
	poll := time.Tick(h.PollInterval)
	reset := true   // topics may have changed since the last claim
	paused := false // the store returned an error: wait for the next poll
	for {
		if reset && !paused {
			reset = false
			clear(c.exhausted)
			p.publish(ctx)
			var err error
			if c.due, err = h.Store.Due(ctx, time.Now()); err != nil {
				h.storeError(ctx, "due work not read", err)
				paused = true
			}
		}
		if !paused {
			paused = c.claim(ctx, work) != nil
		}
		select {
		case <-ctx.Done():
			return
		case <-h.changed:
			reset = true
		case <-h.Store.Wake(): // another process has created work
			reset = true
			signal(h.wakeVerify)
		case <-poll:
			reset, paused = true, false
		case <-h.wakeDeliver:
		}
	}
}

// claim claims deliveries as long as there are some and the scheduler has capacity.
func (c *claimer) claim(ctx, work context.Context) error {
	files := cmp.Or(c.Files.Load(), &snapshot.Files{})
	for left := slices.Clone(c.due); len(left) > 0 && ctx.Err() == nil; {
		key := left[0]
		left = left[1:]
		more, err := c.claimBatch(ctx, work, key, files)
		if err != nil {
			c.storeError(ctx, "deliveries not claimed", err)
			return err
		}
		if more {
			left = append(left, key) // the others have their turn first
		}
	}
	return nil
}

// claimBatch claims deliveries of a work key and begins or queues them. It reports whether there may be more.
func (c *claimer) claimBatch(ctx, work context.Context, key store.WorkKey, files *snapshot.Files) (more bool, err error) {
	file, ok := files.File(strings.TrimPrefix(key.Topic, c.BaseURL))
	if !ok {
		return false, nil
	}
	full, exhausted := c.exhausted[key]
	if exhausted && len(full) == 0 {
		return false, nil
	}
	capacity, except := c.scheduler.capacity(key.Pace)
	if capacity <= 0 || exhausted && !slices.ContainsFunc(full, func(e string) bool { return !slices.Contains(except, e) }) {
		return false, nil // the scheduler asks for more when it has capacity again
	}
	const most = 512 // at once
	limit := min(capacity, most)
	if c.network.isDown() {
		limit = 1 // a probe, which ends the outage if it is answered
	}
	claim := store.Claim{Owner: c.owner, WorkKey: key, SHA256: file.SHA256, Except: except, Limit: limit}
	claimed, err := c.Store.ClaimDeliveries(ctx, time.Now(), claim)
	if err != nil {
		return false, err
	}
	if len(claimed) < claim.Limit {
		// An empty claim scans everything that is due to the excepted endpoints, which takes
		// up to 57 ms of SQLite's only writer. Once per poll is enough.
		c.exhausted[key] = except
	}
	if len(claimed) == 0 {
		return false, nil
	}
	deliveries := make([]*delivery, len(claimed))
	for i, d := range claimed {
		deliveries[i] = &delivery{Delivery: d, file: file}
	}
	c.scheduler.add(deliveries)
	c.dispatch(work)
	return len(claimed) == claim.Limit && limit > 1, nil
}

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
	files := cmp.Or(p.Files.Load(), &snapshot.Files{})
	rows, err := p.Store.Topics(ctx)
	if err != nil {
		p.storeError(ctx, "topics not read", err)
		return
	}
	for _, path := range reviewcast.Topics {
		file, ok := files.File(path)
		if !ok {
			delete(p.behind, path)
			delete(p.served, path)
			continue
		}
		now := p.publication(files, file)
		row, known := rows[now.Topic]
		// Two builds of one second may have the same times. If this content replaced the
		// content in the row, it is the newer one, and gets a later time.
		if known && p.served[path] == row.SHA256 && now.SHA256 != row.SHA256 && now.Sequence == row.Sequence && !now.Modified.After(row.Modified) {
			now.Modified = row.Modified.Add(time.Second)
		}
		p.served[path] = now.SHA256
		// Two edges may have been given different files with one sequence; the later modified ones are newer.
		newer := now.Sequence > row.Sequence || now.Sequence == row.Sequence && now.Modified.After(row.Modified)
		switch {
		case known && row.SHA256 == now.SHA256 && row.Sequence >= now.Sequence:
			delete(p.behind, path)
		case !known || newer:
			delete(p.behind, path)
			p.store(ctx, now, len(file.Body))
		default:
			signal(p.wakeReload)
			if since, behind := p.behind[path]; !behind {
				p.behind[path] = time.Now()
			} else if !since.IsZero() && time.Since(since) >= behindFor {
				p.behind[path] = time.Time{}
				p.Logger.Warn("published files are older than what subscribers were notified of; nothing is sent from them",
					"topic", now.Topic, "sequence", now.Sequence, "notified", row.Sequence)
			}
		}
	}
}

func (p *publisher) store(ctx context.Context, now store.Publication, size int) {
	changed, err := p.Store.Publish(ctx, time.Now(), now)
	switch {
	case err != nil:
		p.storeError(ctx, "change not stored", err)
	case changed:
		p.metrics.changes.WithLabelValues(now.Topic).Inc()
		p.Logger.Info("topic changed", "topic", now.Topic, "sequence", now.Sequence, "bytes", size)
	}
}
