package hub

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
	"reviewcast/edge/snapshot"
)

// TestRequests checks each kind of request against the Recommendation, with its section,
// and the contract: the status and one sentence of text.
func TestRequests(t *testing.T) {
	t.Parallel()
	r := newRig(t, migratedState(t))
	const callback = "https://127.0.0.1:8443/cb"
	long := func(n int) string { return callback + "?" + strings.Repeat("x", n-len(callback)-1) }
	subscribe := func(more ...string) string {
		v := url.Values{"hub.mode": {"subscribe"}, "hub.callback": {callback}, "hub.topic": {atom}}
		for i := 0; i < len(more); i += 2 {
			if v.Del(more[i]); more[i+1] != "" {
				v.Set(more[i], more[i+1])
			}
		}
		return v.Encode()
	}
	for _, c := range []struct {
		section, name, body string
		status              int
		says                string
	}{
		{"5.1", "subscribe", subscribe(), 202, "Accepted"},
		{"5.1", "unsubscribe", subscribe("hub.mode", "unsubscribe"), 202, "Accepted"},
		{"5.1", "unknown fields are ignored", subscribe("hub.verify", "sync", "foo", "bar"), 202, ""},
		{"5.1", "callback with a query", subscribe("hub.callback", callback+"?a=%20&b"), 202, ""},
		{"5.1", "secret of 199 bytes", subscribe("hub.secret", strings.Repeat("s", 199)), 202, ""},
		{"5.1", "secret of 200 bytes", subscribe("hub.secret", strings.Repeat("s", 200)), 400, "hub.secret has 200 bytes"},
		{"5.1", "secret of 200 bytes in fewer characters", subscribe("hub.secret", strings.Repeat("é", 100)), 400, "hub.secret has 200 bytes"},
		{"5.1", "lease of zero", subscribe("hub.lease_seconds", "0"), 400, "positive integer"},
		{"5.1", "negative lease", subscribe("hub.lease_seconds", "-5"), 400, "positive integer"},
		{"5.1", "lease that is no integer", subscribe("hub.lease_seconds", "1.5"), 400, "positive integer"},
		{"5.1", "lease in words", subscribe("hub.lease_seconds", "ten"), 400, "positive integer"},
		{"5.1", "empty lease", subscribe() + "&hub.lease_seconds=", 400, "positive integer"},
		{"5.1", "lease of many digits", subscribe("hub.lease_seconds", strings.Repeat("9", 50)), 202, ""},
		{"5.1", "lease is ignored on unsubscribe", subscribe("hub.mode", "unsubscribe", "hub.lease_seconds", "ten"), 202, ""},
		{"5.1", "callback missing", subscribe("hub.callback", ""), 400, "hub.callback is missing"},
		{"5.1", "topic missing", subscribe("hub.topic", ""), 400, "hub.topic is missing"},
		{"5.1", "mode missing", subscribe("hub.mode", ""), 400, "hub.mode is missing"},
		{"5.1", "mode unknown", subscribe("hub.mode", "Subscribe"), 400, "hub.mode must be"},
		{"5.1", "nothing at all", "", 400, "hub.mode is missing"},
		{"5.1", "topic unknown", subscribe("hub.topic", baseURL+"/insights.json"), 400, "hub.topic is not a topic"},
		{"5.1", "topic of another origin", subscribe("hub.topic", "https://other.example/feed.xml"), 400, "hub.topic is not a topic"},
		{"5.1", "callback given twice", subscribe() + "&hub.callback=" + url.QueryEscape(callback), 400, "hub.callback is given 2 times"},
		{"5.1", "topic given twice", subscribe() + "&hub.topic=x", 400, "hub.topic is given 2 times"},
		{"8.1", "callback over plain HTTP", subscribe("hub.callback", "http://127.0.0.1:8443/cb"), 400, "https"},
		{"8.1", "callback of another scheme", subscribe("hub.callback", "ftp://127.0.0.1/cb"), 400, "https"},
		{"", "callback that is a path", subscribe("hub.callback", "/cb"), 400, "https"},
		{"", "callback without host", subscribe("hub.callback", "https:///cb"), 400, "no host"},
		{"", "callback that is opaque", subscribe("hub.callback", "https:cb"), 400, "not a URL"},
		{"", "callback with user", subscribe("hub.callback", "https://me@127.0.0.1:8443/"), 400, "user"},
		{"", "callback with user and password", subscribe("hub.callback", "https://me:it@127.0.0.1:8443/"), 400, "user"},
		{"", "callback with fragment", subscribe("hub.callback", callback+"#x"), 400, "fragment"},
		{"", "callback with empty fragment", subscribe("hub.callback", callback+"#"), 400, "fragment"},
		{"", "callback with spaces", subscribe("hub.callback", callback+"?a b"), 400, "characters"},
		{"", "callback with a new line", subscribe("hub.callback", callback+"?a\r\nHost: x"), 400, "characters"},
		{"", "callback with letters no URL has", subscribe("hub.callback", callback+"?é"), 400, "characters"},
		{"", "callback with a host in wide letters", subscribe("hub.callback", "https://%EF%BD%8Cocalhost:8443/"), 400, "not ASCII"},
		{"", "callback at an address as one number", subscribe("hub.callback", "https://16909060/"), 400, "no address"},
		{"", "callback at an address in hex", subscribe("hub.callback", "https://0x01020304/"), 400, "no address"},
		{"", "callback at an address of two numbers", subscribe("hub.callback", "https://127.1/"), 400, "no address"},
		{"", "callback at an address with a dot behind", subscribe("hub.callback", "https://127.0.0.1.:8443/"), 400, "no address"},
		{"", "callback at a host with numbers", subscribe("hub.callback", "https://1.2.3.4.example.com/0x1"), 202, ""},
		{"", "callback with broken escapes", subscribe("hub.callback", "https://127.0.0.1:8443/%zz"), 400, "not a URL"},
		{"", "callback of 2,048 bytes", subscribe("hub.callback", long(2048)), 202, ""},
		{"", "callback of 2,049 bytes", subscribe("hub.callback", long(2049)), 400, "2049 bytes"},
		{"", "callback on port 25", subscribe("hub.callback", "https://example.com:25/"), 400, "port"},
		{"", "callback on port 0", subscribe("hub.callback", "https://example.com:0/"), 400, "port"},
		{"", "callback at a private address", subscribe("hub.callback", "https://10.0.0.1/"), 400, "not public"},
		{"", "callback at the metadata service", subscribe("hub.callback", "https://169.254.169.254/latest"), 400, "not public"},
		{"", "callback at a private IPv6 address", subscribe("hub.callback", "https://[fd00::1]/"), 400, "not public"},
		{"", "callback at loopback, mapped", subscribe("hub.callback", "https://[::ffff:127.0.0.1]/"), 400, "not public"},
		{"", "body that isn't form-encoded", "hub.mode=%zz", 400, "not form-encoded"},
		{"", "body with semicolons", "hub.mode=subscribe;hub.topic=x", 400, "not form-encoded"},
		{"", "body of 64 KiB", subscribe() + "&x=" + strings.Repeat("x", maxForm-len(subscribe())-3), 202, ""},
		{"", "body over 64 KiB", subscribe() + "&x=" + strings.Repeat("x", maxForm-len(subscribe())-2), 413, "64 KiB"},
		{"6", "publish with hub.url", "hub.mode=publish&hub.url=" + url.QueryEscape(atom), 202, ""},
		{"6", "publish with hub.topic", "hub.mode=publish&hub.topic=" + url.QueryEscape(feed), 202, ""},
		{"6", "publish several", "hub.mode=publish&hub.url=" + url.QueryEscape(atom) + "&hub.url=" + url.QueryEscape(reviews), 202, ""},
		{"6", "publish nothing", "hub.mode=publish", 400, "hub.url is missing"},
		{"6", "publish an unknown topic", "hub.mode=publish&hub.url=https://other.example/", 400, "not a topic"},
		{"6", "publish a version", "hub.mode=publish&hub.url=" + url.QueryEscape(atom) + "&manifest=" + strings.Repeat("0a", 32), 202, ""},
		{"6", "publish a version in capitals", "hub.mode=publish&hub.url=" + url.QueryEscape(atom) + "&manifest=" + strings.Repeat("0A", 32), 400, "manifest must be"},
		{"6", "publish half a version", "hub.mode=publish&hub.url=" + url.QueryEscape(atom) + "&manifest=0a", 400, "manifest must be"},
	} {
		t.Run(c.section+" "+c.name, func(t *testing.T) {
			check(t, r, "application/x-www-form-urlencoded", c.body, c.status, c.says)
		})
	}
	for media, code := range map[string]int{
		"application/x-www-form-urlencoded; charset=utf-8": 202, "APPLICATION/X-WWW-FORM-URLENCODED": 202,
		"application/json": 415, "multipart/form-data; boundary=x": 415, "": 415, "nonsense/": 415,
	} {
		t.Run("5.1 media type "+media, func(t *testing.T) { check(t, r, media, subscribe(), code, "") })
	}
	for _, method := range []string{http.MethodHead, http.MethodPut, http.MethodDelete, "FOO"} {
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest(method, reviewcast.PathHub+"?"+subscribe(), nil))
		if w.Code != 405 || w.Header().Get("Allow") != "GET, POST, OPTIONS" || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("%s: %d, Allow %q, %s", method, w.Code, w.Header().Get("Allow"), w.Header().Get("Content-Type"))
		}
	}
}

func check(t *testing.T, r *rig, media, body string, status int, says string) {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, reviewcast.PathHub, strings.NewReader(body))
	if media != "" {
		request.Header.Set("Content-Type", media)
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, request)
	said := w.Body.String()
	if w.Code != status || !strings.Contains(said, says) {
		t.Errorf("%d %q, want %d and %q", w.Code, said, status, says)
	}
	if w.Header().Get("Content-Type") != "text/plain; charset=utf-8" || strings.Count(said, "\n") != 1 || !strings.HasSuffix(said, ".\n") {
		t.Errorf("not a sentence of plain text: %s %q", w.Header().Get("Content-Type"), said)
	}
}

// A verification has the granted lease (section 5.3).
func TestLeases(t *testing.T) {
	t.Parallel()
	r := newRig(t, migratedState(t))
	s := newSubscriber(t, nil)
	for asked, granted := range map[string]string{"": "864000", "1": "300", "300": "300", "0301": "301", "2592000": "2592000", "2592001": "2592000", "99999999999999999999": "2592000"} {
		more := []string{"hub.lease_seconds", asked}
		if asked == "" {
			more = nil
		}
		r.ask("subscribe", atom, s.URL+"/"+asked, more...)
		if got := s.verification().query.Get("hub.lease_seconds"); got != granted {
			t.Errorf("asked for %q, granted %s, want %s", asked, got, granted)
		}
	}
}

// TestVerification checks answers to a verification against section 5.3: only a 2xx status
// with exactly the challenge confirms.
func TestVerification(t *testing.T) {
	t.Parallel()
	r := newRig(t, migratedState(t))
	elsewhere := newSubscriber(t, nil)
	echo := func(code int, before, after string) func(http.ResponseWriter, *http.Request, call) {
		return func(w http.ResponseWriter, _ *http.Request, c call) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, before+c.query.Get("hub.challenge")+after)
		}
	}
	for i, c := range []struct {
		name     string
		answer   func(http.ResponseWriter, *http.Request, call)
		confirms bool
	}{
		{"200", echo(200, "", ""), true},
		{"201", echo(201, "", ""), true},
		{"202", echo(202, "", ""), true},
		{"299", echo(299, "", ""), true},
		{"404", echo(404, "", ""), false},
		{"500", echo(500, "", ""), false},
		{"204 has no body", status(204), false},
		{"empty body", status(200), false},
		{"suffix", echo(200, "", "x"), false},
		{"new line behind", echo(200, "", "\n"), false},
		{"prefix", echo(200, " ", ""), false},
		{"endless suffix", func(w http.ResponseWriter, q *http.Request, c call) {
			_, _ = io.WriteString(w, c.query.Get("hub.challenge"))
			for q.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, false},
		{"the challenge before", func(w http.ResponseWriter, _ *http.Request, _ call) {
			_, _ = io.WriteString(w, strings.Repeat("A", 43))
		}, false},
		{"redirect", func(w http.ResponseWriter, q *http.Request, _ call) {
			http.Redirect(w, q, elsewhere.URL+q.RequestURI, http.StatusFound)
		}, false},
		{"permanent redirect to itself", func(w http.ResponseWriter, q *http.Request, _ call) {
			http.Redirect(w, q, q.RequestURI, http.StatusPermanentRedirect)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSubscriber(t, nil)
			s.answers(c.answer)
			callback := fmt.Sprintf("%s/%d", s.URL, i)
			for _, mode := range []string{"subscribe", "unsubscribe"} {
				if mode == "unsubscribe" && !c.confirms { // something must be there to stay
					s.answers(nil)
					r.subscribe(s, atom, callback)
					s.answers(c.answer)
				}
				r.ask(mode, atom, callback)
				v := s.verification()
				r.settled()
				if v.query.Get("hub.mode") != mode {
					t.Errorf("asked with %s", v.uri)
				}
				there := false
				for _, l := range r.list() {
					there = there || l.Callback == callback
				}
				if want := (mode == "subscribe") == c.confirms; there != want {
					t.Errorf("%s: subscribed %t, want %t", mode, there, want)
				}
				s.quiet()
			}
			elsewhere.quiet()
		})
	}
}

// Our parameters are appended to the callback's query, which is kept byte for byte (section
// 5.3).
func TestCallbackURL(t *testing.T) {
	ours := "hub.mode=subscribe&hub.topic=https%3A%2F%2Freviews.example.com%2Ffeed.xml&hub.challenge=c&hub.lease_seconds=60"
	for callback, want := range map[string]string{
		"https://a/cb":                     "https://a/cb?" + ours,
		"https://a":                        "https://a?" + ours,
		"https://a/cb?":                    "https://a/cb?" + ours,
		"https://a/cb?b=2&a=1":             "https://a/cb?b=2&a=1&" + ours,
		"https://a/cb?b&":                  "https://a/cb?b&" + ours,
		"https://a/cb?a=%2f%2F+;x=%41&a=?": "https://a/cb?a=%2f%2F+;x=%41&a=?&" + ours,
		"https://a/cb?hub.mode=denied":     "https://a/cb?hub.mode=denied&" + ours,
	} {
		h := store.Verification{Request: store.Request{Topic: atom, Callback: callback, Mode: "subscribe", Lease: time.Minute}}
		got := callbackURL(h, "c")
		if got != want {
			t.Errorf("%s becomes %s, want %s", callback, got, want)
		}
		request, err := http.NewRequest(http.MethodGet, got, nil)
		if err != nil {
			t.Errorf("%s: %v", got, err)
			continue
		}
		if sent := request.URL.RequestURI(); !strings.HasSuffix(strings.Replace(want, "https://a?", "https://a/?", 1), sent) {
			t.Errorf("%s is sent as %s", want, sent)
		}
	}
}

func TestJitterAndCap(t *testing.T) {
	h := &Hub{Config: testConfig(nil, nil)}
	now := time.Now()
	low, high := time.Hour, time.Duration(0)
	for range 1000 {
		wait := h.retryAt(now, 1, 0).Sub(now)
		low, high = min(low, wait), max(high, wait)
	}
	if low < 24*time.Second || high > 36*time.Second || high-low < 10*time.Second {
		t.Errorf("waits from %s to %s, want 24 s to 36 s", low, high)
	}
	if wait := retryAfter(http.Header{"Retry-After": {"999999999999999999999"}}, now); wait < maxRetryAfter {
		t.Errorf("a Retry-After that no number holds is %s, want at least %s", wait, maxRetryAfter)
	}
	if wait := h.retryAt(now, 2, 1000*time.Hour).Sub(now); wait != maxRetryAfter {
		t.Errorf("a subscriber may have us wait %s, want %s", wait, maxRetryAfter)
	}
}

// FuzzRequest checks that any body is accepted or rejected by the rules.
func FuzzRequest(f *testing.F) {
	for _, body := range []string{
		"hub.mode=subscribe&hub.topic=" + url.QueryEscape(atom) + "&hub.callback=https%3A%2F%2Fexample.com%2Fcb%3Fa%3D%2520&hub.secret=s&hub.lease_seconds=60",
		"hub.mode=unsubscribe&hub.topic=" + url.QueryEscape(feed) + "&hub.callback=https://[2600::1]:8443/",
		"hub.mode=publish&hub.url=" + url.QueryEscape(reviews), "%", "&&&", "hub.mode=subscribe&hub.mode=subscribe",
	} {
		f.Add(body)
	}
	h, err := New(testConfig(storetest.Open(f, storetest.SQLite(f)), &snapshot.Current[snapshot.Files]{}))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		form, err := parseForm(body)
		if err != nil {
			return
		}
		for _, mode := range []string{store.ModeSubscribe, store.ModeUnsubscribe} {
			r, err := h.subscription(form, mode)
			if err != nil {
				if refusal := asRejection(err); refusal.status != 400 || strings.ContainsAny(refusal.sentence, "\r\n") {
					t.Errorf("%q: %d %q", body, refusal.status, refusal.sentence)
				}
				continue
			}
			if r.Lease < h.MinLease || r.Lease > h.MaxLease || len(r.Secret) >= secretLimit || !h.isTopic(r.Topic) {
				t.Errorf("%q: taken as %+v", body, r)
			}
			request, err := http.NewRequest(http.MethodGet, callbackURL(store.Verification{Request: r}, "c"), nil)
			if err != nil {
				t.Fatalf("%q: a callback that can't be called: %v", body, err)
			}
			if u := request.URL; u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" || strings.ContainsAny(u.RequestURI(), " \r\n") {
				t.Errorf("%q: calls %s", body, u)
			}
		}
		if _, err := h.checkPing(form); err != nil && asRejection(err).status != 400 {
			t.Errorf("%q: %v", body, err)
		}
	})
}

// Deploy hooks ping with the fields in the query and any body. The versions that they name
// are passed on.
func TestPingInQuery(t *testing.T) {
	t.Parallel()
	r := newRig(t, migratedState(t))
	version := strings.Repeat("0a", 32)
	for _, c := range []struct {
		query, media, body string
		status             int
	}{
		{"hub.mode=publish&hub.topic=" + url.QueryEscape(atom) + "&hub.url=" + url.QueryEscape(feed) + "&manifest=" + version, "application/json", `{"deploy":1}`, 202},
		{"hub.mode=publish&hub.url=" + url.QueryEscape(atom), "", strings.Repeat("x", 2*maxForm), 202},
		{"hub.mode=publish&hub.url=https://other.example/", "application/json", "{}", 400},
		{"hub.mode=subscribe&hub.topic=" + url.QueryEscape(atom), "application/json", "{}", 415},
	} {
		request := httptest.NewRequest(http.MethodPost, reviewcast.PathHub+"?"+c.query, strings.NewReader(c.body))
		if c.media != "" {
			request.Header.Set("Content-Type", c.media)
		}
		w := httptest.NewRecorder()
		if r.ServeHTTP(w, request); w.Code != c.status {
			t.Errorf("%s: %d %s, want %d", c.query, w.Code, w.Body, c.status)
		}
	}
	if got := <-r.manifests; got != version {
		t.Errorf("reloaded for %q, want %q", got, version)
	}
}

// A topic that isn't published isn't offered.
func TestUnpublishedTopic(t *testing.T) {
	t.Parallel()
	r := newRig(t, migratedState(t))
	r.files.Swap(filesOf(t, 2, "first", time.Time{}, reviewcast.PathAtom))
	for topic, status := range map[string]int{atom: 202, feed: 400} {
		w := r.post(url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {"https://127.0.0.1:8443/cb"}})
		if w.Code != status || status == 400 && strings.Contains(w.Body.String(), feed) {
			t.Errorf("%s: %d %s, want %d", topic, w.Code, w.Body, status)
		}
	}
}
