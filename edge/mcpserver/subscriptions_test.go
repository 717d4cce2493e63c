package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"reviewcast"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// changed is the sample with another text in review r5, which changes it and nothing
// else that is watched below.
func changed(t *testing.T) snapshottest.Public {
	t.Helper()
	var d reviewcast.Dataset
	if err := json.Unmarshal(read(t, "dataset.json"), &d); err != nil {
		t.Fatal(err)
	}
	text := "Marcus came on time, and again a year later."
	d.Reviews[0].Text = &text
	p := snapshottest.Publish(t, d)
	p[reviewcast.PathInsights] = read(t, "insights.json")
	return p
}

// TestUpdates: subscribers of both eras hear of what has changed, and of nothing
// else.
func TestUpdates(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			s, srv := serve(t, sample(t), Config{})
			updates := make(chan string, 10)
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
				ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updates <- r.Params.URI },
			})
			ctx := t.Context()
			session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: srv.URL + reviewcast.PathMCP},
				&mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			uris := []string{"reviewcast://review/r5", "reviewcast://review/r2", "reviewcast://business", "reviewcast://review/later"}
			if version < firstStateless {
				for _, uri := range uris {
					if err := session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
						t.Fatal(err)
					}
				}
			} else {
				listening, stop, err := listen(ctx, srv, uris)
				if err != nil {
					t.Fatal(err)
				}
				defer stop()
				go func() {
					for uri := range listening {
						updates <- uri
					}
				}()
			}
			snapshottest.Swap(s.config.Snapshots, changed(t).Open(t, 2))
			select {
			case got := <-updates:
				if got != "reviewcast://review/r5" {
					t.Errorf("told of %s", got)
				}
			case <-time.After(patience):
				t.Fatal("nobody was told")
			}
			// Back again: were anything else told before, it would come first.
			snapshottest.Swap(s.config.Snapshots, sample(t).Open(t, 3))
			if got := <-updates; got != "reviewcast://review/r5" {
				t.Errorf("then told of %s", got)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// listen opens a stream of revision 2026-07-28 and gives the addresses that it tells
// of. It returns when the subscription is acknowledged.
func listen(ctx context.Context, srv *httptest.Server, uris []string) (updates <-chan string, stop func(), err error) {
	ctx, cancel := context.WithCancel(ctx)
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": map[string]any{
		"notifications": map[string]any{"resourceSubscriptions": uris},
		"_meta": map[string]any{
			"io.modelcontextprotocol/protocolVersion":    firstStateless,
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "test", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		},
	}})
	if err != nil {
		return nil, cancel, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+reviewcast.PathMCP, strings.NewReader(string(body)))
	if err != nil {
		return nil, cancel, err
	}
	r.Header.Set("Content-Type", reviewcast.MediaJSON)
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set(headerVersion, firstStateless)
	r.Header.Set("Mcp-Method", "subscriptions/listen")
	resp, err := srv.Client().Do(r)
	if err != nil {
		return nil, cancel, err
	}
	told := make(chan string, 10)
	acknowledged := make(chan struct{})
	go func() {
		defer resp.Body.Close()
		defer close(told)
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			var m struct {
				Method string
				Params struct{ URI string }
			}
			switch {
			case !ok || json.Unmarshal([]byte(data), &m) != nil:
			case m.Method == "notifications/subscriptions/acknowledged":
				close(acknowledged)
			case m.Method == "notifications/resources/updated":
				told <- m.Params.URI
			}
		}
	}()
	select {
	case <-acknowledged:
	case <-time.After(patience):
		cancel()
		return nil, cancel, context.DeadlineExceeded
	}
	return told, cancel, nil
}

// TestRunEndsStreams: a server that ends doesn't wait for those who listen.
func TestRunEndsStreams(t *testing.T) {
	holder := &snapshot.Holder{}
	snapshottest.Swap(holder, sample(t).Open(t, 1))
	s, err := New(Config{Snapshots: holder, BaseURL: snapshottest.BaseURL, Client: peer})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s)
	defer srv.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()
	told, stop, err := listen(t.Context(), srv, []string{"reviewcast://business"})
	defer stop()
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for uri := range told { // until the stream ends
		t.Errorf("told of %s", uri)
	}
}

// TestCallsWhileSwapping: every answer is of one snapshot.
func TestCallsWhileSwapping(t *testing.T) {
	s, _ := serve(t, sample(t), Config{})
	c := newTalker(t, s)
	one, other := sample(t).Open(t, 1), changed(t).Open(t, 2)
	var calls sync.WaitGroup
	for range 4 {
		calls.Go(func() {
			for range 50 {
				text := c.tool(t, "get_review", map[string]any{"id": "r5"}).Content[0].Text
				if strings.Contains(text, "again a year later") == strings.Contains(text, "<b>heater</b>") {
					t.Errorf("neither the one nor the other: %s", text)
				}
			}
		})
	}
	for range 50 {
		snapshottest.Swap(s.config.Snapshots, other)
		snapshottest.Swap(s.config.Snapshots, one)
	}
	calls.Wait()
}

func TestStreamHeaders(t *testing.T) {
	s, srv := serve(t, sample(t), Config{})
	c := newTalker(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+reviewcast.PathMCP, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", mediaStream)
	r.Header.Set(headerSession, c.session)
	resp, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != mediaStream || resp.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("GET: %d %v", resp.StatusCode, resp.Header)
	}
	// A client that opens another stream has lost the first one.
	again, err := srv.Client().Do(r.Clone(ctx))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Body.Close()
	if again.StatusCode != http.StatusOK {
		t.Errorf("a second stream: %d %v", again.StatusCode, again.Header)
	}
	if _, err := io.ReadAll(resp.Body); err != nil { // returns when the first stream ends
		t.Error(err)
	}
}

// TestUpdatesBetweenStreams: what changes while a session has no stream is sent, once
// for each resource, when it opens one. Last-Event-ID repeats what was lost on the way.
func TestUpdatesBetweenStreams(t *testing.T) {
	s, srv := serve(t, sample(t), Config{})
	c := newTalker(t, s)
	c.result(t, "resources/subscribe", map[string]any{"uri": "reviewcast://review/r5"})
	publish := func(p snapshottest.Public, sequence int64, wantUpdates uint64) {
		snapshottest.Swap(s.config.Snapshots, p.Open(t, sequence))
		for deadline := time.Now().Add(patience); ; {
			s.sessions.mu.Lock()
			last := s.sessions.byID[c.session].last
			s.sessions.mu.Unlock()
			if last >= wantUpdates {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d updates, want %d", last, wantUpdates)
			}
			runtime.Gosched()
		}
	}
	publish(changed(t), 2, 1)
	publish(sample(t), 3, 2)
	for _, after := range []string{"", "1", "0"} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+reviewcast.PathMCP, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", mediaStream)
		r.Header.Set(headerSession, c.session)
		if after != "" {
			r.Header.Set("Last-Event-ID", after)
		}
		resp, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		want := "id: 2\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"reviewcast://review/r5\"}}\n\n"
		got := make([]byte, len(want))
		if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != want {
			t.Errorf("after %q: %q, %v", after, got, err)
		}
		cancel()
		resp.Body.Close()
	}
}

// TestSubscriptionsAreCapped: one client can't have every review compared.
func TestSubscriptionsAreCapped(t *testing.T) {
	s, _ := serve(t, sample(t), Config{})
	c := newTalker(t, s)
	codes := []int{}
	for i := range maxSubscriptions + 2 {
		w := c.post(t, "resources/subscribe", map[string]any{"uri": fmt.Sprint("reviewcast://review/none-", i)})
		if strings.Contains(w.Body.String(), `"error"`) {
			codes = append(codes, i)
		}
	}
	if want := []int{maxSubscriptions, maxSubscriptions + 1}; !slices.Equal(codes, want) {
		t.Errorf("refused were %v, want %v", codes, want)
	}
}
