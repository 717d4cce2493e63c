package hub

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strings"
	"unicode"
	"unicode/utf8"

	"code.dny.dev/ssrf"
)

// maxWords is how much of what went wrong is kept and logged, in bytes. It stops
// subscribers, whose certificates and headers errors quote, from filling both.
const maxWords = 300

// plain is a text in one line that holds nothing but what can be seen: foreign
// words are in it, and operators' terminals and databases obey control characters.
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
	if len(s) <= maxWords {
		return s
	}
	end := maxWords - len("…")
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// reason is what a subscriber is told of an exchange without an answer: the kind
// of it. The error itself may name addresses of our network.
func reason(err error) string {
	var (
		timeout     net.Error
		resolution  *net.DNSError
		record      tls.RecordHeaderError
		certificate *tls.CertificateVerificationError
		hostname    x509.HostnameError
	)
	switch {
	case errors.Is(err, errSilent), errors.Is(err, errTooSlow):
		return err.Error()
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, errPort):
		return "the address is not one that is called"
	case errors.As(err, &certificate), errors.As(err, &hostname):
		return "the certificate is not valid"
	case errors.As(err, &record):
		return "no TLS connection"
	case errors.As(err, &resolution):
		return "the host's name was not found"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no connection in time"
	default:
		return "no answer"
	}
}
