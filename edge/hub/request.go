package hub

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/edge/hub/store"
)

const (
	// maxForm stops forms that fill memory.
	maxForm = 64 << 10
	// maxCallback is how long a callback may be, in bytes. It is stored, logged and
	// sent in a request line.
	maxCallback = 2048
	// secretLimit is W3C WebSub's (section 5.1): a secret is shorter.
	secretLimit = 200
)

// The values of hub.mode that are requests.
const (
	modeSubscribe   = store.ModeSubscribe
	modeUnsubscribe = store.ModeUnsubscribe
	modePublish     = "publish"
)

// rejection is a request that isn't taken, in one sentence for its sender.
type rejection struct {
	status     int
	retryAfter time.Duration
	sentence   string
}

func (r *rejection) Error() string { return r.sentence }

func reject(format string, args ...any) *rejection {
	return &rejection{status: http.StatusBadRequest, sentence: fmt.Sprintf(format, args...)}
}

// form is a request's body with each field given at most once.
type form struct{ url.Values }

// parseForm reads a form-encoded body.
func parseForm(body string) (form, error) {
	values, err := url.ParseQuery(body)
	if err != nil {
		return form{}, reject("The body is not form-encoded.")
	}
	return form{values}, nil
}

// one is the value of a field that may stand once.
func (f form) one(name string) (value string, there bool, err error) {
	switch values := f.Values[name]; len(values) {
	case 0:
		return "", false, nil
	case 1:
		return values[0], true, nil
	default:
		return "", true, reject("%s is given %d times; give it once.", name, len(values))
	}
}

// need is the value of a field that must stand once.
func (f form) need(name string) (string, error) {
	value, _, err := f.one(name)
	if err == nil && value == "" {
		err = reject("%s is missing.", name)
	}
	return value, err
}

// subscription reads a subscribe or unsubscribe request (W3C WebSub, section 5.1).
func (h *Hub) subscription(f form, mode string) (r store.Request, err error) {
	r.Mode = mode
	if r.Callback, err = f.need("hub.callback"); err != nil {
		return r, err
	}
	callback, err := h.callback(r.Callback)
	if err != nil {
		return r, err
	}
	r.Endpoint, r.Host = store.Endpoint(callback)
	if r.Topic, err = f.need("hub.topic"); err != nil {
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

// callback checks where a subscriber wants to be called. Its query is kept and
// called byte for byte, so it must be fit for a request line as it is.
func (h *Hub) callback(s string) (*url.URL, error) {
	if len(s) > maxCallback {
		return nil, reject("hub.callback has %d bytes; it may have %d.", len(s), maxCallback)
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, reject("hub.callback has characters that no URL has; percent-encode them.")
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Opaque != "":
		return nil, reject("hub.callback is not a URL.")
	case u.Scheme != "https":
		return nil, reject("hub.callback must be an https URL.")
	case u.Hostname() == "":
		return nil, reject("hub.callback names no host.")
	case strings.ContainsFunc(u.Hostname(), func(r rune) bool { return r > '~' }):
		// Its many spellings would each have caps of their own.
		return nil, reject("hub.callback has a host that is not ASCII; write it in punycode.")
	case endsInNumber(u.Hostname()):
		// 16909060 and 0x1020304 are 1.2.3.4 to some resolvers: likewise.
		return nil, reject("hub.callback has a host that ends in a number and is no address; write it as four numbers.")
	case u.User != nil:
		return nil, reject("hub.callback must not have a user or password in it.")
	case strings.Contains(s, "#"):
		return nil, reject("hub.callback must not have a fragment.")
	}
	if p := u.Port(); p != "" {
		if port, err := strconv.ParseUint(p, 10, 16); err != nil || !allowedPort(uint16(port)) {
			return nil, reject("hub.callback has a port that is not called; use 443, 8443 or one from 1024 up.")
		}
	}
	if err := h.guard.literal(u.Hostname()); err != nil {
		return nil, reject("hub.callback is at an address that is not public.")
	}
	return u, nil
}

// endsInNumber tells whether a host is none of DNS and no address as it is written,
// either (WHATWG URL, section 3.5, "ends in a number").
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

// lease is what is granted: what was asked for, within our bounds. Unsubscribing
// ignores it.
func (h *Hub) lease(f form, mode string) (time.Duration, error) {
	granted := min(max(DefaultLease, h.MinLease), h.MaxLease)
	asked, there, err := f.one("hub.lease_seconds")
	if mode == modeUnsubscribe || !there {
		return granted, nil
	}
	if err != nil {
		return 0, err
	}
	digits := strings.TrimLeft(asked, "0")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, reject("hub.lease_seconds must be a positive integer.")
	}
	// However many digits it has: a number that is too large is ParseInt's largest.
	seconds, _ := strconv.ParseInt(digits, 10, 64)
	seconds = min(seconds, int64(h.MaxLease/time.Second))
	return max(time.Duration(seconds)*time.Second, h.MinLease), nil
}

// pinged checks which topics a publish request names, in hub.url, as publishers
// have it since PubSubHubbub, or in hub.topic.
func (h *Hub) pinged(f form) error {
	named := false
	for _, field := range []string{"hub.url", "hub.topic"} {
		for _, topic := range f.Values[field] {
			if named = true; !h.isTopic(topic) {
				return unknownTopic(h, field)
			}
		}
	}
	if !named {
		return reject("hub.url is missing; name the topic that has changed.")
	}
	return nil
}

func (h *Hub) isTopic(s string) bool {
	path, ok := strings.CutPrefix(s, h.BaseURL)
	return ok && reviewcast.IsTopic(path)
}

func unknownTopic(h *Hub, field string) *rejection {
	return reject("%s is not a topic of this hub; those are %s, %s and %s.", field,
		h.topic(reviewcast.Topics[0]), h.topic(reviewcast.Topics[1]), h.topic(reviewcast.Topics[2]))
}

// asRejection is how an error is told to a client.
func asRejection(err error) *rejection {
	var r *rejection
	switch {
	case errors.As(err, &r):
		return r
	case errors.Is(err, store.ErrHostBusy):
		return &rejection{http.StatusTooManyRequests, time.Minute, "Too many callbacks of this host wait for their verification."}
	case errors.Is(err, store.ErrBusy):
		return &rejection{http.StatusServiceUnavailable, time.Minute, "Too many callbacks wait for their verification."}
	case errors.Is(err, store.ErrFull):
		return &rejection{http.StatusServiceUnavailable, time.Hour, "The hub has as many subscriptions as it can take."}
	default:
		return &rejection{http.StatusServiceUnavailable, 30 * time.Second, "The hub can't take the request at the moment."}
	}
}
