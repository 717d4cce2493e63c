package mirror_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"reviewcast"
)

// program returns a program of docs/datasets.md and then of the section of
// docs/websub.md that keeps a database: the n-th block of a language.
func program(t *testing.T, language string, n int) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/datasets.md")
	if err != nil {
		t.Fatal(err)
	}
	websub, err := os.ReadFile("../../docs/websub.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := bytes.Cut(websub, []byte("\n## Keep a database current\n"))
	text = append(text, section...)
	blocks := regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) <= n {
		t.Fatalf("the pages have %d blocks of %s", len(blocks), language)
	}
	source := string(blocks[n][1])
	if lines := strings.Count(source, "\n"); lines > 30 {
		t.Errorf("the program in %s has %d lines; 30 are the most", language, lines)
	}
	return source
}

// onlyInCI skips what .ci/mirror runs: it starts hundreds of processes.
func onlyInCI(t *testing.T) {
	t.Helper()
	if os.Getenv("MIRROR_HISTORIES") == "" {
		t.Skip("MIRROR_HISTORIES is not set")
	}
}

// TestClients runs the programs of docs/datasets.md through a history, those whose
// interpreter is installed.
func TestClients(t *testing.T) {
	for language, c := range map[string]struct{ name, tool, run string }{
		"python":     {"client.py", "python3", "python3 client.py"},
		"javascript": {"client.mjs", "node", "node client.mjs"},
		"go":         {"client.go", "go", "./client"},
		"php":        {"client.php", "php", "php client.php"},
		"sh":         {"client.sh", "jq", "sh client.sh"},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			if language != "python" {
				onlyInCI(t)
			}
			source := program(t, language, 0)
			if _, err := exec.LookPath(c.tool); err != nil {
				t.Skipf("%s is not installed", c.tool)
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, c.name), []byte(source), 0o644); err != nil {
				t.Fatal(err)
			}
			command := func(name string, args ...string) {
				t.Helper()
				cmd := exec.Command(name, args...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			if language == "go" {
				command("go", "build", "-o", "client", c.name)
			}
			h := newHistory(t, 11, 100)
			server := httptest.NewServer(h.origin)
			defer server.Close()
			file := filepath.Join(dir, "reviews.json")
			args := append(strings.Fields(c.run), server.URL, file)
			whole := followFile(t, h, file, func() { command(args[0], args[1:]...) })
			t.Logf("%d versions, %d downloads", len(h.versions), whole)
		})
	}
}

// followFile runs a client before each of some edits and after the last, and returns how often it downloaded the file.
func followFile(t *testing.T, h *history, file string, run func()) int {
	t.Helper()
	add := func() {
		h.site.Add()
		h.publish(false)
	}
	texts := func() { // several versions, and texts of all kinds
		for range 2 {
			h.site.Edit(h.site.Pick().ID, func(r *reviewcast.Review) {
				text := "\u2028\u00a0\t\"quoted\" \\ 𝄞 é &<>' line\nbreak"
				r.Text = &text
			})
			h.publish(false)
		}
	}
	pages := func() {
		h.site.Note = "Another note."
		h.publish(false)
	}
	damage := func() {
		if err := os.WriteFile(file, []byte("damaged\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	erase := func() {
		h.site.Withdraw(h.site.Pick().ID, reviewcast.ReasonLegal)
		h.publish(false)
	}
	nothing := func() {}
	random := func() {
		h.step()
		h.step()
	}
	reached := []func(){texts} // by changes
	others := []func(){damage, erase}
	if os.Getenv("MIRROR_HISTORIES") != "" {
		reached = []func(){add, add, add, pages, texts, texts, texts, nothing}
		others = append(others, random, random, random)
	}
	edits := slices.Concat(reached, others)
	downloads := 0
	for n := range len(edits) + 1 {
		h.origin.Requests()
		run()
		body, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(body, h.site.Files[reviewcast.PathReviews]) {
			t.Fatalf("run %d: the copy has another hash than the site: %v\n%s", n, err, h.log)
		}
		requests := h.origin.Requests()
		downloads += requests[reviewcast.PathReviews]
		if 0 < n && n <= len(reached) && requests[reviewcast.PathReviews] > 0 {
			t.Errorf("run %d downloaded the file, although changes reach: %v", n, requests)
		}
		if n < len(edits) {
			edits[n]()
		}
	}
	return downloads
}

// TestReceiver runs the program of docs/websub.md that keeps a database from
// pushes, of which it loses a third.
func TestReceiver(t *testing.T) {
	t.Parallel()
	onlyInCI(t)
	source := program(t, "python", 1)
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "receive.py"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	h := newHistory(t, 12, 250)
	server := httptest.NewServer(h.origin)
	defer server.Close()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	var out bytes.Buffer
	cmd := exec.Command(python, "receive.py", server.URL, "reviews.db", port, "hush")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(ended)
	}()
	defer func() {
		_ = cmd.Process.Kill()
		<-ended
	}()
	callback := "http://localhost:" + port + "/"
	verifyIntent(t, callback, server.URL+reviewcast.PathLatestChange, func() {
		select {
		case <-ended:
			t.Fatalf("the program has ended\n%s", out.String())
		default:
		}
	})
	lost := 0
	for n := range 60 {
		last := n == 59
		if n == 0 || last {
			h.site.Add()
			h.publish(false)
		} else {
			h.step()
		}
		if !last && h.rand.IntN(10) < 3 {
			lost++
			continue
		}
		push(t, callback, h.site.Files[reviewcast.PathLatestChange], "hush")
		if n%10 == 0 || last {
			compareDatabase(t, python, filepath.Join(dir, "reviews.db"), h.site.Dataset())
		}
	}
	// What nobody signed changes nothing.
	push(t, callback, []byte(`{"sequence":99999999999}`), "wrong")
	compareDatabase(t, python, filepath.Join(dir, "reviews.db"), h.site.Dataset())
	t.Logf("%d pushes of %d lost", lost, len(h.versions))
}

// verifyIntent asks as a hub does whether the subscription is wanted, until the
// program listens. runs fails when the program has ended.
func verifyIntent(t *testing.T, callback, topic string, runs func()) {
	t.Helper()
	query := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.challenge": {"echo this"}, "hub.lease_seconds": {"60"}}
	for ; ; time.Sleep(20 * time.Millisecond) { // the test's deadline is the limit
		resp, err := http.Get(callback + "?" + query.Encode())
		if err != nil {
			runs()
			continue
		}
		var b bytes.Buffer
		_, err = b.ReadFrom(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || b.String() != "echo this" {
			t.Fatalf("verification: %s %q, %v", resp.Status, b.String(), err)
		}
		return
	}
}

func push(t *testing.T, callback string, body []byte, secret string) {
	t.Helper()
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, callback, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Hub-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		t.Fatalf("notification: %s", resp.Status)
	}
}

// compareDatabase compares the rows with a dataset.
func compareDatabase(t *testing.T, python, file string, ds *reviewcast.Dataset) {
	t.Helper()
	dump := "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute('select review from reviews'): print(row[0])"
	out, err := exec.Command(python, "-c", dump, file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []reviewcast.Review
	for line := range bytes.Lines(out) {
		var r reviewcast.Review
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	slices.SortFunc(got, func(a, b reviewcast.Review) int { return reviewcast.Compare(&a, &b) })
	if a, b := string(encode(t, got)), string(encode(t, ds.Reviews)); a != b && len(got)+len(ds.Reviews) > 0 {
		t.Fatalf("the database has %d reviews that differ from the %d published", len(got), len(ds.Reviews))
	}
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	body, err := reviewcast.EncodeJSON(v)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
