package hub

import (
	"context"
	"time"

	"reviewcast/edge/hub/store"
)

const (
	// fresh is how old a look at a delivery's subscription may be when the delivery
	// begins. What has been claimed may wait for a slot, and meanwhile another hub or
	// an operator remove the subscription, or renew it with another secret. Nothing
	// begins later than this after such a change is durable. At full speed claims are
	// younger when their turn comes, so that only those that wait cost a look.
	fresh = 50 * time.Millisecond
	// confirmBatch is how many are looked at together, those included whose turn comes
	// next: at full speed one query is enough for so many.
	confirmBatch = 128
)

// confirmation is a delivery that is about to begin and wants to be looked at.
type confirmation struct {
	d      *delivery
	stands chan bool
}

// stands tells whether a delivery is still to be made, with this content, and
// brings what may have been renewed up to date.
func (h *Hub) stands(d *delivery) bool {
	if edition := h.Published(); edition == nil || edition.Topics[d.path].SHA256 != d.content.SHA256 {
		return false // only the newest is ever sent
	}
	if time.Since(d.seen) <= h.fresh {
		return true
	}
	c := confirmation{d, make(chan bool, 1)}
	h.confirms <- c
	return <-c.stands
}

// confirmAll answers those that wait, and looks ahead for those that will, until
// there are no more.
func (h *Hub) confirmAll(ctx context.Context) {
	for first := range h.confirms {
		batch := []confirmation{first}
		for len(batch) < confirmBatch && len(h.confirms) > 0 {
			batch = append(batch, <-h.confirms)
		}
		now := time.Now()
		list := make([]int64, 0, confirmBatch)
		for _, c := range batch {
			list = append(list, c.d.ID)
		}
		ahead := h.lanes.ahead(first.d, confirmBatch-len(batch), now.Add(-h.fresh/2))
		for _, d := range ahead {
			list = append(list, d.ID)
		}
		found, err := h.Store.Confirm(ctx, h.owner, list)
		if err != nil {
			h.storeError(ctx, "deliveries not confirmed", err)
		}
		for _, c := range batch {
			c.stands <- c.d.confirm(found, now)
		}
		if err == nil {
			h.lanes.confirm(ahead, found, now)
		}
	}
}

// confirm takes what a look has found over; it tells whether the delivery stands.
func (d *delivery) confirm(found map[int64]store.Delivery, now time.Time) bool {
	as, ok := found[d.ID]
	if !ok || as.Version != d.Version {
		return false
	}
	d.Secret, d.ExpiresAt, d.Failures, d.seen = as.Secret, as.ExpiresAt, as.Failures, now
	return true
}
