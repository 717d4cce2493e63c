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
	// silentSlow is how long a delivery may be silent at most before it goes to the
	// slow lane.
	silentSlow = 2 * time.Second
	// silentFailed is how long before it has failed.
	silentFailed = 30 * time.Second
	// maxDelivery ends a delivery whose subscriber takes a byte now and then.
	maxDelivery = 5 * time.Minute
	// drainTimeout is the time for the body of an answer whose status says all: it
	// saves the next connection, and holds a slot.
	drainTimeout = 100 * time.Millisecond
	// largeBody is from where on sending counts as progress; what is smaller goes out
	// in one write.
	largeBody = 128 << 10
)

var (
	errSilent  = errors.New("no answer within 30 s")
	errTooSlow = errors.New("not done within 5 min")
	errStopped = errors.New("the hub stops")
)

// userAgent says who calls.
const userAgent = "reviewcast/" + reviewcast.Version + " (WebSub hub)"

// run makes a delivery and hands its outcome to the acknowledgements.
func (h *Hub) run(ctx context.Context, d *delivery) {
	started := time.Now()
	outcome, how := h.deliver(ctx, d)
	took := time.Since(started)
	outcome.Slow = took >= silentSlow
	if h.lanes.done(d, how, took) {
		h.Logger.Warn("breaker opened: deliveries wait", "endpoint", d.Endpoint, "for", breakerOpen, "error", outcome.Error)
	}
	h.observe(d, outcome, took)
	h.acks <- outcome
}

// id names a delivery in the log: subscription, version, attempt.
func (d *delivery) id() string { return fmt.Sprintf("%d.%d.%d", d.ID, d.Version, d.Failures+1) }

// deliver sends a topic's body to a callback and judges the answer.
func (h *Hub) deliver(ctx context.Context, d *delivery) (store.Outcome, exchange) {
	stands := h.stands(d)
	now := time.Now()
	if !stands || !now.Before(d.ExpiresAt) || now.Sub(d.ClaimedAt) > store.ClaimLapse-maxDelivery {
		return store.Outcome{Delivery: d.Delivery, Verdict: store.Released}, abandoned
	}
	status, header, err := h.post(ctx, d)
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
	default:
		return h.failed(d, now, plain(err.Error()), reason(err), 0), unanswered
	}
}

// failed is the outcome of a failure: another attempt, or after the last of them
// the end. Why is for operators, said for the subscriber.
func (h *Hub) failed(d *delivery, now time.Time, why, said string, wanted time.Duration) store.Outcome {
	failures := d.Failures + 1
	o := store.Outcome{Delivery: d.Delivery, Verdict: store.Failed, Error: why, Next: h.retryAt(now, failures, wanted)}
	if failures > len(h.Retry) {
		o.Verdict = store.Denied
		o.Reason = fmt.Sprintf("%d deliveries in a row have failed, the last with: %s", failures, said)
	}
	return o
}

// post sends the notification (W3C WebSub, section 7) and waits for a status. The
// answer's body is read only so far as to use the connection again.
func (h *Hub) post(parent context.Context, d *delivery) (status int, header http.Header, err error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	watch := h.watch(d, cancel)
	defer watch.stop()

	request, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Callback, watch.body(d.content.Body))
	if err != nil {
		return 0, nil, err
	}
	if request.ContentLength = int64(len(d.content.Body)); len(d.content.Body) >= largeBody {
		request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(watch.body(d.content.Body)), nil }
	}
	request.Header["Content-Type"] = []string{d.content.MediaType}
	request.Header["Link"] = []string{reviewcast.TopicLinks(h.BaseURL, d.path)}
	request.Header["User-Agent"] = []string{userAgent}
	if d.Secret != nil {
		request.Header["X-Hub-Signature"] = []string{signature(d.Secret, d.content.Body)}
	}
	response, err := h.client.Do(request)
	if err != nil {
		return 0, nil, plainError(ctx, err)
	}
	watch.stop()
	defer response.Body.Close()
	if response.StatusCode == http.StatusSwitchingProtocols {
		// Its body is the bare connection, which no context interrupts.
		return response.StatusCode, response.Header, nil
	}
	drain := time.AfterFunc(drainTimeout, func() { cancel(nil) })
	defer drain.Stop()
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswer) // the status has said it all
	return response.StatusCode, response.Header, nil
}

// plainError is what a call failed with, without the callback: its query may hold
// the subscriber's secrets, and errors are logged.
func plainError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	if e := (*url.Error)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// signature is the value of X-Hub-Signature (W3C WebSub, section 7.1).
func signature(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// watch looks whether a delivery moves.
type watch struct {
	started time.Time
	last    atomic.Int64 // nanoseconds from started to the last progress
	timer   *time.Timer
}

// watch begins to look: a delivery that has been silent for longer than the lanes
// have patience goes to the slow lane, as soon as there is room, and is cancelled
// after silentFailed.
func (h *Hub) watch(d *delivery, cancel context.CancelCauseFunc) *watch {
	w := &watch{started: time.Now()}
	slow := false
	ready := make(chan struct{}) // the timer's function needs the timer
	w.timer = time.AfterFunc(silentLeast, func() {
		<-ready
		all := time.Since(w.started)
		silent := all - time.Duration(w.last.Load())
		switch {
		case all >= maxDelivery:
			cancel(errTooSlow)
			return
		case silent >= silentFailed:
			cancel(errSilent)
			return
		case !slow && silent >= h.lanes.patience(d.host):
			slow = h.lanes.slowDown(d)
		}
		next := silentFailed - silent
		if !slow {
			next = min(next, silentLeast) // what the others take may change, or the slow lane have room again
		}
		w.timer.Reset(min(next, maxDelivery-all))
	})
	close(ready)
	return w
}

func (w *watch) stop() { w.timer.Stop() }

// body is what is sent. Of a large one each piece that is taken is progress.
func (w *watch) body(b []byte) io.Reader {
	if len(b) < largeBody {
		return bytes.NewReader(b)
	}
	return &upload{bytes.NewReader(b), w}
}

type upload struct {
	from *bytes.Reader
	w    *watch
}

func (u *upload) Read(p []byte) (int, error) {
	u.w.last.Store(int64(time.Since(u.w.started)))
	return u.from.Read(p)
}
