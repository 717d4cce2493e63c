package mirror_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast"
	"reviewcast/bench/mirrortest"
	"reviewcast/internal/mirror"
)

// roundTrip is a transport made of a function.
type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func response(r *http.Request, status int, body io.Reader, header ...string) *http.Response {
	resp := &http.Response{StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: io.NopCloser(body), Request: r}
	for i := 0; i < len(header); i += 2 {
		resp.Header.Set(header[i], header[i+1])
	}
	return resp
}

// endless never ends.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	p[0] = byte(e)
	for n := 1; n < len(p); n *= 2 {
		copy(p[n:], p[:n])
	}
	return len(p), nil
}

// silent sends a few bytes and then nothing until the request ends.
type silent struct{ r *http.Request }

func (s silent) Read([]byte) (int, error) {
	<-s.r.Context().Done()
	return 0, s.r.Context().Err()
}

// dripping sends a byte every ten seconds.
type dripping struct{}

func (dripping) Read(p []byte) (int, error) {
	time.Sleep(10 * time.Second)
	p[0] = ' '
	return 1, nil
}

// TestOriginErrors: an error names the address, the cause, and what to do.
func TestOriginErrors(t *testing.T) {
	site := mirrortest.New(1, 5)
	site.Publish(false)
	honest := &mirrortest.Origin{}
	honest.Serve(site.Files)
	const html = "<!doctype html><title>Hello</title>"
	answer := func(status int, body string, header ...string) roundTrip {
		return func(r *http.Request) (*http.Response, error) {
			return response(r, status, strings.NewReader(body), header...), nil
		}
	}
	// only misbehaves on one path
	only := func(path string, bad roundTrip) roundTrip {
		return func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == path {
				return bad(r)
			}
			return mirrortest.Transport{Handler: honest}.RoundTrip(r)
		}
	}
	reviews := func(bad roundTrip) roundTrip { return only(reviewcast.PathReviews, bad) }
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := io.CopyN(z, endless('x'), 1<<20); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		over roundTrip
		is   error // nil: no certain one
		says []string
	}{
		{"nothing there", answer(404, html), mirror.ErrNeverPublished, []string{"/manifest.json", "404 Not Found"}},
		{"a page for every address", answer(200, html, "Content-Type", "text/html"), reviewcast.ErrManifest, []string{"a page in HTML", "check the address"}},
		{"login", answer(401, html), nil, []string{"401 Unauthorized", "login"}},
		{"forbidden", answer(403, ""), nil, []string{"403 Forbidden"}},
		{"down", answer(503, ""), nil, []string{"503 Service Unavailable", "try again later"}},
		{"too many", answer(429, ""), nil, []string{"429", "try again later"}},
		{"304 unasked", answer(304, ""), nil, []string{"304", "proxy"}},
		{"another origin", answer(302, "", "Location", "https://elsewhere.example/manifest.json"), nil, []string{"redirects to https://elsewhere.example", "name that address"}},
		{"to itself for ever", answer(302, "", "Location", "/manifest.json"), nil, []string{"redirects more than 5 times"}},
		{"no connection", func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }, nil, []string{"get " + mirrortest.BaseURL + "/manifest.json", "connection refused"}},
		{"endless manifest", func(r *http.Request) (*http.Response, error) { return response(r, 200, endless(' ')), nil }, nil, []string{"larger than expected"}},
		{"from a cache", only(reviewcast.PathManifest, answer(200, string(site.Files[reviewcast.PathManifest]), "Age", "300")), mirror.ErrStale, []string{"in a cache for 5m0s", "try again"}},

		{"page as a file", reviews(answer(200, html)), mirror.ErrStale, []string{"/reviews.json?v=", "not as it was built", "HTML", "try again"}},
		{"missing file", reviews(answer(404, html)), mirror.ErrStale, []string{"/reviews.json: status 404", "not uploaded", "try again"}},
		{"endless file", reviews(func(r *http.Request) (*http.Response, error) { return response(r, 200, endless('{')), nil }), mirror.ErrStale, []string{"not as it was built"}},
		{"bomb", reviews(answer(200, bomb.String(), "Content-Encoding", "gzip")), mirror.ErrStale, []string{"not as it was built"}},
		{"longer page as a file", reviews(answer(200, html+strings.Repeat(" ", 1<<20))), mirror.ErrStale, []string{"/reviews.json?v=", "not as it was built", "HTML", "try again"}},
		{"line ends of Windows", reviews(answer(200, strings.ReplaceAll(string(site.Files[reviewcast.PathReviews]), "\n", "\r\n"))), mirror.ErrStale, []string{"other line ends", "binary mode"}},
		{"endless encoded nothing", reviews(func(r *http.Request) (*http.Response, error) {
			return response(r, 200, emptyBlocks(), "Content-Encoding", "gzip"), nil
		}), mirror.ErrStale, []string{"cut off or damaged"}},
		{"unasked encoding", reviews(answer(200, "x", "Content-Encoding", "br")), nil, []string{`"br"`}},
		{"silent file", reviews(func(r *http.Request) (*http.Response, error) { return response(r, 200, silent{r}), nil }), nil, []string{"/reviews.json", "no byte for 30s"}},
		{"silent server", reviews(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}), nil, []string{"no byte for 30s"}},
		{"slow for ever", reviews(func(r *http.Request) (*http.Response, error) { return response(r, 200, untilDone{r, dripping{}}), nil }), nil, []string{"took longer than 10m0s"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				source, err := mirror.Open(mirrortest.BaseURL, mirror.Config{MaxAge: time.Minute})
				if err != nil {
					t.Fatal(err)
				}
				mirror.Over(source, test.over)
				set, err := mirror.Read(t.Context(), source, mirror.All)
				if err == nil || set != nil || test.is != nil && !errors.Is(err, test.is) {
					t.Fatalf("%v", err)
				}
				for _, part := range test.says {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%q does not say %q", err, part)
					}
				}
			})
		})
	}
}

// TestConnectionsEnd: no connection outlives a read. A server that stops would wait for it.
func TestConnectionsEnd(t *testing.T) {
	site := mirrortest.New(1, 5)
	site.Publish(false)
	origin := &mirrortest.Origin{}
	origin.Serve(site.Files)
	srv := httptest.NewUnstartedServer(origin)
	var mu sync.Mutex
	open, changed := 0, sync.NewCond(&mu)
	srv.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		switch state {
		case http.StateNew:
			open++
		case http.StateClosed:
			open--
		}
		changed.Broadcast()
	}
	srv.Start()
	source, err := mirror.Open(srv.URL, mirror.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mirror.Read(t.Context(), source, mirror.All); err != nil {
		t.Error(err)
	}
	mu.Lock()
	for open > 0 {
		changed.Wait()
	}
	mu.Unlock()
	srv.Close()
}

// untilDone reads from r until the request ends.
type untilDone struct {
	req *http.Request
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.req.Context().Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// emptyBlocks is a gzip stream that never ends and never holds a byte.
func emptyBlocks() io.Reader {
	return io.MultiReader(strings.NewReader("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"), &repeated{block: []byte("\x00\x00\x00\xff\xff")})
}

type repeated struct {
	block []byte
	at    int
}

func (r *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.block[r.at%len(r.block)]
		r.at++
	}
	return len(p), nil
}

// TestConditions looks at the validators of the second request.
func TestConditions(t *testing.T) {
	site := mirrortest.New(1, 1)
	site.Publish(false)
	body := string(site.Files[reviewcast.PathManifest])
	const noon, before, long = "Sun, 22 Nov 2026 12:00:00 GMT", "Sun, 22 Nov 2026 11:59:30 GMT", "Sun, 22 Nov 2026 11:00:00 GMT"
	for _, test := range []struct {
		name            string
		header          []string
		match, modified string
	}{
		{"strong tag", []string{"ETag", `"abc"`, "Last-Modified", long, "Date", noon}, `"abc"`, ""},
		{"weak tag", []string{"ETag", `W/"abc"`}, `W/"abc"`, ""},
		{"tag of a recent file", []string{"ETag", `"abc"`, "Last-Modified", before, "Date", noon}, "", ""},
		{"old date", []string{"Last-Modified", long, "Date", noon}, "", long},
		{"date that may repeat", []string{"Last-Modified", before, "Date", noon}, "", ""},
		{"no Date", []string{"Last-Modified", long}, "", ""},
		{"nothing", nil, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var asked []*http.Request
			source := open(t, roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.URL.Path != reviewcast.PathManifest {
					return mirrortest.Transport{Handler: origin(site.Files)}.RoundTrip(r)
				}
				if asked = append(asked, r); len(asked) > 1 && (test.match != "" || test.modified != "") {
					return response(r, http.StatusNotModified, http.NoBody), nil
				}
				return response(r, http.StatusOK, strings.NewReader(body), test.header...), nil
			}))
			f := &mirror.Follower{Source: source}
			have, _, err := f.Update(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if set, _, err := f.Update(t.Context(), have); err != nil || set != have {
				t.Fatal(err)
			}
			got := asked[1].Header
			if got.Get("If-None-Match") != test.match || got.Get("If-Modified-Since") != test.modified {
				t.Errorf("conditions %v", got)
			}
			if a, b := asked[0].URL.RawQuery, asked[1].URL.RawQuery; a == b || !strings.HasPrefix(a, "v=") {
				t.Errorf("queries %q and %q", a, b)
			}
		})
	}
}

// TestTagIsNotTrustedForEver: a server whose tags repeat hides a version for an hour
// at most.
func TestTagIsNotTrustedForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := mirrortest.New(1, 1)
		site.Publish(false)
		served := origin(site.Files)
		f := &mirror.Follower{Source: open(t, roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("If-None-Match") != "" {
				return response(r, http.StatusNotModified, http.NoBody), nil
			}
			return mirrortest.Transport{Handler: served}.RoundTrip(r)
		}))}
		have, _, err := f.Update(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		site.Add()
		site.Publish(false)
		served.Serve(site.Files)
		time.Sleep(time.Hour)
		if set, _, err := f.Update(t.Context(), have); err != nil || set != have {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if set, _, err := f.Update(t.Context(), have); err != nil || difference(set, site.Files) != "" {
			t.Fatal(err)
		}
	})
}

func origin(files mirrortest.Files) *mirrortest.Origin {
	o := &mirrortest.Origin{}
	o.Serve(files)
	return o
}

// TestQueriesPassCaches: a file is asked for by its hash, and again with another
// query when the answer is an older file.
func TestQueriesPassCaches(t *testing.T) {
	site := mirrortest.New(1, 3)
	site.Publish(false)
	hash := reviewcast.SHA256(site.Files[reviewcast.PathReviews])
	var queries []string
	source := open(t, roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Path == reviewcast.PathReviews {
			if queries = append(queries, r.URL.RawQuery); len(queries) < 3 {
				return response(r, http.StatusOK, strings.NewReader("older")), nil
			}
		}
		return mirrortest.Transport{Handler: origin(site.Files)}.RoundTrip(r)
	}))
	if _, err := mirror.Read(t.Context(), source, mirror.All); err != nil {
		t.Fatal(err)
	}
	if want := []string{"v=" + hash, "v=" + hash + "-1", "v=" + hash + "-2"}; strings.Join(queries, " ") != strings.Join(want, " ") {
		t.Errorf("queries %v", queries)
	}
}

// TestPublishedInBetween: when files don't match because a version was published
// after the manifest was read, the newer manifest is read.
func TestPublishedInBetween(t *testing.T) {
	site := mirrortest.New(1, 3)
	site.Publish(false)
	served := origin(site.Files)
	manifests := 0
	source := open(t, roundTrip(func(r *http.Request) (*http.Response, error) {
		resp, err := mirrortest.Transport{Handler: served}.RoundTrip(r)
		if r.URL.Path != reviewcast.PathManifest { // files are fetched several at once
			return resp, err
		}
		if manifests++; manifests == 1 {
			site.Add()
			site.Publish(false)
			served.Serve(site.Files)
		}
		return resp, err
	}))
	set, err := mirror.Read(t.Context(), source, mirror.All)
	if err != nil || difference(set, site.Files) != "" {
		t.Fatal(err)
	}
}

func TestOtherBaseURL(t *testing.T) {
	site := mirrortest.New(1, 3)
	site.Publish(false)
	f := &mirror.Follower{Source: open(t, mirrortest.Transport{Handler: origin(site.Files)}), BaseURL: "https://other.example"}
	if _, _, err := f.Update(t.Context(), nil); !errors.Is(err, mirror.ErrBaseURL) || !strings.Contains(err.Error(), "https://other.example") {
		t.Error(err)
	}
}

// TestTooLarge: a set that says that it is larger than the limit is not fetched; pages that nobody wants don't count.
func TestTooLarge(t *testing.T) {
	h := newHistory(t, 12, 5)
	for path, want := range map[string]error{reviewcast.PathInsights: mirror.ErrTooLarge, reviewcast.PathIndex: nil} {
		m := h.site.Files.Manifest()
		for i := range m.Files {
			if m.Files[i].Path == path {
				m.Files[i].Size = 1 << 31
			}
		}
		body, err := reviewcast.EncodeJSON(m)
		if err != nil {
			t.Fatal(err)
		}
		files := maps.Clone(h.site.Files)
		files[reviewcast.PathManifest] = body
		h.origin.Serve(files)
		h.origin.Requests()
		_, err = mirror.Read(t.Context(), open(t, mirrortest.Transport{Handler: h.origin}), mirror.Data)
		if errors.Is(err, mirror.ErrTooLarge) != (want != nil) || want != nil && h.origin.Requests()[path] > 0 {
			t.Errorf("%s of 2 GiB: %v", path, err)
		}
	}
}
