package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"reviewcast"
	"reviewcast/edge/snapshot"
	"reviewcast/generator/diagnostic"
)

// Paths of dev alone. Nothing is ever published below the first.
const (
	previewRoot   = "/.reviewcast/"
	previewScript = previewRoot + "preview.js"
	previewEvents = previewRoot + "events"
)

//go:embed preview/preview.js
var previewJS []byte

// preview stands before the edge in dev. It serves the files of the newest build
// without waiting for the index that search needs, gives every page a script
// that reloads it and shows what is wrong, and tells that script of each build
// by server-sent events.
type preview struct {
	// files answers for the files of the newest build, whole for everything else,
	// from a snapshot with its index. Both are edges: what they answer has the
	// same headers.
	files, whole http.Handler
	holder       *snapshot.Holder // of files
	content      string
	// current is what the script is told; done ends the streams.
	current atomic.Pointer[previewState]
	done    <-chan struct{}
	wanted  chan struct{} // somebody waits for the index

	mu      sync.Mutex
	indexed chan struct{} // closed when whole has what files has
	streams map[chan struct{}]bool
}

// previewState is one event.
type previewState struct {
	// Build names the build whose files are served; a page of another one reloads.
	Build string `json:"build"`
	// Message and Problems say why the newest content isn't what is served; they
	// are empty when it is.
	Message  string           `json:"message"`
	Problems []previewProblem `json:"problems"`
}

type previewProblem struct {
	Severity   diagnostic.Severity `json:"severity"`
	Place      string              `json:"place"`
	Message    string              `json:"message"`
	Suggestion string              `json:"suggestion"`
	Source     string              `json:"source"`
	Caret      int                 `json:"caret"`
}

// maxOverlay is how many problems are laid over the page; the terminal has all.
const maxOverlay = 50

func newPreview(content string, done <-chan struct{}) *preview {
	ready := make(chan struct{})
	close(ready)
	p := &preview{holder: &snapshot.Holder{}, content: content, done: done, wanted: make(chan struct{}, 1), indexed: ready, streams: map[chan struct{}]bool{}}
	p.current.Store(&previewState{Problems: []previewProblem{}})
	return p
}

// show serves the files of a build. What isn't a file of it is answered once
// indexed is called.
func (p *preview) show(s *snapshot.Snapshot) (indexed func()) {
	wait := make(chan struct{})
	p.mu.Lock()
	p.indexed = wait
	p.mu.Unlock()
	p.holder.Swap(s)
	p.tell(&previewState{Build: buildOf(s), Problems: []previewProblem{}})
	return sync.OnceFunc(func() { close(wait) })
}

// buildOf names a build. The sequence alone wouldn't do: a build that couldn't be
// written has the same as the next.
func buildOf(s *snapshot.Snapshot) string {
	name := strconv.FormatInt(s.Sequence(), 10)
	if f, ok := s.File(reviewcast.PathReviews); ok {
		name += "-" + f.SHA256[:8]
	}
	if f, ok := s.File(reviewcast.PathIndex); ok {
		name += "-" + f.SHA256[:8]
	}
	return name
}

// fail lays over the page why there is no newer build.
func (p *preview) fail(err error, problems []diagnostic.Problem) {
	state := &previewState{Build: p.current.Load().Build, Message: err.Error(), Problems: []previewProblem{}}
	errorsFirst := slices.Clone(problems)
	slices.SortStableFunc(errorsFirst, func(a, b diagnostic.Problem) int { return cmp.Compare(a.Severity, b.Severity) })
	for _, e := range excerpts(p.content, errorsFirst[:min(len(errorsFirst), maxOverlay)], usualColumns) {
		bare := diagnostic.Problem{File: filepath.Join(p.content, filepath.FromSlash(e.File)), Line: e.Line, Col: e.Col}
		state.Problems = append(state.Problems, previewProblem{
			Severity: e.Severity, Place: strings.TrimSuffix(bare.String(), ": "), Message: e.Message, Suggestion: e.Suggestion,
			Source: e.Source, Caret: e.Caret,
		})
	}
	p.tell(state)
}

// clear takes the overlay away when the content is what is served again.
func (p *preview) clear() {
	if s := p.current.Load(); s.Message != "" {
		p.tell(&previewState{Build: s.Build, Problems: []previewProblem{}})
	}
}

func (p *preview) tell(s *previewState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current.Store(s)
	for c := range p.streams {
		select {
		case c <- struct{}{}:
		default: // it has something to look at already
		}
	}
}

// ServeHTTP routes between the two edges and the script's own paths.
func (p *preview) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case previewScript:
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = w.Write(previewJS)
		return
	case previewEvents:
		p.events(w, r)
		return
	}
	s := p.holder.Load()
	path := r.URL.Path
	if strings.HasSuffix(path, "/") {
		path += "index.html"
	}
	if s == nil {
		if path == "/index.html" {
			p.empty(w)
			return
		}
		p.whole.ServeHTTP(w, r)
		return
	}
	file, ok := s.File(path)
	switch {
	case !ok:
		p.mu.Lock()
		indexed := p.indexed
		p.mu.Unlock()
		select {
		case <-indexed:
		default:
			select {
			case p.wanted <- struct{}{}:
			default:
			}
		}
		select {
		case <-indexed:
		case <-r.Context().Done():
			return
		case <-p.done: // it is never made now
		}
		p.whole.ServeHTTP(w, r)
	case strings.HasPrefix(file.MediaType, "text/html") && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		p.page(w, r)
	default:
		p.files.ServeHTTP(w, r)
	}
}

// page answers with a page as the edge does, and the script in it. A condition
// or a range would be about bytes that the page doesn't have here.
func (p *preview) page(w http.ResponseWriter, r *http.Request) {
	r = r.Clone(r.Context())
	for _, name := range []string{"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range", "Accept-Encoding"} {
		r.Header.Del(name)
	}
	method := r.Method
	r.Method = http.MethodGet
	var rec *pageRecorder
	var build string
	for s := (*snapshot.Snapshot)(nil); s != p.holder.Load(); { // the page and its name must be of one build
		s = p.holder.Load()
		rec = &pageRecorder{header: http.Header{}, status: http.StatusOK}
		p.files.ServeHTTP(rec, r)
		build = buildOf(s)
	}
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

// empty is the page while no build has succeeded yet: the overlay says why, and
// the first good build replaces it.
func (p *preview) empty(w http.ResponseWriter) {
	body, policy := withScript([]byte("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>No build yet</title></head>\n"+
		"<body><p>There is no build yet.</p></body></html>\n"), "default-src 'none'", "")
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", policy)
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write(body)
}

// pageRecorder takes an answer.
type pageRecorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *pageRecorder) Header() http.Header         { return r.header }
func (r *pageRecorder) WriteHeader(status int)      { r.status = status }
func (r *pageRecorder) Write(b []byte) (int, error) { return r.body.Write(b) }

// metaPolicy is a page's own Content-Security-Policy, which would be enforced
// beside the header's.
var metaPolicy = regexp.MustCompile(`(?i)<meta http-equiv="content-security-policy" content="([^"]*)">\n?`)

// withScript puts the script into a page and lets both of the page's policies
// allow it and its stream, and nothing else: what the script isn't, stays as
// forbidden as it will be once published. Several policies in one header are
// each enforced.
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

// allowScript adds to a policy what the script needs.
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

// maxStreams is how many pages are told of builds at once. It stops a page that
// opens streams in a loop; an editor has a few tabs.
const maxStreams = 64

// events is the stream that the script listens to: the state of things at once,
// and again whenever it changes.
func (p *preview) events(w http.ResponseWriter, r *http.Request) {
	changed := make(chan struct{}, 1)
	changed <- struct{}{}
	p.mu.Lock()
	full := len(p.streams) >= maxStreams
	if !full {
		p.streams[changed] = true
	}
	p.mu.Unlock()
	if full {
		http.Error(w, "too many pages listen", http.StatusServiceUnavailable)
		return
	}
	defer func() {
		p.mu.Lock()
		delete(p.streams, changed)
		p.mu.Unlock()
	}()
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	rc := http.NewResponseController(w)
	// A stream has no end; a page that is gone ends the request.
	_ = rc.SetWriteDeadline(time.Time{})
	_ = rc.SetReadDeadline(time.Time{})
	for {
		select {
		case <-changed:
			data, err := json.Marshal(p.current.Load())
			if err != nil {
				return
			}
			if _, err := fmt.Fprintf(w, "event: state\ndata: %s\n\n", data); err != nil || rc.Flush() != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-p.done:
			return
		}
	}
}
