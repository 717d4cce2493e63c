package mcpserver

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// heartbeat is how often a silent stream says that it is alive: more often than
	// proxies close what is silent, commonly after a minute.
	heartbeat = 25 * time.Second
	// patience is how long a client may take to read what is written to it, and a
	// second more for each minRate bytes. It stops clients that don't read from
	// holding up those whom the same update is for.
	patience = 30 * time.Second
	minRate  = 16 << 10
)

// answer is the writer that the SDK gets. Its errors in plain text become JSON-RPC,
// its streams are told to proxies, kept alive, and cut when nobody reads them.
type answer struct {
	http.ResponseWriter
	id      jsontext.Value
	control *http.ResponseController

	mu      sync.Mutex // streams are written by whoever has something to tell
	started bool
	failed  int          // the status of an error in plain text
	words   bytes.Buffer // and its text
	stop    chan struct{}
	stopped sync.WaitGroup
	written time.Time
}

func newAnswer(w http.ResponseWriter, m *message) *answer {
	a := &answer{ResponseWriter: w, control: http.NewResponseController(w)}
	if m != nil {
		a.id = m.ID
	}
	return a
}

func (a *answer) WriteHeader(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begin(status)
}

// begin sends the header. The lock is held.
func (a *answer) begin(status int) {
	if a.started {
		return
	}
	a.started = true
	media := a.Header().Get("Content-Type")
	switch {
	case status >= 400 && strings.HasPrefix(media, "text/plain"):
		a.failed = status
		return
	case strings.HasPrefix(media, mediaStream):
		a.Header().Set("X-Accel-Buffering", "no")
		a.stop = make(chan struct{})
		a.stopped.Go(a.beat)
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begin(http.StatusOK)
	if a.failed != 0 {
		return a.words.Write(p)
	}
	return a.write(p)
}

// write writes before the client's time is over. The lock is held.
func (a *answer) write(p []byte) (int, error) {
	a.written = time.Now()
	// A writer without deadlines needs none.
	_ = a.control.SetWriteDeadline(a.written.Add(patience + time.Duration(len(p)/minRate)*time.Second))
	return a.ResponseWriter.Write(p)
}

// Flush sends what is written.
func (a *answer) Flush() { _ = a.FlushError() }

// FlushError is for http.ResponseController.
func (a *answer) FlushError() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.failed != 0 {
		return nil
	}
	return a.control.Flush()
}

// beat writes a comment, which clients ignore, when nothing else was written.
func (a *answer) beat() {
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-a.stop:
			return
		case now := <-tick.C:
			a.mu.Lock()
			if now.Sub(a.written) >= heartbeat/2 {
				if _, err := a.write([]byte(": still here\n\n")); err == nil {
					_ = a.control.Flush() // a client that is gone ends the request
				}
			}
			a.mu.Unlock()
		}
	}
}

// finish ends the answer, when the SDK is done with it.
func (a *answer) finish() {
	if a.stop != nil {
		close(a.stop)
		a.stopped.Wait()
	}
	if a.failed == 0 {
		return
	}
	a.Header().Del("Content-Length")
	(&fault{status: a.failed, id: a.id, code: codeRequest, message: strings.TrimSpace(a.words.String())}).write(a.ResponseWriter)
}
