package main

import (
	"bytes"
	"context"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reviewcast/bench/edgetest"
	"reviewcast/bench/mirrortest"
	"reviewcast/internal/mirror"
)

// pullSite is a made-up site, served over a real connection, with a copy of it.
type pullSite struct {
	*testing.T
	*mirrortest.Site
	origin    *mirrortest.Origin
	url, copy string
}

func newPullSite(t *testing.T, reviews int) *pullSite {
	s := &pullSite{T: t, Site: mirrortest.New(uint64(time.Now().UnixNano()), reviews), origin: &mirrortest.Origin{}, copy: filepath.Join(t.TempDir(), "copy")}
	server := httptest.NewServer(s.origin)
	t.Cleanup(server.Close)
	s.url = server.URL
	s.Publish(false)
	s.origin.Serve(s.Files)
	return s
}

// publish publishes a version that differs.
func (s *pullSite) publish() {
	for s.Step(); !s.Publish(false); {
		s.Step()
	}
	s.origin.Serve(s.Files)
}

func (s *pullSite) pull(args ...string) (stdout, stderr string, err error) {
	var out, errs bytes.Buffer
	cmd := exec.Command(binary(s.T), append([]string{"pull", s.url, s.copy}, args...)...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// holds reports whether the copy is exactly a published set.
func (s *pullSite) holds(files mirrortest.Files) bool {
	s.Helper()
	have := map[string]string{}
	err := filepath.WalkDir(s.copy, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(name)
		have[strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(s.copy))] = string(body)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return maps.EqualFunc(have, files, func(a string, b []byte) bool { return a == string(b) })
}

// TestPull: one line says what changed, and an error leaves the copy as it is.
func TestPull(t *testing.T) {
	t.Parallel()
	s := newPullSite(t, 100)
	out, errs, err := s.pull()
	if err != nil || !strings.Contains(out, " added; rating ") || errs != "" || !s.holds(s.Files) {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	if out, errs, err = s.pull(); err != nil || !strings.HasPrefix(out, "nothing has changed; ") || errs != "" {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
	before := s.Files
	s.origin.Serve(mirrortest.Files{})
	if out, errs, err = s.pull(); err == nil || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "there are no reviews there, or not all of them (is it the address in base_url, and not that of another website? If so, upload everything in the folder public") || !s.holds(before) {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
	s.publish()
	if out, errs, err = s.pull("--quiet"); err != nil || out+errs != "" || !s.holds(s.Files) {
		t.Errorf("%v\n%s%s", err, out, errs)
	}
	left, err := os.ReadDir(filepath.Dir(s.copy))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the copy there are %v, %v", left, err)
	}
}

// TestPullFollows: with --every an error is printed once, and what changed each time.
func TestPullFollows(t *testing.T) {
	t.Parallel()
	s := newPullSite(t, 20)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs safeBuffer
	source, err := mirror.Open(s.url, mirror.Config{})
	if err != nil {
		t.Fatal(err)
	}
	copied := &mirror.Copy{Dir: s.copy, Follower: mirror.Follower{Source: source}}
	done := make(chan struct{})
	go func() {
		copied.Run(ctx, 10*time.Millisecond, nil, printChanges(streams{out: &out, err: &errs}, copied.Update))
		close(done)
	}()
	wait := func(w *safeBuffer, text string) {
		t.Helper()
		for end := time.Now().Add(patience); !strings.Contains(w.String(), text); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("never printed %q:\n%s%s", text, out.String(), errs.String())
			}
		}
	}
	wait(&out, "added; rating")
	s.origin.Serve(mirrortest.Files{})
	wait(&errs, "the last good copy stays")
	s.Site.Add()
	s.Publish(false)
	s.origin.Serve(s.Files)
	wait(&out, "1 added; ")
	cancel()
	<-done
	if n := strings.Count(errs.String(), "\n"); n != 1 {
		t.Errorf("%d lines of errors:\n%s", n, errs.String())
	}
}

// TestKilledPull kills the program at random moments: the copy is the version before
// or the new one, whole, and the next pull cleans up. It kills MIRROR_KILLS times, or
// 8.
func TestKilledPull(t *testing.T) {
	inCI(t)
	t.Parallel()
	kills := long(t, "MIRROR_KILLS", 8)
	s := newPullSite(t, 150)
	moments := edgetest.Rand(t)
	if _, errs, err := s.pull(); err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	held, killed, updated := s.Files, 0, 0
	whole := time.Second
	for n := 0; killed < kills; n++ {
		s.publish()
		cmd, started := exec.Command(binary(t), "pull", s.url, s.copy), time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(moments.Int64N(int64(whole)*2)), func() { _ = cmd.Process.Kill() }) // a half is too late
		if cmd.Wait() != nil {
			killed++
		} else {
			whole = time.Since(started) // on a machine that is more or less busy than before
		}
		timer.Stop()
		switch {
		case s.holds(s.Files):
			held = s.Files
			updated++
		case !s.holds(held):
			t.Fatalf("round %d: the copy is neither the version before nor the new one", n)
		}
	}
	t.Logf("%d killed, %d updates complete", killed, updated)
	if out, errs, err := s.pull(); err != nil || !s.holds(s.Files) {
		t.Fatalf("the pull after: %v\n%s%s", err, out, errs)
	}
	left, err := os.ReadDir(filepath.Dir(s.copy))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the copy there are %v, %v", left, err)
	}
}
