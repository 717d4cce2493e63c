package store_test

import (
	"net/url"
	"testing"
	"time"

	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
)

const (
	topic = "https://reviews.example.com/feed.xml"
	other = "https://reviews.example.com/reviews.json"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

var caps = store.Caps{PendingPerHost: 3}

// rig is a store with helpers for tests.
type rig struct {
	*testing.T
	*store.Store
}

func each(t *testing.T, f func(b rig)) {
	storetest.Each(t, func(t *testing.T, state string) {
		f(rig{t, storetest.Open(t, state)})
	})
}

func ask(mode, callback, secret string) store.Request {
	u, err := url.Parse(callback)
	if err != nil {
		panic(err)
	}
	r := store.Request{Topic: topic, Callback: callback, Mode: mode, Lease: time.Hour}
	r.Endpoint, r.Host = store.Endpoint(u)
	if secret != "" {
		r.Secret = []byte(secret)
	}
	return r
}

func (b rig) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b rig) publish(sequence int64, hash string) bool {
	b.Helper()
	moved, err := b.Publish(b.Context(), noon, store.Publication{Topic: topic, SHA256: hash, Sequence: sequence})
	b.must(err)
	return moved
}

func (b rig) publishModified(sequence int64, hash string, modified time.Time) bool {
	b.Helper()
	changed, err := b.Publish(b.Context(), noon, store.Publication{Topic: topic, SHA256: hash, Sequence: sequence, Modified: modified})
	b.must(err)
	return changed
}

func (b rig) request(r store.Request, at time.Time) {
	b.Helper()
	b.must(b.Request(b.Context(), at, r, store.Publication{}, caps))
}

// claimVerifications claims every verification that is due.
func (b rig) claimVerifications(at time.Time) []store.Verification {
	b.Helper()
	claimed, err := b.ClaimVerifications(b.Context(), at, "me", nil, 100)
	b.must(err)
	return claimed
}

// subscribe requests, verifies and activates a subscription.
func (b rig) subscribe(callback, secret string, at time.Time) int64 {
	b.Helper()
	b.request(ask(store.ModeSubscribe, callback, secret), at)
	claimed := b.claimVerifications(at)
	if len(claimed) != 1 {
		b.Fatalf("%d verifications are due, want 1", len(claimed))
	}
	id, err := b.Settle(b.Context(), at, claimed[0], true, "")
	b.must(err)
	return id
}

func (b rig) claim(owner, hash string, at time.Time) []store.Delivery {
	b.Helper()
	return b.claimAll(at, store.Claim{Owner: owner, SHA256: hash, Limit: 100})
}

// claimAll claims the deliveries of a topic for subscribers of every pace.
func (b rig) claimAll(at time.Time, c store.Claim) (claimed []store.Delivery) {
	b.Helper()
	for c.WorkKey = (store.WorkKey{Topic: topic, Pace: store.New}); c.Pace <= store.Slow; c.Pace++ {
		some, err := b.ClaimDeliveries(b.Context(), at, c)
		b.must(err)
		claimed = append(claimed, some...)
	}
	return claimed
}

func (b rig) one(owner, hash string, at time.Time) store.Delivery {
	b.Helper()
	claimed := b.claim(owner, hash, at)
	if len(claimed) != 1 {
		b.Fatalf("%d deliveries are due, want 1", len(claimed))
	}
	return claimed[0]
}

func (b rig) none(owner, hash string, at time.Time) {
	b.Helper()
	if claimed := b.claim(owner, hash, at); len(claimed) != 0 {
		b.Fatalf("%d deliveries are due, want none: %+v", len(claimed), claimed)
	}
}

func (b rig) ack(owner string, at time.Time, o ...store.Outcome) {
	b.Helper()
	b.must(b.Acknowledge(b.Context(), at, owner, o))
}

func (b rig) heartbeat(owner string, at time.Time) {
	b.Helper()
	b.must(b.Heartbeat(b.Context(), at, owner))
}

// heartbeats records that an owner is alive from one time until another.
func (b rig) heartbeats(owner string, from, until time.Time) {
	b.Helper()
	for at := from; !at.After(until); at = at.Add(store.OwnerLapse / 2) {
		b.heartbeat(owner, at)
	}
}

func (b rig) list() []store.Subscription {
	b.Helper()
	list, err := b.List(b.Context(), store.Filter{})
	b.must(err)
	return list
}
