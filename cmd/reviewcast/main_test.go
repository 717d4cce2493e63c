package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"reviewcast"
	"reviewcast/bench/edgetest"
)

// TestMain lets scripts and tests start the test binary as the command reviewcast.
func TestMain(m *testing.M) {
	testscript.Main(cleaner{m}, map[string]func(){"reviewcast": main})
}

// cleaner removes the program that the tests have built.
type cleaner struct{ *testing.M }

func (c cleaner) Run() int {
	dir, err := os.MkdirTemp("", "reviewcast-test-")
	if err != nil {
		panic(err)
	}
	programDir = dir
	defer os.RemoveAll(dir)
	return c.M.Run()
}

// programDir has what all tests share: the program, and the sample's published files.
var programDir string

// program returns the program for tests that start it often. With the race detector,
// which makes each start five times as expensive, it is built once without it: only
// tests of what runs concurrently start the test binary itself, see [racing].
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(programDir, "reviewcast")
	info, _ := debug.ReadBuildInfo()
	if !slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		exe, err := os.Executable()
		return path, errors.Join(err, os.Symlink(exe, path))
	}
	out, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s", "-o", path, ".").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return path, err
})

// binary returns the path of a program named reviewcast.
func binary(tb testing.TB) string {
	tb.Helper()
	path, err := program()
	if err != nil {
		tb.Fatal(err)
	}
	return path
}

// buildSite builds a content folder with the program, for tests of what is published.
func buildSite(tb testing.TB, content, public string) {
	tb.Helper()
	out, err := exec.Command(binary(tb), "build", "--content", content, "--public", public, "--base-url", origin, "--today", "2026-11-21", "--encodings", "none", "--quiet").CombinedOutput()
	if err != nil {
		tb.Fatalf("build: %v\n%s", err, out)
	}
}

// samplePublic returns the published files of the sample. They are built once, and not
// to be changed.
func samplePublic(tb testing.TB) string {
	tb.Helper()
	public := filepath.Join(programDir, "public")
	sampleBuilt.Do(func() { buildSite(tb, "../../content", public) })
	if _, err := os.Stat(public); err != nil {
		tb.Fatal(err)
	}
	return public
}

var sampleBuilt sync.Once

// racing returns the path of a program named reviewcast that has the race detector if
// the test has.
func racing(tb testing.TB) string {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	link := filepath.Join(tb.TempDir(), "reviewcast")
	if err := os.Symlink(exe, link); err != nil {
		tb.Fatal(err)
	}
	return link
}

// TestScripts runs testdata/script: the program on real folders and over real
// connections. In addition to the commands of testscript there are
//
//	get [-H 'Name: value'] STATUS PATH [substring]
//
// which requests http://localhost:$PORT until the response has the status and the
// substring, and prints status, headers and body, and
//
//	waitfor FILE substring
//
// which reads a file until it holds the substring.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			l, err := net.Listen("tcp", "localhost:0")
			if err != nil {
				return err
			}
			defer l.Close()
			_, port, _ := net.SplitHostPort(l.Addr().String())
			env.Setenv("PORT", port)
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("PATH", filepath.Dir(binary(t))+string(os.PathListSeparator)+env.Getenv("PATH"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"get": get, "waitfor": waitFor},
	})
}

// patience ends tests that would wait forever. It is no measure of time: nothing that
// works takes nearly as long, however busy the machine is.
const patience = 5 * time.Minute

func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waitfor FILE substring")
	}
	text := ""
	for start := time.Now(); time.Since(start) < patience; time.Sleep(5 * time.Millisecond) {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		if text = string(data); err == nil && strings.Contains(text, args[1]) {
			return
		}
	}
	ts.Fatalf("%s never held %q; it holds:\n%s", args[0], args[1], text)
}

func get(ts *testscript.TestScript, neg bool, args []string) {
	header := http.Header{}
	for len(args) > 1 && args[0] == "-H" {
		name, value, _ := strings.Cut(args[1], ": ")
		header.Add(name, value)
		args = args[2:]
	}
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: get [-H 'Name: value'] STATUS PATH [substring]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	substring := append(args, "")[2]
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	last := "no answer"
	for ; ctx.Err() == nil; time.Sleep(5 * time.Millisecond) { // between two questions, not instead of an answer
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://localhost:"+ts.Getenv("PORT")+args[1], nil)
		ts.Check(err)
		req.Header = header
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			last = err.Error()
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		var b strings.Builder
		fmt.Fprintln(&b, resp.Status)
		ts.Check(resp.Header.Write(&b))
		last = b.String() + "\n" + string(body)
		if err == nil && resp.StatusCode == want && strings.Contains(last, substring) {
			fmt.Fprintln(ts.Stdout(), last)
			return
		}
	}
	ts.Fatalf("GET %s: wanted %d with %q, the last answer is:\n%s", args[1], want, substring, last)
}

// TestKilledBuild kills a build at random moments and compares what it leaves with the
// manifest: always a whole set, the one before or the new one. The next build cleans
// up.
func TestKilledBuild(t *testing.T) {
	inCI(t)
	t.Parallel()
	link, dir := binary(t), t.TempDir()
	content, public := filepath.Join(dir, "content"), filepath.Join(dir, "out", "public")
	build := func() *exec.Cmd {
		return exec.Command(link, "build", "--content", content, "--public", public, "--base-url", "https://example.com", "--today", "2026-11-01", "--encodings", "gzip")
	}
	write := func(n int) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "- {id: r%d, author: A, rating: 5, date: 2026-01-02, text: %q, verification: {method: job}}\n", i, strings.Repeat("kind words ", 50))
		}
		for name, text := range map[string]string{"business.yaml": "id: acme\nname: Acme\n", "reviews.yaml": b.String()} {
			path := filepath.Join(content, name)
			if name == "reviews.yaml" {
				path = filepath.Join(content, "reviews", "all.yaml")
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	write(10)
	if out, err := build().CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	kills, killed := long(t, "KILLS", 30), 0
	rounds, moments := 0, edgetest.Rand(t)
	for whole := time.Second; killed < kills; rounds++ {
		write(11 + rounds)
		cmd, start := build(), time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(moments.Int64N(int64(whole)*2)), func() { cmd.Process.Kill() }) // a half is too late
		if cmd.Wait() != nil {
			killed++
		} else {
			whole = time.Since(start) // on a machine that is more or less busy than before
		}
		timer.Stop()
		n := checkSet(t, public)
		if n < 10 || n > 11+rounds {
			t.Fatalf("round %d: %d reviews are published", rounds, n)
		}
	}
	if out, err := build().CombinedOutput(); err != nil {
		t.Fatalf("the build after: %v\n%s", err, out)
	}
	if n := checkSet(t, public); n != 10+rounds {
		t.Errorf("%d reviews in the end, want %d", n, 10+rounds)
	}
	left, err := os.ReadDir(filepath.Dir(public))
	if err != nil || len(left) != 1 {
		t.Errorf("beside public/ stands %v, %v", left, err)
	}
}

// inCI skips a test that takes long, unless LONG is set, as .ci/run does.
func inCI(t *testing.T) {
	t.Helper()
	if os.Getenv("LONG") == "" {
		t.Skip("long: .ci/run runs it, with LONG=1")
	}
}

// long returns how often a test repeats itself: byDefault, or as the environment says, as
// .ci/run does.
func long(t *testing.T, name string, byDefault int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return byDefault
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// checkSet compares a published folder with its manifest and returns the number of
// reviews.
func checkSet(t *testing.T, public string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(public, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var m reviewcast.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range m.Files {
		body, err := os.ReadFile(filepath.Join(public, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != f.SHA256 {
			t.Fatalf("%s isn't what the manifest lists", f.Path)
		}
		if f.Path == reviewcast.PathReviews {
			var ds reviewcast.Dataset
			if err := json.Unmarshal(body, &ds); err != nil {
				t.Fatal(err)
			}
			n = len(ds.Reviews)
		}
	}
	return n
}
