package hub

import (
	"context"
	"errors"
	"time"

	"reviewcast/edge/hub/store"
)

const (
	// batchWait is how long an outcome waits for others to share its transaction.
	batchWait = 20 * time.Millisecond
	// maxBatch is how many outcomes share a transaction.
	maxBatch = 512
	// storeRetry is the wait before a write that failed is tried again.
	storeRetry = time.Second
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
	for len(batch) < maxBatch && (len(h.outcomes) > 0 || h.scheduler.slots.load().normal > 0) {
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

// acknowledge writes a batch.
func (h *Hub) acknowledge(ctx context.Context, batch []store.Outcome) {
	err := h.insist(ctx, "deliveries not acknowledged", func() error { return h.Store.Acknowledge(ctx, time.Now(), h.owner, batch) })
	if err != nil {
		h.Logger.Error("stopped before deliveries were acknowledged; they will be repeated", "deliveries", len(batch), "error", err)
	}
}

// insist repeats a write until it succeeds, is stale or ctx is done: it records what has
// happened.
func (h *Hub) insist(ctx context.Context, what string, write func() error) error {
	for {
		err := write()
		if err == nil || errors.Is(err, store.ErrStale) {
			return err
		}
		h.storeError(ctx, what, err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(storeRetry):
		}
	}
}
