package store_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reviewcast/edge/hub/store"
)

func TestSubscribeAndDeliver(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		id := b.subscribe("https://a.example/cb?x=1", "s3cret", noon)
		b.none("me", "a", noon) // what is there already isn't sent

		b.publish(2, "b")
		b.none("me", "a", noon) // an edge that is behind claims nothing
		d := b.one("me", "b", noon)
		want := store.Delivery{ID: id, Topic: topic, Callback: "https://a.example/cb?x=1", Endpoint: "a.example:443",
			Secret: []byte("s3cret"), ExpiresAt: noon.Add(time.Hour), Version: 2, Pace: store.New, ClaimedAt: noon}
		if diff := cmp.Diff(want, d); diff != "" {
			b.Error(diff)
		}
		b.none("me", "b", noon) // one in flight
		b.publish(3, "c")
		b.none("me", "c", noon) // even of a newer version

		b.ack("me", noon, store.Outcome{Delivery: d, Verdict: store.Delivered})
		d = b.one("me", "c", noon)
		b.ack("me", noon, store.Outcome{Delivery: d, Verdict: store.Delivered})
		b.none("me", "c", noon)
	})
}

func TestOutcomes(t *testing.T) {
	each(t, func(b rig) {
		later := noon.Add(time.Minute)
		for _, c := range []struct {
			name    string
			outcome store.Outcome
			renewed bool // between claim and acknowledgement
			left    bool
			want    store.Subscription // members that matter
			pending int
		}{
			{name: "delivered", outcome: store.Outcome{Verdict: store.Delivered}, left: true, want: store.Subscription{}},
			{name: "failed", outcome: store.Outcome{Verdict: store.Failed, Next: later, Error: "no"}, left: true,
				want: store.Subscription{Behind: true, Failures: 1, NextAttempt: later, LastError: "no"}},
			{name: "released", outcome: store.Outcome{Verdict: store.Released}, left: true, want: store.Subscription{Behind: true}},
			{name: "postponed", outcome: store.Outcome{Verdict: store.Released, Next: later}, left: true,
				want: store.Subscription{Behind: true, NextAttempt: later}},
			{name: "gone", outcome: store.Outcome{Verdict: store.Gone, Next: later}},
			{name: "gone, but renewed", outcome: store.Outcome{Verdict: store.Gone, Next: later}, renewed: true, left: true,
				want: store.Subscription{Behind: true, NextAttempt: later}},
			{name: "denied", outcome: store.Outcome{Verdict: store.Denied, Next: later, Reason: "thrice"}, pending: 1},
			{name: "denied, but renewed", outcome: store.Outcome{Verdict: store.Denied, Next: later}, renewed: true, left: true,
				want: store.Subscription{Behind: true, NextAttempt: later}},
		} {
			b.Run(c.name, func(t *testing.T) {
				b := rig{t, b.Store}
				b.heartbeat("me", noon)
				hash := fmt.Sprint(c.name)
				topics, err := b.Topics(b.Context())
				b.must(err)
				callback := "https://a.example/" + url.PathEscape(c.name)
				id := b.subscribe(callback, "", noon)
				b.publish(topics[topic].Sequence+1, "before "+hash)
				b.publish(topics[topic].Sequence+2, hash)
				d := b.one("me", hash, noon)
				if c.renewed {
					b.subscribe(callback, "", noon.Add(time.Second))
				}
				c.outcome.Delivery = d
				b.ack("me", noon.Add(2*time.Second), c.outcome)
				list, err := b.List(b.Context(), store.Filter{IDs: []int64{id}})
				b.must(err)
				if !c.left {
					if len(list) != 0 {
						b.Fatalf("not removed: %+v", list)
					}
				} else {
					got := list[0]
					got = store.Subscription{Behind: got.Behind, Failures: got.Failures, NextAttempt: got.NextAttempt, LastError: got.LastError, InFlight: got.InFlight}
					if diff := cmp.Diff(c.want, got); diff != "" {
						b.Error(diff)
					}
					_, err := b.Remove(b.Context(), noon, []int64{id}, "")
					b.must(err)
				}
				pending := b.claimVerifications(noon.Add(2 * time.Second))
				if len(pending) != c.pending {
					b.Fatalf("%d denials, want %d", len(pending), c.pending)
				}
				for _, h := range pending {
					if h.Mode != store.ModeDenied || h.Reason != "thrice" || h.Callback != callback || h.Host != "a.example" {
						b.Errorf("denial: %+v", h)
					}
					_, err := b.Settle(b.Context(), noon, h, true, "")
					b.must(err)
				}
			})
		}
	})
}

// A subscription whose failures an operator resets while a delivery is in flight isn't
// removed by that delivery.
func TestRetryInFlight(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		id := b.subscribe("https://a.example/", "", noon)
		b.publish(2, "b")
		for range 2 {
			b.ack("me", noon, store.Outcome{Delivery: b.one("me", "b", noon), Verdict: store.Failed, Next: noon, Error: "no"})
		}
		third := b.one("me", "b", noon)
		if done, err := b.Retry(b.Context(), []int64{id}); !slices.Equal(done, []int64{id}) || err != nil {
			b.Fatal(done, err)
		}
		b.ack("me", noon, store.Outcome{Delivery: third, Verdict: store.Denied, Next: noon, Reason: "thrice"})
		if list := b.list(); len(list) != 1 || list[0].Failures != 0 || len(b.claimVerifications(noon)) != 0 {
			b.Fatalf("after the third failure of one whose failures were reset: %+v", list)
		}
		fourth := b.one("me", "b", noon)
		b.must(func() error { _, err := b.Retry(b.Context(), []int64{id}); return err }())
		b.ack("me", noon, store.Outcome{Delivery: fourth, Verdict: store.Failed, Next: noon, Error: "no"})
		if list := b.list(); list[0].Failures != 1 {
			b.Errorf("%d failures, want 1", list[0].Failures)
		}
	})
}

// Errors are stored whatever text subscribers put into them. The hub removes control
// characters.
func TestErrorText(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		id := b.subscribe("https://a.example/", "", noon)
		for i, word := range []string{"\xff\xfe", strings.Repeat("é", 1<<16), `\u0000 "'`, "\u2028"} {
			hash := fmt.Sprint(i)
			b.publish(int64(2+i), hash)
			d := b.one("me", hash, noon)
			b.ack("me", noon, store.Outcome{Delivery: d, Verdict: store.Failed, Error: word, Next: noon})
			if s := b.list()[0]; s.ID != id || s.LastError == "" {
				b.Errorf("%.20q is kept as %.20q", word, s.LastError)
			}
			d = b.one("me", hash, noon)
			b.ack("me", noon, store.Outcome{Delivery: d, Verdict: store.Delivered})
		}
		b.publish(100, "end")
		d := b.one("me", "end", noon)
		b.ack("me", noon, store.Outcome{Delivery: d, Verdict: store.Denied, Reason: "a'b"})
		if hs := b.claimVerifications(noon); len(hs) != 1 || hs[0].Reason != "a'b" {
			b.Errorf("denials: %+v", hs)
		}
	})
}

// Revalidate returns the current state of what was claimed.
func TestRevalidate(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		kept := b.subscribe("https://a.example/kept", "old", noon)
		renewed := b.subscribe("https://a.example/renewed", "old", noon)
		b.subscribe("https://a.example/left", "old", noon)
		removed := b.subscribe("https://a.example/removed", "old", noon)
		b.publish(2, "b")
		claimed := b.claim("me", "b", noon)
		later := noon.Add(time.Second)
		b.subscribe("https://a.example/renewed", "new", later)
		b.request(ask(store.ModeUnsubscribe, "https://a.example/left", ""), later)
		_, err := b.Settle(b.Context(), later, b.claimVerifications(later)[0], true, "")
		b.must(err)
		_, err = b.Remove(b.Context(), noon, []int64{removed}, "")
		b.must(err)

		revalidate := func(owner string) map[int64]store.Delivery {
			valid := map[int64]store.Delivery{}
			for _, d := range claimed {
				ok, err := b.Revalidate(b.Context(), owner, &d)
				b.must(err)
				if ok {
					valid[d.ID] = store.Delivery{Secret: d.Secret, ExpiresAt: d.ExpiresAt}
				}
			}
			return valid
		}
		want := map[int64]store.Delivery{
			kept:    {Secret: []byte("old"), ExpiresAt: noon.Add(time.Hour)},
			renewed: {Secret: []byte("new"), ExpiresAt: later.Add(time.Hour)},
		}
		if diff := cmp.Diff(want, revalidate("me")); diff != "" {
			b.Error(diff)
		}
		if valid := revalidate("you"); len(valid) != 0 {
			b.Errorf("another's: %+v", valid)
		}
		b.publish(3, "c")
		if valid := revalidate("me"); len(valid) != 0 {
			b.Errorf("after a newer version: %+v", valid)
		}
	})
}

// Slow subscribers, quick ones and new ones are claimed separately. A slow subscriber must
// answer quickly twice to be quick. A delivery that isn't attempted changes no pace.
func TestPace(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "0")
		b.subscribe("https://a.example/", "", noon)
		for i, c := range []struct {
			is   store.Pace
			slow bool
			end  store.Verdict
		}{
			{store.New, false, store.Delivered},
			{store.Quick, false, store.Delivered},
			{store.Quick, true, store.Delivered},
			{store.Slow, true, store.Failed},
			{store.Slow, false, store.Released},
			{store.Slow, false, store.Failed},
			{store.New, false, store.Released},
			{store.New, false, store.Failed},
			{store.Quick, true, store.Failed},
			{store.Slow, false, store.Delivered},
			{store.New, false, store.Delivered},
			{store.Quick, false, store.Delivered},
		} {
			hash := fmt.Sprint(i + 1)
			b.publish(int64(i+2), hash)
			due, err := b.Due(b.Context(), noon)
			b.must(err)
			if diff := cmp.Diff([]store.WorkKey{{Topic: topic, Pace: c.is}}, due); diff != "" {
				b.Errorf("step %d: due: %s", i, diff)
			}
			if late, err := b.Due(b.Context(), noon.Add(time.Hour)); err != nil || len(late) != 0 {
				b.Errorf("step %d: due after the lease: %v, %v", i, late, err)
			}
			var mine store.Delivery
			claim := store.Claim{Owner: "me", WorkKey: store.WorkKey{Topic: topic, Pace: store.New}, SHA256: hash, Limit: 10}
			for ; claim.Pace <= store.Slow; claim.Pace++ {
				claimed, err := b.ClaimDeliveries(b.Context(), noon, claim)
				b.must(err)
				if want := claim.Pace == c.is; len(claimed) == 1 != want {
					b.Fatalf("step %d: claimed as %d: %d, want the one that is %d", i, claim.Pace, len(claimed), c.is)
				}
				if len(claimed) == 1 {
					if list := b.list(); list[0].Slow != (c.is == store.Slow) {
						b.Errorf("step %d: shown as slow: %t", i, list[0].Slow)
					}
					mine = claimed[0]
				}
			}
			b.ack("me", noon, store.Outcome{Delivery: mine, Verdict: c.end, Slow: c.slow})
		}
	})
}

func TestExcept(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		for _, host := range []string{"a", "b", "c"} {
			b.subscribe("https://"+host+".example/", "", noon)
		}
		b.publish(2, "b")
		claimed := b.claimAll(noon, store.Claim{Owner: "me", SHA256: "b", Limit: 100,
			Except: []string{"a.example:443", `"quoted"`, "c.example:443"}})
		if len(claimed) != 1 || claimed[0].Endpoint != "b.example:443" {
			b.Errorf("claimed %+v", claimed)
		}
	})
}

// Hubs that claim concurrently share the work, and no delivery is claimed twice.
func TestClaimsConcurrently(t *testing.T) {
	each(t, func(b rig) {
		const n = 200
		b.publish(1, "a")
		for i := range n {
			b.subscribe(fmt.Sprintf("https://a.example/%d", i), "", noon)
		}
		b.publish(2, "b")
		var mu sync.Mutex
		var got []int64
		var wg sync.WaitGroup
		for _, owner := range []string{"me", "you", "they"} {
			b.heartbeat(owner, noon)
			wg.Go(func() {
				for {
					claimed, err := b.ClaimDeliveries(context.Background(), noon, store.Claim{Owner: owner, WorkKey: store.WorkKey{Topic: topic, Pace: store.New}, SHA256: "b", Limit: 7})
					if err != nil || len(claimed) == 0 {
						if err != nil {
							b.Error(err)
						}
						return
					}
					mu.Lock()
					for _, d := range claimed {
						got = append(got, d.ID)
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		slices.Sort(got)
		if len(got) != n || len(slices.Compact(got)) != n {
			b.Errorf("%d claims, %d of them different, want %d", len(got), len(slices.Compact(got)), n)
		}
	})
}
