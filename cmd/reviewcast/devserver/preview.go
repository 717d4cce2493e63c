package devserver

import (
	_ "embed"
	"net/http"
	"strings"
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
	// files answers for the files of the newest build, whole for everything else,
	// from a snapshot with its index. Both are edges, so that what they answer has
	// the same headers.
	files, whole http.Handler
	holder       *snapshot.Holder // of files
	content      string
	current      atomic.Pointer[state]  // what the script receives
	index        atomic.Pointer[func()] // makes the newest build searchable; nil before the first
	done         chan struct{}          // closed when the preview ends
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
	s := p.holder.Load()
	if s == nil && path == "/index.html" {
		emptyPage(w)
		return
	}
	if s != nil {
		if file, ok := s.File(path); ok {
			if strings.HasPrefix(file.MediaType, "text/html") && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
				p.page(w, r)
			} else {
				p.files.ServeHTTP(w, r)
			}
			return
		}
		for index := (*func())(nil); index != p.index.Load(); { // until it is of the newest build
			index = p.index.Load()
			(*index)()
		}
	}
	p.whole.ServeHTTP(w, r)
}
