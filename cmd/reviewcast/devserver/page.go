package devserver

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"reviewcast"
)

// page answers with a page as the edge does, and adds the script, which the policy of
// pages allows. A condition or a range would be about bytes that the page does not
// have here.
func (p *preview) page(w http.ResponseWriter, r *http.Request) {
	r = r.Clone(r.Context())
	for _, name := range []string{"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range", "Accept-Encoding"} {
		r.Header.Del(name)
	}
	r.Method = http.MethodGet
	// The name comes first: a page that is newer than its name reloads once more.
	build := p.current.Load().Build
	rec := &pageRecorder{header: http.Header{}, status: http.StatusOK}
	p.edge.ServeHTTP(rec, r)
	body := rec.body.Bytes()
	h := w.Header()
	maps.Copy(h, rec.header)
	if rec.status == http.StatusOK {
		body = withScript(body, build)
		h.Set("Content-Length", strconv.Itoa(len(body)))
		for _, name := range []string{"Etag", "Last-Modified", "Accept-Ranges"} {
			h.Del(name)
		}
	}
	w.WriteHeader(rec.status)
	_, _ = w.Write(body) // net/http drops the body of HEAD
}

// emptyPage is the page before the first good build, which replaces it; the overlay
// says what is wrong.
func emptyPage(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", reviewcast.PagePolicy)
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write(withScript([]byte("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>No build yet</title></head>\n"+
		"<body><p>There is no build yet.</p></body></html>\n"), ""))
}

// pageRecorder is an [http.ResponseWriter] that keeps the response.
type pageRecorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *pageRecorder) Header() http.Header         { return r.header }
func (r *pageRecorder) WriteHeader(status int)      { r.status = status }
func (r *pageRecorder) Write(b []byte) (int, error) { return r.body.Write(b) }

// withScript adds the script to a page.
func withScript(page []byte, build string) []byte {
	at := max(0, bytes.Index(page, []byte("</head>")))
	return slices.Concat(page[:at], []byte(`<script src="`+previewScript+`" data-build="`+build+`" defer></script>`+"\n"), page[at:])
}
