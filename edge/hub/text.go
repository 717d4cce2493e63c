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

// publicReason returns the kind of an error for the subscriber. The error itself may name
// addresses of our network.
func publicReason(err error) string {
	var (
		timeout     net.Error
		resolution  *net.DNSError
		record      tls.RecordHeaderError
		certificate *tls.CertificateVerificationError
		hostname    x509.HostnameError
	)
	switch {
	case errors.Is(err, errNoAnswer), errors.Is(err, errTooSlow):
		return err.Error()
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, errPort):
		return "the address is not allowed"
	case errors.As(err, &certificate), errors.As(err, &hostname):
		return "the certificate is not valid"
	case errors.As(err, &record):
		return "no TLS connection"
	case errors.As(err, &resolution):
		return "the host name was not found"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "no connection in time"
	default:
		return "no answer"
	}
}
