package mcpserver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reviewcast/edge/snapshot"
)

// maxSubscriptions is the most resources that one session or stream may subscribe
// to. Each one is compared whenever a new set of files is published.
const maxSubscriptions = 100

// A client may subscribe to a resource that doesn't exist: a review may be published
// later. The SDK keeps every URI that was ever subscribed to, so such URIs are capped
// in length (bytes) and, over the life of the server, in number.
const (
	maxURI     = 512
	maxMissing = 1000
)

// subscriptions are the resources that sessions and streams subscribe to.
type subscriptions struct {
	mu       sync.Mutex
	sessions map[*mcp.ServerSession]map[string]struct{}
	missing  map[string]struct{} // URIs that had no resource when first subscribed to
}

// addMissing records a URI that has no resource yet. It reports false at the cap.
func (w *subscriptions) addMissing(uri string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.missing == nil {
		w.missing = map[string]struct{}{}
	}
	if _, ok := w.missing[uri]; !ok && (len(uri) > maxURI || len(w.missing) >= maxMissing) {
		return false
	}
	w.missing[uri] = struct{}{}
	return true
}

// add records a subscription. It reports false when the session has too many.
func (w *subscriptions) add(s *mcp.ServerSession, uri string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sessions == nil {
		w.sessions = map[*mcp.ServerSession]map[string]struct{}{}
	}
	uris := w.sessions[s]
	if uris == nil {
		uris = map[string]struct{}{}
		w.sessions[s] = uris
	}
	if _, ok := uris[uri]; !ok && len(uris) >= maxSubscriptions {
		return false
	}
	uris[uri] = struct{}{}
	return true
}

func (w *subscriptions) remove(s *mcp.ServerSession, uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions[s], uri)
	if len(w.sessions[s]) == 0 {
		delete(w.sessions, s)
	}
}

// uris returns all subscribed URIs, sorted. It drops the sessions that are no longer
// open.
func (w *subscriptions) uris(open map[*mcp.ServerSession]bool) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[string]struct{}{}
	for s, uris := range w.sessions {
		if !open[s] {
			delete(w.sessions, s)
			continue
		}
		maps.Copy(all, uris)
	}
	return slices.Sorted(maps.Keys(all))
}

// subscribe answers resources/subscribe, and each resource of subscriptions/listen.
func (s *Server) subscribe(_ context.Context, req *mcp.SubscribeRequest) error {
	v, err := s.views.load()
	if err != nil {
		return s.unavailable(err)
	}
	if v.resource(req.Params.URI) == nil && !s.subscriptions.addMissing(req.Params.URI) {
		return mcp.ResourceNotFoundError(req.Params.URI)
	}
	if !s.subscriptions.add(req.Session, req.Params.URI) {
		return protocolError(jsonrpc.CodeInvalidParams, fmt.Sprintf("a client may subscribe to %d resources; unsubscribe from one, or subscribe to %ssummary, which changes with every review", maxSubscriptions, scheme))
	}
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.subscriptions.remove(req.Session, req.Params.URI)
	return nil
}

// Run notifies subscribers of resources that have changed and ends idle sessions,
// until ctx is done. Then it ends all sessions and streams, so that a listener can
// shut down without waiting for them, and returns nil.
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
	for {
		select {
		case <-ctx.Done():
			for session := range s.mcp.Sessions() {
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
		}
	}
}

// update makes the view of the current snapshot before the first call needs it, and
// notifies subscribers of the resources whose content differs from that in old.
func (s *Server) update(ctx context.Context, old *snapshot.Snapshot) {
	open := map[*mcp.ServerSession]bool{}
	for session := range s.mcp.Sessions() {
		open[session] = true
	}
	uris := s.subscriptions.uris(open)
	var before *view
	if len(uris) > 0 {
		before = s.views.of(old) // before load replaces it
	}
	after, err := s.views.load()
	if err != nil {
		s.config.Logger.Error("view of the published files failed; MCP calls get errors", "error", err)
		return
	}
	for _, uri := range uris {
		if same(before, after, uri) {
			continue
		}
		if err := s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			s.config.Logger.Warn("resource update not sent", "resource", uri, "error", err)
		}
	}
}
