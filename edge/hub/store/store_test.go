package store_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reviewcast/edge/hub/store"
	"reviewcast/edge/hub/store/storetest"
)

const (
	topic = "https://reviews.example.com/feed.xml"
	other = "https://reviews.example.com/reviews.json"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

var caps = store.Caps{PendingPerHost: 3}

// book is a store with what tests do to it.
type book struct {
	*testing.T
	store.Store
}

func each(t *testing.T, f func(b book)) {
	storetest.Each(t, func(t *testing.T, state string) {
		f(book{t, storetest.Open(t, state)})
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

func (b book) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b book) publish(sequence int64, hash string) bool {
	b.Helper()
	moved, err := b.Publish(b.Context(), noon, store.Publication{Topic: topic, SHA256: hash, Sequence: sequence})
	b.must(err)
	return moved
}

func (b book) request(r store.Request, at time.Time) {
	b.Helper()
	b.must(b.Request(b.Context(), at, r, caps))
}

// shake claims every handshake that is due.
func (b book) shake(at time.Time) []store.Handshake {
	b.Helper()
	claimed, err := b.ClaimHandshakes(b.Context(), at, "me", nil, 100)
	b.must(err)
	return claimed
}

// subscribe goes the whole way.
func (b book) subscribe(callback, secret string, at time.Time) int64 {
	b.Helper()
	b.request(ask(store.ModeSubscribe, callback, secret), at)
	claimed := b.shake(at)
	if len(claimed) != 1 {
		b.Fatalf("%d handshakes are due, want 1", len(claimed))
	}
	id, err := b.Settle(b.Context(), at, claimed[0], true)
	b.must(err)
	return id
}

func (b book) claim(owner, hash string, at time.Time) []store.Delivery {
	b.Helper()
	claimed, err := b.ClaimDeliveries(b.Context(), at, store.Claim{Owner: owner, Topic: topic, SHA256: hash, Limit: 100})
	b.must(err)
	return claimed
}

func (b book) one(owner, hash string, at time.Time) store.Delivery {
	b.Helper()
	claimed := b.claim(owner, hash, at)
	if len(claimed) != 1 {
		b.Fatalf("%d deliveries are due, want 1", len(claimed))
	}
	return claimed[0]
}

func (b book) none(owner, hash string, at time.Time) {
	b.Helper()
	if claimed := b.claim(owner, hash, at); len(claimed) != 0 {
		b.Fatalf("%d deliveries are due, want none: %+v", len(claimed), claimed)
	}
}

func (b book) ack(owner string, at time.Time, o ...store.Outcome) {
	b.Helper()
	b.must(b.Acknowledge(b.Context(), at, owner, o))
}

func (b book) beat(owner string, at time.Time) {
	b.Helper()
	b.must(b.Beat(b.Context(), at, owner))
}

func (b book) list() []store.Subscription {
	b.Helper()
	list, err := b.List(b.Context(), store.Filter{})
	b.must(err)
	return list
}

func TestPublish(t *testing.T) {
	each(t, func(b book) {
		for _, step := range []struct {
			sequence int64
			hash     string
			moved    bool
			why      string
		}{
			{5, "a", false, "the first content moves nothing: nobody was told of another"},
			{6, "a", false, "the hash hasn't moved"},
			{6, "b", true, "a higher sequence and another hash"},
			{6, "c", false, "another hash in an equal sequence: two builds that don't know each other"},
			{5, "a", false, "an edge that is behind"},
			{7, "a", true, "going back is a change, too, when it is a newer build"},
		} {
			if moved := b.publish(step.sequence, step.hash); moved != step.moved {
				b.Errorf("sequence %d, hash %s: moved %t, want %t: %s", step.sequence, step.hash, moved, step.moved, step.why)
			}
		}
		topics, err := b.Topics(b.Context())
		b.must(err)
		want := map[string]store.Publication{topic: {Topic: topic, SHA256: "a", Sequence: 7, Version: 3, ChangedAt: noon}}
		if diff := cmp.Diff(want, topics); diff != "" {
			b.Error(diff)
		}
	})
}

func TestSubscribeAndDeliver(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
		b.publish(1, "a")
		id := b.subscribe("https://a.example/cb?x=1", "s3cret", noon)
		b.none("me", "a", noon) // what is there already isn't sent

		b.publish(2, "b")
		b.none("me", "a", noon) // an edge that is behind claims nothing
		d := b.one("me", "b", noon)
		want := store.Delivery{ID: id, Topic: topic, Callback: "https://a.example/cb?x=1", Endpoint: "a.example:443",
			Secret: []byte("s3cret"), ExpiresAt: noon.Add(time.Hour), Version: 2, ClaimedAt: noon}
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

// A change between request and verification is delivered.
func TestChangeWhileVerifying(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
		b.publish(1, "a")
		b.request(ask(store.ModeSubscribe, "https://a.example/", ""), noon)
		hs := b.shake(noon)
		b.publish(2, "b")
		_, err := b.Settle(b.Context(), noon, hs[0], true)
		b.must(err)
		b.one("me", "b", noon)
	})
}

func TestHandshakes(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
		b.publish(1, "a")
		b.request(ask(store.ModeSubscribe, "https://a.example/", "old"), noon)
		old := b.shake(noon)[0]
		if again := b.shake(noon); len(again) != 0 {
			b.Fatalf("claimed twice: %+v", again)
		}
		b.request(ask(store.ModeSubscribe, "https://a.example/", "new"), noon)
		if _, err := b.Settle(b.Context(), noon, old, true); !errors.Is(err, store.ErrStale) {
			b.Fatalf("a late answer to an older request: %v, want ErrStale", err)
		}
		newer := b.shake(noon)[0]
		if string(newer.Secret) != "new" || newer.Attempts != 0 {
			b.Fatalf("the newer request is %+v", newer)
		}
		b.must(b.Postpone(b.Context(), newer, 1, noon.Add(time.Minute)))
		if early := b.shake(noon.Add(time.Minute - 1)); len(early) != 0 {
			b.Fatalf("claimed too early: %+v", early)
		}
		newer = b.shake(noon.Add(time.Minute))[0]
		if newer.Attempts != 1 {
			b.Errorf("%d attempts, want 1", newer.Attempts)
		}
		if _, err := b.Settle(b.Context(), noon, newer, false); err != nil {
			b.Fatal(err)
		}
		if len(b.list()) != 0 {
			b.Errorf("refused, and yet there is %+v", b.list())
		}
	})
}

func TestRenew(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
		b.publish(1, "a")
		id := b.subscribe("https://a.example/", "old", noon)
		b.publish(2, "b")
		d := b.one("me", "b", noon)
		next := noon.Add(10 * time.Minute)
		b.ack("me", noon, store.Outcome{Delivery: d, Verdict: store.Failed, Next: next, Error: "answered 500"})

		// A renewal that is refused changes nothing.
		b.request(ask(store.ModeSubscribe, "https://a.example/", "newer"), noon.Add(time.Minute))
		_, err := b.Settle(b.Context(), noon.Add(time.Minute), b.shake(noon.Add(time.Minute))[0], false)
		b.must(err)
		before := b.list()[0]

		if again := b.subscribe("https://a.example/", "", noon.Add(time.Minute)); again != id {
			b.Fatalf("renewed as %d, was %d", again, id)
		}
		after := b.list()[0]
		if !before.Secret || after.Secret {
			b.Errorf("secret: %t before and %t after a renewal that drops it", before.Secret, after.Secret)
		}
		if want := noon.Add(time.Minute + time.Hour); !after.ExpiresAt.Equal(want) || !before.ExpiresAt.Equal(noon.Add(time.Hour)) {
			b.Errorf("expires at %s, was %s", after.ExpiresAt, before.ExpiresAt)
		}
		if after.Failures != 1 || !after.NextAttempt.Equal(next) || !after.Behind {
			b.Errorf("a renewal touched what is to be delivered: %+v", after)
		}
		b.none("me", "b", next.Add(-1))
		if d := b.one("me", "b", next); d.Secret != nil || d.Failures != 1 {
			b.Errorf("the retry is %+v", d)
		}
	})
}

// A lease that has ended is none, swept or not: no delivery, and who comes back
// begins anew.
func TestExpiry(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
		b.publish(1, "a")
		b.subscribe("https://a.example/", "", noon)
		b.publish(2, "b")
		end := noon.Add(time.Hour)
		b.beat("me", end)
		b.none("me", "b", end)
		b.subscribe("https://a.example/", "", end)
		b.none("me", "b", end)
		if n, err := b.Sweep(b.Context(), end, 10); n != 0 || err != nil {
			b.Errorf("swept %d, %v", n, err)
		}
		if n, err := b.Sweep(b.Context(), end.Add(time.Hour), 10); n != 1 || err != nil {
			b.Errorf("swept %d, %v, want 1", n, err)
		}
	})
}

func TestUnsubscribe(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
		b.publish(1, "a")
		id := b.subscribe("https://a.example/", "", noon)
		for _, want := range []int64{id, 0} { // the second time there is nothing to remove
			b.request(ask(store.ModeUnsubscribe, "https://a.example/", ""), noon)
			got, err := b.Settle(b.Context(), noon, b.shake(noon)[0], true)
			b.must(err)
			if got != want || len(b.list()) != 0 {
				b.Errorf("removed %d, want %d; left: %+v", got, want, b.list())
			}
		}
	})
}

func TestOutcomes(t *testing.T) {
	each(t, func(b book) {
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
				b := book{t, b.Store}
				b.beat("me", noon)
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
					_, err := b.Remove(b.Context(), []int64{id})
					b.must(err)
				}
				pending := b.shake(noon.Add(2 * time.Second))
				if len(pending) != c.pending {
					b.Fatalf("%d denials, want %d", len(pending), c.pending)
				}
				for _, h := range pending {
					if h.Mode != store.ModeDenied || h.Reason != "thrice" || h.Callback != callback || h.Host != "a.example" {
						b.Errorf("denial: %+v", h)
					}
					_, err := b.Settle(b.Context(), noon, h, true)
					b.must(err)
				}
			})
		}
	})
}

// A claim holds as long as its owner is alive, and no longer.
func TestClaimsLapse(t *testing.T) {
	each(t, func(b book) {
		b.publish(1, "a")
		b.beat("dead", noon)
		b.subscribe("https://a.example/", "", noon)
		b.publish(2, "b")
		d := b.one("dead", "b", noon)
		b.none("me", "b", noon.Add(store.OwnerLapse-time.Millisecond))
		again := b.one("me", "b", noon.Add(store.OwnerLapse))
		b.beat("me", noon.Add(store.OwnerLapse))

		// The first wasn't dead. What it says is true, but the claim is the other's now.
		b.ack("dead", noon, store.Outcome{Delivery: d, Verdict: store.Failed, Error: "late", Next: noon})
		if s := b.list()[0]; s.Failures != 0 || !s.InFlight {
			b.Errorf("a failure that is another's business was noted: %+v", s)
		}
		b.ack("dead", noon, store.Outcome{Delivery: d, Verdict: store.Delivered})
		if s := b.list()[0]; s.Behind || !s.InFlight {
			b.Errorf("a delivery that was acknowledged isn't noted, or the other's claim is gone: %+v", s)
		}
		b.ack("me", noon, store.Outcome{Delivery: again, Verdict: store.Delivered})
		if s := b.list()[0]; s.Behind || s.InFlight {
			b.Errorf("after both: %+v", s)
		}

		b.publish(3, "c")
		b.one("me", "c", noon.Add(store.OwnerLapse))
		b.must(b.Leave(b.Context(), "me"))
		b.beat("next", noon)
		b.one("next", "c", noon)
		b.none("me", "c", noon) // next is alive
		for at := noon; at.Before(noon.Add(store.ClaimLapse)); at = at.Add(store.OwnerLapse / 2) {
			b.beat("next", at)
		}
		b.one("next", "c", noon.Add(store.ClaimLapse)) // it has lost sight of its own claim
	})
}

// A file that is opened anew has no living owners.
func TestReopen(t *testing.T) {
	state := storetest.SQLite(t)
	s, err := store.Open(t.Context(), state, store.Options{Exclusive: true})
	if err != nil {
		t.Fatal(err)
	}
	b := book{t, s}
	b.beat("dead", noon)
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
	if err := s.Beat(t.Context(), noon, "me"); err == nil {
		t.Error("a closed store takes writes")
	}
	book{t, storetest.Open(t, state)}.one("me", "b", noon)
}

func TestCaps(t *testing.T) {
	each(t, func(b book) {
		for i := range caps.PendingPerHost {
			b.request(ask(store.ModeSubscribe, fmt.Sprintf("https://a.example:%d/", 8000+i), ""), noon)
		}
		b.request(ask(store.ModeSubscribe, "https://a.example:8000/", "again"), noon)
		b.request(ask(store.ModeSubscribe, "https://b.example/", ""), noon)
		if err := b.Request(b.Context(), noon, ask(store.ModeUnsubscribe, "https://a.example/", ""), caps); !errors.Is(err, store.ErrHostBusy) {
			b.Errorf("one too many for a host: %v, want ErrHostBusy", err)
		}
		for _, h := range b.shake(noon) {
			_, err := b.Settle(b.Context(), noon, h, true)
			b.must(err)
		}
		full := store.Caps{PendingPerHost: 3, Full: true}
		b.must(b.Request(b.Context(), noon, ask(store.ModeSubscribe, "https://b.example/", "renewed"), full))
		b.must(b.Request(b.Context(), noon, ask(store.ModeUnsubscribe, "https://c.example/", ""), full))
		if err := b.Request(b.Context(), noon, ask(store.ModeSubscribe, "https://c.example/", ""), full); !errors.Is(err, store.ErrFull) {
			b.Errorf("one too many: %v, want ErrFull", err)
		}
	})
}

func TestExcept(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
		b.publish(1, "a")
		for _, host := range []string{"a", "b", "c"} {
			b.subscribe("https://"+host+".example/", "", noon)
		}
		b.publish(2, "b")
		claimed, err := b.ClaimDeliveries(b.Context(), noon, store.Claim{Owner: "me", Topic: topic, SHA256: "b", Limit: 100,
			Except: []string{"a.example:443", `"quoted"`, "c.example:443"}})
		b.must(err)
		if len(claimed) != 1 || claimed[0].Endpoint != "b.example:443" {
			b.Errorf("claimed %+v", claimed)
		}
	})
}

func TestOperators(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
		b.publish(1, "a")
		first := b.subscribe("https://a.example/", "s", noon)
		second := b.subscribe("https://b.example/", "", noon)
		b.publish(2, "b")
		for _, d := range b.claim("me", "b", noon) {
			if d.ID == first {
				b.ack("me", noon, store.Outcome{Delivery: d, Verdict: store.Failed, Next: noon.Add(time.Hour), Error: "no"})
			}
		}
		for name, f := range map[string]store.Filter{
			"failing": {Failing: true}, "callback": {Callback: "https://a.example/"}, "ids": {IDs: []int64{first, 99}}, "limit": {Limit: 1},
		} {
			list, err := b.List(b.Context(), f)
			if err != nil || len(list) != 1 || list[0].ID != first {
				b.Errorf("%s: %+v, %v", name, list, err)
			}
		}
		for name, f := range map[string]store.Filter{"topic": {Topic: other}, "after": {After: second}} {
			if list, err := b.List(b.Context(), f); err != nil || len(list) != 0 {
				b.Errorf("%s: %+v, %v", name, list, err)
			}
		}
		counts, err := b.Counts(b.Context(), noon)
		b.must(err)
		want := store.Counts{Total: 2, Pending: map[string]int{}, Topics: map[string]store.TopicCounts{
			topic: {Active: 1, Failing: 1, Behind: 2, Changed: noon}}}
		if diff := cmp.Diff(want, counts); diff != "" {
			b.Error(diff)
		}
		if n, err := b.Retry(b.Context(), []int64{first}); n != 1 || err != nil {
			b.Errorf("retry: %d, %v", n, err)
		}
		if d := b.one("me", "b", noon); d.ID != first || d.Failures != 0 {
			b.Errorf("retried: %+v", d)
		}
		if n, err := b.Remove(b.Context(), []int64{first, second, 99}); n != 2 || err != nil {
			b.Errorf("remove: %d, %v", n, err)
		}
		b.request(ask(store.ModeSubscribe, "https://c.example/", ""), noon)
		pending, err := b.Pending(b.Context(), 10)
		if err != nil || len(pending) != 1 || pending[0].Callback != "https://c.example/" {
			b.Errorf("pending: %+v, %v", pending, err)
		}
	})
}

// Two hubs that claim at once share the work and never a delivery.
func TestClaimsConcurrently(t *testing.T) {
	each(t, func(b book) {
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
			b.beat(owner, noon)
			wg.Go(func() {
				for {
					claimed, err := b.ClaimDeliveries(context.Background(), noon, store.Claim{Owner: owner, Topic: topic, SHA256: "b", Limit: 7})
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

// Hubs that share a database wake each other.
func TestWake(t *testing.T) {
	state := storetest.Postgres(t)
	b, listener := book{t, storetest.Open(t, state)}, storetest.Open(t, state)
	for woken := false; !woken; { // until it listens
		b.request(ask(store.ModeSubscribe, "https://a.example/", ""), noon)
		select {
		case <-listener.Wake():
			woken = true
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("never woken")
		}
	}
}

// Several hubs that start at once on an empty database bring it up once.
func TestOpenConcurrently(t *testing.T) {
	state := storetest.Postgres(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := store.Open(context.Background(), state, store.Options{Exclusive: true})
			if err != nil {
				t.Error(err)
				return
			}
			s.Close()
		})
	}
	wg.Wait()
}

func TestOpenErrors(t *testing.T) {
	_, err := store.Open(t.Context(), "postgres://user:hunter2@127.0.0.1:1/test?connect_timeout=1", store.Options{})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v: want an error without the password", err)
	}
	if _, err := store.Open(t.Context(), t.TempDir(), store.Options{}); err == nil {
		t.Error("a directory was opened as a file")
	}
}
