package devserver

import (
	_ "embed"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"reviewcast/edge/snapshot"
)

// Paths of the preview alone. Nothing is ever published below the first.
const (
	previewRoot   = "/.reviewcast/"
	previewScript = previewRoot + "preview.js"
	previewEvents = previewRoot + "events"
)

//go:embed preview.js
var previewJS []byte

// preview is the HTTP side of a [Server]. It serves the files of the newest build
// without waiting for the index that search needs.
type preview struct {
	edge    http.Handler
	holder  *snapshot.Holder // what edge serves
	content string
	current atomic.Pointer[state] // what the script receives
	done    chan struct{}         // closed when the preview ends
	wanted  chan struct{}         // a request waits for the index

	mu      sync.Mutex
	indexed chan struct{} // closed when the newest build is searchable
	streams map[chan struct{}]bool
}

func newPreview(content string, edge http.Handler, holder *snapshot.Holder) *preview {
	ready := make(chan struct{})
	close(ready)
	p := &preview{
		edge: edge, holder: holder, content: content, done: make(chan struct{}), wanted: make(chan struct{}, 1),
		indexed: ready, streams: map[chan struct{}]bool{},
	}
	p.current.Store(&state{Problems: []problem{}})
	return p
}

// show serves the files of a build. Requests for anything else wait until indexed is
// called.
func (p *preview) show(s *snapshot.Files) (indexed func()) {
	wait := make(chan struct{})
	p.mu.Lock()
	p.indexed = wait
	p.mu.Unlock()
	p.holder.SwapFiles(s)
	p.send(&state{Build: buildName(s), Problems: []problem{}})
	return sync.OnceFunc(func() { close(wait) })
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
	s := p.holder.LoadFiles()
	path := r.URL.Path
	if strings.HasSuffix(path, "/") {
		path += "index.html"
	}
	if s == nil {
		if path == "/index.html" {
			emptyPage(w)
			return
		}
		p.edge.ServeHTTP(w, r)
		return
	}
	file, ok := s.File(path)
	switch {
	case !ok:
		if p.waitIndexed(r) {
			p.edge.ServeHTTP(w, r)
		}
	case strings.HasPrefix(file.MediaType, "text/html") && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		p.page(w, r)
	default:
		p.edge.ServeHTTP(w, r)
	}
}

// waitIndexed waits for the index of the newest build. It reports whether the client
// is still there.
func (p *preview) waitIndexed(r *http.Request) bool {
	p.mu.Lock()
	indexed := p.indexed
	p.mu.Unlock()
	select {
	case <-indexed:
		return true
	default:
	}
	select {
	case p.wanted <- struct{}{}:
	default:
	}
	select {
	case <-indexed:
	case <-p.done: // no index will be made
	case <-r.Context().Done():
		return false
	}
	return true
}
