package devserver

import (
	"bytes"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// page answers with a page as the edge does, and adds the script. A condition or a
// range would be about bytes that the page does not have here.
func (p *preview) page(w http.ResponseWriter, r *http.Request) {
	r = r.Clone(r.Context())
	for _, name := range []string{"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range", "Accept-Encoding"} {
		r.Header.Del(name)
	}
	method := r.Method
	r.Method = http.MethodGet
	p.pagesMu.Lock() // the page and the name must be of the same build
	rec := &pageRecorder{header: http.Header{}, status: http.StatusOK}
	p.edge.ServeHTTP(rec, r)
	build := p.build.name
	p.pagesMu.Unlock()
	body := rec.body.Bytes()
	h := w.Header()
	maps.Copy(h, rec.header)
	if rec.status == http.StatusOK {
		policy := ""
		body, policy = withScript(body, h.Get("Content-Security-Policy"), build)
		h.Set("Content-Security-Policy", policy)
		h.Set("Content-Length", strconv.Itoa(len(body)))
		for _, name := range []string{"Etag", "Last-Modified", "Accept-Ranges"} {
			h.Del(name)
		}
	}
	w.WriteHeader(rec.status)
	if method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// emptyPage is the page before the first good build, which replaces it; the overlay
// says what is wrong.
func emptyPage(w http.ResponseWriter) {
	body, policy := withScript([]byte("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>No build yet</title></head>\n"+
		"<body><p>There is no build yet.</p></body></html>\n"), "default-src 'none'", "")
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write(body)
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

// metaPolicy matches a Content-Security-Policy in the page itself, which would be
// enforced in addition to the header's.
var metaPolicy = regexp.MustCompile(`(?i)<meta http-equiv="content-security-policy" content="([^"]*)">\n?`)

// withScript adds the script to a page and makes both of the page's policies allow
// the script and its stream, and nothing else: everything else is as forbidden as
// it will be once published. Of several policies in one header, each is enforced.
func withScript(page []byte, header, build string) (body []byte, policy string) {
	policies := []string{}
	if header != "" {
		policies = append(policies, allowScript(header))
	}
	if m := metaPolicy.FindSubmatchIndex(page); m != nil {
		own := strings.NewReplacer("&#39;", "'", "&quot;", `"`, "&amp;", "&", "&#43;", "+").Replace(string(page[m[2]:m[3]]))
		policies = append(policies, allowScript(own))
		page = slices.Concat(page[:m[0]], page[m[1]:])
	}
	tag := []byte(`<script src="` + previewScript + `" data-build="` + build + `" defer></script>` + "\n")
	at := bytes.Index(page, []byte("</head>"))
	if at < 0 {
		at = len(page)
	}
	return slices.Concat(page[:at], tag, page[at:]), strings.Join(policies, ", ")
}

// allowScript adds what the script needs to a policy.
func allowScript(policy string) string {
	directives := strings.Split(policy, ";")
	for _, name := range []string{"script-src", "connect-src"} {
		found := false
		for i, d := range directives {
			fields := strings.Fields(d)
			if len(fields) == 0 || !strings.EqualFold(fields[0], name) {
				continue
			}
			fields = slices.DeleteFunc(fields, func(s string) bool { return s == "'none'" })
			if !slices.Contains(fields, "'self'") {
				fields = append(fields, "'self'")
			}
			directives[i], found = strings.Join(fields, " "), true
		}
		if !found {
			directives = append(directives, name+" 'self'")
		}
	}
	for i := range directives {
		directives[i] = strings.TrimSpace(directives[i])
	}
	return strings.Join(slices.DeleteFunc(directives, func(s string) bool { return s == "" }), "; ")
}
