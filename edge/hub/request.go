package hub

import (
	_ "embed"
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
	// maxCallback is the length of a callback in bytes. It is stored and sent in a request line.
	maxCallback = 2048
	// secretLimit is W3C WebSub's (section 5.1): a secret must be shorter.
	secretLimit = 200
)

// modePublish is the value of hub.mode of a ping.
const modePublish = "publish"

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

// parseForm parses a form-encoded body.
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
	if f.err != nil {
		return r, f.err
	}
	callback, err := h.callback(r.Callback)
	if err != nil {
		return r, err
	}
	r.Endpoint, r.Host = store.Endpoint(callback)
	r.Topic = f.required("hub.topic")
	if f.err == nil && !h.isTopic(r.Topic) {
		f.err = unknownTopic(h, "hub.topic")
	}
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
	if f.err != nil {
		return nil, f.err
	}
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
		if !reviewcast.IsSHA256(manifest) {
			return nil, reject("manifest must be a SHA-256 of 64 lower-case hex digits.")
		}
	}
	return f.Values["manifest"], nil
}

func (h *Hub) isTopic(s string) bool { return slices.Contains(h.offered(), s) }

// offered returns the topics that are published, or all before anything is.
func (h *Hub) offered() (topics []string) {
	edition := h.Published()
	for _, path := range reviewcast.Topics {
		if edition == nil || edition.Topics[path].SHA256 != "" {
			topics = append(topics, h.BaseURL+path)
		}
	}
	return topics
}

func unknownTopic(h *Hub, field string) *rejection {
	return reject("%s is not a topic of this hub; the topics are %s.", field, strings.Join(h.offered(), ", "))
}

// refusals are the answers to errors of the store.
var refusals = map[error]rejection{
	store.ErrHostBusy:    {http.StatusTooManyRequests, time.Minute, "Too many verifications are pending for this host."},
	store.ErrNetworkBusy: {http.StatusTooManyRequests, time.Minute, "Too many verifications are pending for this network."},
	store.ErrBusy:        {http.StatusServiceUnavailable, time.Minute, "Too many verifications are pending."},
	store.ErrHostFull:    {http.StatusTooManyRequests, time.Hour, "The host has reached its maximum number of subscriptions."},
	store.ErrFull:        {http.StatusServiceUnavailable, time.Hour, "The hub has reached its maximum number of subscriptions."},
}

// asRejection returns the answer to an error.
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

// States of a [Status].
const (
	StateActive   = "active"   // subscribed, with the newest content or about to get it
	StateFailing  = "failing"  // subscribed, the last delivery failed
	StateWaiting  = "waiting"  // subscribed, the hub could not call
	StatePending  = "pending"  // requested, not verified yet
	StateRejected = "rejected" // requested, and the verification failed
	StateEnded    = "ended"    // no longer subscribed
)

// Status explains what has happened to a subscription.
type Status struct {
	State       string    `json:"state"`
	Explanation string    `json:"explanation"` // what happened, one sentence
	Remedy      string    `json:"remedy"`      // what would help, one sentence
	At          time.Time `json:"at,omitzero"` // when it happened
	Next        time.Time `json:"next_attempt,omitzero"`
}

// Explain returns the status of a subscription, a pending verification, or a departure. It
// holds nothing that its subscriber may not see.
func Explain(r store.Record, now time.Time) Status {
	switch {
	case r.Subscription != nil:
		return explainSubscription(r.Subscription, now)
	case r.Verification != nil:
		return explainVerification(r.Verification)
	default:
		return explainDeparture(r.Departure)
	}
}

func explainSubscription(r *store.Subscription, now time.Time) Status {
	reason := publicPart(r.LastError)
	s := Status{At: r.DeliveredAt}
	if r.NextAttempt.After(now) {
		s.Next = r.NextAttempt
	}
	switch {
	case !now.Before(r.ExpiresAt):
		s.State, s.At = StateEnded, r.ExpiresAt
		s.Explanation, s.Remedy = "The lease ended on "+day(r.ExpiresAt)+".", remedyExpired
	case (r.Behind || !s.Next.IsZero()) && isOurs(reason):
		s.State, s.Explanation, s.Remedy = StateWaiting, "The delivery is postponed: "+reason+".", remedyOurs
	case r.Failures > 0:
		s.State = StateFailing
		s.Explanation = fmt.Sprintf("%s failed, the last with: %s.", plural(r.Failures, "consecutive delivery", "consecutive deliveries"), reason)
		s.Remedy = remedy(reason, "The hub tries again by itself.")
	case r.Behind:
		s.State, s.Explanation, s.Remedy = StateActive, "The newest content is about to be delivered.", remedyNone
	default:
		s.State, s.Explanation, s.Remedy = StateActive, "The subscription is active and was sent everything since its request.", remedyNone
	}
	return s
}

func explainVerification(v *store.Verification) Status {
	reason := publicPart(v.LastError)
	s := Status{State: StatePending, At: v.RequestedAt, Next: v.NextAttempt, Remedy: remedyNone}
	switch {
	case v.Mode == store.ModeDenied:
		s.State, s.Explanation, s.Remedy = StateEnded, "The subscription was removed, and a denial is about to be sent: "+v.Reason+".", remedy(v.Reason, remedyAgain)
	case v.Attempts == 0 && reason == "":
		s.Explanation = "The " + v.Mode + " request waits for its verification."
	case isOurs(reason):
		s.Explanation, s.Remedy = "The verification is postponed: "+reason+".", remedyOurs
	default:
		s.Explanation = fmt.Sprintf("%s of the callback had no valid answer, the last with: %s.", plural(v.Attempts, "verification", "verifications"), reason)
		s.Remedy = remedy(reason, "The hub tries three times.")
	}
	return s
}

func explainDeparture(d *store.Departure) Status {
	reason := publicPart(d.Error)
	s := Status{State: StateEnded, At: d.At}
	on := " on " + day(d.At)
	switch d.Cause {
	case store.CauseUnverified:
		s.State = StateRejected
		s.Explanation, s.Remedy = "The verification failed"+on+": "+reason+".", remedy(reason, remedyAgain)
	case store.CauseUnsubscribed:
		s.Explanation, s.Remedy = "The callback confirmed an unsubscribe request"+on+".", remedyAgain
	case store.CauseGone:
		s.Explanation, s.Remedy = "The callback answered 410 Gone"+on+", which ends a subscription.", "Answer notifications with a 2xx status, then subscribe again."
	case store.CauseFailed:
		s.Explanation = "The subscription was removed" + on + " after three consecutive failures, the last with: " + reason + "."
		s.Remedy = remedy(reason, remedyAgain)
	case store.CauseExpired:
		s.Explanation, s.Remedy = "The lease ended before"+on+".", remedyExpired
	case store.CauseRemoved:
		s.Explanation, s.Remedy = "An operator of the hub removed the subscription"+on+".", "Ask the operator, or subscribe again."
	}
	return s
}

const (
	remedyNone    = "Nothing needs to be done."
	remedyOurs    = "Nothing needs to be done: the hub tries again as soon as it can."
	remedyAgain   = "Subscribe again."
	remedyExpired = "Subscribe again, and renew each subscription before its lease ends."
)

// remedies are what helps against errors, by the beginning of their public text.
//
//go:embed remedies.txt
var remedies string

// remedy returns what helps against a reason, and then.
func remedy(reason, then string) string {
	for line := range strings.Lines(remedies) {
		begins, remedy, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if i := strings.Index(reason, begins); i == 0 || i > 0 && strings.HasSuffix(reason[:i], ": ") {
			return remedy + " " + then
		}
	}
	return then
}

// publicPart returns the part of a stored error that subscribers may see; see errorText.
func publicPart(text string) string {
	public, _, _ := strings.Cut(text, ": ")
	return public
}

// isOurs reports whether a reason is an error of the hub itself.
func isOurs(reason string) bool { return reason == errOutage.Error() || reason == errLocal.Error() }

func day(t time.Time) string { return t.UTC().Format("2 January 2006 at 15:04 UTC") }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
