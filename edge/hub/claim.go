package hub

import (
	"context"
	"slices"
	"strings"
	"time"

	"reviewcast/edge/hub/store"
)

// claimBatch is how many deliveries are claimed at once.
const claimBatch = 512

// claimer claims due deliveries for the scheduler. It belongs to deliverLoop.
type claimer struct {
	*Hub
	due []store.WorkKey // where work may be due, in the order of claiming; nil: not read yet
	// exhausted are work keys without further due deliveries, except to these endpoints.
	exhausted map[store.WorkKey][]string
}

// deliverLoop publishes changes and keeps the scheduler filled until ctx is done. Deliveries go on in work.
func (h *Hub) deliverLoop(ctx, work context.Context) {
	p := &publisher{Hub: h, behind: map[string]time.Time{}, served: map[string]string{}}
	c := &claimer{Hub: h, exhausted: map[store.WorkKey][]string{}}
	poll := time.NewTicker(h.PollInterval)
	defer poll.Stop()
	reset := true   // topics may have changed since the last claim
	paused := false // the store returned an error: wait for the next poll
	for {
		if reset && !paused {
			reset = false
			clear(c.exhausted)
			c.due = nil
			p.publish(ctx)
		}
		if !paused {
			paused = c.claim(ctx, work) != nil
		}
		select {
		case <-ctx.Done():
			return
		case <-h.wakePublish:
			reset = true
		case <-h.Store.Wake(): // another process has created work
			reset = true
			signal(h.wakeVerify)
		case <-poll.C:
			reset, paused = true, false
		case <-h.wakeDeliver:
		}
	}
}

// claim claims deliveries as long as there are some and the scheduler has capacity.
func (c *claimer) claim(ctx, work context.Context) error {
	edition := c.Published()
	if edition == nil {
		return nil
	}
	if c.due == nil {
		due, err := c.Store.Due(ctx, time.Now())
		if err != nil {
			c.storeError(ctx, "due work not read", err)
			return err
		}
		c.due = append([]store.WorkKey{}, due...)
	}
	for left := slices.Clone(c.due); len(left) > 0 && ctx.Err() == nil; {
		key := left[0]
		left = left[1:]
		more, err := c.claimBatch(ctx, work, key, edition)
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
func (c *claimer) claimBatch(ctx, work context.Context, key store.WorkKey, edition *Edition) (more bool, err error) {
	path := strings.TrimPrefix(key.Topic, c.BaseURL)
	content, ok := edition.Topics[path]
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
	limit := min(capacity, claimBatch)
	if c.network.isDown() {
		limit = 1 // a probe, which ends the outage if it is answered
	}
	claim := store.Claim{Owner: c.owner, WorkKey: key, SHA256: content.SHA256, Except: except, Limit: limit}
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
		deliveries[i] = &delivery{Delivery: d, content: content, path: path}
	}
	c.scheduler.add(deliveries)
	c.dispatch(work)
	return len(claimed) == claim.Limit && limit > 1, nil
}
