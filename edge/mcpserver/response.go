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
	// heartbeatInterval is how long a stream may be silent before a comment is sent.
	// Proxies commonly close connections after a minute of silence.
	heartbeatInterval = 25 * time.Second
	// writeTimeout is how long a client may take to read a write, plus one second for
	// each minRate bytes. It stops clients that don't read from delaying the others
	// that an update is sent to.
	writeTimeout = 30 * time.Second
	minRate      = 16 << 10
)

// response is the http.ResponseWriter that the SDK writes to. It turns errors in
// plain text into JSON-RPC, tells proxies not to buffer streams, sends heartbeats,
// and sets a deadline for every write.
type response struct {
	http.ResponseWriter
	id      jsontext.Value // of the call
	control *http.ResponseController

	mu        sync.Mutex // streams are written by several goroutines
	started   bool
	failed    int          // the status of an error in plain text
	text      bytes.Buffer // its text
	stop      chan struct{}
	stopped   sync.WaitGroup
	lastWrite time.Time
}

// newResponse wraps w. m is the call that is answered, nil for a batch or a stream.
func newResponse(w http.ResponseWriter, m *message) *response {
	resp := &response{ResponseWriter: w, control: http.NewResponseController(w)}
	if m != nil {
		resp.id = m.id
	}
	return resp
}

func (resp *response) WriteHeader(status int) {
	resp.mu.Lock()
	defer resp.mu.Unlock()
	resp.start(status)
}

// start sends the header. The caller holds mu.
func (resp *response) start(status int) {
	if resp.started {
		return
	}
	resp.started = true
	media := resp.Header().Get("Content-Type")
	switch {
	case status >= 400 && strings.HasPrefix(media, "text/plain"):
		resp.failed = status
		return
	case strings.HasPrefix(media, mediaStream):
		resp.Header().Set("X-Accel-Buffering", "no")
		resp.stop = make(chan struct{})
		resp.stopped.Go(resp.sendHeartbeats)
	}
	resp.ResponseWriter.WriteHeader(status)
}

func (resp *response) Write(p []byte) (int, error) {
	resp.mu.Lock()
	defer resp.mu.Unlock()
	resp.start(http.StatusOK)
	if resp.failed != 0 {
		return resp.text.Write(p)
	}
	return resp.write(p)
}

// write writes with a deadline. The caller holds mu.
func (resp *response) write(p []byte) (int, error) {
	resp.lastWrite = time.Now()
	// A writer that has no deadlines needs none.
	_ = resp.control.SetWriteDeadline(resp.lastWrite.Add(writeTimeout + time.Duration(len(p)/minRate)*time.Second))
	return resp.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher].
func (resp *response) Flush() { _ = resp.FlushError() }

// FlushError is used by [http.ResponseController].
func (resp *response) FlushError() error {
	resp.mu.Lock()
	defer resp.mu.Unlock()
	if resp.failed != 0 {
		return nil
	}
	return resp.control.Flush()
}

// sendHeartbeats writes a comment, which clients ignore, whenever the stream has been
// silent.
func (resp *response) sendHeartbeats() {
	tick := time.NewTicker(heartbeatInterval)
	defer tick.Stop()
	for {
		select {
		case <-resp.stop:
			return
		case now := <-tick.C:
			resp.mu.Lock()
			if now.Sub(resp.lastWrite) >= heartbeatInterval/2 {
				if _, err := resp.write([]byte(": still here\n\n")); err == nil {
					_ = resp.control.Flush() // the request ends if the client is gone
				}
			}
			resp.mu.Unlock()
		}
	}
}

// finish completes the response once the SDK's handler has returned.
func (resp *response) finish() {
	if resp.stop != nil {
		close(resp.stop)
		resp.stopped.Wait()
	}
	if resp.failed == 0 {
		return
	}
	resp.Header().Del("Content-Length")
	(&rpcError{status: resp.failed, id: resp.id, code: codeRequest, message: strings.TrimSpace(resp.text.String())}).write(resp.ResponseWriter)
}
