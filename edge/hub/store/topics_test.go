package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
)

func TestPublish(t *testing.T) {
	each(t, func(b rig) {
		for _, step := range []struct {
			sequence int64
			hash     string
			modified int // seconds after noon
			moved    bool
			why      string
		}{
			{5, "a", 0, false, "the first content is not a change"},
			{6, "a", 0, false, "the hash is the same"},
			{7, "b", 0, true, "a higher sequence and another hash"},
			{7, "c", 0, false, "another hash at an equal sequence, not modified later"},
			{7, "c", 2, true, "another hash at an equal sequence, modified later"},
			{7, "b", 1, false, "the edge with the older of the two"},
			{6, "a", 0, false, "an edge that is behind"},
			{8, "a", 0, true, "a newer build with an older content is a change"},
			{10, "a", 0, false, "the same content in a newer build"},
			{9, "b", 0, false, "an edge that lags between the two, with the older content"},
		} {
			if moved := b.publishModified(step.sequence, step.hash, noon.Add(time.Duration(step.modified)*time.Second)); moved != step.moved {
				b.Errorf("sequence %d, hash %s: moved %t, want %t: %s", step.sequence, step.hash, moved, step.moved, step.why)
			}
		}
		topics, err := b.Topics(b.Context())
		b.must(err)
		want := map[string]store.Publication{topic: {Topic: topic, SHA256: "a", Sequence: 10, Modified: noon}}
		if diff := cmp.Diff(want, topics); diff != "" {
			b.Error(diff)
		}
	})
}

// A change between request and verification is delivered.
func TestChangeWhileVerifying(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		b.request(ask(store.ModeSubscribe, "https://a.example/", ""), noon)
		hs := b.claimVerifications(noon)
		b.publish(2, "b")
		_, err := b.Settle(b.Context(), noon, hs[0], true, "")
		b.must(err)
		b.one("me", "b", noon)
	})
}

// The content that a subscriber could fetch at its request decides what is delivered,
// whatever the topic's row said by then, or whether there was one.
func TestServed(t *testing.T) {
	for name, c := range map[string]struct {
		before []store.Publication // published when the request comes
		served store.Publication   // where it comes
		after  store.Publication
		due    bool
	}{
		"nothing has been published yet": {nil, store.Publication{}, store.Publication{SHA256: "a", Sequence: 1}, true},
		"the hub hasn't stored what it serves, and stops before it does": {nil, store.Publication{SHA256: "a", Sequence: 1},
			store.Publication{SHA256: "b", Sequence: 2}, true},
		"the hub stores what it serves later": {nil, store.Publication{SHA256: "a", Sequence: 1},
			store.Publication{SHA256: "a", Sequence: 1}, false},
		"an edge that lags": {[]store.Publication{{SHA256: "a", Sequence: 1}, {SHA256: "b", Sequence: 2}},
			store.Publication{SHA256: "a", Sequence: 1}, store.Publication{SHA256: "b", Sequence: 2}, true},
		"an edge that lags with the same content": {[]store.Publication{{SHA256: "a", Sequence: 1}, {SHA256: "a", Sequence: 2}},
			store.Publication{SHA256: "a", Sequence: 1}, store.Publication{SHA256: "a", Sequence: 2}, false},
		"the usual case": {[]store.Publication{{SHA256: "a", Sequence: 1}, {SHA256: "b", Sequence: 2}},
			store.Publication{SHA256: "b", Sequence: 2}, store.Publication{SHA256: "b", Sequence: 2}, false},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(b rig) {
				b.heartbeat("me", noon)
				for _, p := range c.before {
					b.publish(p.Sequence, p.SHA256)
				}
				b.must(b.Request(b.Context(), noon, ask(store.ModeSubscribe, "https://a.example/", ""), c.served, caps))
				_, err := b.Settle(b.Context(), noon, b.claimVerifications(noon)[0], true, "")
				b.must(err)
				b.publish(c.after.Sequence, c.after.SHA256)
				if due := len(b.claim("me", c.after.SHA256, noon)) > 0; due != c.due {
					b.Errorf("due %t, want %t", due, c.due)
				}
			})
		})
	}
}

// TestPing: a ping that one process passes on arrives at the others.
func TestPing(t *testing.T) {
	state := storetest.Postgres(t)
	one, two := storetest.Open(t, state), storetest.Open(t, state)
	want := []string{"ab", "cd"}
	for { // until two listens
		if err := one.Ping(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-two.Pings():
			if !slices.Equal(got, want) {
				t.Errorf("arrived: %q", got)
			}
			return
		case <-t.Context().Done():
			t.Fatal("no ping has arrived")
		case <-time.After(100 * time.Millisecond):
		}
	}
}
