package devserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/diagnostic"
)

// state is one event.
type state struct {
	// Build names the build that is served; a page of another build reloads.
	Build string `json:"build"`
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
