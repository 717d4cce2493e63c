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
	// maxHandshakes is how many are in flight. It stops silent callbacks from taking
	// all connections.
	maxHandshakes = 256
	// maxHandshakesPerHost keeps one host from taking all of these.
	maxHandshakesPerHost = 32
	// challengeBytes of chance are in a challenge.
	challengeBytes = 32
)

// handshakeWaits are the waits after a first and a second try without an answer.
var handshakeWaits = [handshakeTries - 1]time.Duration{5 * time.Second, 30 * time.Second}

// shakeAll claims handshakes that are due and runs them, until ctx is done. Those
// in flight go on in work.
func (h *Hub) shakeAll(ctx, work context.Context) {
	running := map[string]int{} // by endpoint
	total := 0
	ended := make(chan string, maxHandshakes)
	tick := time.NewTicker(h.look)
	defer tick.Stop()
	for {
		var except []string
		for endpoint, n := range running {
			if n >= maxHandshakesPerHost {
				except = append(except, endpoint)
			}
		}
		claimed, err := h.Store.ClaimHandshakes(ctx, time.Now(), h.owner, except, min(maxHandshakesPerHost, maxHandshakes-total))
		if err != nil && ctx.Err() == nil {
			h.Logger.Error("handshakes not claimed; trying again", "error", err)
		}
		for _, hs := range claimed {
			running[hs.Endpoint]++
			total++
			h.shaking.Go(func() {
				h.shake(work, hs)
				ended <- hs.Endpoint
			})
		}
		if len(claimed) == maxHandshakesPerHost && total < maxHandshakes {
			continue // there may be more
		}
		select {
		case <-ctx.Done():
			return
		case <-h.handshakes:
		case <-tick.C:
		case endpoint := <-ended:
			for more := true; more; {
				total--
				if running[endpoint]--; running[endpoint] == 0 {
					delete(running, endpoint)
				}
				select {
				case endpoint = <-ended:
				default:
					more = false
				}
			}
		}
	}
}

// shake runs one handshake and settles it, or puts it off.
func (h *Hub) shake(ctx context.Context, hs store.Handshake) {
	if wait, ok := h.lanes.admit(hs.Endpoint); !ok {
		h.postpone(ctx, hs, hs.Attempts, jitter(wait))
		return
	}
	err := h.ask(ctx, hs)
	var said *refused
	switch {
	case err == nil || errors.As(err, &said):
		h.lanes.report(hs.Endpoint, answered)
		h.settle(ctx, hs, err)
	case ctx.Err() != nil: // the hub stops: the claim lapses
		h.lanes.report(hs.Endpoint, abandoned)
	default:
		h.lanes.report(hs.Endpoint, unanswered)
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
	subscription, err := h.Store.Settle(ctx, time.Now(), hs, refusal == nil)
	switch {
	case errors.Is(err, store.ErrStale):
		h.metrics.handshakes.WithLabelValues(hs.Mode, "replaced").Inc()
		log.Debug("handshake settled otherwise")
	case err != nil:
		log.Error("handshake not settled; it will be repeated", "error", err)
	case refusal != nil:
		h.metrics.handshakes.WithLabelValues(hs.Mode, "refused").Inc()
		log.Info("handshake without success", "error", refusal)
	default:
		h.metrics.handshakes.WithLabelValues(hs.Mode, "confirmed").Inc()
		log.Info("handshake done", "subscription", subscription)
		h.lanes.void(subscription) // what is claimed has the old secret, or nobody to go to
		signal(h.deliveries)
	}
}

func (h *Hub) postpone(ctx context.Context, hs store.Handshake, attempts int, wait time.Duration) {
	h.metrics.handshakes.WithLabelValues(hs.Mode, "postponed").Inc()
	if err := h.Store.Postpone(ctx, hs, attempts, time.Now().Add(wait)); err != nil {
		h.Logger.Error("handshake not put off; it will be repeated", "endpoint", hs.Endpoint, "error", err)
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
	response, err := h.client.Do(request)
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
