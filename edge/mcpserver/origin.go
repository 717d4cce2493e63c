package mcpserver

import (
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// checkOrigin checks Host and Origin and sets the CORS headers. The checks stop a page of another site from reaching,
// through its visitor's browser, a server that only the visitor can reach (DNS rebinding).
func (s *Server) checkOrigin(w http.ResponseWriter, r *http.Request) *rpcError {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Origin")
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	local := addr != nil && loopback(addr.String())
	if local && !loopback(r.Host) && !strings.EqualFold("https://"+r.Host, s.config.BaseURL) && !strings.EqualFold("http://"+r.Host, s.config.BaseURL) {
		return reject(http.StatusForbidden, "Forbidden: this listener is for the local machine, and the Host header names another one.")
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		// A page that this listener served may use it under any of its names.
		if own := local && loopback(r.Host) && strings.EqualFold(origin, "http://"+r.Host); !own && !s.allows(origin) {
			return reject(http.StatusForbidden, "Forbidden: pages of this origin may not use this server (--mcp-allow-origin names the origins that may).")
		}
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", headerSession+", "+headerVersion+", Retry-After")
	}
	return nil
}

// allows reports whether pages of an origin may use the server.
func (s *Server) allows(origin string) bool {
	origin = strings.ToLower(origin)
	return origin == s.config.BaseURL || slices.Contains(s.config.AllowOrigins, origin) || slices.Contains(s.config.AllowOrigins, "*")
}

// loopback reports whether a host, with or without port, is the local machine.
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

func preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Allow", allowedMethods)
	h.Set("Access-Control-Allow-Methods", allowedMethods)
	h.Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, "+headerVersion+", "+headerSession)
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// accepts reports whether Accept allows a media type; without it all are (RFC 9110, section 12.5.1).
func accepts(r *http.Request, media string) bool {
	lines := r.Header["Accept"]
	if len(lines) == 0 {
		return true
	}
	kind, _, _ := strings.Cut(media, "/")
	for part := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		got, params, err := mime.ParseMediaType(part)
		if err != nil || strings.Trim(params["q"], "0.") == "" && params["q"] != "" {
			continue // a weight of zero, such as 0.000
		}
		if got == media || got == kind+"/*" || got == "*/*" {
			return true
		}
	}
	return false
}
