package store_test

import (
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	"reviewcast/edge/hub/store"
)

func TestVerifications(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		b.request(ask(store.ModeSubscribe, "https://a.example/", "old"), noon)
		old := b.claimVerifications(noon)[0]
		if again := b.claimVerifications(noon); len(again) != 0 {
			b.Fatalf("claimed twice: %+v", again)
		}
		b.request(ask(store.ModeSubscribe, "https://a.example/", "new"), noon)
		if _, err := b.Settle(b.Context(), noon, old, false); !errors.Is(err, store.ErrStale) {
			b.Fatalf("a late refusal of an older request: %v, want ErrStale", err)
		}
		newer := b.claimVerifications(noon)[0]
		if string(newer.Secret) != "new" || newer.Attempts != 0 {
			b.Fatalf("the newer request is %+v", newer)
		}
		b.must(b.Postpone(b.Context(), newer, 1, noon.Add(time.Minute)))
		if early := b.claimVerifications(noon.Add(time.Minute - 1)); len(early) != 0 {
			b.Fatalf("claimed too early: %+v", early)
		}
		newer = b.claimVerifications(noon.Add(time.Minute))[0]
		if newer.Attempts != 1 {
			b.Errorf("%d attempts, want 1", newer.Attempts)
		}
		if _, err := b.Settle(b.Context(), noon, newer, false); err != nil {
			b.Fatal(err)
		}
		if len(b.list()) != 0 {
			b.Errorf("refused, but subscribed: %+v", b.list())
		}
		if _, err := b.Settle(b.Context(), noon, old, true); !errors.Is(err, store.ErrStale) {
			b.Fatalf("a late answer to an older request, the newer settled: %v, want ErrStale", err)
		}
	})
}

// A third party that knows a callback can't keep it from subscribing by sending another
// request before each answer. The last request decides.
func TestReplacedWhileAnswering(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		b.request(ask(store.ModeSubscribe, "https://a.example/", "own"), noon)
		first := b.claimVerifications(noon)[0]
		b.publish(2, "b")
		b.request(ask(store.ModeUnsubscribe, "https://a.example/", ""), noon) // by a third party
		if _, err := b.Settle(b.Context(), noon, first, true); err != nil {
			b.Fatalf("confirmed, and replaced meanwhile: %v", err)
		}
		if d := b.one("me", "b", noon); string(d.Secret) != "own" { // a change after the request is delivered
			b.Errorf("subscribed with %q", d.Secret)
		}
		other := b.claimVerifications(noon)[0]
		if _, err := b.Settle(b.Context(), noon, other, false); err != nil { // refused
			b.Fatal(err)
		}
		if len(b.list()) != 1 {
			b.Error("not subscribed")
		}

		b.request(ask(store.ModeSubscribe, "https://a.example/", "renewed"), noon)
		second := b.claimVerifications(noon)[0]
		b.request(ask(store.ModeUnsubscribe, "https://a.example/", ""), noon) // by the subscriber
		last := b.claimVerifications(noon)[0]
		for _, h := range []store.Verification{second, last} {
			if _, err := b.Settle(b.Context(), noon, h, true); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := b.Settle(b.Context(), noon, second, true); !errors.Is(err, store.ErrStale) || len(b.list()) != 0 {
			b.Errorf("after the last request, %v: %+v", err, b.list())
		}
	})
}

func TestRenew(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		id := b.subscribe("https://a.example/", "old", noon)
		b.publish(2, "b")
		d := b.one("me", "b", noon)
		next := noon.Add(10 * time.Minute)
		b.ack("me", noon, store.Outcome{Delivery: d, Verdict: store.Failed, Next: next, Error: "answered 500"})

		// A renewal that is refused changes nothing.
		b.request(ask(store.ModeSubscribe, "https://a.example/", "newer"), noon.Add(time.Minute))
		_, err := b.Settle(b.Context(), noon.Add(time.Minute), b.claimVerifications(noon.Add(time.Minute))[0], false)
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
			b.Errorf("a renewal changed what is to be delivered: %+v", after)
		}
		b.none("me", "b", next.Add(-1))
		if d := b.one("me", "b", next); d.Secret != nil || d.Failures != 1 {
			b.Errorf("the retry is %+v", d)
		}
	})
}

// After its lease a subscription gets no delivery, whether it is swept or not. A new
// request starts from the beginning.
func TestExpiry(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		b.subscribe("https://a.example/", "", noon)
		b.publish(2, "b")
		end := noon.Add(time.Hour)
		b.heartbeat("me", end)
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
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		id := b.subscribe("https://a.example/", "", noon)
		for _, want := range []int64{id, 0} { // the second time there is nothing to remove
			b.request(ask(store.ModeUnsubscribe, "https://a.example/", ""), noon)
			got, err := b.Settle(b.Context(), noon, b.claimVerifications(noon)[0], true)
			b.must(err)
			if got != want || len(b.list()) != 0 {
				b.Errorf("removed %d, want %d; left: %+v", got, want, b.list())
			}
		}
	})
}

// A subscriber that is removed while a request is pending learns it from the
// verification or, if that fails, from a denial: a third party's request must not
// suppress the denial.
func TestDeniedWhileRequested(t *testing.T) {
	each(t, func(b rig) {
		for i := range 4 {
			confirmed, first := i%2 == 0, i < 2
			b.heartbeat("me", noon)
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
			if !first { // it replaces the denial
				b.request(ask(store.ModeSubscribe, callback, ""), noon.Add(2*time.Second))
			}
			h := b.claimVerifications(noon.Add(2 * time.Second))
			if len(h) != 1 || h[0].Mode != store.ModeSubscribe {
				b.Fatalf("pending: %+v", h)
			}
			_, err = b.Settle(b.Context(), noon.Add(3*time.Second), h[0], confirmed)
			b.must(err)
			h = b.claimVerifications(noon.Add(3 * time.Second))
			if confirmed {
				if len(h) != 0 {
					b.Errorf("subscribed again, but denied: %+v", h)
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

// A host has one spelling.
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

func TestCaps(t *testing.T) {
	each(t, func(b rig) {
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
		for _, h := range b.claimVerifications(noon) {
			_, err := b.Settle(b.Context(), noon, h, true)
			b.must(err)
		}
		// Existing subscriptions may be renewed and ended, however many requests are pending.
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
