package hub

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
	"reviewcast/edge/snapshot"
)

// Subscribe, notify and unsubscribe on a real network and both databases, for every topic,
// with and without a secret.
func TestSubscribeNotifyUnsubscribe(t *testing.T) {
	storetest.Each(t, func(t *testing.T, state string) {
		t.Parallel()
		r := newRig(t, state)
		for topic, media := range map[string]string{atom: "application/atom+xml", feed: "application/json", reviews: "application/json"} {
			for _, secret := range []string{"", strings.Repeat("s", 199)} {
				s := newSubscriber(t, nil)
				r.ask("subscribe", topic, s.URL+"/cb?token=a%20b&x", "hub.secret", secret, "hub.lease_seconds", "600")
				c := s.verification()
				if !strings.HasPrefix(c.uri, "/cb?token=a%20b&x&hub.mode=subscribe&") || c.query.Get("hub.topic") != topic ||
					c.query.Get("hub.lease_seconds") != "600" || len(c.query.Get("hub.challenge")) < 40 {
					t.Errorf("verified with %s", c.uri)
				}
				r.settled()

				body := "second for " + topic + secret
				r.publish(r.files.Load().Sequence()+1, body)
				c = s.notification()
				if c.body != body || c.uri != "/cb?token=a%20b&x" {
					t.Errorf("notified at %s with %q", c.uri, c.body)
				}
				if got := c.header["Content-Type"]; len(got) != 1 || got[0] != media {
					t.Errorf("Content-Type %q, want %q", got, media)
				}
				links := `<` + baseURL + `/api/websub/hub>; rel="hub", <` + topic + `>; rel="self"`
				if got := c.header["Link"]; len(got) != 1 || got[0] != links {
					t.Errorf("Link %q, want one of %s", got, links)
				}
				var want []string
				if secret != "" {
					mac := hmac.New(sha256.New, []byte(secret))
					mac.Write([]byte(body))
					want = []string{"sha256=" + hex.EncodeToString(mac.Sum(nil))}
				}
				if got := c.header["X-Hub-Signature"]; strings.Join(got, "|") != strings.Join(want, "|") {
					t.Errorf("X-Hub-Signature %q, want %q", got, want)
				}

				r.ask("unsubscribe", topic, s.URL+"/cb?token=a%20b&x")
				if c = s.verification(); c.query.Get("hub.mode") != "unsubscribe" {
					t.Errorf("verified with %s", c.uri)
				}
				r.settled()
				s.quiet()
			}
		}
		if list := r.list(); len(list) != 0 {
			t.Errorf("left: %+v", list)
		}
	})
}

// A hub that starts detects what was published while it was down.
func TestChangeWhileDown(t *testing.T) {
	storetest.Each(t, func(t *testing.T, state string) {
		t.Parallel()
		s := newSubscriber(t, nil)
		func() {
			r := newRig(t, state)
			r.subscribe(s, atom, s.URL)
			r.stop()
			if err := r.state.Close(); err != nil {
				t.Fatal(err)
			}
		}()
		r := newRig(t, state, func(c *Config) {})
		r.publish(2, "while down")
		if c := s.notification(); c.body != "while down" {
			t.Errorf("notified with %q", c.body)
		}
		r.until("the delivery is acknowledged", func() bool { return !r.list()[0].Behind })
	})
}

// A subscription that is accepted before a new state has topics is sent the first change,
// even if the hub stops meanwhile.
func TestSubscribeBeforeTopicsAreKnown(t *testing.T) {
	storetest.Each(t, func(t *testing.T, state string) {
		t.Parallel()
		s := newSubscriber(t, nil)
		func() {
			first := &snapshot.Current[snapshot.Files]{}
			first.Swap(filesOf(t, 1, "first", time.Time{}, reviewcast.PathAtom))
			h, err := New(testConfig(storetest.Open(t, state), first))
			if err != nil {
				t.Fatal(err)
			}
			(&rig{TB: t, Hub: h}).ask("subscribe", atom, s.URL) // it accepts requests and doesn't Run yet
			if err := h.Store.Close(); err != nil {
				t.Fatal(err)
			}
		}()
		newRig(t, state, func(c *Config) { c.Files.Swap(filesOf(t, 2, "second", time.Time{})) })
		s.verification()
		if c := s.notification(); c.body != "second" {
			t.Errorf("notified with %q", c.body)
		}
	})
}

// Of two hubs on one database, each delivers only content that it has.
func TestTwoHubs(t *testing.T) {
	t.Parallel()
	state := storetest.Postgres(t)
	old, young := newRig(t, state), newRig(t, state)
	subscribers := make([]*subscriber, 20)
	for i := range subscribers {
		subscribers[i] = newSubscriber(t, nil)
		subscribers[i].answers(nil)
		old.ask("subscribe", atom, subscribers[i].URL)
	}
	for _, s := range subscribers {
		s.verification()
	}
	old.settled()
	young.publish(2, "young")
	for _, s := range subscribers {
		if c := s.notification(); c.body != "young" {
			t.Errorf("notified with %q", c.body)
		}
	}
	old.until("the hub that is behind looks for newer files", func() bool { return old.reloads.Load() > 0 })
	old.until("all are up to date", func() bool {
		for _, s := range old.list() {
			if s.Behind {
				return false
			}
		}
		return true
	})
	for _, s := range subscribers {
		s.quiet()
	}
	// The older content isn't published again.
	old.publish(1, "older")
	old.ask("publish", atom, "", "hub.url", atom)
	old.until("it has looked", func() bool { return old.reloads.Load() > 1 })
	for _, s := range subscribers {
		s.quiet()
	}
}

// A claimed delivery isn't sent after another hub or an operator has removed its
// subscription, and is signed with the secret of the last renewal.
func TestClaimedByOneRemovedByAnother(t *testing.T) {
	t.Parallel()
	state := storetest.Postgres(t)
	busy := newIdleRig(t, state, func(c *Config) { c.PerHost = 1 })
	busy.scheduler.slots.slow = 0 // the first stays in the only normal slot of the host
	busy.start()
	idle := newRig(t, state) // it stays with the first files and delivers nothing
	s := newSubscriber(t, nil)
	const n = 24
	for i := range n {
		busy.ask("subscribe", atom, fmt.Sprintf("%s/%d", s.URL, i), "hub.secret", "old")
		s.verification()
	}
	busy.settled()
	release := make(chan struct{})
	s.answers(func(w http.ResponseWriter, q *http.Request, c call) {
		if c.method == http.MethodPost {
			<-release
		}
		good(w, q, c)
	})
	busy.publish(2, "second")
	first := s.notification().uri
	busy.until("the others are claimed", func() bool {
		return !slices.ContainsFunc(busy.list(), func(l store.Subscription) bool { return !l.InFlight })
	})
	claimed := time.Now()
	// A third unsubscribes and a third renews, both at the other hub. An operator removes the
	// rest.
	renewed := map[string]bool{}
	var removed []int64
	for i, l := range busy.list() {
		switch uri := strings.TrimPrefix(l.Callback, s.URL); {
		case uri == first:
		case i%3 == 0:
			idle.ask("unsubscribe", atom, l.Callback)
			s.verification()
		case i%3 == 1:
			renewed[uri] = true
			idle.ask("subscribe", atom, l.Callback, "hub.secret", "new")
			s.verification()
		default:
			removed = append(removed, l.ID)
		}
	}
	idle.settled()
	if _, err := idle.state.Remove(t.Context(), time.Now(), removed, ""); err != nil {
		t.Fatal(err)
	}
	busy.until("the claims are revalidated", func() bool { return time.Since(claimed) > claimAge })
	close(release)
	for range len(renewed) {
		c := s.notification()
		if !renewed[c.uri] || c.header.Get("X-Hub-Signature") != signature([]byte("new"), []byte("second")) {
			t.Errorf("sent to %s with %v", c.uri, c.header["X-Hub-Signature"])
		}
		delete(renewed, c.uri)
	}
	busy.until("nothing is left to do", func() bool {
		return !slices.ContainsFunc(busy.list(), func(l store.Subscription) bool { return l.Behind || l.InFlight })
	})
	s.quiet()
}

func TestNewRefuses(t *testing.T) {
	s := storetest.Open(t, migratedState(t))
	for name, spoil := range map[string]func(*Config){
		"no leases": func(c *Config) { c.MinLease, c.MaxLease = 10*time.Minute, 5*time.Minute },
		"no waits":  func(c *Config) { c.Retry[1] = 0 },
	} {
		c := testConfig(s, &snapshot.Current[snapshot.Files]{})
		spoil(&c)
		if _, err := New(c); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
