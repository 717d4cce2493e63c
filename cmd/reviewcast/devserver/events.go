package devserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/diagnostic"
)

// state is one event.
type state struct {
	// Build names the build that is served; a page of another build reloads.
	Build string `json:"build"`
	// Message and Problems say why the newest content is not what is served; they
	// are empty when it is.
	Message  string    `json:"message"`
	Problems []problem `json:"problems"`
	// More is the number of problems that are not among Problems.
	More int `json:"more"`
}

type problem struct {
	Severity   diagnostic.Severity `json:"severity"`
	Place      string              `json:"place"`
	Message    string              `json:"message"`
	Suggestion string              `json:"suggestion"`
	Source     string              `json:"source"`
	Caret      int                 `json:"caret"`
}

// maxOverlay is the number of problems in the overlay; the terminal shows all.
// overlayColumns is the width of their excerpts.
const (
	maxOverlay     = 50
	overlayColumns = 80
)

// fail has pages show why there is no newer build.
func (p *preview) fail(err error, problems []diagnostic.Problem) {
	failed := &state{Build: p.current.Load().Build, Message: err.Error(), Problems: []problem{}, More: max(0, len(problems)-maxOverlay)}
	errorsFirst := slices.Clone(problems)
	slices.SortStableFunc(errorsFirst, func(a, b diagnostic.Problem) int { return cmp.Compare(a.Severity, b.Severity) })
	for _, e := range terminal.Excerpts(p.content, errorsFirst[:min(len(errorsFirst), maxOverlay)], overlayColumns) {
		bare := diagnostic.Problem{File: filepath.Join(p.content, filepath.FromSlash(e.File)), Line: e.Line, Col: e.Col}
		failed.Problems = append(failed.Problems, problem{
			Severity: e.Severity, Place: strings.TrimSuffix(bare.String(), ": "), Message: e.Message, Suggestion: e.Suggestion,
			Source: e.Source, Caret: e.Caret,
		})
	}
	p.send(failed)
}

// clear removes the overlay when the content is what is served again.
func (p *preview) clear() {
	if s := p.current.Load(); s.Message != "" {
		p.send(&state{Build: s.Build, Problems: []problem{}})
	}
}

func (p *preview) send(s *state) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current.Store(s)
	for c := range p.streams {
		select {
		case c <- struct{}{}:
		default: // a signal is pending already
		}
	}
}

// maxStreams limits the open event streams. It stops a page that opens streams in a
// loop; an editor has a few tabs.
const maxStreams = 64

// events sends the state at once and whenever it changes, as server-sent events.
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
		http.Error(w, "too many event streams are open", http.StatusServiceUnavailable)
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
	// A stream has no end; the request ends when the page is closed.
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
