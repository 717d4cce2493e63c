package edge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast/edge/snapshot"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestRunDrains: a request that has begun is answered, new ones are refused, and
// Run comes back with nil.
func TestRunDrains(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	srv := Server(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-release
		io.WriteString(w, "done")
	}), nil)
	ctx, cancel := context.WithCancel(t.Context())
	l := listen(t)
	ran, answered := make(chan error, 1), make(chan string, 1)
	go func() { ran <- Run(ctx, l, srv, time.Minute) }()
	go func() {
		resp, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			answered <- err.Error()
			return
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		answered <- string(body)
	}()
	<-begun
	draining := make(chan struct{})
	srv.RegisterOnShutdown(func() { close(draining) })
	cancel()
	<-draining
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("a new connection was accepted while draining")
	}
	close(release)
	if got := <-answered; got != "done" {
		t.Errorf("the request that had begun: %s", got)
	}
	if err := <-ran; err != nil {
		t.Error(err)
	}
}

// TestRunCuts what doesn't end within the grace.
func TestRunCuts(t *testing.T) {
	begun := make(chan struct{})
	srv := Server(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
	}), nil)
	ctx, cancel := context.WithCancel(t.Context())
	l := listen(t)
	ran := make(chan error, 1)
	go func() { ran <- Run(ctx, l, srv, time.Millisecond) }()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	<-begun
	cancel()
	if err := <-ran; err != nil {
		t.Error(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("the connection is still open")
	}
}

// TestRunFails tells why it can't serve.
func TestRunFails(t *testing.T) {
	l := listen(t)
	l.Close()
	if err := Run(t.Context(), l, Server(nil, nil), time.Second); !errors.Is(err, net.ErrClosed) || !strings.Contains(err.Error(), "serve 127.0.0.1:") {
		t.Errorf("Run on a closed listener: %v", err)
	}
}

// TestServerCaps: a header that is larger than the handler takes gets the handler's
// answer, by way of a real connection.
func TestServerCaps(t *testing.T) {
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- Run(ctx, l, Server(newEdge(t, 1, Config{}), nil), time.Minute) }()
	for _, tt := range []struct {
		request, want string
	}{
		{"GET /reviews.json HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("x", 40<<10) + "\r\n\r\n", `"status":431`},
		{"GET /" + strings.Repeat("x", 20<<10) + " HTTP/1.1\r\nHost: x\r\n\r\n", `"status":414`},
		{"GET /reviews.json HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("x", 800<<10) + "\r\n\r\n", `"status":431`},
		{"GET /" + strings.Repeat("x", 800<<10) + " HTTP/1.1\r\nHost: x\r\n\r\n", `"status":414`},
		{"GET /reviews.json HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("x", 1100<<10) + "\r\n\r\n", "431 Request Header Fields Too Large"},
	} {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		go io.WriteString(conn, tt.request)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		if !strings.Contains(string(body), tt.want) {
			t.Errorf("%.20s…: %d %s, want %s", tt.request, resp.StatusCode, body, tt.want)
		}
		conn.Close()
	}
	cancel()
	if err := <-ran; err != nil {
		t.Error(err)
	}
}

// pipes is a listener without sockets, so that a bubble's time moves on while nobody sends.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p pipes) Close() error   { close(p); return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p <- theirs
	return ours, nil
}

// TestStreams: a mounted MCP server may end the server's deadlines, with and without a
// body in the request, and answer for longer.
func TestStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newEdge(t, 0, Config{Snapshots: &snapshot.Holder{}, MCP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			c := http.NewResponseController(w)
			if err := errors.Join(c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{})); err != nil {
				t.Error(err)
			}
			fmt.Fprintf(w, "%s begins\n", body)
			_ = c.Flush()
			select {
			case <-r.Context().Done():
				t.Error("the request was cut: ", r.Context().Err())
			case <-time.After(4 * writeTimeout):
			}
			fmt.Fprintln(w, "ends")
		})})
		l := make(pipes)
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan error, 1)
		go func() { ran <- Run(ctx, l, Server(h, nil), time.Second) }()
		client := &http.Client{Transport: &http.Transport{DialContext: l.dial}}
		for _, body := range []string{"", "a call"} {
			method := "GET"
			if body != "" {
				method = "POST"
			}
			r, err := http.NewRequest(method, "http://edge.example/mcp", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || string(got) != body+" begins\nends\n" {
				t.Errorf("%s: %q, %v", method, got, err)
			}
		}
		client.CloseIdleConnections()
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
	})
}
