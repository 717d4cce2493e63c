package edge

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"reviewcast"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// TestScripts plays the requests in testdata/*.txt against a real server and
// checks the answers. A script is a list of steps with blank lines between them; #
// begins a comment. A step is a request as HTTP writes it, then checks:
//
//	GET /reviews.json
//	Accept-Encoding: gzip
//	code == 200
//	header Vary == Accept-Encoding
//	no header Link
//	body contains "version"
//	keep etag from header ETag ~ "(.*)"
//
// What is checked is "code", "header NAME" (several lines joined by ", ") or
// "body" (decoded when its Content-Encoding is gzip). How: == is equal, != is not
// equal, contains, lacks, ~ is a regular expression; "body same NAME" is equal to
// one kept before. After == a value in double quotes with a backslash in it is a Go
// string.
// "keep NAME from WHAT ~ REGEXP" keeps the first group, and $NAME stands for it
// from then on; "keep NAME from body" keeps it all.
func TestScripts(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			script, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c := Config{Snapshots: &snapshot.Holder{}, BaseURL: snapshottest.BaseURL}
			switch filepath.Base(name) {
			case "unpublished.txt":
			case "dev.txt":
				c.Dev = true
				fallthrough
			case "mounts.txt":
				c.Hub = mounted("hub")
				c.MCP = mounted("mcp")
				fallthrough
			default:
				snapshottest.Swap(c.Snapshots, scripted(t).Open(t, 7))
			}
			h := New(c)
			srv := httptest.NewUnstartedServer(nil)
			srv.Config = Server(h, nil)
			srv.Start()
			defer srv.Close()
			play(t, srv, name, string(script))
		})
	}
}

// mounted answers with its name and the request.
func mounted(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, name, r.Method, r.URL.Path) })
}

// scripted is the directory that the scripts ask for: the reviews of
// testdata/dataset.json, three codings of them, and one of the Atom feed.
func scripted(t testing.TB) snapshottest.Public {
	t.Helper()
	raw, err := os.ReadFile("testdata/dataset.json")
	if err != nil {
		t.Fatal(err)
	}
	var d reviewcast.Dataset
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	p := snapshottest.Publish(t, d)
	var gz, br bytes.Buffer
	zw := gzip.NewWriter(&gz)
	zw.Write(p[reviewcast.PathReviews])
	zw.Close()
	bw := brotli.NewWriter(&br)
	bw.Write(p[reviewcast.PathReviews])
	bw.Close()
	p[reviewcast.PathReviews+".gz"], p[reviewcast.PathReviews+".br"] = gz.Bytes(), br.Bytes()
	p["/docs/index.html"] = []byte("<!doctype html><title>Docs</title>\n")
	p["/docs/index.md"] = []byte("# Docs\n")
	p[reviewcast.PathMissing] = []byte("<!doctype html><title>Missing</title>\n")
	return p
}

// step is one request of a script and what is checked of its answer.
type step struct {
	line           int
	method, target string
	header         http.Header
	checks         []string
}

func play(t *testing.T, srv *httptest.Server, name, script string) {
	kept := map[string]string{}
	expand := func(s string) string {
		return os.Expand(s, func(name string) string {
			if v, ok := kept[name]; ok {
				return v
			}
			return "$" + name
		})
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	defer client.CloseIdleConnections()
	for _, s := range parseScript(script) {
		at := fmt.Sprintf("%s:%d: %s %s", name, s.line, s.method, s.target)
		r, err := http.NewRequest(s.method, srv.URL+expand(s.target), nil)
		if err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		r.Header.Set("User-Agent", "script")
		for name, values := range s.header {
			for _, v := range values {
				r.Header.Add(name, expand(v))
			}
		}
		resp, err := client.Do(r)
		if err != nil {
			t.Fatalf("%s: %v", at, err)
		}
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatalf("%s: read the body: %v", at, err)
		}
		body := string(raw)
		if resp.Header.Get("Content-Encoding") == "gzip" && resp.StatusCode == 200 && s.method == "GET" {
			body = gunzip(t, raw)
		}
		for _, check := range s.checks {
			if err := verify(expand(check), resp, body, kept); err != nil {
				t.Errorf("%s: %s: %v", at, check, err)
			}
		}
	}
}

func gunzip(t *testing.T, b []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

var checkWords = []string{"code", "header", "no", "body", "keep"}

func parseScript(script string) (steps []step) {
	scan := bufio.NewScanner(strings.NewReader(script))
	fresh := true
	for line := 1; scan.Scan(); line++ {
		text := scan.Text()
		word, rest, _ := strings.Cut(text, " ")
		switch {
		case strings.HasPrefix(text, "#"):
		case text == "":
			fresh = true
		case fresh:
			steps = append(steps, step{line: line, method: word, target: rest, header: http.Header{}})
			fresh = false
		case slices.Contains(checkWords, word):
			s := &steps[len(steps)-1]
			s.checks = append(s.checks, text)
		default:
			name, value, _ := strings.Cut(text, ": ")
			steps[len(steps)-1].header.Add(strings.TrimSuffix(name, ":"), value)
		}
	}
	return steps
}

// verify checks one line, which is expanded.
func verify(check string, resp *http.Response, body string, kept map[string]string) error {
	word, rest, _ := strings.Cut(check, " ")
	keep := ""
	if word == "keep" {
		keep, rest, _ = strings.Cut(rest, " from ")
		word, rest, _ = strings.Cut(rest, " ")
	}
	var got string
	switch word {
	case "code":
		got = strconv.Itoa(resp.StatusCode)
	case "body":
		got = body
	case "no":
		_, name, _ := strings.Cut(rest, " ")
		if v, ok := resp.Header[http.CanonicalHeaderKey(name)]; ok {
			return fmt.Errorf("it is %q", v)
		}
		return nil
	case "header":
		var name string
		name, rest, _ = strings.Cut(rest, " ")
		got = strings.Join(resp.Header.Values(name), ", ")
	}
	if keep != "" && rest == "" {
		kept[keep] = got
		return nil
	}
	how, want, _ := strings.Cut(rest, " ")
	if how == "==" && strings.HasPrefix(want, `"`) && strings.Contains(want, `\`) {
		unquoted, err := strconv.Unquote(want)
		if err != nil {
			return err
		}
		want = unquoted
	}
	ok := false
	switch how {
	case "==":
		ok = got == want
	case "!=":
		ok = got != want
	case "contains":
		ok = strings.Contains(got, want)
	case "lacks":
		ok = !strings.Contains(got, want)
	case "same":
		ok = got == kept[want]
	case "~":
		re, err := regexp.Compile(want)
		if err != nil {
			return err
		}
		m := re.FindStringSubmatch(got)
		if ok = m != nil; ok && keep != "" {
			kept[keep] = m[1]
		}
	default:
		return fmt.Errorf("no such check: %q", how)
	}
	if !ok {
		return fmt.Errorf("got %s", shorten(got))
	}
	return nil
}

func shorten(s string) string {
	if len(s) > 400 {
		s = s[:400] + "…"
	}
	return strconv.Quote(s)
}
