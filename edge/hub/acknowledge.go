package hub

import (
	"context"
	"slices"
	"time"

	"reviewcast/edge/hub/store"
)

const (
	// batchWait is how long an outcome waits for others to share its transaction.
	batchWait = 20 * time.Millisecond
	// maxBatch is how many outcomes share a transaction.
	maxBatch = 512
	// storeRetry is the wait before outcomes that couldn't be written are tried again.
	storeRetry = time.Second
	// An outcome that the database rejects textTries times, textWait apart, is written
	// without its texts.
	textTries = 5
	textWait  = 100 * time.Millisecond
)

// acknowledgeLoop writes outcomes until their channel is closed. It retries what can't be
// written, because it has happened.
func (h *Hub) acknowledgeLoop(ctx context.Context) {
	for first := range h.outcomes {
		batch := h.collect(first)
		h.acknowledge(ctx, batch)
		for _, o := range batch {
			if o.Verdict == store.Denied {
				signal(h.wakeVerify)
			}
			if o.Verdict == store.Released && o.Next.IsZero() {
				signal(h.wakeDeliver)
			}
		}
	}
}

// collect returns first and the outcomes that follow within batchWait. It doesn't wait
// while nothing is in flight but slow deliveries.
func (h *Hub) collect(first store.Outcome) []store.Outcome {
	batch := []store.Outcome{first}
	timer := time.NewTimer(batchWait)
	defer timer.Stop()
	for len(batch) < maxBatch && (len(h.outcomes) > 0 || h.scheduler.busy()) {
		select {
		case o, ok := <-h.outcomes:
			if !ok {
				return batch
			}
			batch = append(batch, o)
		case <-timer.C:
			return batch
		}
	}
	return batch
}

// acknowledge writes a batch, as often as it takes or until ctx is done.
func (h *Hub) acknowledge(ctx context.Context, batch []store.Outcome) {
	for left := batch; ; {
		err := h.Store.Acknowledge(ctx, time.Now(), h.owner, left)
		if err == nil {
			return
		}
		h.storeError(ctx, "deliveries not acknowledged", err)
		select {
		case <-time.After(storeRetry):
		case <-ctx.Done():
			h.Logger.Error("stopped before deliveries were acknowledged; they will be repeated", "deliveries", len(left))
			return
		}
		if left = h.acknowledgeParts(ctx, left); len(left) == 0 {
			return
		}
	}
}

// acknowledgeParts writes what it can of a batch that couldn't be written as a whole, and
// returns what is left. So an outcome that the database rejects doesn't keep the others
// from being written.
func (h *Hub) acknowledgeParts(ctx context.Context, batch []store.Outcome) (left []store.Outcome) {
	if len(batch) == 1 {
		if h.acknowledgeOne(ctx, batch[0]) {
			return nil
		}
		return batch
	}
	for half := range slices.Chunk(batch, (len(batch)+1)/2) {
		if len(left) > 0 {
			left = append(left, half...) // the database itself fails: the rest waits
		} else if h.Store.Acknowledge(ctx, time.Now(), h.owner, half) != nil {
			left = h.acknowledgeParts(ctx, half)
		}
	}
	return left
}

// acknowledgeOne writes an outcome that couldn't be written before, and reports whether
// it did. It drops the texts only if the database rejects the outcome repeatedly and
// accepts a heartbeat right after each attempt, so an outage drops none.
func (h *Hub) acknowledgeOne(ctx context.Context, o store.Outcome) bool {
	for range textTries {
		if h.Store.Acknowledge(ctx, time.Now(), h.owner, []store.Outcome{o}) == nil {
			return true
		}
		if o.Error == "" && o.Reason == "" || h.Store.Heartbeat(ctx, time.Now(), h.owner) != nil {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(textWait):
		}
	}
	o.Error, o.Reason = "", ""
	if h.Store.Acknowledge(ctx, time.Now(), h.owner, []store.Outcome{o}) != nil {
		return false
	}
	h.Logger.Error("delivery acknowledged without its error, which the state rejects", "subscription", o.Delivery.ID)
	return true
}
