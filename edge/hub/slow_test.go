package hub

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast/edge/hub/store"
)

// Thousands of slow subscribers at separate endpoints don't delay subscribers that have
// answered quickly once: neither while they are new, nor later, nor after a restart. (If
// many are quick twice and then slow, they delay others that one time.)
func TestManySlowSubscribers(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates thousands of subscribers")
	}
	t.Parallel()
	roots(t)
	state := migratedState(t)
	synctest.Test(t, func(t *testing.T) {
		part := 64
		if os.Getenv("LONG") != "" { // set by .ci/run
			part = 16
		}
		crowd, honest := 3000/part, 320/part // more than there are slots of all kinds
		net := &pipes{}
		l := net.listen("all").(*pipeListener)
		s := newSubscriber(t, l)
		s.calls = make(chan call, 1<<16)
		var list []string
		for i := range crowd + honest {
			callback, address := at(i)
			net.share(address, l)
			if i < crowd {
				callback += "/slow"
			}
			list = append(list, callback)
		}
		var quick atomic.Bool // the crowd, for once
		s.answers(func(w http.ResponseWriter, q *http.Request, c call) {
			if strings.HasSuffix(q.URL.Path, "/slow") && !quick.Load() {
				time.Sleep(29 * time.Second)
			} else {
				time.Sleep(50 * time.Millisecond)
			}
		})
		start := func() *rig {
			r := newIdleRig(t, state, slowly, func(c *Config) { c.Dial = net.dial })
			r.scheduler.slots = newSlots(maxDeliveries/part, maxSlowDeliveries/part, testPerHost)
			r.start()
			return r
		}
		r := start()
		sequence := int64(1)
		publish := func(when string, changes int) {
			t.Helper()
			for len(s.calls) > 0 {
				<-s.calls
			}
			for change := range changes { // the second when the crowd has taken all that it gets
				sequence++
				began := time.Now()
				r.publish(sequence, fmt.Sprint(when, change))
				for n := 0; n < honest; {
					if c := s.notification(); !strings.HasSuffix(c.uri, "/slow") {
						n++
					}
				}
				if took := time.Since(began); took > maxSilence {
					t.Errorf("%s, change %d: the others are served after %s, want %s", when, change, took, maxSilence)
				}
				time.Sleep(12 * time.Second)
			}
			r.until("all are served", func() bool {
				c, err := r.state.Counts(t.Context(), time.Now())
				return err == nil && c.Topics[atom].Behind == 0
			})
		}
		enlist(t, r, list[crowd:])
		publish("nobody is known", 2)
		enlist(t, r, list[:crowd])
		publish("the crowd is new", 2)
		publish("the crowd is known", 2)
		r.stop()
		if err := r.state.Close(); err != nil {
			t.Fatal(err)
		}
		r = start()
		publish("after a restart", 2)
		quick.Store(true)
		publish("the crowd is quick for once", 1)
		quick.Store(false)
		publish("and slow again", 2)
		r.stop()
	})
}

// enlist stores subscriptions as if they had been verified.
func enlist(t *testing.T, r *rig, list []string) {
	t.Helper()
	ctx := context.Background()
	for _, callback := range list {
		u, err := r.callback(callback)
		if err != nil {
			t.Fatal(err)
		}
		q := store.Request{Topic: atom, Callback: callback, Mode: store.ModeSubscribe, Lease: 24 * time.Hour}
		q.Endpoint, q.Host = store.Endpoint(u)
		later := time.Now().Add(time.Hour) // so that the hub doesn't ask
		if err := r.state.Request(ctx, later, q, r.served(atom), store.Caps{PendingPerHost: len(list)}); err != nil {
			t.Fatal(err)
		}
		h, err := r.state.ClaimVerifications(ctx, later, "me", nil, 1)
		if err != nil || len(h) != 1 {
			t.Fatal(len(h), err)
		}
		if _, err := r.state.Settle(ctx, time.Now(), h[0], true, ""); err != nil {
			t.Fatal(err)
		}
	}
}
