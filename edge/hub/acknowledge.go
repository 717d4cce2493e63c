package hub

import (
	"context"
	"errors"
	"fmt"
	"time"

	"reviewcast/edge/hub/store"
)

const (
	// batchWait is how long an outcome waits for others to share its transaction, unless none are in flight, which is
	// looked at every batchStep.
	batchWait = 20 * time.Millisecond
	batchStep = 2 * time.Millisecond
	// maxBatch is how many outcomes share a transaction.
	maxBatch = 512
	// storeRetry is the wait before a write that failed is tried again.
	storeRetry = time.Second
	// maxRejections is how often a write may fail while heartbeats succeed.
	maxRejections = 10
)

// errRejected is the error of a write that fails although the state can be written.
var errRejected = errors.New("the database rejects the write")

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

// collect returns first and the outcomes that follow within batchWait. It doesn't wait when
// only slow deliveries are in flight.
func (h *Hub) collect(first store.Outcome) []store.Outcome {
	batch := []store.Outcome{first}
	for range batchWait / batchStep {
		if len(h.outcomes) >= maxBatch || h.scheduler.slots.load().normal == 0 {
			break
		}
		time.Sleep(batchStep)
	}
	for len(batch) < maxBatch && len(h.outcomes) > 0 {
		batch = append(batch, <-h.outcomes)
	}
	return batch
}

// acknowledge writes a batch. If it is rejected, each outcome is written alone, so that one doesn't keep the others
// from being written. What is rejected alone is given up: its claim lapses, and the delivery is repeated.
func (h *Hub) acknowledge(ctx context.Context, batch []store.Outcome) {
	write := func(batch []store.Outcome) error { return h.Store.Acknowledge(ctx, time.Now(), h.owner, batch) }
	err := h.insist(ctx, "deliveries not acknowledged", func() error { return write(batch) })
	if err != nil && !errors.Is(err, errRejected) {
		h.Logger.Error("stopped before deliveries were acknowledged; they will be repeated", "deliveries", len(batch), "error", err)
	} else if err != nil {
		for _, o := range batch {
			if err := write([]store.Outcome{o}); err != nil {
				h.Logger.Error("delivery not acknowledged; it will be repeated", "subscription", o.Delivery.ID, "topic", o.Delivery.Topic, "error", err)
			}
		}
	}
}

// insist repeats a write until it succeeds, is stale or ctx is done. What it records has happened, so an outage of the
// database must not lose it. A write that fails although heartbeats succeed is given up with errRejected.
func (h *Hub) insist(ctx context.Context, what string, write func() error) error {
	for rejections := 0; ; {
		err := write()
		if err == nil || errors.Is(err, store.ErrStale) {
			return err
		}
		h.storeError(ctx, what, err)
		if h.Health() == nil {
			rejections++
		}
		if rejections == maxRejections {
			return fmt.Errorf("%w: %w", errRejected, err)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(storeRetry):
		}
	}
}
