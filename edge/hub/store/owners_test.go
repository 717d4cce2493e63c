package store_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
)

// A claim holds as long as its owner is alive, and no longer.
func TestClaimsLapse(t *testing.T) {
	each(t, func(b rig) {
		b.publish(1, "a")
		b.heartbeat("dead", noon)
		b.subscribe("https://a.example/", "", noon)
		b.publish(2, "b")
		d := b.one("dead", "b", noon)
		b.heartbeats("me", noon, noon.Add(store.OwnerLapse))
		b.none("me", "b", noon.Add(store.OwnerLapse-time.Millisecond))
		again := b.one("me", "b", noon.Add(store.OwnerLapse))

		// The first wasn't dead. Its delivery counts, but the other owner holds the claim.
		b.ack("dead", noon, store.Outcome{Delivery: d, Verdict: store.Failed, Error: "late", Next: noon})
		if s := b.list()[0]; s.Failures != 0 || !s.InFlight {
			b.Errorf("a failure of a former owner was stored: %+v", s)
		}
		b.ack("dead", noon, store.Outcome{Delivery: d, Verdict: store.Delivered})
		if s := b.list()[0]; s.Behind || !s.InFlight {
			b.Errorf("an acknowledged delivery isn't stored, or the other owner's claim is gone: %+v", s)
		}
		b.ack("me", noon, store.Outcome{Delivery: again, Verdict: store.Delivered})
		if s := b.list()[0]; s.Behind || s.InFlight {
			b.Errorf("after both: %+v", s)
		}

		b.publish(3, "c")
		b.one("me", "c", noon.Add(store.OwnerLapse))
		b.must(b.Leave(b.Context(), "me"))
		b.heartbeat("next", noon)
		b.one("next", "c", noon)
		b.none("me", "c", noon) // next is alive
		b.heartbeats("next", noon, noon.Add(store.ClaimLapse+time.Second))
		b.one("next", "c", noon.Add(store.ClaimLapse+time.Second)) // it doesn't know of its own claim
	})
}

// An owner that died while its clock was ahead lapses after another's heartbeat. One that lives doesn't.
func TestOwnerAhead(t *testing.T) {
	each(t, func(b rig) {
		const ahead = 30 * time.Minute
		b.publish(1, "a")
		b.subscribe("https://a.example/", "", noon)
		b.heartbeat("ahead", noon.Add(ahead))
		b.publish(2, "b")
		b.one("ahead", "b", noon.Add(ahead))
		at := noon
		for range 5 { // both live
			b.heartbeat("me", at)
			b.none("me", "b", at)
			at = at.Add(store.OwnerLapse / 2)
			b.heartbeat("ahead", at.Add(ahead))
		}
		b.heartbeats("me", at, at.Add(store.OwnerLapse))
		b.one("me", "b", at.Add(store.OwnerLapse))
	})
}

// A heartbeat doesn't wait behind hundreds of requests. One that did would wait in every round; in some rounds this
// goroutine may get its turn late.
func TestHeartbeatBesideRequests(t *testing.T) {
	each(t, func(b rig) {
		const clients, rounds = 300, 5
		var completed atomic.Int64
		var begun, ended sync.WaitGroup
		begun.Add(clients)
		ctx, stop := context.WithCancel(b.Context())
		for i := range clients {
			ended.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					err := b.Request(ctx, noon, ask(store.ModeSubscribe, fmt.Sprintf("https://a.example/%d", i), ""), store.Publication{}, store.Caps{})
					if err != nil && ctx.Err() == nil {
						b.Error(err)
					}
					if completed.Add(1); n == 0 {
						begun.Done()
					}
				}
			})
		}
		begun.Wait()
		least := int64(math.MaxInt64)
		for range rounds {
			before := completed.Load()
			b.heartbeat("me", noon)
			least = min(least, completed.Load()-before)
		}
		if least > clients/3 {
			b.Errorf("at least %d requests were completed before each heartbeat", least)
		}
		stop()
		ended.Wait()
	})
}

// After an outage of the database all owners look dead to each other. No owner takes over
// its own claims, or those of another owner that reconnects, too.
func TestOutage(t *testing.T) {
	each(t, func(b rig) {
		b.publish(1, "a")
		b.heartbeat("me", noon)
		b.heartbeat("you", noon)
		b.subscribe("https://a.example/", "", noon)
		b.publish(2, "b")
		b.one("you", "b", noon)
		back := noon.Add(time.Minute)
		b.none("you", "b", back)
		b.none("me", "b", back)
		b.heartbeat("me", back)
		b.none("me", "b", back)
		if _, err := b.Sweep(b.Context(), back, 10); err != nil {
			b.Fatal(err)
		}
		b.none("me", "b", back)
		b.heartbeats("me", back, back.Add(store.OwnerLapse))
		b.one("me", "b", back.Add(store.OwnerLapse)) // the other hasn't reconnected

		b.request(ask(store.ModeSubscribe, "https://b.example/", ""), back)
		b.claimVerifications(back)
		again := back.Add(time.Minute)
		if claimed, err := b.ClaimVerifications(b.Context(), again, "you", nil, 10); err != nil || len(claimed) != 0 {
			b.Errorf("took over a verification: %+v, %v", claimed, err)
		}
		b.heartbeats("you", again, again.Add(store.OwnerLapse))
		if claimed, err := b.ClaimVerifications(b.Context(), again.Add(store.OwnerLapse), "you", nil, 10); err != nil || len(claimed) != 1 {
			b.Errorf("verifications of a dead owner: %+v, %v", claimed, err)
		}
	})
}

// A file that is opened again has no living owners.
func TestReopen(t *testing.T) {
	state := storetest.SQLite(t)
	s, err := store.Open(t.Context(), state, store.Options{Exclusive: true})
	if err != nil {
		t.Fatal(err)
	}
	b := rig{t, s}
	b.heartbeat("dead", noon)
	b.publish(1, "a")
	b.subscribe("https://a.example/", "", noon)
	b.publish(2, "b")
	b.one("dead", "b", noon)
	if _, err := store.Open(t.Context(), state, store.Options{Exclusive: true}); !errors.Is(err, store.ErrInUse) {
		t.Fatalf("opened twice: %v, want ErrInUse", err)
	}
	operator, err := store.Open(t.Context(), state, store.Options{})
	if err != nil {
		t.Fatalf("opened beside the hub: %v", err)
	}
	b.must(operator.Close())
	b.must(s.Close())
	if err := s.Heartbeat(t.Context(), noon, "me"); err == nil {
		t.Error("a closed store takes writes")
	}
	rig{t, storetest.Open(t, state)}.one("me", "b", noon)
}

// Hubs that share a database wake each other.
func TestWake(t *testing.T) {
	state := storetest.Postgres(t)
	b, listener := rig{t, storetest.Open(t, state)}, storetest.Open(t, state)
	woken := false
	for sequence := int64(1); !woken; sequence++ { // until it listens
		b.publish(sequence, fmt.Sprint(sequence))
		select {
		case <-listener.Wake():
			woken = true
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("never woken")
		}
	}
}
