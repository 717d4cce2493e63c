package hub

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/edge/hub/store"
)

const (
	// maxForm keeps forms from filling memory.
	maxForm = 64 << 10
	// maxCallback is the length of a callback in bytes. It is stored and sent in a request
	// line.
	maxCallback = 2048
	// secretLimit is W3C WebSub's (section 5.1): a secret must be shorter.
	secretLimit = 200
)

// The values of hub.mode that are requests.
const (
	modeSubscribe   = store.ModeSubscribe
	modeUnsubscribe = store.ModeUnsubscribe
	modePublish     = "publish"
)

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

// form is the body of a request.
type form struct{ url.Values }

// parseForm parses a form-encoded body.
func parseForm(body string) (form, error) {
	values, err := url.ParseQuery(body)
	if err != nil {
		return form{}, reject("The body is not form-encoded.")
	}
	return form{values}, nil
}

// one returns the value of a field that may be given once.
func (f form) one(name string) (value string, ok bool, err error) {
	switch values := f.Values[name]; len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	default:
		return "", true, reject("%s is given %d times; give it once.", name, len(values))
	}
}

// required returns the value of a field that must be given once.
func (f form) required(name string) (string, error) {
	value, _, err := f.one(name)
	if err == nil && value == "" {
		err = reject("%s is missing.", name)
	}
	return value, err
}

// subscription parses a subscribe or unsubscribe request (W3C WebSub, section 5.1).
func (h *Hub) subscription(f form, mode string) (r store.Request, err error) {
	r.Mode = mode
	if r.Callback, err = f.required("hub.callback"); err != nil {
		return r, err
	}
	callback, err := h.callback(r.Callback)
	if err != nil {
		return r, err
	}
	r.Endpoint, r.Host = store.Endpoint(callback)
	if r.Topic, err = f.required("hub.topic"); err != nil {
		return r, err
	}
	if !h.isTopic(r.Topic) {
		return r, unknownTopic(h, "hub.topic")
	}
	if r.Lease, err = h.lease(f, mode); err != nil {
		return r, err
	}
	secret, _, err := f.one("hub.secret")
	if err != nil {
		return r, err
	}
	if len(secret) >= secretLimit {
		return r, reject("hub.secret has %d bytes; it must have fewer than %d.", len(secret), secretLimit)
	}
	if secret != "" && mode == modeSubscribe {
		r.Secret = []byte(secret)
	}
	return r, nil
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
	if err := h.guard.literal(u.Hostname()); err != nil {
		return nil, reject("hub.callback has an address that is not public.")
	}
	return u, nil
}

// endsInNumber reports whether a host is neither a DNS name nor an address (WHATWG URL,
// section 3.5, "ends in a number").
func endsInNumber(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	last := strings.TrimSuffix(host, ".")
	last = strings.ToLower(last[strings.LastIndexByte(last, '.')+1:])
	if last == "" {
		return false
	}
	hex, ok := strings.CutPrefix(last, "0x")
	return strings.Trim(last, "0123456789") == "" || ok && strings.Trim(hex, "0123456789abcdef") == ""
}

// lease returns the lease that is granted: the requested one, within our bounds.
// Unsubscribing ignores it.
func (h *Hub) lease(f form, mode string) (time.Duration, error) {
	granted := min(max(DefaultLease, h.MinLease), h.MaxLease)
	requested, ok, err := f.one("hub.lease_seconds")
	if mode == modeUnsubscribe || !ok {
		return granted, nil
	}
	if err != nil {
		return 0, err
	}
	digits := strings.TrimLeft(requested, "0")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, reject("hub.lease_seconds must be a positive integer.")
	}
	// For a number that is too large ParseInt returns the largest.
	seconds, _ := strconv.ParseInt(digits, 10, 64)
	seconds = min(seconds, int64(h.MaxLease/time.Second))
	return max(time.Duration(seconds)*time.Second, h.MinLease), nil
}

// checkPing checks the topics of a publish request: in hub.url, as in PubSubHubbub, or
// in hub.topic. It returns the hashes of the manifests that the ping announces, in the
// fields manifest.
func (h *Hub) checkPing(f form) (manifests []string, err error) {
	named := false
	for _, field := range []string{"hub.url", "hub.topic"} {
		for _, topic := range f.Values[field] {
			if named = true; !h.isTopic(topic) {
				return nil, unknownTopic(h, field)
			}
		}
	}
	if !named {
		return nil, reject("hub.url is missing; it names the topic that has changed.")
	}
	for _, manifest := range f.Values["manifest"] {
		if len(manifest) != 64 || strings.Trim(manifest, "0123456789abcdef") != "" {
			return nil, reject("manifest must be a SHA-256 of 64 lower-case hex digits.")
		}
	}
	return f.Values["manifest"], nil
}

func (h *Hub) isTopic(s string) bool {
	path, ok := strings.CutPrefix(s, h.BaseURL)
	return ok && slices.Contains(h.offered(), path)
}

// offered returns the paths of the topics that are published, or of all before anything
// is.
func (h *Hub) offered() []string {
	edition := h.Published()
	return slices.DeleteFunc(slices.Clone(reviewcast.Topics), func(path string) bool {
		if edition == nil {
			return false
		}
		_, ok := edition.Topics[path]
		return !ok
	})
}

func unknownTopic(h *Hub, field string) *rejection {
	topics := h.offered()
	for i, path := range topics {
		topics[i] = h.topic(path)
	}
	return reject("%s is not a topic of this hub; the topics are %s.", field, strings.Join(topics, ", "))
}

// asRejection returns what the client is told of an error.
func asRejection(err error) *rejection {
	var r *rejection
	switch {
	case errors.As(err, &r):
		return r
	case errors.Is(err, store.ErrHostBusy):
		return &rejection{http.StatusTooManyRequests, time.Minute, "Too many verifications are pending for this host."}
	case errors.Is(err, store.ErrBusy):
		return &rejection{http.StatusServiceUnavailable, time.Minute, "Too many verifications are pending."}
	case errors.Is(err, store.ErrNetworkBusy):
		return &rejection{http.StatusTooManyRequests, time.Minute, "Too many verifications are pending for this network."}
	case errors.Is(err, store.ErrHostFull):
		return &rejection{http.StatusTooManyRequests, time.Hour, "The host has reached its maximum number of subscriptions."}
	case errors.Is(err, store.ErrFull):
		return &rejection{http.StatusServiceUnavailable, time.Hour, "The hub has reached its maximum number of subscriptions."}
	default:
		return &rejection{http.StatusServiceUnavailable, 30 * time.Second, "The hub can't accept requests at the moment."}
	}
}
