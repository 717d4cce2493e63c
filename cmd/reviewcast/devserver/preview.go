package devserver

import (
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"reviewcast"
	"reviewcast/edge/snapshot"
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

// preview is the HTTP side of a [Server]. It serves the files of the newest build
// without waiting for the index that search needs.
type preview struct {
	edge    http.Handler
	holder  *snapshot.Holder // what edge serves
	content string
	current atomic.Pointer[state] // what the script receives
	done    chan struct{}         // closed when the preview ends
	wanted  chan struct{}         // a request waits for the index

	pagesMu sync.Mutex // while pages are made
	build   *build     // the newest

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

// build is the newest build with the pages that were asked for.
type build struct {
	name     string // no other build, of this or another preview, has it
	pages    *pages.Site
	manifest reviewcast.Manifest
	bodies   map[string][]byte
	config   snapshot.Config
}

// open returns the files as an edge serves them.
func (b *build) open() (*snapshot.Files, error) {
	manifest, err := json.Marshal(&b.manifest)
	if err != nil {
		return nil, err
	}
	return snapshot.FilesOf(manifest, b.bodies, b.config)
}

// show serves the files of a build. Requests for anything else wait until indexed is
// called.
func (p *preview) show(b *build) (files *snapshot.Files, indexed func(), err error) {
	p.pagesMu.Lock()
	defer p.pagesMu.Unlock()
	if files, err = b.open(); err != nil {
		return nil, nil, err
	}
	wait := make(chan struct{})
	p.mu.Lock()
	p.indexed = wait
	p.mu.Unlock()
	p.build = b
	p.holder.SwapFiles(files)
	p.send(&state{Build: b.name, Problems: []problem{}})
	return files, sync.OnceFunc(func() { close(wait) }), nil
}

// makePage makes the page at a path, unless it is made or there is none. The
// files of the build before stay as they are: requests read them.
func (p *preview) makePage(path string) error {
	p.pagesMu.Lock()
	defer p.pagesMu.Unlock()
	b := p.build
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
	if p.holder.LoadFiles() == nil {
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
