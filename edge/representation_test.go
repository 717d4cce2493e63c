package edge

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
)

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
			n, err := c.Read(buf)
			want := whole[from:min(len(whole), from+size)]
			if !bytes.Equal(buf[:n], want) || (err != nil) != (n == 0) {
				t.Fatalf("%d bytes from %d: %q, %v; want %q", size, from, buf[:n], err, want)
			}
		}
	}
	if end, err := c.Seek(0, 2); err != nil || end != int64(len(whole)) {
		t.Errorf("the end is at %d, %v", end, err)
	}
	if at, err := c.Seek(-2, 1); err != nil || at != int64(len(whole))-2 {
		t.Errorf("two before it: %d, %v", at, err)
	}
	if _, err := c.Seek(-1, 0); err == nil {
		t.Error("a place before the beginning")
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
