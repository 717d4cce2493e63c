package hub

import (
	"context"
	"crypto/rand"
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
	verifyTimeout = 10 * time.Second // the time for a callback's whole answer
	verifyTries   = 3                // how often a callback that doesn't answer is asked
	// maxPostponed is for how long after its request a verification is postponed because of
	// our network; maxDenialPostponed is that of a denial. It keeps callbacks whose name
	// servers don't answer from being pending for ever.
	maxPostponed       = 10 * time.Minute
	maxDenialPostponed = 24 * time.Hour
	// maxVerifications is the number of normal slots for verifications, and
	// maxVerificationsPerHost that for one endpoint. Silent ones move to slow slots.
	maxVerifications        = 256
	maxVerificationsPerHost = 32
	maxSlowVerifications    = 1024
)

// verifyWaits are the waits after a first and a second attempt without an answer.
var verifyWaits = [verifyTries - 1]time.Duration{5 * time.Second, 30 * time.Second}

// verifyLoop claims due verifications and runs them until ctx is done. Those in flight go on in work.
func (h *Hub) verifyLoop(ctx, work context.Context) {
	s := newSlots(maxVerifications, maxSlowVerifications, maxVerificationsPerHost)
	poll := time.Tick(h.PollInterval)
	for {
		n := min(s.perHost.normal, s.free(store.Quick)) // all that are claimed may be for one endpoint
		claimed := h.claimVerifications(ctx, n, s.full())
		for _, v := range claimed {
			slot := s.take(v.Endpoint, store.Quick)
			h.exchanges.Go(func() {
				silent := time.AfterFunc(maxSilence, func() { s.moveToSlow(slot); signal(h.wakeVerify) })
				h.verify(work, v)
				silent.Stop()
				s.release(slot)
				signal(h.wakeVerify)
			})
		}
		if len(claimed) > 0 && len(claimed) == n {
			continue // there may be more
		}
		select {
		case <-ctx.Done():
			return
		case <-h.wakeVerify:
		case <-poll:
		}
	}
}

func (h *Hub) claimVerifications(ctx context.Context, n int, except []string) []store.Verification {
	now := time.Now()
	if n <= 0 || !h.network.allow(now, &h.network.nextVerification) {
		return nil
	}
	if h.network.isDown() {
		n = 1 // a probe
	}
	claimed, err := h.Store.ClaimVerifications(ctx, now, h.owner, except, n)
	if err != nil {
		h.storeError(ctx, "verifications not claimed", err)
	}
	return claimed
}

// verify runs one verification and settles or postpones it. It ignores the breaker of its endpoint: otherwise callbacks
// that don't answer would be pending for days and fill the cap of their host. An answer closes the breaker. Missing
// answers aren't counted there, or third parties could open it.
func (h *Hub) verify(ctx context.Context, v store.Verification) {
	began := time.Now()
	err := h.ask(ctx, v)
	switch {
	case err == nil || errors.As(err, new(*refusal)):
		h.network.answered("")
		h.scheduler.answered(v.Endpoint)
		h.settle(ctx, v, err)
	case ctx.Err() != nil: // the hub stops: the claim lapses
	case isLocal(err) && mayPostpone(v, began):
		h.postpone(ctx, v, v.Attempts, jitter(localWait), fmt.Errorf("%w: %w", errLocal, err))
	case h.network.isOutage(ctx, v.Endpoint, began) && mayPostpone(v, began):
		h.postpone(ctx, v, v.Attempts, jitter(postponeFor), errOutage)
	case v.Attempts+1 < verifyTries:
		h.postpone(ctx, v, v.Attempts+1, jitter(verifyWaits[v.Attempts]), err)
	default:
		h.settle(ctx, v, err)
	}
}

// mayPostpone reports whether a verification may wait longer for our network.
func mayPostpone(v store.Verification, now time.Time) bool {
	waited := now.Sub(v.RequestedAt)
	return waited < maxPostponed || v.Mode == store.ModeDenied && waited < maxDenialPostponed
}

// settle stores how a verification ended: err is nil if it was confirmed.
func (h *Hub) settle(ctx context.Context, v store.Verification, err error) {
	log := h.Logger.With("mode", v.Mode, "topic", v.Topic, "endpoint", v.Endpoint)
	var subscription int64
	storeErr := h.insist(ctx, "verifications not settled", func() (storeErr error) {
		subscription, storeErr = h.Store.Settle(ctx, time.Now(), v, err == nil, errorText(err))
		return storeErr
	})
	switch {
	case errors.Is(storeErr, store.ErrStale):
		h.metrics.verifications.WithLabelValues(v.Mode, "replaced").Inc()
		log.Debug("verification was replaced")
	case storeErr != nil:
		log.Error("verification not settled; its claim lapses", "error", storeErr)
	case err != nil:
		h.metrics.verifications.WithLabelValues(v.Mode, "refused").Inc()
		log.Info("verification failed", "error", plain(err.Error()))
	default:
		h.metrics.verifications.WithLabelValues(v.Mode, "confirmed").Inc()
		log.Info("verification succeeded", "subscription", subscription)
		h.network.remember([]string{v.Endpoint})
		h.confirmedAt.Store(new(time.Now())) // what is claimed may have the old secret, or no subscription
		signal(h.wakeDeliver)
	}
}

func (h *Hub) postpone(ctx context.Context, v store.Verification, attempts int, wait time.Duration, why error) {
	h.metrics.verifications.WithLabelValues(v.Mode, "postponed").Inc()
	next := time.Now().Add(wait)
	err := h.insist(ctx, "verifications not postponed", func() error { return h.Store.Postpone(ctx, v, attempts, next, errorText(why)) })
	if err != nil {
		h.Logger.Error("verification not postponed; its claim lapses", "endpoint", v.Endpoint, "error", err)
	}
}

// refusal is an answer other than the expected one.
type refusal struct{ why string }

func (r *refusal) Error() string { return r.why }

// ask sends a verification (W3C WebSub, section 5.3) or a denial (section 5.2). It returns nil for the expected answer,
// a *refusal for any other answer, and another error for none.
func (h *Hub) ask(ctx context.Context, v store.Verification) error {
	ctx, cancel := context.WithTimeout(ctx, verifyTimeout)
	defer cancel()
	challenge := rand.Text() + rand.Text()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, callbackURL(v, challenge), nil)
	if err != nil {
		return &refusal{err.Error()}
	}
	request.Header["User-Agent"] = []string{userAgent}
	response, err := h.verifyClient.Do(request)
	if err != nil {
		return withoutURL(ctx, err)
	}
	defer response.Body.Close()
	if v.Mode == store.ModeDenied {
		return nil // any answer will do
	}
	if response.StatusCode/100 != 2 {
		return &refusal{fmt.Sprintf("answered %d %s", response.StatusCode, http.StatusText(response.StatusCode))}
	}
	// One byte more than the challenge shows whether something follows.
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(len(challenge))+1))
	if err != nil {
		return withoutURL(ctx, err)
	}
	if string(body) != challenge {
		return &refusal{"the body is not the challenge"}
	}
	return nil
}

// callbackURL returns a callback with our parameters appended to its query, which is kept byte for byte.
func callbackURL(v store.Verification, challenge string) string {
	called := v.Callback
	if _, query, ok := strings.Cut(called, "?"); !ok {
		called += "?"
	} else if query != "" && !strings.HasSuffix(query, "&") {
		called += "&"
	}
	called += "hub.mode=" + v.Mode + "&hub.topic=" + url.QueryEscape(v.Topic)
	if v.Mode == store.ModeDenied {
		return called + "&hub.reason=" + url.QueryEscape(v.Reason)
	}
	return called + "&hub.challenge=" + challenge + "&hub.lease_seconds=" + strconv.FormatInt(int64(v.Lease/time.Second), 10)
}
