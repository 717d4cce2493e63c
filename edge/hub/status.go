package hub

import (
	"context"
	"crypto/hmac"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"code.dny.dev/ssrf"

	"reviewcast"
	"reviewcast/edge/hub/store"
)

// statusHour is the format of the hour that a status request is signed for.
const statusHour = "2006-01-02T15Z"

// StatusSignature returns the value of X-Hub-Signature with which a subscriber asks for the status of its subscription.
// Key is store.ProofKey of its secret. The value is valid in the hour of now, and the hours before and after it.
func StatusSignature(key []byte, topic, callback string, now time.Time) string {
	return signature(key, []byte(topic+"\n"+callback+"\n"+now.UTC().Format(statusHour)))
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
	case errors.Is(err, errNoAnswer), errors.Is(err, errTooSlow), is[*refusal](err):
		return err.Error()
	case errors.Is(err, errOutage):
		return errOutage.Error()
	case errors.Is(err, errLocal):
		return errLocal.Error()
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, errPort):
		return "the address is not allowed"
	case is[*tls.CertificateVerificationError](err), is[x509.HostnameError](err):
		return "the certificate is not valid"
	case is[tls.RecordHeaderError](err), is[tls.AlertError](err), errors.Is(err, http.ErrSchemeMismatch):
		return "no TLS connection"
	case is[*net.DNSError](err):
		return "the host name was not found"
	case timeout != nil && timeout.Timeout():
		return "no connection in time"
	default:
		return "no answer"
	}
}

// is reports whether an error is or wraps one of type T.
func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}
