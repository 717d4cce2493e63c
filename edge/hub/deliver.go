package hub

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"reviewcast"
	"reviewcast/edge/hub/store"
)

const (
	maxSilence    = 2 * time.Second  // how long an exchange may be silent in a normal slot before it moves to a slow one
	answerTimeout = 30 * time.Second // how long a delivery may be silent before it has failed
	maxDelivery   = 5 * time.Minute  // ends a delivery whose subscriber reads a few bytes now and then
	// drainTimeout is the time for reading the body of an answer after its status. Reading
	// it saves the next connection, but keeps the slot.
	drainTimeout = 100 * time.Millisecond
	largeBody    = 128 << 10 // the size from which on sending counts as progress; smaller bodies are sent with one write
)

var (
	errNoAnswer = errors.New("no answer within 30 s")
	errTooSlow  = errors.New("not finished within 5 min")
)

const userAgent = "reviewcast/" + reviewcast.Version + " (WebSub hub)" // identifies the hub to callbacks

// dispatch starts a worker for every delivery that may begin. A worker makes deliveries until none may begin.
func (h *Hub) dispatch(ctx context.Context) {
	for d := h.next(); d != nil; d = h.next() {
		h.exchanges.Go(func() {
			for own := d; own != nil; own = h.next() {
				h.attempt(ctx, own)
			}
		})
	}
}

// next returns the next delivery that may begin, nil if there is none. It releases those
// that can't begin, and has more claimed when few are left.
func (h *Hub) next() *delivery {
	r := h.scheduler.next(time.Now())
	for _, d := range r.postponed {
		// The jitter spreads them, so that they don't all come at once.
		h.outcomes <- store.Outcome{Delivery: d.Delivery, Verdict: store.Released, Next: time.Now().Add(r.wait + jitter(r.wait/4))}
	}
	h.metrics.deliveries.WithLabelValues("postponed").Add(float64(len(r.postponed)))
	if r.low {
		signal(h.wakeDeliver)
	}
	return r.begin
}

// attempt makes a delivery and passes its outcome to acknowledgeLoop.
func (h *Hub) attempt(ctx context.Context, d *delivery) {
	started := time.Now()
	outcome, how := h.deliver(ctx, d)
	took := time.Since(started)
	outcome.Slow = took >= maxSilence
	if h.scheduler.done(d, how, took) {
		h.Logger.Warn("breaker opened: deliveries wait", "endpoint", d.Endpoint, "for", breakerOpen, "error", outcome.Error)
	}
	h.observe(d, outcome, took)
	h.outcomes <- outcome
}

// deliver sends a topic's body to a callback and evaluates the answer.
func (h *Hub) deliver(ctx context.Context, d *delivery) (store.Outcome, exchange) {
	if now := time.Now(); !h.network.allow(now, &h.network.nextDelivery) {
		return postponed(d, now, errOutage, postponeFor), abandoned
	}
	valid := h.stillValid(ctx, d)
	now := time.Now()
	lapses := now.Sub(d.ClaimedAt) > store.ClaimLapse-maxDelivery // perhaps before the delivery ends
	if !valid || !now.Before(d.ExpiresAt) || lapses {
		return store.Outcome{Delivery: d.Delivery, Verdict: store.Released}, abandoned
	}
	status, header, err := h.post(ctx, d)
	if err == nil {
		h.network.answered(d.Endpoint)
	}
	began := now
	now = time.Now()
	switch {
	case err == nil && status/100 == 2:
		return store.Outcome{Delivery: d.Delivery, Verdict: store.Delivered}, answered
	case err == nil && status == http.StatusGone:
		return store.Outcome{Delivery: d.Delivery, Verdict: store.Gone, Next: h.retryAt(now, 1, 0), Error: "answered 410 Gone"}, answered
	case err == nil:
		why := plain(fmt.Sprintf("answered %d %s", status, http.StatusText(status)))
		return h.failed(d, now, why, why, retryAfter(header, now)), answered
	case ctx.Err() != nil:
		return store.Outcome{Delivery: d.Delivery, Verdict: store.Released}, abandoned
	case isLocal(err):
		return postponed(d, now, fmt.Errorf("%w: %w", errLocal, err), localWait), abandoned
	case h.network.isOutage(ctx, d.Endpoint, began):
		return postponed(d, time.Now(), errOutage, postponeFor), abandoned
	default:
		return h.failed(d, now, errorText(err), publicReason(err), 0), unanswered
	}
}

// stillValid reports whether a delivery is still to be made, with this content. It
// updates what a renewal may have changed. A claimed delivery may have waited for a slot
// while its subscription was removed or its secret renewed, here or by another hub.
func (h *Hub) stillValid(ctx context.Context, d *delivery) bool {
	if newest, ok := h.Files.Load().File(d.file.Path); !ok || newest.SHA256 != d.file.SHA256 {
		return false // only the newest content is ever sent
	}
	if changed := h.confirmedAt.Load(); time.Since(d.ClaimedAt) <= claimAge && (changed == nil || d.ClaimedAt.After(*changed)) {
		return true
	}
	valid, err := h.Store.Revalidate(ctx, h.owner, &d.Delivery)
	if err != nil {
		h.storeError(ctx, "delivery not revalidated", err)
	}
	return valid
}

// postponed returns the outcome of a delivery that couldn't be attempted.
func postponed(d *delivery, now time.Time, err error, wait time.Duration) store.Outcome {
	return store.Outcome{Delivery: d.Delivery, Verdict: store.Released, Next: now.Add(jitter(wait)), Error: plain(err.Error())}
}

// failed returns the outcome of a failed delivery: another attempt or, after the last one, the end of the subscription.
// Why is for operators, reason for the subscriber; wanted is the Retry-After of the answer.
func (h *Hub) failed(d *delivery, now time.Time, why, reason string, wanted time.Duration) store.Outcome {
	failures := d.Failures + 1
	o := store.Outcome{Delivery: d.Delivery, Verdict: store.Failed, Error: why, Next: h.retryAt(now, failures, wanted)}
	if failures > len(h.Retry) {
		o.Verdict = store.Denied
		o.Reason = fmt.Sprintf("%d consecutive deliveries failed, the last with: %s", failures, reason)
	}
	return o
}

// post sends the notification (W3C WebSub, section 7) and waits for a status. It reads
// the answer's body only to reuse the connection.
func (h *Hub) post(parent context.Context, d *delivery) (status int, header http.Header, err error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	watch := h.watch(parent, d, cancel)
	defer watch.timer.Stop()

	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Callback, watch.body(d.file.Body))
	if err != nil {
		return 0, nil, err
	}
	request.ContentLength = int64(len(d.file.Body))
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(watch.body(d.file.Body)), nil }
	request.Header["Content-Type"] = []string{d.file.MediaType}
	request.Header["Link"] = []string{reviewcast.TopicLinks(h.BaseURL, d.file.Path)}
	request.Header["User-Agent"] = []string{userAgent}
	if d.Secret != nil {
		request.Header["X-Hub-Signature"] = []string{signature(d.Secret, d.file.Body)}
	}
	response, err := h.deliverClient.Do(request)
	if err != nil {
		return 0, nil, withoutURL(ctx, err)
	}
	watch.timer.Stop()
	defer response.Body.Close()
	if response.StatusCode == http.StatusSwitchingProtocols {
		// The body is the connection itself, which no context interrupts.
		return response.StatusCode, response.Header, nil
	}
	drain := time.AfterFunc(drainTimeout, func() { cancel(nil) })
	defer drain.Stop()
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswer) // only the status matters
	return response.StatusCode, response.Header, nil
}

// withoutURL returns the cause of a failed call without the callback, whose query may
// hold the subscriber's secrets: errors are logged.
func withoutURL(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// signature returns the value of X-Hub-Signature (W3C WebSub, section 7.1).
func signature(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// watch observes whether a delivery makes progress.
type watch struct {
	started time.Time
	last    atomic.Int64 // nanoseconds from started to the last progress
	timer   *time.Timer
}

// watch starts a watch. A delivery that is silent for longer than the scheduler's maxSilence
// moves to a slow slot as soon as one is free. It is cancelled after answerTimeout.
func (h *Hub) watch(ctx context.Context, d *delivery, cancel context.CancelCauseFunc) *watch {
	w := &watch{started: time.Now()}
	slow := d.slot.slow
	w.timer = time.AfterFunc(maxDelivery, func() {
		all := time.Since(w.started)
		silent := all - time.Duration(w.last.Load())
		switch {
		case all >= maxDelivery:
			cancel(errTooSlow)
			return
		case silent >= answerTimeout:
			cancel(errNoAnswer)
			return
		case !slow && silent >= h.scheduler.maxSilence(d.host):
			if slow = h.scheduler.slots.moveToSlow(d.slot); slow {
				h.dispatch(ctx) // its normal slot is free
			}
		}
		next := answerTimeout - silent
		if !slow {
			next = min(next, minSilence) // the limit may change, or a slow slot become free
		}
		w.timer.Reset(min(next, maxDelivery-all))
	})
	w.timer.Reset(minSilence) // its function needs w.timer
	return w
}

// body returns a reader of b. Each read of a large body counts as progress.
func (w *watch) body(b []byte) io.Reader {
	if len(b) < largeBody {
		return bytes.NewReader(b)
	}
	return io.TeeReader(bytes.NewReader(b), w)
}

// Write notes progress.
func (w *watch) Write(p []byte) (int, error) {
	w.last.Store(int64(time.Since(w.started)))
	return len(p), nil
}

const (
	// batchWait is how long an outcome waits for others to share its transaction, unless none are in flight, which is
	// looked at every batchStep.
	batchWait     = 20 * time.Millisecond
	batchStep     = 2 * time.Millisecond
	maxBatch      = 512         // how many outcomes share a transaction
	storeRetry    = time.Second // the wait before a write that failed is tried again
	maxRejections = 10          // how often a write may fail while heartbeats succeed
)

// errRejected is the error of a write that fails although the state can be written.
var errRejected = errors.New("the database rejects the write")

// acknowledgeLoop writes outcomes until their channel is closed. It retries what can't be
// written, because it has happened.
func (h *Hub) acknowledgeLoop(ctx context.Context) {
	for first := range h.outcomes {
		// What follows within batchWait is written with it. Nobody waits when only slow deliveries are in flight.
		batch := []store.Outcome{first}
		for range batchWait / batchStep {
			if len(h.outcomes) >= maxBatch || h.scheduler.slots.load().normal == 0 {
				break
			}
			time.Sleep(batchStep)
		}
		for len(batch) < maxBatch && len(h.outcomes) > 0 {
			batch = append(batch, <-h.outcomes)
		}
		h.acknowledge(ctx, batch)
		for _, o := range batch {
			if o.Verdict == store.Denied {
				signal(h.wakeVerify)
			}
			if o.Verdict == store.Released && o.Next.IsZero() {
				signal(h.wakeDeliver)
			}
		}
	}
}

// acknowledge writes a batch. If it is rejected, each outcome is written alone, so that one doesn't keep the others
// from being written. What is rejected alone is given up: its claim lapses, and the delivery is repeated.
func (h *Hub) acknowledge(ctx context.Context, batch []store.Outcome) {
	write := func(batch []store.Outcome) error { return h.Store.Acknowledge(ctx, time.Now(), h.owner, batch) }
	err := h.insist(ctx, "deliveries not acknowledged", func() error { return write(batch) })
	if err != nil && !errors.Is(err, errRejected) {
		h.Logger.Error("stopped before deliveries were acknowledged; they will be repeated", "deliveries", len(batch), "error", err)
	} else if err != nil {
		for _, o := range batch {
			if err := write([]store.Outcome{o}); err != nil {
				h.Logger.Error("delivery not acknowledged; it will be repeated", "subscription", o.Delivery.ID, "topic", o.Delivery.Topic, "error", err)
			}
		}
	}
}

// insist repeats a write until it succeeds, is stale or ctx is done. What it records has happened, so an outage of the
// database must not lose it. A write that fails although heartbeats succeed is given up with errRejected.
func (h *Hub) insist(ctx context.Context, what string, write func() error) error {
	for rejections := 0; ; {
		err := write()
		if err == nil || errors.Is(err, store.ErrStale) {
			return err
		}
		h.storeError(ctx, what, err)
		if h.Health() == nil {
			rejections++
		}
		if rejections == maxRejections {
			return fmt.Errorf("%w: %w", errRejected, err)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(storeRetry):
		}
	}
}
