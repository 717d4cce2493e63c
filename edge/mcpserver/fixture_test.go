package mcpserver

import (
	"context"
	"encoding/json"
	"flag"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reviewcast"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// patience ends tests that would wait forever.
const patience = 5 * time.Minute

var update = flag.Bool("update", false, "write the golden files anew")

// sample is a small published directory: testdata/dataset.json and insights.json.
// Among its reviews is one that tries to give orders, in characters that can be seen
// and in others that can't.
func sample(t testing.TB) snapshottest.Public {
	t.Helper()
	var d reviewcast.Dataset
	if err := json.Unmarshal(read(t, "dataset.json"), &d); err != nil {
		t.Fatal(err)
	}
	p := snapshottest.Publish(t, d)
	p[reviewcast.PathInsights] = read(t, "insights.json")
	return p
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// peer is the address that a request comes from.
func peer(r *http.Request) string {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return host
}

// serve starts a server on a published directory, nil for none, with Run beside it.
func serve(t testing.TB, p snapshottest.Public, c Config) (*Server, *httptest.Server) {
	t.Helper()
	if c.Snapshots == nil {
		c.Snapshots = &snapshot.Holder{}
	}
	c.BaseURL, c.Client = snapshottest.BaseURL, peer
	if p != nil {
		snapshottest.Swap(c.Snapshots, p.Open(t, 1))
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx) }()
	srv := httptest.NewServer(s)
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		srv.Close()
	})
	return s, srv
}

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(filepath.Join("testdata", name), got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(read(t, name)), string(got)); diff != "" {
		t.Errorf("%s is not what it was (-update writes it anew):\n%s", name, diff)
	}
}
