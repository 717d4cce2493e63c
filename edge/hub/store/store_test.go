package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime"
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
	b.must(b.Request(b.Context(), at, r, store.Publication{}, caps))
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

// alive gives signs of life from one time until another.
func (b book) alive(owner string, from, until time.Time) {
	b.Helper()
	for at := from; !at.After(until); at = at.Add(store.OwnerLapse / 2) {
		b.beat(owner, at)
	}
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
			{7, "b", true, "a higher sequence and another hash"},
			{7, "c", false, "another hash in an equal sequence: two builds that don't know each other"},
			{6, "a", false, "an edge that is behind"},
			{8, "a", true, "going back is a change, too, when it is a newer build"},
			{10, "a", false, "the same content in a newer build"},
			{9, "b", false, "an edge that lags between the two, with what was there before"},
		} {
			if moved := b.publish(step.sequence, step.hash); moved != step.moved {
				b.Errorf("sequence %d, hash %s: moved %t, want %t: %s", step.sequence, step.hash, moved, step.moved, step.why)
			}
		}
		topics, err := b.Topics(b.Context())
		b.must(err)
		want := map[string]store.Publication{topic: {Topic: topic, SHA256: "a", Sequence: 10, Version: 3, ChangedAt: noon}}
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

// What a subscriber could fetch when he asked decides what is news to him: whatever
// the topic's row said by then, or whether there was one.
func TestServed(t *testing.T) {
	for name, c := range map[string]struct {
		before []store.Publication // published when the request comes
		served store.Publication   // where it comes
		after  store.Publication
		due    bool
	}{
		"nothing has been published yet": {nil, store.Publication{}, store.Publication{SHA256: "a", Sequence: 1}, true},
		"the hub hasn't noted what it serves, and stops before that": {nil, store.Publication{SHA256: "a", Sequence: 1},
			store.Publication{SHA256: "b", Sequence: 2}, true},
		"the hub hasn't noted what it serves, and does so later": {nil, store.Publication{SHA256: "a", Sequence: 1},
			store.Publication{SHA256: "a", Sequence: 1}, false},
		"an edge that lags": {[]store.Publication{{SHA256: "a", Sequence: 1}, {SHA256: "b", Sequence: 2}},
			store.Publication{SHA256: "a", Sequence: 1}, store.Publication{SHA256: "b", Sequence: 2}, true},
		"an edge that lags with the same content": {[]store.Publication{{SHA256: "a", Sequence: 1}, {SHA256: "a", Sequence: 2}},
			store.Publication{SHA256: "a", Sequence: 1}, store.Publication{SHA256: "a", Sequence: 2}, false},
		"as usual": {[]store.Publication{{SHA256: "a", Sequence: 1}, {SHA256: "b", Sequence: 2}},
			store.Publication{SHA256: "b", Sequence: 2}, store.Publication{SHA256: "b", Sequence: 2}, false},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(b book) {
				b.beat("me", noon)
				for _, p := range c.before {
					b.publish(p.Sequence, p.SHA256)
				}
				b.must(b.Request(b.Context(), noon, ask(store.ModeSubscribe, "https://a.example/", ""), c.served, caps))
				_, err := b.Settle(b.Context(), noon, b.shake(noon)[0], true)
				b.must(err)
				b.publish(c.after.Sequence, c.after.SHA256)
				if due := len(b.claim("me", c.after.SHA256, noon)) > 0; due != c.due {
					b.Errorf("due %t, want %t", due, c.due)
				}
			})
		})
	}
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
		if _, err := b.Settle(b.Context(), noon, old, false); !errors.Is(err, store.ErrStale) {
			b.Fatalf("a late refusal of an older request: %v, want ErrStale", err)
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
		if _, err := b.Settle(b.Context(), noon, old, true); !errors.Is(err, store.ErrStale) {
			b.Fatalf("a late answer to an older request, the newer settled: %v, want ErrStale", err)
		}
	})
}

// A stranger who knows a callback can't keep it from subscribing by asking for
// something else before each answer; and the last request has the last word.
func TestReplacedWhileAnswering(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
		b.publish(1, "a")
		b.request(ask(store.ModeSubscribe, "https://a.example/", "own"), noon)
		first := b.shake(noon)[0]
		b.publish(2, "b")
		b.request(ask(store.ModeUnsubscribe, "https://a.example/", ""), noon) // a stranger's
		if _, err := b.Settle(b.Context(), noon, first, true); err != nil {
			b.Fatalf("confirmed, and replaced meanwhile: %v", err)
		}
		if d := b.one("me", "b", noon); string(d.Secret) != "own" { // a change after the request is delivered
			b.Errorf("subscribed with %q", d.Secret)
		}
		stranger := b.shake(noon)[0]
		if _, err := b.Settle(b.Context(), noon, stranger, false); err != nil { // refused
			b.Fatal(err)
		}
		if len(b.list()) != 1 {
			b.Error("not subscribed")
		}

		b.request(ask(store.ModeSubscribe, "https://a.example/", "renewed"), noon)
		second := b.shake(noon)[0]
		b.request(ask(store.ModeUnsubscribe, "https://a.example/", ""), noon) // its own
		last := b.shake(noon)[0]
		for _, h := range []store.Handshake{second, last} {
			if _, err := b.Settle(b.Context(), noon, h, true); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := b.Settle(b.Context(), noon, second, true); !errors.Is(err, store.ErrStale) || len(b.list()) != 0 {
			b.Errorf("after the last word, %v: %+v", err, b.list())
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

// Who is removed while a request of his is pending is told by its answer, or else by
// a denial: a stranger's request in his name must not keep it from him.
func TestDeniedWhileRequested(t *testing.T) {
	each(t, func(b book) {
		for i := range 4 {
			confirmed, first := i%2 == 0, i < 2
			b.beat("me", noon)
			callback := fmt.Sprintf("https://a.example/%d", i)
			b.subscribe(callback, "", noon)
			topics, err := b.Topics(b.Context())
			b.must(err)
			hash := fmt.Sprint("news ", i)
			b.publish(topics[topic].Sequence+1, hash)
			d := b.one("me", hash, noon)
			if first {
				b.request(ask(store.ModeSubscribe, callback, ""), noon.Add(time.Second))
			}
			b.ack("me", noon.Add(2*time.Second), store.Outcome{Delivery: d, Verdict: store.Denied, Next: noon.Add(time.Minute), Reason: "thrice"})
			if !first { // it takes the place of the denial
				b.request(ask(store.ModeSubscribe, callback, ""), noon.Add(2*time.Second))
			}
			h := b.shake(noon.Add(2 * time.Second))
			if len(h) != 1 || h[0].Mode != store.ModeSubscribe {
				b.Fatalf("pending: %+v", h)
			}
			_, err = b.Settle(b.Context(), noon.Add(3*time.Second), h[0], confirmed)
			b.must(err)
			h = b.shake(noon.Add(3 * time.Second))
			if confirmed {
				if len(h) != 0 {
					b.Errorf("subscribed again, and yet %+v", h)
				}
				_, err := b.Remove(b.Context(), []int64{b.list()[0].ID})
				b.must(err)
				continue
			}
			if len(h) != 1 || h[0].Mode != store.ModeDenied || h[0].Reason != "thrice" || h[0].Callback != callback || h[0].Host != "a.example" {
				b.Fatalf("no denial: %+v", h)
			}
			_, err = b.Settle(b.Context(), noon.Add(4*time.Second), h[0], true)
			b.must(err)
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

// What is due counts since it could have been delivered: not while all that lack it
// wait for a retry.
func TestDue(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
		b.publish(1, "a")
		b.subscribe("https://a.example/", "", noon)
		due := func(at time.Time) time.Time {
			b.Helper()
			c, err := b.Counts(b.Context(), at)
			b.must(err)
			return c.Topics[topic].Due
		}
		if got := due(noon); !got.IsZero() {
			b.Errorf("due since %s with nothing to deliver", got)
		}
		b.publish(2, "b")
		if got := due(noon); !got.Equal(noon) {
			b.Errorf("due since %s, want the change", got)
		}
		next := noon.Add(10 * time.Minute)
		b.ack("me", noon, store.Outcome{Delivery: b.one("me", "b", noon), Verdict: store.Failed, Next: next, Error: "no"})
		if got := due(next.Add(-1 * time.Millisecond)); !got.IsZero() {
			b.Errorf("due since %s while it waits", got)
		}
		if got := due(next.Add(time.Minute)); !got.Equal(next) {
			b.Errorf("due since %s, want the end of the wait", got)
		}
	})
}

// An operator who has a subscription's failures forgotten while a delivery is in
// flight keeps it from being removed by that.
func TestRetryInFlight(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
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
		if list := b.list(); len(list) != 1 || list[0].Failures != 0 || len(b.shake(noon)) != 0 {
			b.Fatalf("after the third failure of one whose failures were forgotten: %+v", list)
		}
		fourth := b.one("me", "b", noon)
		b.must(func() error { _, err := b.Retry(b.Context(), []int64{id}); return err }())
		b.ack("me", noon, store.Outcome{Delivery: fourth, Verdict: store.Failed, Next: noon, Error: "no"})
		if list := b.list(); list[0].Failures != 1 {
			b.Errorf("%d failures, want 1", list[0].Failures)
		}
	})
}

// Tables of another version are refused, and made by a hub only.
func TestSchema(t *testing.T) {
	storetest.Each(t, func(t *testing.T, state string) {
		if _, err := store.Open(t.Context(), state, store.Options{}); !errors.Is(err, store.ErrSchema) {
			t.Errorf("an operator's command on an empty state: %v, want ErrSchema", err)
		}
		s := storetest.Open(t, state)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		storetest.Exec(t, state, "INSERT INTO hub_schema (version_id, is_applied) VALUES (999, true)")
		for _, exclusive := range []bool{true, false} {
			if _, err := store.Open(t.Context(), state, store.Options{Exclusive: exclusive}); !errors.Is(err, store.ErrSchema) {
				t.Errorf("tables of the future: %v, want ErrSchema", err)
			}
		}
	})
}

// A database that isn't a hub's is left as it is by an operator's command that was
// given the wrong one.
func TestForeignDatabase(t *testing.T) {
	storetest.Each(t, func(t *testing.T, state string) {
		storetest.Exec(t, state, "CREATE TABLE theirs (id integer)")
		before, _ := os.ReadFile(state) // of PostgreSQL there is none
		if _, err := store.Open(t.Context(), state, store.Options{}); !errors.Is(err, store.ErrSchema) {
			t.Errorf("%v, want ErrSchema", err)
		}
		if after, _ := os.ReadFile(state); !bytes.Equal(before, after) {
			t.Error("the file has changed")
		}
		storetest.Exec(t, state, "CREATE TABLE hub_schema (id integer)") // fails if it is there
	})
}

// A state whose file was made by hand holds secrets as much as one of ours.
func TestReadableState(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its files have no such modes")
	}
	state := storetest.SQLite(t)
	if err := os.WriteFile(state, nil, 0o644); err != nil { //nolint:gosec
		t.Fatal(err)
	}
	if err := os.Chmod(state, 0o644); err != nil { //nolint:gosec // whatever the umask
		t.Fatal(err)
	}
	s := storetest.Open(t, state)
	if err := s.Beat(t.Context(), noon, "me"); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(state + suffix); err != nil {
			t.Error(err)
		} else if info.Mode().Perm() != 0o600 {
			t.Errorf("%q: %v", suffix, info.Mode())
		}
	}
}

// A file that was removed or replaced takes writes that nobody will ever read.
func TestFileReplaced(t *testing.T) {
	state := storetest.SQLite(t)
	s := storetest.Open(t, state)
	if err := s.Beat(t.Context(), noon, "me"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(state); err != nil {
		t.Skip("an open file can't be removed here: ", err) // Windows
	}
	if err := s.Beat(t.Context(), noon, "me"); err == nil {
		t.Error("a removed file goes unnoticed")
	}
	if err := os.WriteFile(state, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Beat(t.Context(), noon, "me"); err == nil {
		t.Error("a replaced file goes unnoticed")
	}
}

// One host has one spelling.
func TestEndpoint(t *testing.T) {
	for callback, want := range map[string]string{
		"https://A.Example/": "a.example:443", "https://a.example.:443/": "a.example:443", "https://a.example:8443/": "a.example:8443",
		"https://[2600:0:0::1]/": "[2600::1]:443", "https://[::ffff:8.8.8.8]:1024/": "8.8.8.8:1024", "https://8.8.8.8/": "8.8.8.8:443",
	} {
		u, err := url.Parse(callback)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := store.Endpoint(u); got != want {
			t.Errorf("%s is %s, want %s", callback, got, want)
		}
	}
}

// What subscribers made errors say is kept, whatever it is.
func TestWords(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
		b.publish(1, "a")
		id := b.subscribe("https://a.example/", "", noon)
		for i, word := range []string{"a\x00b", "\xff\xfe", strings.Repeat("é", 1<<16), `\u0000 "'`, "\u2028"} {
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
		b.ack("me", noon, store.Outcome{Delivery: d, Verdict: store.Denied, Reason: "a\x00b"})
		if hs := b.shake(noon); len(hs) != 1 || hs[0].Reason != "ab" {
			b.Errorf("denials: %+v", hs)
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
		b.alive("me", noon, noon.Add(store.OwnerLapse))
		b.none("me", "b", noon.Add(store.OwnerLapse-time.Millisecond))
		again := b.one("me", "b", noon.Add(store.OwnerLapse))

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
		b.alive("next", noon, noon.Add(store.ClaimLapse))
		b.one("next", "c", noon.Add(store.ClaimLapse)) // it has lost sight of its own claim
	})
}

// When the database comes back after a time away, all look dead to each other. None
// takes over what is its own, nor what is another's that comes back, too.
func TestOutage(t *testing.T) {
	each(t, func(b book) {
		b.publish(1, "a")
		b.beat("me", noon)
		b.beat("you", noon)
		b.subscribe("https://a.example/", "", noon)
		b.publish(2, "b")
		b.one("you", "b", noon)
		back := noon.Add(time.Minute)
		b.none("you", "b", back)
		b.none("me", "b", back)
		b.beat("me", back)
		b.none("me", "b", back)
		if _, err := b.Sweep(b.Context(), back, 10); err != nil {
			b.Fatal(err)
		}
		b.none("me", "b", back)
		b.alive("me", back, back.Add(store.OwnerLapse))
		b.one("me", "b", back.Add(store.OwnerLapse)) // the other hasn't come back

		b.request(ask(store.ModeSubscribe, "https://b.example/", ""), back)
		b.shake(back)
		again := back.Add(time.Minute)
		if claimed, err := b.ClaimHandshakes(b.Context(), again, "you", nil, 10); err != nil || len(claimed) != 0 {
			b.Errorf("took a handshake over: %+v, %v", claimed, err)
		}
		b.alive("you", again, again.Add(store.OwnerLapse))
		if claimed, err := b.ClaimHandshakes(b.Context(), again.Add(store.OwnerLapse), "you", nil, 10); err != nil || len(claimed) != 1 {
			b.Errorf("handshakes of one that is dead: %+v, %v", claimed, err)
		}
	})
}

// A look at what was claimed shows what has become of it.
func TestConfirm(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
		b.publish(1, "a")
		kept := b.subscribe("https://a.example/kept", "old", noon)
		renewed := b.subscribe("https://a.example/renewed", "old", noon)
		left := b.subscribe("https://a.example/left", "old", noon)
		removed := b.subscribe("https://a.example/removed", "old", noon)
		b.publish(2, "b")
		b.claim("me", "b", noon)
		later := noon.Add(time.Second)
		b.subscribe("https://a.example/renewed", "new", later)
		b.request(ask(store.ModeUnsubscribe, "https://a.example/left", ""), later)
		_, err := b.Settle(b.Context(), later, b.shake(later)[0], true)
		b.must(err)
		_, err = b.Remove(b.Context(), []int64{removed})
		b.must(err)

		found, err := b.Confirm(b.Context(), "me", []int64{kept, renewed, left, removed, 99})
		b.must(err)
		want := map[int64]store.Delivery{
			kept:    {ID: kept, Secret: []byte("old"), ExpiresAt: noon.Add(time.Hour), Version: 2},
			renewed: {ID: renewed, Secret: []byte("new"), ExpiresAt: later.Add(time.Hour), Version: 2},
		}
		if diff := cmp.Diff(want, found); diff != "" {
			b.Error(diff)
		}
		b.publish(3, "c")
		if found, err := b.Confirm(b.Context(), "me", []int64{kept}); err != nil || found[kept].Version != 3 {
			b.Errorf("after a newer version: %+v, %v", found, err)
		}
		if found, err := b.Confirm(b.Context(), "you", []int64{kept}); err != nil || len(found) != 0 {
			b.Errorf("another's: %+v, %v", found, err)
		}
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
		if err := b.Request(b.Context(), noon, ask(store.ModeUnsubscribe, "https://a.example/", ""), store.Publication{}, caps); !errors.Is(err, store.ErrHostBusy) {
			b.Errorf("one too many for a host: %v, want ErrHostBusy", err)
		}
		crowd := store.Caps{PendingPerHost: 100, Pending: 4}
		if err := b.Request(b.Context(), noon, ask(store.ModeSubscribe, "https://c.example/", ""), store.Publication{}, crowd); !errors.Is(err, store.ErrBusy) {
			b.Errorf("one too many in all: %v, want ErrBusy", err)
		}
		for _, h := range b.shake(noon) {
			_, err := b.Settle(b.Context(), noon, h, true)
			b.must(err)
		}
		// Whoever is subscribed may renew and leave, however many wait.
		for i := range caps.PendingPerHost {
			b.request(ask(store.ModeSubscribe, fmt.Sprintf("https://a.example:%d/", 9000+i), ""), noon)
		}
		crowd.Pending = 3
		b.must(b.Request(b.Context(), noon, ask(store.ModeUnsubscribe, "https://b.example/", ""), store.Publication{}, crowd))
		b.request(ask(store.ModeSubscribe, "https://a.example:8000/", "renewed"), noon)
		full := store.Caps{PendingPerHost: 3, Full: true}
		b.must(b.Request(b.Context(), noon, ask(store.ModeSubscribe, "https://b.example/", "renewed"), store.Publication{}, full))
		b.must(b.Request(b.Context(), noon, ask(store.ModeUnsubscribe, "https://c.example/", ""), store.Publication{}, full))
		if err := b.Request(b.Context(), noon, ask(store.ModeSubscribe, "https://c.example/", ""), store.Publication{}, full); !errors.Is(err, store.ErrFull) {
			b.Errorf("one too many: %v, want ErrFull", err)
		}
	})
}

// Who answers slowly is claimed apart from those known to be quick and from those of
// whom nothing is known. He must be quick twice to be held to be; who isn't tried
// stays what he is.
func TestPace(t *testing.T) {
	each(t, func(b book) {
		b.beat("me", noon)
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
			if diff := cmp.Diff([]store.Vein{{Topic: topic, Pace: c.is}}, due); diff != "" {
				b.Errorf("step %d: due: %s", i, diff)
			}
			if late, err := b.Due(b.Context(), noon.Add(time.Hour)); err != nil || len(late) != 0 {
				b.Errorf("step %d: due after the lease: %v, %v", i, late, err)
			}
			var mine store.Delivery
			claim := store.Claim{Owner: "me", Topic: topic, SHA256: hash, Limit: 10}
			for claim.Pace = store.New; claim.Pace <= store.Slow; claim.Pace++ {
				claimed, err := b.ClaimDeliveries(b.Context(), noon, claim)
				b.must(err)
				if want := claim.Pace == c.is; len(claimed) == 1 != want {
					b.Fatalf("step %d: claimed as %s: %d, want the one that is %s", i, claim.Pace, len(claimed), c.is)
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
			topic: {Active: 1, Failing: 1, Behind: 2, Due: noon, Changed: noon}}}
		if diff := cmp.Diff(want, counts); diff != "" {
			b.Error(diff)
		}
		for at, inFlight := range map[time.Time]int{noon: 1, noon.Add(store.OwnerLapse): 0, {}: 1} {
			list, err := b.List(b.Context(), store.Filter{At: at})
			b.must(err)
			if n := len(slices.DeleteFunc(list, func(s store.Subscription) bool { return !s.InFlight })); n != inFlight {
				b.Errorf("%d in flight at %s, want %d", n, at, inFlight)
			}
		}
		if done, err := b.Retry(b.Context(), []int64{99, first}); !slices.Equal(done, []int64{first}) || err != nil {
			b.Errorf("retry: %d, %v", done, err)
		}
		if d := b.one("me", "b", noon); d.ID != first || d.Failures != 0 {
			b.Errorf("retried: %+v", d)
		}
		done, err := b.Remove(b.Context(), []int64{first, second, 99})
		if slices.Sort(done); !slices.Equal(done, []int64{first, second}) || err != nil {
			b.Errorf("remove: %d, %v", done, err)
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
