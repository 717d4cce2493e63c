package killtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/edge/snapshot/snapshottest"
)

// edge is a running program.
type edge struct {
	*exec.Cmd
	addr, admin string
	done        chan struct{}
}

var (
	addressOf = regexp.MustCompile(`msg=serving addr=(\S+)`)
	adminOf   = regexp.MustCompile(`msg="serving operators" addr=(\S+)`)
)

// start starts the program and waits until it serves.
func (s *killRun) start() *edge {
	s.Helper()
	e := &edge{done: make(chan struct{})}
	args := append([]string{s.program, "edge", "--public", s.public, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--state", s.state,
		"--base-url", snapshottest.BaseURL, "--hub-allow-cidr", "127.0.0.0/8", "--hub-subscribe-rate", "0"}, s.flags...)
	if s.resolver != "" {
		args = append([]string{"unshare", "--mount", "sh", "-c", `mount --bind "$0" /etc/resolv.conf && exec "$@"`, s.resolver}, args...)
	}
	e.Cmd = exec.Command(args[0], args[1:]...)
	e.Env = append(os.Environ(), "SSL_CERT_FILE="+s.cert, "GODEBUG=netdns=go")
	stderr, err := e.StderrPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := e.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(e.kill)
	serving := make(chan string, 1)
	var log strings.Builder
	go func() {
		defer close(e.done)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			fmt.Fprintln(&log, lines.Text())
			if m := adminOf.FindStringSubmatch(lines.Text()); m != nil {
				e.admin = m[1]
			}
			if m := addressOf.FindStringSubmatch(lines.Text()); m != nil {
				serving <- m[1]
			}
		}
	}()
	select {
	case e.addr = <-serving:
	case <-e.done:
		s.Fatalf("the edge ended:\n%s", &log)
	case <-time.After(waitLimit):
		s.Fatal("the edge doesn't serve")
	}
	return e
}

// kill kills the program and waits until it is dead.
func (e *edge) kill() {
	_ = e.Process.Kill() // it may be dead already
	<-e.done
	_ = e.Wait()
}

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
