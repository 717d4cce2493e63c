package hub

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"code.dny.dev/ssrf"
)

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
	end := maxText - len("…")
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
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
	var (
		timeout     net.Error
		resolution  *net.DNSError
		record      tls.RecordHeaderError
		certificate *tls.CertificateVerificationError
		hostname    x509.HostnameError
		alert       tls.AlertError
	)
	var no *refusal
	switch {
	case errors.Is(err, errNoAnswer), errors.Is(err, errTooSlow), errors.As(err, &no):
		return err.Error()
	case errors.Is(err, errOutage):
		return errOutage.Error()
	case errors.Is(err, errLocal):
		return errLocal.Error()
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, errPort):
		return "the address is not allowed"
	case errors.As(err, &certificate), errors.As(err, &hostname):
		return "the certificate is not valid"
	case errors.As(err, &record), errors.As(err, &alert), errors.Is(err, http.ErrSchemeMismatch):
		return "no TLS connection"
	case errors.As(err, &resolution):
		return "the host name was not found"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no connection in time"
	default:
		return "no answer"
	}
}
