package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"reviewcast/bench/snapshottest"
)

// TestScripts plays the conversations of testdata/*.txtar against a real server and
// compares every answer; -update writes them anew. A conversation is a list of files:
//
//	-- tools/list --
//	POST /mcp
//	Mcp-Session-Id: $SESSION
//
//	{"jsonrpc":"2.0","id":1,"method":"tools/list"}
//	-- answer --
//	200
//	Content-Type: application/json
//
//	{…}
//
// A request is a line, headers, and a body. POST has the Content-Type and the Accept
// that clients send, unless they are there ("Accept: -" leaves the header out).
// $SESSION is the session that an answer before has named, which answers call
// SESSION; $CURSOR is the next_cursor that an answer before has given. A body of JSON is shown with a line for each member.
//
// The first lines of a script, before the files, may say "unpublished" (nothing is
// published) or "allow ORIGIN".
func TestScripts(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var c Config
			public := sample(t)
			for line := range strings.Lines(string(archive.Comment)) {
				word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
				switch word {
				case "unpublished":
					public = nil
				case "allow":
					c.AllowOrigins = append(c.AllowOrigins, rest)
				}
			}
			_, srv := serve(t, public, c)
			play(t, srv, name, archive)
		})
	}
}

func play(t *testing.T, srv *httptest.Server, name string, archive *txtar.Archive) {
	session, cursor := "", ""
	var out txtar.Archive
	out.Comment = archive.Comment
	for i, f := range archive.Files {
		if f.Name == "answer" {
			continue
		}
		want := ""
		if i+1 < len(archive.Files) && archive.Files[i+1].Name == "answer" {
			want = string(archive.Files[i+1].Data)
		}
		resp := send(t, srv, strings.NewReplacer("$SESSION", session, "$CURSOR", cursor).Replace(string(f.Data)))
		if id := resp.Header.Get(headerSession); id != "" {
			session = id
		}
		got := show(t, resp, session)
		if m := cursorMember.FindStringSubmatch(got); m != nil {
			cursor = m[1]
		}
		out.Files = append(out.Files, f, txtar.File{Name: "answer", Data: []byte(got)})
		if diff := cmp.Diff(want, got); diff != "" && !*update {
			t.Errorf("%s: %s (-update writes it anew):\n%s", name, f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(&out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var cursorMember = regexp.MustCompile(`"next_cursor": "([^"]+)"`)

// send sends a request of a script.
func send(t *testing.T, srv *httptest.Server, text string) *http.Response {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n\n")
	lines := bufio.NewScanner(strings.NewReader(head))
	lines.Scan()
	method, path, _ := strings.Cut(lines.Text(), " ")
	r, err := http.NewRequest(method, srv.URL+path, strings.NewReader(strings.TrimSuffix(body, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch {
		case name == "Host":
			r.Host = value
		case value == "-":
			r.Header.Del(name)
		case value == "MANY":
			r.Body = io.NopCloser(strings.NewReader(strings.Repeat(" ", MaxBody+1)))
			r.ContentLength = -1
		default:
			r.Header.Set(name, value)
		}
	}
	resp, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// show writes an answer as scripts have it.
func show(t *testing.T, resp *http.Response, session string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintln(&b, resp.StatusCode)
	for _, name := range slices.Sorted(maps.Keys(resp.Header)) {
		if name != "Date" && name != "Content-Length" {
			fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(resp.Header[name], ", "))
		}
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if len(body) > 0 {
		var indented bytes.Buffer
		if json.Indent(&indented, bytes.TrimSpace(body), "", "  ") == nil {
			body = indented.Bytes()
		}
		fmt.Fprintf(&b, "\n%s\n", bytes.TrimSpace(body))
	}
	text := b.String()
	if session != "" {
		text = strings.ReplaceAll(text, session, "SESSION")
	}
	text = strings.ReplaceAll(text, snapshottest.BaseURL, "BASE")
	return text
}
