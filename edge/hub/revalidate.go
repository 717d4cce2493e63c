package hub

import (
	"context"
	"time"

	"reviewcast/edge/hub/store"
)

// revalidateBatch is how many deliveries are revalidated with one query, including
// prefetched ones: at full speed one query is enough for that many.
const revalidateBatch = 128

// revalidation asks revalidateLoop whether a delivery is still valid.
type revalidation struct {
	d     *delivery
	valid chan bool
}

// stillValid reports whether a delivery is still to be made, with this content. It
// updates what a renewal may have changed. A claimed delivery may have waited for a slot
// while another hub or an operator removed its subscription or renewed its secret.
func (h *Hub) stillValid(d *delivery) bool {
	if edition := h.Published(); edition == nil || edition.Topics[d.path].SHA256 != d.content.SHA256 {
		return false // only the newest content is ever sent
	}
	if time.Since(d.validatedAt) <= h.Limits.ClaimAge {
		return true
	}
	c := revalidation{d, make(chan bool, 1)}
	h.revalidations <- c
	return <-c.valid
}

// revalidateLoop answers until their channel is closed. With each query it
// prefetches the deliveries that are likely to be checked next.
func (h *Hub) revalidateLoop(ctx context.Context) {
	for first := range h.revalidations {
		batch := []revalidation{first}
		for len(batch) < revalidateBatch && len(h.revalidations) > 0 {
			batch = append(batch, <-h.revalidations)
		}
		now := time.Now()
		ids := make([]int64, 0, revalidateBatch)
		for _, c := range batch {
			ids = append(ids, c.d.ID)
		}
		prefetched := h.scheduler.prefetch(first.d, revalidateBatch-len(batch), now.Add(-h.Limits.ClaimAge/2))
		for _, d := range prefetched {
			ids = append(ids, d.ID)
		}
		found, err := h.Store.Revalidate(ctx, h.owner, ids)
		if err != nil {
			h.storeError(ctx, "deliveries not revalidated", err)
		}
		for _, c := range batch {
			c.valid <- c.d.revalidate(found, now)
		}
		if err == nil {
			h.scheduler.update(prefetched, found, now)
		}
	}
}

// revalidate applies the current state of a subscription to its delivery, and reports
// whether the delivery is still valid.
func (d *delivery) revalidate(found map[int64]store.Delivery, now time.Time) bool {
	current, ok := found[d.ID]
	if !ok || current.Version != d.Version {
		return false
	}
	d.Secret, d.ExpiresAt, d.Failures, d.validatedAt = current.Secret, current.ExpiresAt, current.Failures, now
	return true
}
