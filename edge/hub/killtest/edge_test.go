package killtest

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"reviewcast"
	"reviewcast/bench/edgetest"
	"reviewcast/bench/snapshottest"
)

// edge is a running program.
type edge struct {
	*edgetest.Edge
	addr, admin string
}

// start starts the program and waits until it serves.
func (s *killRun) start() *edge {
	s.Helper()
	var wrap []string
	if s.resolver != "" {
		wrap = []string{"unshare", "--mount", "sh", "-c", `mount --bind "$0" /etc/resolv.conf && exec "$@"`, s.resolver}
	}
	e, err := edgetest.Start(edgetest.Config{Wrap: wrap, Program: s.program, Env: []string{"SSL_CERT_FILE=" + s.cert, "GODEBUG=netdns=go"},
		Args: append([]string{"--public", s.public, "--admin-listen", "127.0.0.1:0", "--state", s.state,
			"--base-url", snapshottest.BaseURL, "--hub-allow-cidr", "127.0.0.0/8", "--hub-subscribe-rate", "0"}, s.flags...)})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if _ = e.Stop(os.Kill); s.Failed() {
			s.Log(e.Log())
		}
	})
	return &edge{e, strings.TrimPrefix(e.URL, "http://"), strings.TrimPrefix(e.Admin, "http://")}
}

// served waits until an edge, which accepts requests before, has loaded its files.
func (s *killRun) served(e *edge) {
	s.Helper()
	s.until("the files are served", func() bool { status, _ := s.status(e.addr, "/feed.xml"); return status == http.StatusOK })
}

// kill kills the program and waits until it is dead.
func (e *edge) kill() { _ = e.Stop(os.Kill) }

// status returns the status and body of a GET.
func (s *killRun) status(address, path string) (int, string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func (s *killRun) post(e *edge, form url.Values) {
	s.Helper()
	if status, body := s.tryPost(e, form); status != http.StatusAccepted {
		s.Fatalf("%d: %s", status, body)
	}
}

func (s *killRun) tryPost(e *edge, form url.Values) (int, string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+e.addr+reviewcast.PathHub, strings.NewReader(form.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		s.Fatal(err)
	}
	return response.StatusCode, string(body)
}
