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
	// maxPendingPerHost keeps third parties from having us call one host again and again,
	// and one subscriber from delaying the verifications of others.
	maxPendingPerHost = 1000
	// maxPending keeps requests that are never verified, from many addresses and for many
	// hosts, from filling the disk.
	maxPending = 20_000
	// maxSubscriptions keeps callbacks that verify from filling the disk.
	maxSubscriptions = 200_000
)

// allowed are the hub's methods. The edge answers OPTIONS with its CORS headers.
const allowed = "POST, OPTIONS"

// ServeHTTP answers requests of subscribers and pings of publishers: 202 as soon as the
// request is durable, without waiting for a callback.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sentence, err := h.accept(w, r)
	if err != nil {
		rejected := asRejection(err)
		if rejected.status >= 500 {
			h.logError("hub requests not accepted", err)
		}
		h.metrics.requests.WithLabelValues("refused").Inc()
		if rejected.retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int((rejected.retryAfter+time.Second-1)/time.Second)))
		}
		answer(w, rejected.status, rejected.sentence)
		return
	}
	h.metrics.requests.WithLabelValues("accepted").Inc()
	answer(w, http.StatusAccepted, sentence)
}

func answer(w http.ResponseWriter, status int, sentence string) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, sentence+"\n") // the client may be gone
}

// accept stores what a request asks for and returns the sentence of the answer.
func (h *Hub) accept(w http.ResponseWriter, r *http.Request) (sentence string, err error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", allowed)
		return "", &rejection{status: http.StatusMethodNotAllowed, sentence: "The hub accepts POST requests only."}
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/x-www-form-urlencoded" {
		return "", &rejection{status: http.StatusUnsupportedMediaType, sentence: "The body must be form-encoded, as Content-Type application/x-www-form-urlencoded."}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return "", &rejection{status: http.StatusRequestEntityTooLarge, sentence: "The body is larger than 64 KiB."}
	} else if err != nil {
		return "", reject("The body is incomplete.")
	}
	f, err := parseForm(string(body))
	if err != nil {
		return "", err
	}
	mode, err := f.required("hub.mode")
	if err != nil {
		return "", err
	}
	switch mode {
	case modePublish:
		if err := h.checkPing(f); err != nil {
			return "", err
		}
		signal(h.wakeReload)
		return "Accepted. The hub will check whether the topics have changed.", nil
	case modeSubscribe, modeUnsubscribe:
		return "Accepted. The hub will verify the callback.", h.storeRequest(r, f, mode)
	default:
		return "", reject("hub.mode must be subscribe, unsubscribe or publish.")
	}
}

// storeRequest stores a subscribe or unsubscribe request.
func (h *Hub) storeRequest(r *http.Request, f form, mode string) error {
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
	signal(h.wakeVerify)
	return nil
}

// served returns the content that a topic has here now.
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
