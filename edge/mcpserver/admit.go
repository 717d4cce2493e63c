package mcpserver

import (
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// admit checks where a request comes from, and sets what every answer has. A page of
// another site may not speak through its visitor's browser to a server that only the
// visitor reaches: that is what the checks of Host and Origin stop (DNS rebinding).
func (s *Server) admit(w http.ResponseWriter, r *http.Request) *fault {
	h := w.Header()
	h.Add("Vary", "Origin")
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	local := addr != nil && loopback(addr.String())
	if local && !loopback(r.Host) && !strings.EqualFold(r.Host, s.host) {
		return &fault{status: http.StatusForbidden, code: codeRequest,
			message: "Forbidden: this listener is for this machine, and the Host header names another."}
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		// A page that came from this very listener is our own, whatever we are called.
		if own := local && loopback(r.Host) && strings.EqualFold(origin, "http://"+r.Host); !own && !s.allows(origin) {
			return &fault{status: http.StatusForbidden, code: codeRequest,
				message: "Forbidden: pages of this origin may not use this server (--mcp-allow-origin names those that may)."}
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", headerSession+", "+headerVersion+", Retry-After")
	}
	return nil
}

// allows tells whether pages of an origin may use the server.
func (s *Server) allows(origin string) bool {
	if s.anyOrigin {
		return true
	}
	origin = strings.ToLower(origin)
	return origin == s.config.BaseURL || slices.Contains(s.config.AllowOrigins, origin)
}

// loopback tells whether a host, with or without port, is this machine.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// preflight answers a CORS preflight, or any other OPTIONS.
func preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Allow", allowed)
	h.Set("Access-Control-Allow-Methods", allowed)
	h.Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, "+headerVersion+", "+headerSession)
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// accepts tells whether an Accept header allows a media type. Without the header
// everything is allowed (RFC 9110, section 12.5.1).
func accepts(r *http.Request, media string) bool {
	lines := r.Header["Accept"]
	if len(lines) == 0 {
		return true
	}
	kind, _, _ := strings.Cut(media, "/")
	for part := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		got, params, err := mime.ParseMediaType(part)
		if err != nil || params["q"] == "0" {
			continue
		}
		if got == media || got == kind+"/*" || got == "*/*" {
			return true
		}
	}
	return false
}
