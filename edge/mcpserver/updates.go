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

// maxSubscriptions is how many resources one session or stream may watch: each is
// compared at every change of what is published.
const maxSubscriptions = 100

// A client may watch what isn't there yet: a review may be published later. Since the
// SDK keeps every address that was ever subscribed to, such addresses are limited in
// length (bytes) and, over the server's life, in number.
const (
	maxURI     = 512
	maxMissing = 1000
)

// watched are the resources that somebody subscribes to.
type watched struct {
	mu       sync.Mutex
	sessions map[*mcp.ServerSession]map[string]struct{}
	missing  map[string]struct{} // that did not exist when they were first watched
}

// await notes an address that has no content yet; false when there are too many.
func (w *watched) await(uri string) bool {
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

// add notes a subscription; false when the session has too many.
func (w *watched) add(s *mcp.ServerSession, uri string) bool {
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

func (w *watched) remove(s *mcp.ServerSession, uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions[s], uri)
	if len(w.sessions[s]) == 0 {
		delete(w.sessions, s)
	}
}

// uris are all that somebody watches, sorted. Sessions that have ended are
// forgotten.
func (w *watched) uris(open map[*mcp.ServerSession]bool) []string {
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
	if v.resource(req.Params.URI) == nil && !s.watched.await(req.Params.URI) {
		return mcp.ResourceNotFoundError(req.Params.URI)
	}
	if !s.watched.add(req.Session, req.Params.URI) {
		return protocolError(jsonrpc.CodeInvalidParams, fmt.Sprintf("a client may watch %d resources; unsubscribe from one, or watch %ssummary, which changes with every review", maxSubscriptions, scheme))
	}
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *mcp.UnsubscribeRequest) error {
	s.watched.remove(req.Session, req.Params.URI)
	return nil
}

// Run sends resources/updated to those who subscribe when what they watch changes,
// and ends idle sessions, until ctx is done. Then it ends all sessions and streams,
// so that a listener needn't wait for them, and returns nil.
func (s *Server) Run(ctx context.Context) error {
	var mu sync.Mutex
	var before *snapshot.Snapshot // what subscribers were last told of
	pending := false
	changed := make(chan struct{}, 1)
	cancel := s.config.Snapshots.Subscribe(func(old, _ *snapshot.Snapshot) {
		mu.Lock()
		defer mu.Unlock()
		if !pending { // else several changes are told as one
			before, pending = old, true
			changed <- struct{}{} // empty: pending is cleared behind the receive
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

// update makes the view of what is published now, before anybody asks, and tells
// subscribers which of the resources that they watch are no longer what they were in
// the snapshot old.
func (s *Server) update(ctx context.Context, old *snapshot.Snapshot) {
	open := map[*mcp.ServerSession]bool{}
	for session := range s.mcp.Sessions() {
		open[session] = true
	}
	uris := s.watched.uris(open)
	var before *view
	if len(uris) > 0 {
		before = s.views.of(old) // while it is at hand
	}
	after, err := s.views.load()
	if err != nil {
		s.config.Logger.Error("no view of what is published; agents get errors", "error", err)
		return
	}
	for _, uri := range uris {
		if same(before, after, uri) {
			continue
		}
		if err := s.mcp.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
			s.config.Logger.Warn("subscribers not told", "resource", uri, "error", err)
		}
	}
}
