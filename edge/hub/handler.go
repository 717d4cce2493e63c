package hub

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"reviewcast/edge/hub/store"
)

const (
	// maxPendingPerHost stops whoever has us call one victim's host again and again,
	// and one subscriber from filling the line before all others.
	maxPendingPerHost = 1000
	// maxPending stops one from filling the disk with requests that are never verified,
	// from many addresses and about many hosts.
	maxPending = 20_000
	// maxSubscriptions stops whoever fills the disk with callbacks that verify.
	maxSubscriptions = 200_000
)

// allowed are the hub's methods. OPTIONS is answered by the edge, whose CORS
// headers this is part of.
const allowed = "POST, OPTIONS"

// ServeHTTP answers requests of subscribers and pings of publishers: 202 as soon
// as what was asked is durable, never waiting for a callback.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	said, err := h.take(w, r)
	if err != nil {
		refusal := asRejection(err)
		if refusal.status >= 500 {
			h.complain("hub requests not taken", err)
		}
		h.metrics.requests.WithLabelValues("refused").Inc()
		if refusal.retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int((refusal.retryAfter+time.Second-1)/time.Second)))
		}
		answer(w, refusal.status, refusal.sentence)
		return
	}
	h.metrics.requests.WithLabelValues("accepted").Inc()
	answer(w, http.StatusAccepted, said)
}

func answer(w http.ResponseWriter, status int, sentence string) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, sentence+"\n") // a client that is gone can't be told
}

// take does what a request asks and says so.
func (h *Hub) take(w http.ResponseWriter, r *http.Request) (said string, err error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", allowed)
		return "", &rejection{status: http.StatusMethodNotAllowed, sentence: "The hub takes POST requests only."}
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/x-www-form-urlencoded" {
		return "", &rejection{status: http.StatusUnsupportedMediaType, sentence: "The body must be form-encoded, as Content-Type application/x-www-form-urlencoded."}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return "", &rejection{status: http.StatusRequestEntityTooLarge, sentence: "The body is larger than 64 KiB."}
	} else if err != nil {
		return "", reject("The body broke off.")
	}
	f, err := parseForm(string(body))
	if err != nil {
		return "", err
	}
	mode, err := f.need("hub.mode")
	if err != nil {
		return "", err
	}
	switch mode {
	case modePublish:
		if err := h.pinged(f); err != nil {
			return "", err
		}
		signal(h.reload)
		return "Accepted. The hub looks whether the topics have changed.", nil
	case modeSubscribe, modeUnsubscribe:
		return "Accepted. The hub asks the callback whether it means it.", h.note(r, f, mode)
	default:
		return "", reject("hub.mode must be subscribe, unsubscribe or publish.")
	}
}

// note makes a subscribe or unsubscribe request durable.
func (h *Hub) note(r *http.Request, f form, mode string) error {
	request, err := h.subscription(f, mode)
	if err != nil {
		return err
	}
	if h.Limit != nil {
		if wait := h.Limit(r); wait > 0 {
			return &rejection{http.StatusTooManyRequests, wait, "Too many requests from this address."}
		}
	}
	caps := store.Caps{PendingPerHost: maxPendingPerHost, Pending: maxPending, Full: h.full.Load()}
	if err := h.Store.Request(r.Context(), time.Now(), request, h.served(request.Topic), caps); err != nil {
		return err
	}
	signal(h.handshakes)
	return nil
}

// served is what a topic holds here at the moment.
func (h *Hub) served(topic string) (p store.Publication) {
	edition := h.Published()
	if edition == nil {
		return p
	}
	if content, ok := edition.Topics[strings.TrimPrefix(topic, h.BaseURL)]; ok {
		p = store.Publication{Topic: topic, SHA256: content.SHA256, Sequence: edition.Sequence}
	}
	return p
}
