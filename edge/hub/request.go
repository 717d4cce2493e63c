package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/edge/hub/store"
	"reviewcast/edge/snapshot"
)

const (
	maxForm     = 64 << 10 // keeps forms from filling memory
	maxCallback = 2048     // the length of a callback in bytes; it is stored and sent in a request line
	secretLimit = 200      // W3C WebSub's (section 5.1): a secret must be shorter
	// maxPendingPerHost keeps third parties from having us call one host again and again,
	// and one subscriber from delaying the verifications of others.
	maxPendingPerHost = 1000
	// maxPending keeps requests that are never verified, from many addresses and for many hosts, from filling the disk.
	maxPending              = 20_000
	maxPendingPerNetwork    = 1000    // keeps a few addresses from using up maxPending
	maxSubscriptionsPerHost = 10_000  // keeps one host, with as many callbacks as it likes, from using up maxSubscriptions
	maxSubscriptions        = 200_000 // keeps callbacks that verify from filling the disk
)

const modePublish = "publish" // the value of hub.mode of a ping

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
	if errors.As(err, new(*http.MaxBytesError)) {
		return nil, &rejection{status: http.StatusRequestEntityTooLarge, sentence: "The body is larger than 64 KiB."}
	} else if err != nil {
		return nil, reject("The body is incomplete.")
	}
	return parseForm(string(body))
}

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
	files := cmp.Or(h.Files.Load(), &snapshot.Files{})
	if file, ok := files.File(strings.TrimPrefix(topic, h.BaseURL)); ok {
		p = h.publication(files, file)
	}
	return p
}

func (h *Hub) publication(files *snapshot.Files, file *snapshot.File) store.Publication {
	return store.Publication{Topic: h.BaseURL + file.Path, SHA256: file.SHA256, Sequence: files.Sequence(), Modified: file.LastModified}
}

// rejection is the error of a request that isn't accepted, in one sentence for its sender.
type rejection struct {
	status     int
	retryAfter time.Duration
	sentence   string
}

func (r *rejection) Error() string { return r.sentence }

func reject(format string, args ...any) *rejection {
	return &rejection{status: http.StatusBadRequest, sentence: fmt.Sprintf(format, args...)}
}

// form is the fields of a request. Err is its first error.
type form struct {
	url.Values
	err error
}

func parseForm(body string) (*form, error) {
	values, err := url.ParseQuery(body)
	if err != nil {
		return nil, reject("The body is not form-encoded.")
	}
	return &form{Values: values}, nil
}

// one returns the value of a field that may be given once.
func (f *form) one(name string) string {
	given := len(f.Values[name])
	f.check(given <= 1, "%s is given %d times; give it once.", name, given)
	return f.Get(name)
}

// required returns the value of a field that must be given once.
func (f *form) required(name string) string {
	value := f.one(name)
	f.check(value != "", "%s is missing.", name)
	return value
}

// check records an error unless ok.
func (f *form) check(ok bool, format string, args ...any) {
	if !ok && f.err == nil {
		f.err = reject(format, args...)
	}
}

// subscription parses a subscribe or unsubscribe request (W3C WebSub, section 5.1).
func (h *Hub) subscription(f *form, mode string) (r store.Request, err error) {
	r.Mode, r.Callback = mode, f.required("hub.callback")
	callback, err := h.callback(r.Callback)
	if err = cmp.Or(f.err, err); err != nil {
		return r, err
	}
	r.Endpoint, r.Host = store.Endpoint(callback)
	r.Topic = f.required("hub.topic")
	h.checkTopic(f, "hub.topic", r.Topic)
	r.Lease = h.lease(f, mode)
	secret := f.one("hub.secret")
	f.check(len(secret) < secretLimit, "hub.secret has %d bytes; it must have fewer than %d.", len(secret), secretLimit)
	if secret != "" && mode == store.ModeSubscribe {
		r.Secret = []byte(secret)
	}
	return r, f.err
}

// callback checks a callback. Its query is kept byte for byte, so the callback must be
// valid in a request line as it is.
func (h *Hub) callback(s string) (*url.URL, error) {
	if len(s) > maxCallback {
		return nil, reject("hub.callback has %d bytes; the maximum is %d.", len(s), maxCallback)
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, reject("hub.callback has characters that are not allowed in a URL; percent-encode them.")
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Opaque != "":
		return nil, reject("hub.callback is not a URL.")
	case u.Scheme != "https":
		return nil, reject("hub.callback must be an https URL.")
	case u.Hostname() == "":
		return nil, reject("hub.callback has no host.")
	case strings.ContainsFunc(u.Hostname(), func(r rune) bool { return r > '~' }):
		// Each of its spellings would have separate caps.
		return nil, reject("hub.callback has a host that is not ASCII; write it in punycode.")
	case endsInNumber(u.Hostname()):
		// Some resolvers read 16909060 and 0x1020304 as 1.2.3.4: likewise.
		return nil, reject("hub.callback has a host that ends in a number but is no address; write addresses as four numbers.")
	case u.User != nil:
		return nil, reject("hub.callback must not have a user or password.")
	case strings.Contains(s, "#"):
		return nil, reject("hub.callback must not have a fragment.")
	}
	if p := u.Port(); p != "" {
		if port, err := strconv.ParseUint(p, 10, 16); err != nil || !allowedPort(uint16(port)) {
			return nil, reject("hub.callback has a port that is not allowed; use 443, 8443 or a port from 1024 up.")
		}
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil && h.guard.addresses.SafeAddr(a.WithZone("")) != nil {
		return nil, reject("hub.callback has an address that is not public.") // names are checked when they are dialled
	}
	return u, nil
}

// endsInNumber reports whether a host is neither a DNS name nor an address: no top-level domain begins with a digit.
func endsInNumber(host string) bool {
	_, err := netip.ParseAddr(host)
	last := strings.TrimSuffix(host, ".")
	last = last[strings.LastIndexByte(last, '.')+1:]
	return err != nil && last != "" && last[0] >= '0' && last[0] <= '9'
}

// lease returns the lease that is granted: the requested one, within our bounds. Unsubscribing ignores it.
func (h *Hub) lease(f *form, mode string) time.Duration {
	if mode == store.ModeUnsubscribe || !f.Has("hub.lease_seconds") {
		return min(max(DefaultLease, h.MinLease), h.MaxLease)
	}
	digits := strings.TrimLeft(f.one("hub.lease_seconds"), "0")
	f.check(digits != "" && strings.Trim(digits, "0123456789") == "", "hub.lease_seconds must be a positive integer.")
	// For a number that is too large ParseInt returns the largest.
	seconds, _ := strconv.ParseInt(digits, 10, 64)
	seconds = min(seconds, int64(h.MaxLease/time.Second))
	return max(time.Duration(seconds)*time.Second, h.MinLease)
}

// checkPing checks the topics of a publish request: in hub.url, as in PubSubHubbub, or in hub.topic. It returns the
// hashes of the manifests that the ping announces, in the fields manifest.
func (h *Hub) checkPing(f *form) (manifests []string, err error) {
	for _, field := range []string{"hub.url", "hub.topic"} {
		for _, topic := range f.Values[field] {
			h.checkTopic(f, field, topic)
		}
	}
	f.check(f.Has("hub.url") || f.Has("hub.topic"), "hub.url is missing; it names the topic that has changed.")
	for _, manifest := range f.Values["manifest"] {
		f.check(reviewcast.IsSHA256(manifest), "manifest must be a SHA-256 of 64 lower-case hex digits.")
	}
	return f.Values["manifest"], f.err
}

func (h *Hub) isTopic(s string) bool { return slices.Contains(h.offered(), s) }

// offered returns the topics that are published, or all before anything is.
func (h *Hub) offered() (topics []string) {
	files := h.Files.Load()
	for _, path := range reviewcast.Topics {
		if _, ok := cmp.Or(files, &snapshot.Files{}).File(path); ok || files == nil {
			topics = append(topics, h.BaseURL+path)
		}
	}
	return topics
}

func (h *Hub) checkTopic(f *form, field, topic string) {
	topics := h.offered()
	f.check(slices.Contains(topics, topic), "%s is not a topic of this hub; the topics are %s.", field, strings.Join(topics, ", "))
}

// refusals are the answers to errors of the store.
var refusals = map[error]rejection{
	store.ErrHostBusy:    {http.StatusTooManyRequests, time.Minute, "Too many verifications are pending for this host."},
	store.ErrNetworkBusy: {http.StatusTooManyRequests, time.Minute, "Too many verifications are pending for this network."},
	store.ErrBusy:        {http.StatusServiceUnavailable, time.Minute, "Too many verifications are pending."},
	store.ErrHostFull:    {http.StatusTooManyRequests, time.Hour, "The host has reached its maximum number of subscriptions."},
	store.ErrFull:        {http.StatusServiceUnavailable, time.Hour, "The hub has reached its maximum number of subscriptions."},
}

func asRejection(err error) *rejection {
	if r, ok := errors.AsType[*rejection](err); ok {
		return r
	}
	for known, r := range refusals {
		if errors.Is(err, known) {
			return &r
		}
	}
	return &rejection{http.StatusServiceUnavailable, 30 * time.Second, "The hub can't accept requests at the moment."}
}
