package hub

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"reviewcast/edge/hub/store"
)

const (
	// handshakeTimeout is the time for a callback's whole answer.
	handshakeTimeout = 10 * time.Second
	// handshakeTries is how often a callback is asked that doesn't answer.
	handshakeTries = 3
	// maxHandshakes is how many are in flight, those aside that have been silent for
	// silentSlow. It bounds connections.
	maxHandshakes = 256
	// maxSlowHandshakes bounds those: silent callbacks shall not have everybody else
	// wait until they are given up.
	maxSlowHandshakes = 1024
	// maxHandshakesPerHost keeps one host:port from taking all of these, and
	// slowPerHost times as many from taking all of those.
	maxHandshakesPerHost = 32
	// challengeBytes of chance are in a challenge.
	challengeBytes = 32
)

// handshakeWaits are the waits after a first and a second try without an answer.
var handshakeWaits = [handshakeTries - 1]time.Duration{5 * time.Second, 30 * time.Second}

// shaking is a handshake in flight. It and shakes belong to the loop of shakeAll.
type shaking struct {
	endpoint    string
	slow, ended bool
}

// shakes counts handshakes in flight.
type shakes struct {
	fast, slow       map[string]int // by endpoint
	allFast, allSlow int
	silent, ended    chan *shaking
}

func newShakes() *shakes {
	const most = maxHandshakes + maxSlowHandshakes
	return &shakes{fast: map[string]int{}, slow: map[string]int{},
		silent: make(chan *shaking, most), ended: make(chan *shaking, most)}
}

// room is how many may begin, and at which endpoints none.
func (s *shakes) room() (n int, except []string) {
	for endpoint, n := range s.fast {
		if n >= maxHandshakesPerHost {
			except = append(except, endpoint)
		}
	}
	return min(maxHandshakesPerHost, maxHandshakes-s.allFast), except
}

func (s *shakes) begin(endpoint string) *shaking {
	s.fast[endpoint]++
	s.allFast++
	return &shaking{endpoint: endpoint}
}

// slowDown moves one that is silent out of the others' way, if there is room.
func (s *shakes) slowDown(k *shaking) {
	if k.ended || s.allSlow >= maxSlowHandshakes || s.slow[k.endpoint] >= slowPerHost*maxHandshakesPerHost {
		return
	}
	k.slow = true
	count(s.fast, &s.allFast, k.endpoint, -1)
	count(s.slow, &s.allSlow, k.endpoint, 1)
}

func (s *shakes) end(k *shaking) {
	k.ended = true
	if k.slow {
		count(s.slow, &s.allSlow, k.endpoint, -1)
	} else {
		count(s.fast, &s.allFast, k.endpoint, -1)
	}
}

func count(by map[string]int, all *int, endpoint string, n int) {
	*all += n
	if by[endpoint] += n; by[endpoint] == 0 {
		delete(by, endpoint)
	}
}

// shakeAll claims handshakes that are due and runs them, until ctx is done. Those
// in flight go on in work.
func (h *Hub) shakeAll(ctx, work context.Context) {
	s := newShakes()
	tick := time.NewTicker(h.look)
	defer tick.Stop()
	for {
		room, except := s.room()
		claimed := h.claimHandshakes(ctx, room, except)
		for _, hs := range claimed {
			k := s.begin(hs.Endpoint)
			h.shaking.Go(func() {
				silent := time.AfterFunc(silentSlow, func() { s.silent <- k })
				h.shake(work, hs)
				silent.Stop()
				s.ended <- k
			})
		}
		if len(claimed) > 0 && len(claimed) == room {
			continue // there may be more
		}
		select {
		case <-ctx.Done():
			return
		case <-h.handshakes:
		case <-tick.C:
		case k := <-s.silent:
			s.slowDown(k)
		case k := <-s.ended:
			s.end(k)
		}
		s.settle()
	}
}

// settle counts what else has happened.
func (s *shakes) settle() {
	for {
		select {
		case k := <-s.silent:
			s.slowDown(k)
		case k := <-s.ended:
			s.end(k)
		default:
			return
		}
	}
}

func (h *Hub) claimHandshakes(ctx context.Context, n int, except []string) []store.Handshake {
	if n <= 0 {
		return nil
	}
	claimed, err := h.Store.ClaimHandshakes(ctx, time.Now(), h.owner, except, n)
	if err != nil {
		h.storeError(ctx, "handshakes not claimed", err)
	}
	return claimed
}

// shake runs one handshake and settles it, or puts it off. It doesn't ask its host's
// breaker: a callback that nobody is at would wait for days to be asked three
// times, and keep others of its host from being taken meanwhile. Nor does it count
// there without an answer, or strangers could open it; an answer closes it.
func (h *Hub) shake(ctx context.Context, hs store.Handshake) {
	err := h.ask(ctx, hs)
	var said *refused
	switch {
	case err == nil || errors.As(err, &said):
		h.lanes.answered(hs.Endpoint)
		h.settle(ctx, hs, err)
	case ctx.Err() != nil: // the hub stops: the claim lapses
	default:
		if attempts := hs.Attempts + 1; attempts < handshakeTries {
			h.postpone(ctx, hs, attempts, jitter(handshakeWaits[attempts-1]))
		} else {
			h.settle(ctx, hs, err)
		}
	}
}

// settle writes down how a handshake ended.
func (h *Hub) settle(ctx context.Context, hs store.Handshake, refusal error) {
	log := h.Logger.With("mode", hs.Mode, "topic", hs.Topic, "endpoint", hs.Endpoint)
	var subscription int64
	err := h.insist(ctx, "handshakes not settled", func() (err error) {
		subscription, err = h.Store.Settle(ctx, time.Now(), hs, refusal == nil)
		return err
	})
	switch {
	case errors.Is(err, store.ErrStale):
		h.metrics.handshakes.WithLabelValues(hs.Mode, "replaced").Inc()
		log.Debug("handshake settled otherwise")
	case err != nil:
		log.Error("handshake not settled; its claim lapses", "error", err)
	case refusal != nil:
		h.metrics.handshakes.WithLabelValues(hs.Mode, "refused").Inc()
		log.Info("handshake without success", "error", plain(refusal.Error()))
	default:
		h.metrics.handshakes.WithLabelValues(hs.Mode, "confirmed").Inc()
		log.Info("handshake done", "subscription", subscription)
		h.lanes.void(subscription) // what is claimed has the old secret, or nobody to go to
		signal(h.deliveries)
	}
}

func (h *Hub) postpone(ctx context.Context, hs store.Handshake, attempts int, wait time.Duration) {
	h.metrics.handshakes.WithLabelValues(hs.Mode, "postponed").Inc()
	next := time.Now().Add(wait)
	err := h.insist(ctx, "handshakes not put off", func() error { return h.Store.Postpone(ctx, hs, attempts, next) })
	if err != nil {
		h.Logger.Error("handshake not put off; its claim lapses", "endpoint", hs.Endpoint, "error", err)
	}
}

// insist does something with the state until it is done, or not ours to do any more.
// Given up, a handshake would be repeated when its claim lapses, which takes minutes.
func (h *Hub) insist(ctx context.Context, what string, do func() error) error {
	for deadline := time.Now().Add(store.ClaimLapse / 2); ; {
		err := do()
		if err == nil || errors.Is(err, store.ErrStale) || time.Now().After(deadline) {
			return err
		}
		h.storeError(ctx, what, err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(ackAgain):
		}
	}
}

// refused is an answer that isn't the one that was asked for.
type refused struct{ why string }

func (r *refused) Error() string { return r.why }

// ask sends a verification (W3C WebSub, section 5.3) or a denial (section 5.2). Nil
// is the right answer, *refused another, any other error none.
func (h *Hub) ask(ctx context.Context, hs store.Handshake) error {
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	challenge := newChallenge()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, callbackURL(hs, challenge), nil)
	if err != nil {
		return &refused{err.Error()}
	}
	request.Header["User-Agent"] = []string{userAgent}
	response, err := h.asker.Do(request)
	if err != nil {
		return plainError(ctx, err)
	}
	defer response.Body.Close()
	if hs.Mode == store.ModeDenied {
		return nil // whatever it says
	}
	if response.StatusCode/100 != 2 {
		return &refused{fmt.Sprintf("answered %d %s", response.StatusCode, http.StatusText(response.StatusCode))}
	}
	// One byte more than the challenge has shows whether something follows.
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(len(challenge))+1))
	if err != nil {
		return plainError(ctx, err)
	}
	if string(body) != challenge {
		return &refused{"the body is not the challenge"}
	}
	return nil
}

// newChallenge makes a challenge. Each is for one question only, a repeated one
// included.
func newChallenge() string {
	b := make([]byte, challengeBytes)
	_, _ = rand.Read(b) // never fails, by its documentation
	return base64.RawURLEncoding.EncodeToString(b)
}

// callbackURL is a callback with our parameters behind its own, which stay as they
// are, byte for byte.
func callbackURL(hs store.Handshake, challenge string) string {
	var b strings.Builder
	b.WriteString(hs.Callback)
	if _, query, ok := strings.Cut(hs.Callback, "?"); !ok {
		b.WriteByte('?')
	} else if query != "" && !strings.HasSuffix(query, "&") {
		b.WriteByte('&')
	}
	b.WriteString("hub.mode=" + hs.Mode + "&hub.topic=" + url.QueryEscape(hs.Topic))
	if hs.Mode == store.ModeDenied {
		b.WriteString("&hub.reason=" + url.QueryEscape(hs.Reason))
		return b.String()
	}
	b.WriteString("&hub.challenge=" + challenge + "&hub.lease_seconds=" + strconv.FormatInt(int64(hs.Lease/time.Second), 10))
	return b.String()
}
