package mirrortest

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"reviewcast"
)

// Origin serves a published set over HTTP, as a plain static server does: queries are
// ignored. The set can be replaced at any time.
type Origin struct {
	mu       sync.Mutex
	files    Files
	requests map[string]int // by path
}

// Serve replaces the set.
func (o *Origin) Serve(files Files) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.files = files
}

// Requests returns how often each path was asked for since the last call.
func (o *Origin) Requests() map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	was := o.requests
	o.requests = nil
	return was
}

func (o *Origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	body, ok := o.files[r.URL.Path]
	if o.requests == nil {
		o.requests = map[string]int{}
	}
	o.requests[r.URL.Path]++
	o.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	etag := `"` + reviewcast.SHA256(body) + `"`
	w.Header().Set("Content-Type", "application/json")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		body, etag = encodeGzip(body), "W/"+etag
	}
	w.Header().Set("ETag", etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// encoder is one for all, since each takes most of a megabyte. With the race detector, a sync.Pool forgets many.
var encoder struct {
	sync.Mutex
	*gzip.Writer
}

func encodeGzip(body []byte) []byte {
	encoder.Lock()
	defer encoder.Unlock()
	var b bytes.Buffer
	if encoder.Writer == nil {
		var err error
		encoder.Writer, err = gzip.NewWriterLevel(nil, gzip.BestSpeed)
		must(err)
	}
	encoder.Reset(&b)
	_, err := encoder.Write(body)
	must(err)
	must(encoder.Close())
	return b.Bytes()
}

// Transport makes requests of a handler without a network.
type Transport struct{ http.Handler }

// RoundTrip calls the handler.
func (t Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	t.ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// Cache is a caching proxy in front of an origin. It keeps every answer for a random
// number of requests, whatever the headers say.
type Cache struct {
	Origin http.Handler
	Rand   *rand.Rand
	// IgnoreQuery keeps one answer for a path rather than for an address.
	IgnoreQuery bool

	mu   sync.Mutex
	kept map[string]*httptest.ResponseRecorder
}

func (c *Cache) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := r.URL.RequestURI()
	if c.IgnoreQuery {
		key = r.URL.Path
	}
	kept := c.kept[key]
	if kept == nil || c.Rand.IntN(8) == 0 {
		kept = httptest.NewRecorder()
		plain := r.Clone(r.Context())
		plain.Header.Del("If-None-Match") // as nginx does
		c.Origin.ServeHTTP(kept, plain)
		if c.kept == nil {
			c.kept = map[string]*httptest.ResponseRecorder{}
		}
		c.kept[key] = kept
	}
	maps.Copy(w.Header(), kept.Header())
	if tag := r.Header.Get("If-None-Match"); tag != "" && tag == kept.Header().Get("ETag") {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.WriteHeader(kept.Code)
	_, _ = w.Write(kept.Body.Bytes())
}

// Damage is a transport that damages some of the answers of another.
type Damage struct {
	http.RoundTripper
	Rand *rand.Rand
	mu   sync.Mutex
}

// RoundTrip damages one answer in six.
func (d *Damage) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := d.RoundTripper.RoundTrip(r)
	d.mu.Lock()
	n, at := d.Rand.IntN(48), d.Rand.Int()
	d.mu.Unlock()
	if err != nil || resp.StatusCode != http.StatusOK || n >= len(damages) {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	damages[n](resp, body, at)
	return resp, nil
}

// torn is a body whose connection breaks.
type torn struct{ io.Reader }

func (t torn) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (torn) Close() error { return nil }

func whole(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

var damages = []func(resp *http.Response, body []byte, at int){
	func(resp *http.Response, body []byte, at int) {
		resp.Body = torn{bytes.NewReader(body[:at%(len(body)+1)])}
	},
	func(resp *http.Response, body []byte, at int) { resp.Body = whole(body[:at%(len(body)+1)]) },
	func(resp *http.Response, body []byte, at int) {
		body = bytes.Clone(body)
		body[at%len(body)] ^= 0x20
		resp.Body = whole(body)
	},
	func(resp *http.Response, body []byte, _ int) {
		resp.Header.Del("Content-Encoding")
		resp.Body = whole([]byte("<!doctype html><title>Welcome</title>"))
	},
	func(resp *http.Response, body []byte, _ int) {
		resp.StatusCode, resp.Body = http.StatusNotFound, whole(nil)
	},
	func(resp *http.Response, body []byte, _ int) {
		resp.StatusCode, resp.Body = http.StatusBadGateway, whole(nil)
	},
	func(resp *http.Response, body []byte, _ int) {
		resp.Header.Set("Content-Encoding", "gzip")
		resp.Body = whole(body[1:])
	},
	func(resp *http.Response, body []byte, _ int) {
		resp.Body = whole(append(body[:len(body):len(body)], body...))
	},
}
