package store_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"reviewcast/edge/hub/store"
)

// Every end of a subscription is recorded, with its cause and a key for a proof, and
// without the callback's query.
func TestDepartures(t *testing.T) {
	const callback = "https://a.example/cb?token=hunter2"
	errors := map[string]string{
		store.CauseGone: "answered 410 Gone", store.CauseFailed: "answered 500", store.CauseUnverified: "answered 404 Not Found",
	}
	for cause, end := range map[string]func(b rig, id int64){
		store.CauseUnsubscribed: func(b rig, _ int64) {
			b.request(ask(store.ModeUnsubscribe, callback, ""), noon)
			_, err := b.Settle(b.Context(), noon, b.claimVerifications(noon)[0], true, "")
			b.must(err)
		},
		store.CauseGone: func(b rig, _ int64) {
			b.ack("me", noon, store.Outcome{Delivery: b.one("me", "b", noon), Verdict: store.Gone, Error: "answered 410 Gone"})
		},
		store.CauseFailed: func(b rig, _ int64) {
			b.ack("me", noon, store.Outcome{Delivery: b.one("me", "b", noon), Verdict: store.Denied, Error: "answered 500", Reason: "thrice"})
		},
		store.CauseExpired: func(b rig, _ int64) {
			_, err := b.Sweep(b.Context(), noon.Add(25*time.Hour), 10)
			b.must(err)
		},
		store.CauseRemoved: func(b rig, id int64) {
			_, err := b.Remove(b.Context(), noon, []int64{id}, "")
			b.must(err)
		},
		store.CauseUnverified: func(b rig, id int64) {
			_, err := b.Remove(b.Context(), noon.Add(-time.Hour), []int64{id}, "")
			b.must(err)
			b.request(ask(store.ModeSubscribe, callback, "s3cret"), noon)
			_, err = b.Settle(b.Context(), noon, b.claimVerifications(noon)[0], false, "answered 404 Not Found")
			b.must(err)
		},
	} {
		t.Run(cause, func(t *testing.T) {
			each(t, func(b rig) {
				b.heartbeat("me", noon)
				b.publish(1, "a")
				id := b.subscribe(callback, "s3cret", noon)
				b.publish(2, "b")
				end(b, id)
				for _, topic := range []string{topic, ""} {
					history, err := b.History(b.Context(), noon, topic, callback)
					b.must(err)
					var got *store.Departure
					for _, r := range history {
						if got == nil && r.Departure != nil {
							got = r.Departure
							if !bytes.Equal(r.ProofKey, store.ProofKey([]byte("s3cret"))) {
								b.Errorf("proof key %x", r.ProofKey)
							}
						}
						if r.Subscription != nil {
							b.Errorf("still subscribed: %+v", r.Subscription)
						}
					}
					if got == nil || got.Cause != cause || got.Callback != "https://a.example/cb" || got.Topic == "" || got.At.IsZero() || got.Error != errors[cause] {
						b.Errorf("history of %q: %+v", topic, got)
					}
				}
				if history, err := b.History(b.Context(), noon, other, callback); err != nil || len(history) != 0 {
					b.Errorf("history of another topic: %+v, %v", history, err)
				}
				_, err := b.Sweep(b.Context(), noon.Add(60*24*time.Hour), 10)
				b.must(err)
				history, err := b.History(b.Context(), noon, topic, callback)
				b.must(err)
				for _, r := range history { // a denial may be pending
					if r.Verification == nil {
						b.Errorf("history after 60 days: %+v", r)
					}
				}
			})
		})
	}
}

// A request that is confirmed while its history is read is in it.
func TestHistoryWhileConfirmed(t *testing.T) {
	each(t, func(b rig) {
		b.publish(1, "a")
		for i := range 50 {
			callback := fmt.Sprintf("https://a.example/%d", i)
			b.request(ask(store.ModeSubscribe, callback, ""), noon)
			v := b.claimVerifications(noon)[0]
			settled := make(chan error)
			go func() {
				_, err := b.Settle(b.Context(), noon, v, true, "")
				settled <- err
			}()
			for done := false; !done; {
				select {
				case err := <-settled:
					b.must(err)
					done = true
				default:
				}
				history, err := b.History(b.Context(), noon, topic, callback)
				b.must(err)
				if len(history) == 0 {
					b.Error("nothing is known of", callback)
				}
			}
		}
	})
}

// The history has the subscription and the pending verification, with the keys of their
// secrets.
func TestHistory(t *testing.T) {
	each(t, func(b rig) {
		const callback = "https://a.example/"
		b.publish(1, "a")
		id := b.subscribe(callback, "old", noon)
		b.request(ask(store.ModeSubscribe, callback, "new"), noon)
		v := b.claimVerifications(noon)[0]
		b.must(b.Postpone(b.Context(), v, 1, noon.Add(time.Minute), "no answer"))
		history, err := b.History(b.Context(), noon, topic, callback)
		b.must(err)
		if len(history) != 2 || history[0].Verification == nil || history[1].Subscription == nil || history[1].Subscription.ID != id {
			b.Fatalf("history %+v", history)
		}
		if !bytes.Equal(history[0].ProofKey, store.ProofKey([]byte("new"))) || !bytes.Equal(history[1].ProofKey, store.ProofKey([]byte("old"))) {
			b.Error("the keys are not those of the secrets")
		}
		if got := history[0].Verification; got.Attempts != 1 || got.LastError != "no answer" {
			b.Errorf("verification %+v", got)
		}
	})
}
