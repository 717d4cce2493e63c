package devserver

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/edge/snapshot"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/pages"
)

// Paths of the preview alone. Nothing is ever published below the first.
const (
	previewRoot   = "/.reviewcast/"
	previewScript = previewRoot + "preview.js"
	previewEvents = previewRoot + "events"
)

//go:embed preview.js
var previewJS []byte

// preview is the HTTP side of a [Server]. It serves the newest files without waiting for their index, and makes a
// page when it is first asked for.
type preview struct {
	edge    http.Handler     // of holder
	holder  *snapshot.Holder // has the files of the newest build, and the last index
	content string
	current atomic.Pointer[state] // what the script receives
	done    chan struct{}         // closed when the preview ends

	mu    sync.Mutex // while pages are made
	build atomic.Pointer[build]
}

// build is a build with the pages that were asked for.
type build struct {
	pages    *pages.Site
	manifest reviewcast.Manifest
	bodies   map[string][]byte
	config   snapshot.Config
	index    func() // makes it searchable, once, unless there is a newer build
}

// open returns the files as an edge serves them.
func (b *build) open() (*snapshot.Files, error) {
	manifest, err := json.Marshal(&b.manifest)
	if err != nil {
		return nil, err
	}
	return snapshot.FilesOf(manifest, b.bodies, b.config)
}

// show serves the files of a build.
func (p *preview) show(b *build, files *snapshot.Files) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.build.Store(b)
	p.holder.SwapFiles(files)
}

// makePage makes the page at a path, if there is one. The files that other requests read stay as they are.
func (p *preview) makePage(path string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.build.Load()
	if _, made := b.bodies[path]; made {
		return nil
	}
	files, err := b.pages.Files(path)
	if err != nil || files == nil {
		return err
	}
	b.bodies = maps.Clone(b.bodies)
	b.manifest.Files = slices.Clone(b.manifest.Files)
	for _, a := range files {
		b.bodies[a.Path] = a.Body
		b.manifest.Files = append(b.manifest.Files, reviewcast.File{Path: a.Path, MediaType: a.MediaType, SHA256: hex.EncodeToString(a.SHA256[:]),
			Size: int64(len(a.Body)), LastModified: b.manifest.LastModified()})
	}
	slices.SortFunc(b.manifest.Files, func(a, b reviewcast.File) int { return strings.Compare(a.Path, b.Path) })
	opened, err := b.open()
	if err != nil {
		return err
	}
	p.holder.SwapFiles(opened)
	return nil
}

// ServeHTTP answers the paths of the preview and passes all others to an edge.
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
	path := r.URL.Path
	if strings.HasSuffix(path, "/") {
		path += "index.html"
	}
	if p.build.Load() == nil {
		if path == "/index.html" {
			emptyPage(w)
			return
		}
		p.edge.ServeHTTP(w, r)
		return
	}
	err := p.makePage(path)
	if err == nil && !strings.Contains(path, ".") { // the edge adds the slash
		err = p.makePage(path + "/index.html")
	}
	if err != nil { // of a template of the theme
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	file, ok := p.holder.LoadFiles().File(path)
	if ok && strings.HasPrefix(file.MediaType, "text/html") && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		p.page(w, r)
		return
	}
	if !ok {
		for b := (*build)(nil); b != p.build.Load(); { // until the newest is searchable
			b = p.build.Load()
			b.index()
		}
	}
	p.edge.ServeHTTP(w, r)
}

// page answers with a page as the edge does, and adds the script. A condition or a range would be about bytes that
// the page does not have here.
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

// emptyPage is the page before the first good build; the overlay says what is wrong.
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

// state is one event.
type state struct {
	Build string `json:"build"` // that is served; a page of another build reloads
	// Message and Problems say why the newest content is not what is served.
	Message  string             `json:"message"`
	Problems []terminal.Excerpt `json:"problems"`
	// Total also counts those that are not among Problems.
	Total int `json:"total"`

	old chan struct{} // closed when there is a newer state
}

// maxOverlay is the number of problems in the overlay, overlayColumns the width of their excerpts.
const (
	maxOverlay     = 50
	overlayColumns = 80
)

// fail has pages show why there is no newer build.
func (p *preview) fail(err error, problems []diagnostic.Problem) {
	problems = slices.Clone(problems)
	slices.SortStableFunc(problems, func(a, b diagnostic.Problem) int { return cmp.Compare(a.Severity, b.Severity) }) // errors first
	shown := terminal.Excerpts(p.content, problems[:min(len(problems), maxOverlay)], overlayColumns)
	for i := range shown {
		shown[i].File = filepath.Join(p.content, filepath.FromSlash(shown[i].File))
	}
	p.send(&state{Build: p.current.Load().Build, Message: err.Error(), Problems: shown, Total: len(problems)})
}

// clear removes the overlay when the content is what is served again.
func (p *preview) clear() {
	if s := p.current.Load(); s.Message != "" {
		p.send(&state{Build: s.Build})
	}
}

func (p *preview) send(s *state) {
	s.old = make(chan struct{})
	if before := p.current.Swap(s); before != nil {
		close(before.old)
	}
}

// events sends the state at once and whenever it changes, as server-sent events.
func (p *preview) events(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	rc := http.NewResponseController(w)
	// A stream has no end; the request ends when the page is closed.
	_ = rc.SetWriteDeadline(time.Time{})
	_ = rc.SetReadDeadline(time.Time{})
	for {
		s := p.current.Load()
		data, err := json.Marshal(s)
		if err != nil {
			return
		}
		if _, err := fmt.Fprintf(w, "event: state\ndata: %s\n\n", data); err != nil || rc.Flush() != nil {
			return
		}
		select {
		case <-s.old:
		case <-r.Context().Done():
			return
		case <-p.done:
			return
		}
	}
}
