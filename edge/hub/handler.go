package hub

import (
	"context"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"reviewcast/edge/hub/store"
)

const (
	// maxPendingPerHost keeps third parties from having us call one host again and again,
	// and one subscriber from delaying the verifications of others.
	maxPendingPerHost = 1000
	// maxPending keeps requests that are never verified, from many addresses and for many hosts, from filling the disk.
	maxPending = 20_000
	// maxPendingPerNetwork keeps a few addresses from using up maxPending.
	maxPendingPerNetwork = 1000
	// maxSubscriptionsPerHost keeps one host, with as many callbacks as it likes, from using up maxSubscriptions.
	maxSubscriptionsPerHost = 10_000
	// maxSubscriptions keeps callbacks that verify from filling the disk.
	maxSubscriptions = 200_000
)

// ServeHTTP answers requests of subscribers and pings of publishers: 202 as soon as the request is durable, without
// waiting for a callback. It answers GET requests of subscribers for the status of their subscriptions.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sentence, err := "", h.Health() // rejects at once while the state can't be written
	switch {
	case err != nil:
	case r.Method == http.MethodGet:
		if err = h.serveStatus(w, r); err == nil {
			return
		}
	default:
		sentence, err = h.accept(w, r)
	}
	if err != nil {
		rejected := asRejection(err)
		if rejected.status >= 500 {
			h.logError("hub requests not accepted", err)
		}
		h.metrics.requests.WithLabelValues("refused").Inc()
		if rejected.retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int((rejected.retryAfter+time.Second-1)/time.Second)))
		}
		answer(w, rejected.status, "text/plain; charset=utf-8", rejected.sentence+"\n")
		return
	}
	h.metrics.requests.WithLabelValues("accepted").Inc()
	answer(w, http.StatusAccepted, "text/plain; charset=utf-8", sentence+"\n")
}

func answer(w http.ResponseWriter, status int, mediaType, body string) {
	header := w.Header()
	header.Set("Content-Type", mediaType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // the client may be gone
}

// accept stores what a request asks for and returns the sentence of the answer.
func (h *Hub) accept(w http.ResponseWriter, r *http.Request) (sentence string, err error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "GET, POST, OPTIONS") // the edge answers OPTIONS with its CORS headers
		return "", &rejection{status: http.StatusMethodNotAllowed, sentence: "The hub accepts POST requests, and GET requests for a status."}
	}
	f, err := readForm(w, r)
	if err != nil {
		return "", err
	}
	switch mode := f.required("hub.mode"); mode {
	case modePublish:
		manifests, err := h.checkPing(f)
		if err != nil {
			return "", err
		}
		select {
		case h.pings <- manifests:
		default: // the reload will find the newest files anyway
		}
		signal(h.wakeReload)
		return "Accepted. The hub will check whether the topics have changed.", nil
	case store.ModeSubscribe, store.ModeUnsubscribe:
		return "Accepted. The hub will verify the callback.", h.storeRequest(r, f, mode)
	default:
		f.check(false, "hub.mode must be subscribe, unsubscribe or publish.")
		return "", f.err
	}
}

// readForm returns the fields of a request. Deploy hooks, which can't choose their body,
// send the fields of a ping in the query; then the body is ignored.
func readForm(w http.ResponseWriter, r *http.Request) (*form, error) {
	if query, err := parseForm(r.URL.RawQuery); err == nil && query.Get("hub.mode") == modePublish {
		return query, nil
	}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/x-www-form-urlencoded" {
		return nil, &rejection{status: http.StatusUnsupportedMediaType, sentence: "The body must be form-encoded, as Content-Type application/x-www-form-urlencoded."}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	if is[*http.MaxBytesError](err) {
		return nil, &rejection{status: http.StatusRequestEntityTooLarge, sentence: "The body is larger than 64 KiB."}
	} else if err != nil {
		return nil, reject("The body is incomplete.")
	}
	return parseForm(string(body))
}

// storeRequest stores a subscribe or unsubscribe request.
func (h *Hub) storeRequest(r *http.Request, f *form, mode string) error {
	request, err := h.subscription(f, mode)
	if err != nil {
		return err
	}
	if err := h.limit(r); err != nil {
		return err
	}
	request.Network = networkOf(h.Client(r))
	caps := store.Caps{
		PendingPerHost: maxPendingPerHost, PendingPerNetwork: maxPendingPerNetwork,
		PerHost: maxSubscriptionsPerHost, Busy: h.busy.Load(), Full: h.full.Load(),
	}
	err = h.answered(r.Context(), func(ctx context.Context) error {
		return h.Store.Request(ctx, time.Now(), request, h.served(request.Topic), caps)
	})
	if err != nil {
		return err
	}
	signal(h.wakeVerify)
	return nil
}

// limit rejects requests of clients that send too many.
func (h *Hub) limit(r *http.Request) error {
	if h.Limit != nil {
		if wait := h.Limit(r); wait > 0 {
			return &rejection{http.StatusTooManyRequests, wait, "Too many requests from this address."}
		}
	}
	return nil
}

// networkOf returns the network that the caps of a client count for: its site, as networks are usually assigned.
func networkOf(client netip.Addr) string {
	bits := 48
	if client.Is4() {
		bits = 24
	}
	prefix, _ := client.Prefix(bits)
	if !prefix.IsValid() { // it has no address, as on a Unix socket
		return ""
	}
	return prefix.String()
}

// served returns the content that a topic has here now; without a hash if there is none.
func (h *Hub) served(topic string) (p store.Publication) {
	if edition := h.Published(); edition != nil {
		content := edition.Topics[strings.TrimPrefix(topic, h.BaseURL)]
		p = store.Publication{Topic: topic, SHA256: content.SHA256, Sequence: edition.Sequence, Modified: content.Modified}
	}
	return p
}
