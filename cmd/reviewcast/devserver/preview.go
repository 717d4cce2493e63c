package devserver

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/pages"
	"reviewcast/generator/render"
)

// Paths of the preview alone. Nothing is ever published below the first.
const (
	previewRoot   = "/.reviewcast/"
	previewScript = previewRoot + "preview.js"
	previewEvents = previewRoot + "events"
)

//go:embed preview.js
var previewJS []byte

// emptyPage is the page before the first good build. The overlay says what is wrong.
var emptyPage = []byte("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>No build yet</title></head>\n" +
	"<body><p>There is no build yet.</p></body></html>\n")

type build struct {
	pages *pages.Site
	index func() // makes it searchable, once, unless there is a newer build
}

// page makes the page or the export at a path; nil if there is none.
func (b *build) page(path string) (*render.Artifact, error) {
	files, err := b.pages.Files(path)
	if i := slices.IndexFunc(files, func(a render.Artifact) bool { return a.Path == path }); err == nil && i >= 0 {
		return &files[i], nil
	}
	return nil, err
}

// ServeHTTP answers the paths of the preview and passes all others to an edge.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path + diagnostic.When(strings.HasSuffix(r.URL.Path, "/"), "index.html")
	shown := s.current.Load().Build // before the build: a page that is newer than its id reloads once more
	b := s.build.Load()
	switch {
	case path == previewScript:
		writeFile(w, http.StatusOK, "text/javascript; charset=utf-8", previewJS)
	case path == previewEvents:
		s.events(w, r)
	case b == nil && path == reviewcast.PathIndex:
		writeFile(w, http.StatusServiceUnavailable, reviewcast.MediaHTML, withScript(emptyPage, ""))
	case b == nil || r.Method != http.MethodGet && r.Method != http.MethodHead:
		s.edge.ServeHTTP(w, r)
	default:
		s.serve(w, r, b, shown, path)
	}
}

// serve answers a GET or HEAD: with a page of the build, which has the id shown, or as the edge does.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, b *build, shown, path string) {
	page, err := b.page(path)
	folder, _ := b.page(path + "/index.html")
	switch {
	case err != nil: // of a template of the theme
		http.Error(w, err.Error(), http.StatusInternalServerError)
	case page != nil && page.MediaType == reviewcast.MediaHTML:
		writeFile(w, http.StatusOK, page.MediaType, withScript(page.Body, shown))
	case page != nil:
		writeFile(w, http.StatusOK, page.MediaType, page.Body)
	case folder != nil:
		http.Redirect(w, r, path+"/", http.StatusFound)
	default:
		if _, ok := s.Snapshots.Files.Load().File(path); !ok {
			for searchable := (*build)(nil); searchable != s.build.Load(); {
				searchable = s.build.Load()
				searchable.index()
			}
		}
		s.edge.ServeHTTP(w, r)
	}
}

// writeFile writes a file that no cache may keep, and whose answer takes no conditions.
func writeFile(w http.ResponseWriter, status int, mediaType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", reviewcast.PagePolicy)
	w.WriteHeader(status)
	_, _ = w.Write(body) // net/http drops the body of HEAD
}

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
	Total    int                `json:"total"`    // also counts those that are not among Problems
	Warnings []terminal.Excerpt `json:"warnings"` // those about what is served, the first ones

	superseded chan struct{} // closed when there is a newer state
}

// excerpts returns the first problems with their lines and the names of their files as they are typed.
func (s *Server) excerpts(problems []diagnostic.Problem) []terminal.Excerpt {
	const maxOverlay, columns = 50, 80 // problems, and the width of a line
	shown := terminal.Excerpts(s.ContentDir, problems[:min(len(problems), maxOverlay)], columns)
	for i := range shown {
		shown[i].File = filepath.Join(s.ContentDir, filepath.FromSlash(shown[i].File))
	}
	return shown
}

func (s *Server) send(next *state) {
	next.superseded = make(chan struct{})
	if before := s.current.Swap(next); before != nil {
		close(before.superseded)
	}
}

// events sends the state at once and whenever it changes, as server-sent events.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	rc := http.NewResponseController(w)
	// A stream has no end; the request ends when the page is closed.
	_ = rc.SetWriteDeadline(time.Time{})
	_ = rc.SetReadDeadline(time.Time{})
	for {
		now := s.current.Load()
		data, _ := json.Marshal(now) // strings and numbers always marshal
		if _, err := fmt.Fprintf(w, "event: state\ndata: %s\n\n", data); err != nil || rc.Flush() != nil {
			return
		}
		select {
		case <-now.superseded:
		case <-r.Context().Done():
			return
		case <-s.done:
			return
		}
	}
}
