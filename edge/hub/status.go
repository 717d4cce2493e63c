package hub

import (
	"context"
	"crypto/hmac"
	"crypto/tls"
	"crypto/x509"
	_ "embed"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"code.dny.dev/ssrf"

	"reviewcast"
	"reviewcast/edge/hub/store"
)

// StatusSignature returns the value of X-Hub-Signature with which a subscriber asks for the status of its subscription.
// Key is store.ProofKey of its secret. The value is valid in the hour of now, and the hours before and after it.
func StatusSignature(key []byte, topic, callback string, now time.Time) string {
	return signature(key, []byte(topic+"\n"+callback+"\n"+now.UTC().Format("2006-01-02T15Z")))
}

// serveStatus answers a subscriber that asks what has happened to its subscription and proves that it knows the secret.
// All answers without a proof are alike, so that nobody learns which callbacks are subscribed.
func (h *Hub) serveStatus(w http.ResponseWriter, r *http.Request) error {
	if err := h.limit(r); err != nil {
		return err
	}
	query := r.URL.Query()
	topic, callback := query.Get("hub.topic"), query.Get("hub.callback")
	now := time.Now()
	var records []store.Record
	if h.isTopic(topic) { // an empty topic would be all
		if err := h.answered(r.Context(), func(ctx context.Context) (err error) {
			records, err = h.Store.History(ctx, now, topic, callback) // read below only if this has ended
			return err
		}); err != nil {
			return err
		}
	}
	list := []Status{}
	for _, record := range records {
		if provesSecret(record.ProofKey, topic, callback, r.Header.Get("X-Hub-Signature"), now) {
			list = append(list, Explain(record, now))
		}
	}
	if len(list) == 0 {
		return &rejection{status: http.StatusForbidden, sentence: "The signature is missing or wrong, or the subscription is not known."}
	}
	body, _ := reviewcast.EncodeJSON(map[string]any{"topic": topic, "callback": callback, "status": list}) // always marshals
	answer(w, http.StatusOK, reviewcast.MediaJSON, string(body))
	return nil
}

// provesSecret reports whether a signature was made with the key in this hour or a
// neighbouring one. Without a secret there is no proof.
func provesSecret(key []byte, topic, callback, given string, now time.Time) bool {
	ok := false
	for _, at := range []time.Time{now.Add(-time.Hour), now, now.Add(time.Hour)} {
		want := StatusSignature(key, topic, callback, at)
		ok = hmac.Equal([]byte(want), []byte(given)) || ok
	}
	return ok && len(key) > 0
}

// maxText is the number of bytes of an error that are stored and logged. Errors quote
// certificates and headers of subscribers, which could fill the disk.
const maxText = 300

// plain returns a text as one line of printable characters. The text is untrusted, and
// terminals interpret control characters.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText-len("…")], "") + "…"
}

// errorText returns an error for operators: its public reason and, after a colon, the
// details. Only the part before the colon is shown to subscribers.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	reason := publicReason(err)
	if reason == err.Error() {
		return plain(reason)
	}
	return plain(reason + ": " + err.Error())
}

// publicReason returns the kind of an error for the subscriber. The error itself may name addresses of our network.
func publicReason(err error) string {
	timeout, _ := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, errNoAnswer), errors.Is(err, errTooSlow), errors.As(err, new(*refusal)):
		return err.Error()
	case errors.Is(err, errOutage):
		return errOutage.Error()
	case errors.Is(err, errLocal):
		return errLocal.Error()
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, errPort):
		return "the address is not allowed"
	case errors.As(err, new(*tls.CertificateVerificationError)), errors.As(err, new(x509.HostnameError)):
		return "the certificate is not valid"
	case errors.As(err, new(tls.RecordHeaderError)), errors.As(err, new(tls.AlertError)), errors.Is(err, http.ErrSchemeMismatch):
		return "no TLS connection"
	case errors.As(err, new(*net.DNSError)):
		return "the host name was not found"
	case timeout != nil && timeout.Timeout():
		return "no connection in time"
	default:
		return "no answer"
	}
}

// Status explains what has happened to a subscription.
type Status struct {
	// State is active (with the newest content or about to get it), failing (the last delivery failed), waiting (the hub
	// could not call), pending (requested, not verified yet), rejected (the verification failed) or ended.
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
	}
	return Status{At: r.Departure.At}.explain(r.Departure.Cause, publicPart(r.Departure.Error), 0)
}

func explainSubscription(r *store.Subscription, now time.Time) Status {
	s, situation, reason := Status{At: r.DeliveredAt}, "current", publicPart(r.LastError)
	if r.NextAttempt.After(now) {
		s.Next = r.NextAttempt
	}
	switch {
	case !now.Before(r.ExpiresAt):
		s.At, situation = r.ExpiresAt, "lease ended"
	case (r.Behind || !s.Next.IsZero()) && isOurs(reason):
		situation = "delivery postponed"
	case r.Failures == 1:
		situation = "delivery failed"
	case r.Failures > 1:
		situation = "deliveries failed"
	case r.Behind:
		situation = "due"
	}
	return s.explain(situation, reason, r.Failures)
}

func explainVerification(v *store.Verification) Status {
	s := Status{At: v.RequestedAt, Next: v.NextAttempt}
	situation, reason := v.Mode, publicPart(v.LastError)
	switch {
	case v.Mode == store.ModeDenied:
		reason = v.Reason
	case v.Attempts == 0 && reason == "":
	case isOurs(reason):
		situation = "verification postponed"
	case v.Attempts == 1:
		situation = "verification failed"
	default:
		situation = "verifications failed"
	}
	return s.explain(situation, reason, v.Attempts)
}

// explanations has a line for each situation, by modes and causes of the store too: a state, an explanation and a remedy, in
// which {day} is when it happened, {n} how often, and {helps} what helps against {reason}.
//
//go:embed explanations.txt
var explanations string

// explain returns the status with the state and the texts of a situation.
func (s Status) explain(situation, reason string, n int) Status {
	fill := strings.NewReplacer("{day}", s.At.UTC().Format("2 January 2006 at 15:04 UTC"), "{n}", strconv.Itoa(n),
		"{reason}", reason, "{helps} ", remedy(reason))
	for line := range strings.Lines(explanations) {
		if cells := strings.Split(strings.TrimSpace(line), "\t"); cells[0] == situation {
			s.State, s.Explanation, s.Remedy = cells[1], fill.Replace(cells[2]), fill.Replace(cells[3])
		}
	}
	return s
}

// remedies are what helps against errors, by the beginning of their public text.
//
//go:embed remedies.txt
var remedies string

// remedy returns what helps against a reason, and a space; nothing if that isn't known.
func remedy(reason string) string {
	for line := range strings.Lines(remedies) {
		begins, remedy, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if i := strings.Index(reason, begins); i == 0 || i > 0 && strings.HasSuffix(reason[:i], ": ") {
			return remedy + " "
		}
	}
	return ""
}

// publicPart returns the part of a stored error that subscribers may see; see errorText.
func publicPart(text string) string {
	public, _, _ := strings.Cut(text, ": ")
	return public
}

// isOurs reports whether a reason is an error of the hub itself.
func isOurs(reason string) bool { return reason == errOutage.Error() || reason == errLocal.Error() }
