package mcpserver

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reviewcast/edge/snapshot"
)

func tooManySubscriptions() *rpcError {
	return &rpcError{status: http.StatusOK, code: jsonrpc.CodeInvalidParams,
		message: fmt.Sprintf("a client may subscribe to %d resources; unsubscribe from one, or subscribe to %ssummary, which changes with every review", maxSubscriptions, scheme)}
}

// subscribe answers resources/subscribe and resources/unsubscribe. The SDK would keep
// every subscription for as long as the server runs.
func (s *Server) subscribe(r *http.Request, id sessionID, m *message) *rpcError {
	uri := stringOf(m.params["uri"])
	switch {
	case m.method == "resources/unsubscribe":
		s.sessions.unsubscribe(id, uri)
		return nil
	case !strings.HasPrefix(uri, scheme):
		return nil // a resource of another server never changes here
	case !canonicalURI(uri):
		return unknownResource(uri)
	}
	return s.sessions.subscribe(id, s.config.Client(r), uri)
}

// maxURI is the most bytes of a URI in subscriptions/listen.
const maxURI = 512

func unknownResource(uri string) *rpcError {
	return &rpcError{status: http.StatusOK, code: jsonrpc.CodeInvalidParams,
		message: "Resource not found: " + echo(uri) + ". Subscriptions take the canonical URIs of resources/list and resources/templates/list, without percent-encoding."}
}

// listen admits a subscriptions/listen call before the SDK answers it with a stream.
func (s *Server) listen(r *http.Request, m *message) (release func(), err *rpcError) {
	var wanted struct {
		URIs []jsontext.Value `json:"resourceSubscriptions"`
	}
	if json.Unmarshal(m.params["notifications"], &wanted) != nil {
		return nil, &rpcError{status: http.StatusBadRequest, code: jsonrpc.CodeInvalidParams,
			message: "Invalid params for subscriptions/listen: notifications.resourceSubscriptions must be a list of URIs."}
	}
	var uris []string
	for _, raw := range wanted.URIs {
		uri := stringOf(raw)
		if strings.HasPrefix(uri, scheme) && !canonicalURI(uri) || len(uri) > maxURI {
			err := unknownResource(uri)
			err.status = http.StatusBadRequest
			return nil, err
		}
		uris = append(uris, uri)
	}
	return s.sessions.listen(s.config.Client(r), uris)
}

// serveStream answers GET: it sends the updates of a session until the client goes
// away or opens another stream. Updates that nobody received, because the client was
// away, are sent first.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request, id sessionID) *rpcError {
	var after *uint64
	if n, err := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64); err == nil {
		after = &n
	}
	st, refused := s.sessions.attach(id, s.config.Client(r), after)
	if refused != nil {
		return refused
	}
	defer s.sessions.detach(id, st)
	resp := newResponse(w, nil)
	defer resp.finish()
	resp.Header().Set("Content-Type", mediaStream)
	resp.Header().Set("Cache-Control", "no-cache, no-transform")
	resp.WriteHeader(http.StatusOK)
	for {
		for _, u := range s.sessions.pending(id, st) {
			uri, err := jsontext.AppendQuote(nil, u.uri)
			if err != nil {
				continue // can't happen: a canonical URI is ASCII
			}
			if _, err := fmt.Fprintf(resp, "id: %d\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":%s}}\n\n", u.number, uri); err != nil {
				return nil // the client is gone
			}
			if err := resp.FlushError(); err != nil {
				return nil
			}
			s.sessions.sent(id, u.number)
		}
		resp.Flush()
		select {
		case <-r.Context().Done():
			return nil
		case <-st.done:
			return nil
		case <-st.wake:
		}
	}
}

// pollInterval is how often a server reads which sessions have ended at other edges.
const pollInterval = 10 * time.Second

// Run notifies subscribers of resources that have changed, frees the memory of idle
// sessions and reads which sessions have ended at other edges, until ctx is done. Then
// it ends all streams, so that a listener can shut down without waiting for them, and
// returns nil.
func (s *Server) Run(ctx context.Context) error {
	var mu sync.Mutex
	var before *snapshot.Snapshot // what subscribers were last notified of
	pending := false
	changed := make(chan struct{}, 1)
	cancel := s.config.Snapshots.Subscribe(func(old, _ *snapshot.Snapshot) {
		mu.Lock()
		defer mu.Unlock()
		if !pending { // otherwise several changes become one
			before, pending = old, true
			changed <- struct{}{} // never blocks: pending is cleared after the receive
		}
	})
	defer cancel()

	idle := time.NewTimer(s.config.Idle)
	defer idle.Stop()
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	s.loadEnded(ctx)
	for {
		select {
		case <-ctx.Done():
			s.sessions.close()
			for session := range s.mcp.Sessions() { // of subscriptions/listen
				session.Close()
			}
			return nil
		case <-changed:
			mu.Lock()
			old := before
			before, pending = nil, false
			mu.Unlock()
			s.update(ctx, old)
		case now := <-idle.C:
			idle.Reset(s.sessions.expire(now))
		case <-poll.C:
			s.loadEnded(ctx)
		}
	}
}

func (s *Server) loadEnded(ctx context.Context) {
	if s.config.State == nil {
		s.ids.prune(time.Now())
		return
	}
	if err := s.ids.load(ctx, s.config.State, time.Now()); err != nil && ctx.Err() == nil {
		s.config.Logger.Warn("ended sessions not read; those of other edges stay valid here", "error", err)
	}
}

// update makes the view of the current snapshot before the first call needs it, and
// notifies subscribers of the resources whose content differs from that in old.
func (s *Server) update(ctx context.Context, old *snapshot.Snapshot) {
	uris := s.sessions.uris()
	var before *view
	if len(uris) > 0 {
		before = s.views.of(old) // before load replaces it
	}
	after, err := s.views.load()
	if err != nil {
		s.config.Logger.Error("view of the published files failed; MCP calls get errors", "error", err)
		return
	}
	var updated []string
	for _, uri := range uris {
		if same(before, after, uri) {
			continue
		}
		updated = append(updated, uri)
		if err := s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			s.config.Logger.Warn("resource update not sent", "resource", uri, "error", err)
		}
	}
	s.sessions.updated(updated)
}
