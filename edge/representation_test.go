package edge

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"reviewcast/bench/snapshottest"
	"reviewcast/edge/snapshot"
)

// TestFastIsSlow asks the fast path and ServeContent the same, over every
// combination of methods and conditional fields, and compares what they answer
// byte for byte. A request that the fast path leaves alone must not be touched by
// it.
func TestFastIsSlow(t *testing.T) {
	e := &edge{Config: Config{Snapshots: &snapshot.Holder{}, BaseURL: snapshottest.BaseURL}}
	e.links = map[string][]string{"/reviews.json": {"<x>; rel=\"self\""}}
	s := scripted(t).Open(t, 1)
	f, _ := s.File("/reviews.json")
	page := e.page(f, []string{"7"})
	empty := *page.in[identity]
	empty.body = bytesBody(nil)
	several := *page.in[identity]
	several.body = func() *parts { return newParts([]byte("{"), nil, bytes.Repeat([]byte("x"), 100_000), []byte("}\n")) }

	reps := map[string]*representation{"plain": page.in[identity], "gzip": page.in[page.offers[1]], "empty": &empty, "parts": &several}
	tag := func(rep *representation) []string {
		return []string{"", rep.etag[0], "W/" + rep.etag[0], `"other", ` + rep.etag[0], "*", `"other"`, ""}
	}
	fast, slow := 0, 0
	for name, rep := range reps {
		for _, method := range []string{"GET", "HEAD"} {
			for _, noneMatch := range tag(rep) {
				for _, match := range []string{"", rep.etag[0], `"other"`} {
					for _, since := range []string{"", rep.modified[0], "Mon, 01 Jan 2001 00:00:00 GMT", "never"} {
						for _, ranges := range []string{"", "bytes=0-1", "bytes=999999999-"} {
							r := httptest.NewRequest(method, "/reviews.json", nil)
							for field, v := range map[string]string{"If-None-Match": noneMatch, "If-Match": match, "If-Modified-Since": since, "Range": ranges} {
								if v != "" {
									r.Header.Set(field, v)
								}
							}
							what := fmt.Sprintf("%s %s %v", name, method, r.Header)
							a, b := httptest.NewRecorder(), httptest.NewRecorder()
							a.Header()["Vary"], b.Header()["Vary"] = varyCoding, varyCoding
							if !e.serveFast(a, r, rep) {
								if len(a.Header()) != 1 || a.Body.Len() != 0 {
									t.Errorf("%s: left alone, but not untouched: %v", what, a.Header())
								}
								slow++
								continue
							}
							fast++
							e.serveContent(b, r, rep)
							if a.Code != b.Code || !bytes.Equal(a.Body.Bytes(), b.Body.Bytes()) || !maps.EqualFunc(a.Header(), b.Header(), slices.Equal[[]string]) {
								t.Errorf("%s:\nfast %d %v, %d bytes\nslow %d %v, %d bytes", what,
									a.Code, a.Header(), a.Body.Len(), b.Code, b.Header(), b.Body.Len())
							}
						}
					}
				}
			}
		}
	}
	if fast < 40 || slow < 40 {
		t.Errorf("%d requests were quick, %d were not: the matrix tests little", fast, slow)
	}
}

// TestContent reads a body of parts in every way that ServeContent may.
func TestContent(t *testing.T) {
	whole := []byte("one, two and three")
	c := &content{rep: &representation{body: func() *parts { return newParts(whole[:3], nil, whole[3:9], whole[9:]) }}}
	for from := range len(whole) + 1 {
		for size := 1; size <= len(whole)+1; size++ {
			if _, err := c.Seek(int64(from), 0); err != nil {
				t.Fatal(err)
			}
			buf := make([]byte, size)
			n, err := io.ReadFull(c, buf)
			want := whole[from:min(len(whole), from+size)]
			if !bytes.Equal(buf[:n], want) || (err != nil) != (n < size) {
				t.Fatalf("%d bytes from %d: %q, %v; want %q", size, from, buf[:n], err, want)
			}
		}
	}
	if end, err := c.Seek(0, 2); err != nil || end != int64(len(whole)) {
		t.Errorf("the end is at %d, %v", end, err)
	}
}

// TestConditionsCompressNothing: who has the answer already doesn't pay for it.
func TestConditionsCompressNothing(t *testing.T) {
	e := &edge{}
	rep := &representation{etag: []string{`"a"`}, media: mediaJSON, cache: cacheShortly, policy: policyData,
		body: func() *parts { t.Error("the body was made"); return newParts() }}
	for _, match := range []string{`"a"`, `W/"a"`, `"x", "a"`, "*"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("If-None-Match", match)
		w := httptest.NewRecorder()
		if e.serve(w, r, rep); w.Code != http.StatusNotModified {
			t.Errorf("If-None-Match: %s: %d", match, w.Code)
		}
	}
}
