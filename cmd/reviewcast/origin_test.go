package main

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"reviewcast"
	"reviewcast/bench/edgetest"
	"reviewcast/bench/storetest"
)

// deployment is what users deploy: content that is built, a server of static files, and an
// edge that follows it.
type deployment struct {
	*testing.T
	program, dir, url string
	deployed          atomic.Pointer[string] // the directory that the server serves
	edge              *edgetest.Edge
	args, env         []string
	base, hub, admin  string
}

const siteURL = "https://acme.example"

func newDeployment(t *testing.T, args ...string) *deployment {
	s := &deployment{T: t, program: binary(t), dir: t.TempDir(), base: siteURL}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dir := s.deployed.Load()
		if dir == nil {
			http.NotFound(w, r)
			return
		}
		http.FileServer(http.Dir(*dir)).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	s.args = slices.Concat(edgetest.Follow(s.url, filepath.Join(s.dir, "copy")), []string{"--base-url", siteURL, "--admin-listen", "127.0.0.1:0", "--origin-every", "1h"}, args)
	s.run("init", filepath.Join(s.dir, "content"))
	return s
}

func (s *deployment) run(args ...string) {
	s.Helper()
	cmd := exec.Command(s.program, args...)
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%s: %v\n%s", args, err, out)
	}
}

// build builds to a directory; previous is the version to build on, if any.
func (s *deployment) build(to, previous string, args ...string) {
	s.Helper()
	args = append([]string{"build", "--public", to, "--base-url", siteURL, "--today", "2027-01-01", "--encodings", "none", "-q"}, args...)
	if previous != "" {
		args = append(args, "--previous", previous)
	}
	s.run(args...)
}

func (s *deployment) deploy(name string) {
	dir := filepath.Join(s.dir, name)
	s.deployed.Store(&dir)
}

func (s *deployment) write(name, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, "content", name), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

func (s *deployment) review(id, text string) {
	s.write("reviews/"+id+".yaml", fmt.Sprintf("- {id: %s, author: Noor B., rating: 4, date: 2026-10-30, text: %s, verification: {method: invitation}}\n", id, text))
}

// start starts the edge, and waits until it listens.
func (s *deployment) start() {
	s.Helper()
	var err error
	s.edge, err = edgetest.Start(edgetest.Config{Program: s.program, Args: s.args, Env: append([]string{"REVIEWCAST_STATE=" + filepath.Join(s.dir, "hub.sqlite")}, s.env...)})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(s.kill)
	s.hub, s.admin = s.edge.URL, s.edge.Admin
}

func (s *deployment) kill() { _ = s.edge.Stop(os.Kill) }

func (s *deployment) until(what string, done func() bool) {
	s.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			s.Fatalf("never: %s\n%s", what, s.edge.Log())
		}
	}
}

func (s *deployment) get(address string) (int, string) {
	resp, err := http.Get(address)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err.Error()
	}
	return resp.StatusCode, string(body)
}

// finds reports whether a search has an answer with a text.
func (s *deployment) finds(query, text string) bool {
	status, body := s.get(s.hub + "/api/reviews/search?query=" + url.QueryEscape(query))
	return status == http.StatusOK && strings.Contains(body, text)
}

func (s *deployment) post(form url.Values) {
	s.Helper()
	resp, err := http.PostForm(s.hub+"/api/websub/hub", form)
	if err != nil {
		s.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		s.Fatalf("%v: %s", form, resp.Status)
	}
}

func (s *deployment) ping() {
	s.Helper()
	s.post(url.Values{"hub.mode": {"publish"}, "hub.url": {s.base + reviewcast.PathReviews}})
}

// subscriber restarts the edge with a verified subscription to a topic, and returns its callback.
func (s *deployment) subscriber(topic string, receive func(r *http.Request, body []byte)) (callback string) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
			return
		}
		if body, err := io.ReadAll(r.Body); err == nil {
			receive(r, body)
		}
	}))
	s.Cleanup(server.Close)
	name := filepath.Join(s.dir, "ca.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		s.Fatal(err)
	}
	s.kill()
	s.env = append(s.env, "SSL_CERT_FILE="+name)
	s.start()
	s.until("it serves from its copy", func() bool { return s.finds("", `"matched"`) })
	s.post(url.Values{"hub.mode": {"subscribe"}, "hub.topic": {s.base + topic}, "hub.callback": {server.URL}})
	s.until("the subscription is verified", func() bool {
		_, metrics := s.get(s.admin + "/metrics")
		return strings.Contains(metrics, `reviewcast_hub_handshakes_total{mode="subscribe",result="confirmed"} 1`)
	})
	return server.URL
}

// TestFollowedSite: the shape that users deploy, from a build to an answer of the edge.
func TestFollowedSite(t *testing.T) {
	t.Parallel()
	s := newDeployment(t)
	s.start()
	if status, body := s.get(s.hub + "/reviews.json"); status != http.StatusServiceUnavailable {
		t.Fatalf("before anything is deployed: %d %s", status, body)
	}
	s.review("first", "All well.")
	s.build("v1", "")
	s.deploy("v1")
	s.ping()
	s.until("the first version is found", func() bool { return s.finds("", `"id":"first"`) })

	// The build's ping comes before the deploy, and names the version.
	received := &safeBuffer{}
	s.subscriber("/feed.xml", func(_ *http.Request, body []byte) { _, _ = received.Write(body) })
	s.review("second", "Even better.")
	s.build("v2", "v1", "--hub", s.hub+"/api/websub/hub")
	time.Sleep(10 * time.Millisecond) // usually the ping arrives first; both orders must work
	if s.finds("Even better", `"id":"second"`) {
		t.Error("a version was served before it was deployed")
	}
	s.deploy("v2")
	s.until("the second version is found", func() bool { return s.finds("Even better", `"id":"second"`) })
	s.until("the second version is delivered", func() bool { return strings.Contains(received.String(), "Even better.") })
	if status, body := s.get(s.admin + "/readyz"); status != http.StatusOK || !strings.Contains(body, `"origin":"ok"`) {
		t.Errorf("/readyz: %d %s", status, body)
	}
	_, metrics := s.get(s.admin + "/metrics")
	if !strings.Contains(metrics, "\nreviewcast_origin_up 1\n") {
		t.Error("no metric says that the origin is up")
	}
	if problems, err := promlint.New(strings.NewReader(metrics)).Lint(); err != nil || len(problems) > 0 { // as promtool check metrics
		t.Error(problems, err)
	}

	// A rollback is not followed at once; the next version is.
	s.deploy("v1")
	s.ping()
	s.until("the rollback is logged", func() bool { return strings.Contains(s.edge.Log(), "the source serves an older version") })
	if !s.finds("", `"id":"second"`) {
		t.Error("a rollback was followed at once")
	}
	if status, body := s.get(s.admin + "/readyz"); status != http.StatusOK || !strings.Contains(body, `"status":"degraded"`) {
		t.Errorf("/readyz: %d %s", status, body)
	}
	s.review("third", "As ever.")
	s.build("v3", "v2")
	s.deploy("v3")
	s.ping()
	s.until("the version after a rollback is found", func() bool { return s.finds("As ever", `"id":"third"`) })

	// Another build machine went on from v1.
	s.review("fourth", "Elsewhere.")
	s.build("fork", "v1")
	s.deploy("fork")
	s.ping()
	s.until("the fork is found", func() bool { return s.finds("Elsewhere", `"id":"fourth"`) })
	s.until("the fork is logged", func() bool { return strings.Contains(s.edge.Log(), "the origin has another history now") })

	// A text that is withdrawn for legal reasons is nowhere.
	if err := os.Remove(filepath.Join(s.dir, "content/reviews/second.yaml")); err != nil {
		t.Fatal(err)
	}
	s.write("withdrawn.yaml", "- {id: second, reason: legal, date: 2026-12-01}\n")
	s.build("erased", "fork")
	s.deploy("erased")
	s.ping()
	s.until("the text is gone", func() bool { return !s.finds("", `"id":"second"`) && s.finds("", `"id":"fourth"`) })
	s.until("the text is gone from the disk", func() bool { return !s.holds("Even better") })
}

// holds reports whether a file of the copy, or beside it, has a text.
func (s *deployment) holds(text string) (found bool) {
	for _, pattern := range []string{"copy", "copy.*"} {
		names, _ := filepath.Glob(filepath.Join(s.dir, pattern)) // the patterns are valid
		for _, name := range names {
			_ = filepath.WalkDir(name, func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return nil //nolint:nilerr // a file that has just been replaced
				}
				body, _ := os.ReadFile(name)
				found = found || bytes.Contains(body, []byte(text))
				return nil
			})
		}
	}
	return found
}

// TestKilledFollower kills edges while they take a version: the next one serves at once,
// without the site, what the copy holds, and takes the version then.
func TestKilledFollower(t *testing.T) {
	inCI(t)
	t.Parallel()
	s, moments := newDeployment(t, "--origin-every", "1s"), edgetest.Rand(t)
	s.build("v0", "")
	s.deploy("v0")
	s.start()
	s.until("the first version is found", func() bool { return s.finds("", `"matched"`) })
	for n := range 6 {
		id, before := fmt.Sprintf("round-%d", n), fmt.Sprintf("v%d", n)
		s.review(id, "Round "+id)
		next := fmt.Sprintf("v%d", n+1)
		s.build(next, before)
		s.deploy(next)
		s.ping()
		time.Sleep(time.Duration(moments.Int64N(int64(200 * time.Millisecond)))) // a random moment
		s.kill()
		s.deployed.Store(nil)
		s.start()
		s.until("it serves its copy", func() bool { return s.finds("", `"matched"`) })
		if n > 0 && !s.finds("", fmt.Sprintf(`"id":"round-%d"`, n-1)) {
			t.Errorf("round %d: the version before is not in the copy", n)
		}
		s.deploy(next)
		s.until("it takes the version", func() bool { return s.finds("", `"id":"`+id+`"`) })
		s.until("it has written the version", func() bool {
			written, _ := os.ReadFile(filepath.Join(s.dir, "copy/manifest.json"))
			published, err := os.ReadFile(filepath.Join(s.dir, next, "manifest.json"))
			return err == nil && bytes.Equal(written, published)
		})
	}
}

// TestPingReachesAll: edges that share a state learn of a ping that one of them gets.
func TestPingReachesAll(t *testing.T) {
	t.Parallel()
	one := newDeployment(t)
	one.env = []string{"REVIEWCAST_STATE=" + storetest.Postgres(t)}
	two := &deployment{T: t, program: one.program, dir: one.dir, args: slices.Clone(one.args), env: one.env}
	two.args[slices.Index(two.args, "--public")+1] += "-two"
	one.build("v1", "")
	one.deploy("v1")
	for _, s := range []*deployment{one, two} {
		s.start()
		s.until("the first version is found", func() bool { return s.finds("", `"matched"`) })
	}
	one.review("later", "Later.")
	one.build("v2", "v1", "--hub", one.hub+"/api/websub/hub")
	one.deploy("v2")
	for _, s := range []*deployment{one, two} {
		s.until("the second version is found", func() bool { return s.finds("Later", `"id":"later"`) })
	}
}

// TestHungFile: a file that never opens keeps neither the old version from being served
// nor the edge from ending.
func TestHungFile(t *testing.T) {
	s := newDeployment(t)
	s.build("public", "")
	s.args = []string{"--public", "public", "--admin-listen", "127.0.0.1:0", "--state", "none"}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.review("later", "Later.")
	s.build("next", "public")
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(s.dir)
	defer t.Chdir(dir)
	s.start()
	s.until("it serves", func() bool { return s.finds("", `"matched"`) })
	for _, step := range [][]string{{"rm", "next/feed.xml"}, {"mkfifo", "next/feed.xml"}, {"rm", "-r", "public"}, {"mv", "next", "public"}} {
		if out, err := exec.CommandContext(ctx, step[0], step[1:]...).CombinedOutput(); err != nil {
			t.Skipf("%s: %v %s", step, err, out)
		}
	}
	s.until("the FIFO is refused", func() bool { return strings.Contains(s.edge.Log(), "not a regular file") })
	if s.finds("Later", `"id":"later"`) || !s.finds("", `"matched"`) {
		t.Error("half a set is served")
	}
	if err := s.edge.Stop(os.Interrupt); err != nil {
		t.Errorf("the edge ended with %v\n%s", err, s.edge.Log())
	}
}
