package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reviewcast"
)

// canonicalURI reports whether uri is the one spelling of a resource that exists or may exist later.
func canonicalURI(uri string) bool {
	kind, id, hasID := cutURI(uri)
	takesID, known := kinds[kind]
	return known && hasID == takesID && (!hasID || reviewcast.ValidID(id))
}

func unknownResource(status int, uri string) *rpcError {
	return fail(status, jsonrpc.CodeInvalidParams,
		"Resource not found: %s. Subscriptions take the canonical URIs of resources/list and resources/templates/list, without percent-encoding.", echo(uri))
}

// subscribe answers resources/subscribe and resources/unsubscribe. The SDK would never forget a subscription.
func (s *Server) subscribe(r *http.Request, id string, m *message) *rpcError {
	uri := stringOf(m.params["uri"])
	switch {
	case m.method == "resources/unsubscribe":
		s.sessions.unsubscribe(id, uri)
		return nil
	case !strings.HasPrefix(strings.ToLower(uri), scheme):
		return nil // a resource of another server never changes here
	case !canonicalURI(uri):
		return unknownResource(http.StatusOK, uri)
	}
	return s.sessions.subscribe(id, s.config.Client(r), uri)
}

// serveStream answers GET: it sends the updates of a session, first those that nobody received,
// until the client goes away or opens another stream.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request, id string) *rpcError {
	st, err := s.sessions.attach(id, s.config.Client(r), r.Header.Get("Last-Event-ID"))
	if err != nil {
		return err
	}
	defer s.sessions.detach(id, st)
	beginEvents(w)
	s.sendUpdates(w, r, id, st, "")
	return nil
}

// serveListen answers subscriptions/listen with a stream, which has a session of its own.
func (s *Server) serveListen(w http.ResponseWriter, r *http.Request, m *message) *rpcError {
	if !accepts(r, mediaStream) {
		return reject(http.StatusNotAcceptable, "subscriptions/listen needs Accept: text/event-stream.")
	}
	var wanted struct {
		URIs []string `json:"resourceSubscriptions"`
	}
	if json.Unmarshal(m.params["notifications"], &wanted) != nil {
		return fail(http.StatusBadRequest, jsonrpc.CodeInvalidParams,
			"Invalid params for subscriptions/listen: notifications.resourceSubscriptions must be a list of URIs.")
	}
	uris := slices.DeleteFunc(wanted.URIs, func(uri string) bool { return !strings.HasPrefix(strings.ToLower(uri), scheme) }) // of other servers
	for _, uri := range uris {
		if !canonicalURI(uri) {
			return unknownResource(http.StatusBadRequest, uri)
		}
	}
	// The SDK checks the headers and _meta. It answers a call without subscriptions at once.
	check := *m
	if check.raw = jsontext.Value(`{"notifications":{}}`); m.params["_meta"] != nil {
		check.raw = jsontext.Value(`{"notifications":{},"_meta":` + string(m.params["_meta"]) + `}`)
	}
	if _, err := s.callSDK(r, &check); err != nil {
		return err
	}
	id, client := rand.Text(), s.config.Client(r)
	st, err := s.sessions.attach(id, client, "")
	if err != nil {
		return err
	}
	defer s.sessions.end(id)
	if err := s.sessions.subscribe(id, client, uris...); err != nil {
		return err
	}
	meta := fmt.Sprintf("%q:%s", mcp.MetaKeySubscriptionID, m.id)
	list, _ := json.Marshal(map[string][]string{"resourceSubscriptions": uris}) // canonical URIs are ASCII
	beginEvents(w)
	begun := sendEvent(w, "", `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{%s},"notifications":%s}}`, meta, list) == nil
	if begun && (len(uris) == 0 || s.sendUpdates(w, r, id, st, `"_meta":{`+meta+`},`)) {
		_ = sendEvent(w, "", `%s{"_meta":{%q:%s,%s},"resultType":"complete"}}`, appendEnvelope(nil, m.id), mcp.MetaKeyServerInfo, s.identity, meta)
	}
	return nil
}

// sendUpdates sends the updates of a session. It reports whether the server ended the stream. meta begins the params.
func (s *Server) sendUpdates(w http.ResponseWriter, r *http.Request, id string, st *stream, meta string) (ended bool) {
	for sent := uint64(0); ; {
		updates := s.sessions.pending(id, st, sent)
		for _, u := range updates {
			number := ""
			if meta == "" { // revision 2026-07-28 has no Last-Event-ID
				number = fmt.Sprintf("id: %d\n", u.number)
			}
			if sendEvent(w, number, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{%s"uri":%q}}`, meta, u.uri) != nil {
				return false
			}
			sent = u.number
		}
		if updates != nil {
			continue // to record that they were sent
		}
		select {
		case <-r.Context().Done():
			return false
		case <-st.done:
			return true
		case <-st.wake:
		case <-time.After(heartbeatInterval):
			if writeEvents(w, ": still here\n\n") != nil {
				return false
			}
		}
	}
}

// heartbeatInterval is how often a comment is sent, because proxies close silent connections after a minute.
const heartbeatInterval = 25 * time.Second

// beginEvents begins a stream of server-sent events, which one goroutine writes.
func beginEvents(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // the stream may last hours; the body has been read
	h := w.Header()
	h.Set("Content-Type", mediaStream)
	h.Set("Cache-Control", cacheNever)
	h.Set("X-Accel-Buffering", "no") // for nginx
	w.WriteHeader(http.StatusOK)
	_ = writeEvents(w, "") // the loop notices that the client is gone
}

func sendEvent(w http.ResponseWriter, id, format string, args ...any) error {
	return writeEvents(w, id+"event: message\ndata: "+fmt.Sprintf(format, args...)+"\n\n")
}

func writeEvents(w http.ResponseWriter, text string) error {
	setDeadline(w, len(text))
	if _, err := io.WriteString(w, text); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

const pollInterval = 10 * time.Second // how often idle sessions are dropped and ended ones are read from the state

// Run notifies subscribers of changed resources, drops idle sessions and reads which sessions have ended at other
// edges, until ctx is done. Then it ends all streams, for which a listener would wait, and returns nil.
func (s *Server) Run(ctx context.Context) error {
	changed := s.config.Snapshots.Indexed.Changed()
	defer s.sessions.end()
	poll := time.Tick(pollInterval)
	notified, _ := s.views.load() // nil if nothing is published
	s.readState(ctx)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			now, err := s.views.load()
			if err != nil {
				s.config.Logger.Error("view of the published files failed; MCP calls get errors", "error", err)
				continue
			}
			s.sessions.updated(slices.DeleteFunc(s.sessions.uris(), func(uri string) bool {
				return bytes.Equal(notified.resource(uri), now.resource(uri))
			}))
			notified = now
		case now := <-poll:
			s.sessions.expire(now)
			s.readState(ctx)
			if s.sessions.settled() { // the runtime keeps what a burst of calls allocated for as long as nothing happens
				runtime.GC() // what is in pools survives one collection
				debug.FreeOSMemory()
			}
		}
	}
}
