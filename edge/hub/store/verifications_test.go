package store_test

import (
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
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
		if _, err := b.Settle(b.Context(), noon, old, false, ""); !errors.Is(err, store.ErrStale) {
			b.Fatalf("a late refusal of an older request: %v, want ErrStale", err)
		}
		newer := b.claimVerifications(noon)[0]
		if string(newer.Secret) != "new" || newer.Attempts != 0 {
			b.Fatalf("the newer request is %+v", newer)
		}
		b.must(b.Postpone(b.Context(), newer, 1, noon.Add(time.Minute), ""))
		if early := b.claimVerifications(noon.Add(time.Minute - 1)); len(early) != 0 {
			b.Fatalf("claimed too early: %+v", early)
		}
		newer = b.claimVerifications(noon.Add(time.Minute))[0]
		if newer.Attempts != 1 {
			b.Errorf("%d attempts, want 1", newer.Attempts)
		}
		if _, err := b.Settle(b.Context(), noon, newer, false, ""); err != nil {
			b.Fatal(err)
		}
		if len(b.list()) != 0 {
			b.Errorf("refused, but subscribed: %+v", b.list())
		}
		if _, err := b.Settle(b.Context(), noon, old, true, ""); !errors.Is(err, store.ErrStale) {
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
		if _, err := b.Settle(b.Context(), noon, first, true, ""); err != nil {
			b.Fatalf("confirmed, and replaced meanwhile: %v", err)
		}
		if d := b.one("me", "b", noon); string(d.Secret) != "own" { // a change after the request is delivered
			b.Errorf("subscribed with %q", d.Secret)
		}
		other := b.claimVerifications(noon)[0]
		if _, err := b.Settle(b.Context(), noon, other, false, ""); err != nil { // refused
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
			if _, err := b.Settle(b.Context(), noon, h, true, ""); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := b.Settle(b.Context(), noon, second, true, ""); !errors.Is(err, store.ErrStale) || len(b.list()) != 0 {
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
		_, err := b.Settle(b.Context(), noon.Add(time.Minute), b.claimVerifications(noon.Add(time.Minute))[0], false, "")
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
		if after.Failures != 0 || !after.NextAttempt.IsZero() || after.LastError != "" || !after.Behind {
			b.Errorf("a renewal didn't end the wait and the failures: %+v", after)
		}
		d = b.one("me", "b", noon.Add(time.Minute))
		if d.Secret != nil || d.Failures != 0 {
			b.Errorf("the retry is %+v", d)
		}

		// A failure of a delivery that began before a renewal doesn't count.
		b.subscribe("https://a.example/", "", noon.Add(2*time.Minute))
		b.ack("me", noon.Add(3*time.Minute), store.Outcome{Delivery: d, Verdict: store.Failed, Next: next, Error: "answered 500"})
		if after := b.list()[0]; after.Failures != 0 || after.InFlight {
			b.Errorf("after a failure that began before the renewal: %+v", after)
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
		b.ack("me", end, store.Outcome{Delivery: b.one("me", "b", end), Verdict: store.Delivered}) // nothing is missed by a late renewal
		for _, ahead := range []time.Duration{0, time.Hour, 24 * time.Hour} {                      // a clock that is ahead deletes nothing
			if n, err := b.Sweep(b.Context(), end.Add(ahead), 10); n != 0 || err != nil {
				b.Errorf("swept %d, %v", n, err)
			}
		}
		b.publish(3, "c")
		b.heartbeat("me", noon)
		b.one("me", "c", noon.Add(time.Hour)) // the clock is right again
		if n, err := b.Sweep(b.Context(), end.Add(25*time.Hour), 10); n != 1 || err != nil {
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
			got, err := b.Settle(b.Context(), noon, b.claimVerifications(noon)[0], true, "")
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
			_, err = b.Settle(b.Context(), noon.Add(3*time.Second), h[0], confirmed, "")
			b.must(err)
			h = b.claimVerifications(noon.Add(3 * time.Second))
			if confirmed {
				if len(h) != 0 {
					b.Errorf("subscribed again, but denied: %+v", h)
				}
				_, err := b.Remove(b.Context(), noon, []int64{b.list()[0].ID}, "")
				b.must(err)
				continue
			}
			if len(h) != 1 || h[0].Mode != store.ModeDenied || h[0].Reason != "thrice" || h[0].Callback != callback || h[0].Host != "a.example" {
				b.Fatalf("no denial: %+v", h)
			}
			_, err = b.Settle(b.Context(), noon.Add(4*time.Second), h[0], true, "")
			b.must(err)
		}
	})
}

// A host has one spelling.
func TestEndpoint(t *testing.T) {
	for callback, want := range map[string]string{
		"https://A.Example/": "a.example:443", "https://a.example.:443/": "a.example:443", "https://a.example:8443/": "a.example:8443",
		"https://[2600:0:0::1]/": "[2600::1]:443", "https://a.example:0443/": "a.example:443", "https://a.example:09456/": "a.example:9456", "https://a.example:/": "a.example:443",
		"https://[::ffff:8.8.8.8]:1024/": "8.8.8.8:1024", "https://8.8.8.8/": "8.8.8.8:443",
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
		refused := func(r store.Request, c store.Caps, want error) {
			b.Helper()
			if err := b.Request(b.Context(), noon, r, store.Publication{}, c); !errors.Is(err, want) {
				b.Errorf("%s %s: %v, want %v", r.Mode, r.Callback, err, want)
			}
		}
		refused(ask(store.ModeUnsubscribe, "https://a.example/", ""), caps, store.ErrHostBusy)
		crowd := store.Caps{PendingPerHost: 100, Busy: true}
		refused(ask(store.ModeSubscribe, "https://c.example/", ""), crowd, store.ErrBusy)
		b.must(b.Request(b.Context(), noon, ask(store.ModeSubscribe, "https://b.example/", "replaced"), store.Publication{}, crowd))
		for _, v := range b.claimVerifications(noon) {
			_, err := b.Settle(b.Context(), noon, v, true, "")
			b.must(err)
		}
		// Existing subscriptions may be renewed and ended, however many requests are pending.
		for i := range caps.PendingPerHost {
			b.request(ask(store.ModeSubscribe, fmt.Sprintf("https://a.example:%d/", 9000+i), ""), noon)
		}
		b.must(b.Request(b.Context(), noon, ask(store.ModeUnsubscribe, "https://b.example/", ""), store.Publication{}, crowd))
		b.request(ask(store.ModeSubscribe, "https://a.example:8000/", "renewed"), noon)
		full := store.Caps{PendingPerHost: 5, Full: true}
		b.must(b.Request(b.Context(), noon, ask(store.ModeSubscribe, "https://b.example/", "renewed"), store.Publication{}, full))
		b.must(b.Request(b.Context(), noon, ask(store.ModeUnsubscribe, "https://c.example/", ""), store.Publication{}, full))
		refused(ask(store.ModeSubscribe, "https://c.example/", ""), full, store.ErrFull)

		host := store.Caps{PerHost: 3}
		refused(ask(store.ModeSubscribe, "https://a.example/new", ""), host, store.ErrHostFull)
		b.must(b.Request(b.Context(), noon, ask(store.ModeSubscribe, "https://a.example:8001/", "renewed"), store.Publication{}, host))
		b.must(b.Request(b.Context(), noon, ask(store.ModeUnsubscribe, "https://a.example/new", ""), store.Publication{}, host))
		b.must(b.Request(b.Context(), noon, ask(store.ModeSubscribe, "https://d.example/", ""), store.Publication{}, host))
		done, err := b.Remove(b.Context(), noon, nil, "a.example")
		b.must(err)
		if len(done) != 3 || len(b.list()) != 1 {
			b.Errorf("removed %d of a host, %d are left", len(done), len(b.list()))
		}
	})
}

// The number of pending verifications of a network is capped, and correct after requests
// that were replaced, denied, settled or lost.
func TestNetworkCap(t *testing.T) {
	each(t, func(b rig) {
		b.heartbeat("me", noon)
		b.publish(1, "a")
		c := store.Caps{PendingPerNetwork: 2, PendingPerHost: 100}
		request := func(host, network string) error {
			r := ask(store.ModeSubscribe, "https://"+host+".example/", "")
			r.Network = network
			return b.Request(b.Context(), noon, r, store.Publication{SHA256: "a", Sequence: 1}, c)
		}
		settle := func(confirmed bool) {
			for _, v := range b.claimVerifications(noon) {
				_, err := b.Settle(b.Context(), noon, v, confirmed, "")
				b.must(err)
			}
		}
		for round := range 3 {
			b.must(request("a", "192.0.2.0/24"))
			b.must(request("b", "192.0.2.0/24"))
			if err := request("c", "192.0.2.0/24"); !errors.Is(err, store.ErrNetworkBusy) {
				b.Errorf("round %d: one too many of a network: %v", round, err)
			}
			b.must(request("a", "192.0.2.0/24"))    // replaces its own
			b.must(request("a", "198.51.100.0/24")) // by another network
			b.must(request("d", "198.51.100.0/24"))
			settle(round == 2)
		}
		// A denial doesn't count, and counts once it is replaced by a request.
		b.publish(2, "b")
		for _, d := range b.claim("me", "b", noon) {
			b.ack("me", noon, store.Outcome{Delivery: d, Verdict: store.Denied, Reason: "thrice"})
		}
		b.must(request("e", "192.0.2.0/24"))
		b.must(request("a", "192.0.2.0/24"))
		if err := request("b", "192.0.2.0/24"); !errors.Is(err, store.ErrNetworkBusy) {
			b.Errorf("after denials: %v", err)
		}
		settle(true)
		b.must(request("f", "192.0.2.0/24"))
	})
}

// Requests that share a transaction are refused one by one.
func TestRequestsTogether(t *testing.T) {
	each(t, func(b rig) {
		const clients, most = 200, 20
		var wg sync.WaitGroup
		var refused atomic.Int64
		for i := range clients {
			wg.Go(func() {
				callback := fmt.Sprintf("https://%c.example/%d", 'a'+rune(i%2), i)
				err := b.Request(b.Context(), noon, ask(store.ModeSubscribe, callback, ""), store.Publication{}, store.Caps{PendingPerHost: most + i%2*clients})
				switch {
				case errors.Is(err, store.ErrHostBusy):
					refused.Add(1)
				case err != nil:
					b.Error(err)
				}
			})
		}
		wg.Wait()
		pending, err := b.CountPending(b.Context())
		if got := int64(pending[store.ModeSubscribe]); err != nil || got+refused.Load() != clients || got < clients/2+most {
			b.Errorf("%d are pending, %d were refused of %d, %v", got, refused.Load(), clients, err)
		}
		if refused.Load() == 0 {
			b.Error("none was refused")
		}
	})
}
