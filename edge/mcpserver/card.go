package mcpserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reviewcast"
)

// MediaServerCard is the media type of the server card.
const MediaServerCard = "application/mcp-server-card+json"

// description describes the server in registries.
const description = "Verified customer reviews of one business: search, sentiment, topics, answers. Read-only."

// star is the icon of a business without a logo.
const star = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAyNCAyNCI+PHBhdGggZmlsbD0iI2U2OWYwMCIgZD0ibTEyIDIgMyA3IDcgLjUtNS41IDQuNSAyIDdMMTIgMTcuM0w1LjUgMjFsMi03TDIgOS41IDkgOXoiLz48L3N2Zz4="

// identity is the server information in every result of revision 2026-07-28.
func identity() *mcp.Implementation {
	return &mcp.Implementation{Name: "reviewcast", Version: reviewcast.Version}
}

// implementation is the full server information, with the name of the business once one is published.
func (s *Server) implementation() *mcp.Implementation {
	impl := identity()
	impl.Title, impl.Description, impl.WebsiteURL = "Customer reviews", description, s.config.BaseURL+"/"
	impl.Icons = []mcp.Icon{{Source: star, MIMEType: "image/svg+xml", Sizes: []string{"any"}}}
	if v, err := s.views.load(); err == nil {
		b := v.dataset.Business
		impl.Title = "Reviews of " + b.Name
		if strings.HasPrefix(b.Logo, "https://") {
			impl.Icons = []mcp.Icon{{Source: b.Logo}}
		}
	}
	return impl
}

// RegistryName is the name of the server at an origin in registries and server cards:
// the host's labels from right to left, a slash, and "reviewcast".
func RegistryName(baseURL string) string {
	u, _ := url.Parse(baseURL) // a base URL is valid
	labels := strings.Split(strings.ReplaceAll(u.Hostname(), ":", "-"), ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".") + "/reviewcast"
}

// serveCard answers GET and HEAD with the server card (SEP-2127), which says how to reach the server. Pages of every
// origin may read it.
func (s *Server) serveCard(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Access-Control-Allow-Origin", "*")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD, OPTIONS")
		if r.Method != http.MethodOptions {
			http.Error(w, "The server card is read with GET.", http.StatusMethodNotAllowed)
			return
		}
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "*")
		w.WriteHeader(http.StatusNoContent)
		return
	}
	impl := s.implementation()
	body, _ := json.Marshal(map[string]any{ // strings always marshal
		"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		"name":    RegistryName(s.config.BaseURL), "version": impl.Version, "description": impl.Description, "title": impl.Title,
		"websiteUrl": impl.WebsiteURL, "icons": impl.Icons,
		"remotes": []any{map[string]any{"type": "streamable-http", "url": s.config.BaseURL + reviewcast.PathMCP,
			"supportedProtocolVersions": mcp.SupportedProtocolVersions()}},
	})
	h.Set("Content-Type", MediaServerCard)
	h.Set("Cache-Control", "public, max-age=3600")
	h.Set("ETag", `"`+reviewcast.SHA256(body)[:32]+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(append(body, '\n')))
}
