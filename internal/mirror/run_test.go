package mirror_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reviewcast"
	"reviewcast/bench/mirrortest"
	"reviewcast/internal/mirror"
)

// kept is a copy that Run keeps over a connection without a network, in simulated
// time.
type kept struct {
	*history
	copy   *mirror.Copy
	pings  chan []string
	mu     sync.Mutex
	looked int
	err    error
}

func keep(t *testing.T, test func(k *kept)) {
	dir := filepath.Join(t.TempDir(), "copy")
	synctest.Test(t, func(t *testing.T) {
		k := &kept{history: newHistory(t, 11, 20), pings: make(chan []string)}
		k.copy = k.history.copy(dir, mirror.Data)
		k.copy.AcceptRewrite = true
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			k.copy.Run(ctx, 30*time.Second, k.pings, func(ctx context.Context) error {
				_, err := k.copy.Update(ctx)
				k.mu.Lock()
				defer k.mu.Unlock()
				k.looked, k.err = k.looked+1, err
				return err
			})
		})
		synctest.Wait()
		test(k)
		cancel()
		running.Wait()
	})
}

// lastErr returns the error of the last look.
func (k *kept) lastErr() error {
	_, err := k.looks()
	return err
}

// looks returns how often Run has looked, and its last error.
func (k *kept) looks() (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.looked, k.err
}

// during lets time pass and returns how often Run looked.
func (k *kept) during(d time.Duration) int {
	before, _ := k.looks()
	time.Sleep(d)
	synctest.Wait()
	after, _ := k.looks()
	return after - before
}

// holds reports whether the copy is what the site published last.
func (k *kept) holds() bool {
	set, err := k.copy.Read(context.Background())
	return err == nil && difference(set, k.site.Files) == ""
}

// next publishes a version without deploying it, and returns the hash of its manifest.
func (k *kept) next() string {
	k.site.Add()
	k.site.Publish(false)
	return reviewcast.SHA256(k.site.Files[reviewcast.PathManifest])
}

func TestRunLooksRegularly(t *testing.T) {
	keep(t, func(k *kept) {
		if !k.holds() {
			t.Error("the first look took nothing")
		}
		if n := k.during(10 * time.Minute); n < 20 || n > 23 {
			t.Errorf("%d looks in ten minutes", n)
		}
		k.origin.Serve(mirrortest.Files{})
		if n := k.during(2 * time.Hour); n < 240 || n > 280 || !errors.Is(k.lastErr(), mirror.ErrNeverPublished) {
			t.Errorf("%d looks in two hours at nothing: %v", n, k.lastErr())
		}
		k.next()
		k.origin.Serve(k.site.Files)
		if k.during(31 * time.Second); !k.holds() {
			t.Error("what came back was not taken")
		}
	})
}

// TestRunWaits: a ping that names a version makes Run look for it until it is
// there, whatever else arrives meanwhile, or for ten minutes.
func TestRunWaits(t *testing.T) {
	keep(t, func(k *kept) {
		k.during(time.Minute)
		other, wanted := k.next(), ""
		otherFiles := k.site.Files
		wanted = k.next()
		k.pings <- []string{wanted, other}
		if n := k.during(10 * time.Second); n < 4 || n > 5 {
			t.Errorf("%d looks in the first ten seconds", n)
		}
		k.origin.Serve(otherFiles)
		k.during(30 * time.Second)
		k.pings <- nil
		if n := k.during(4 * time.Second); n < 2 {
			t.Errorf("another version has ended the wait: %d looks", n)
		}
		k.origin.Serve(k.site.Files)
		if k.during(31 * time.Second); !k.holds() {
			t.Error("the version was not taken")
		}
		k.during(time.Minute)
		k.pings <- nil
		if n := k.during(10 * time.Second); n != 1 {
			t.Errorf("it still waits: %d looks", n)
		}
		k.pings <- []string{strings.Repeat("0", 64)}
		k.during(11 * time.Minute)
		k.pings <- nil
		if n := k.during(10 * time.Second); n != 1 {
			t.Errorf("it waits for longer than ten minutes: %d looks", n)
		}
	})
}

// TestRunIsNotDriven: whatever pings come, there is one look a second at most, and a
// set that stays broken is hardly ever read again.
func TestRunIsNotDriven(t *testing.T) {
	keep(t, func(k *kept) {
		k.during(time.Minute)
		before, _ := k.looks()
		for n := range 1000 {
			k.pings <- []string{fmt.Sprintf("%064d", n)}
			time.Sleep(10 * time.Millisecond)
		}
		after, _ := k.looks()
		if n := after - before; n < 8 || n > 11 {
			t.Errorf("%d looks in ten seconds of pings", n)
		}
		k.next()
		broken := maps.Clone(k.site.Files)
		document := reviewcast.ChangePath(k.site.Files.Manifest().Sequence)
		broken[document] = []byte("{}")
		k.origin.Serve(broken)
		k.origin.Requests()
		for range 5 * 60 {
			k.pings <- nil
			time.Sleep(time.Second)
		}
		if n := k.origin.Requests()[document]; n == 0 || n > 200 || !errors.Is(k.lastErr(), mirror.ErrStale) {
			t.Errorf("%d requests for a broken set in 5 minutes: %v", n, k.lastErr())
		}
		// The rest of the files arrives, and then a ping. Looks follow it at once, after 1, 3 and 7 s, and what is broken is
		// read again 5 s after the last time.
		k.origin.Serve(k.site.Files)
		k.pings <- nil
		if k.during(8 * time.Second); !k.holds() {
			t.Errorf("the corrected set was not taken: %v", k.lastErr())
		}
	})
}

// TestMisbehavingOrigin: whatever a real server answers, the last good set stays, and the
// next good one is taken.
func TestMisbehavingOrigin(t *testing.T) {
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	defer elsewhere.Close()
	html := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(status)
			fmt.Fprint(w, "<!doctype html><title>Nothing here</title>")
		}
	}
	flood := func(ctx context.Context, w http.ResponseWriter) {
		for chunk := bytes.Repeat([]byte(" "), 1<<20); ctx.Err() == nil; {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}
	edited := func(files mirrortest.Files, old, new string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			body := files[r.URL.Path]
			if r.URL.Path == reviewcast.PathManifest {
				body = bytes.Replace(body, []byte(old), []byte(new), 1)
			}
			_, _ = w.Write(body)
		}
	}
	for name, bad := range map[string]func(files mirrortest.Files) http.HandlerFunc{
		"HTML with 200": func(mirrortest.Files) http.HandlerFunc { return html(http.StatusOK) },
		"404":           func(mirrortest.Files) http.HandlerFunc { return html(http.StatusNotFound) },
		"401":           func(mirrortest.Files) http.HandlerFunc { return html(http.StatusUnauthorized) },
		"redirect elsewhere": func(mirrortest.Files) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusFound)
			}
		},
		"endless file": func(files mirrortest.Files) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				_, _ = w.Write(files[r.URL.Path])
				if r.URL.Path != reviewcast.PathManifest {
					flood(r.Context(), w)
				}
			}
		},
		"slow": func(files mirrortest.Files) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				_, _ = w.Write(files[r.URL.Path][:1])
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}
		},
		"torn": func(files mirrortest.Files) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				body := files[r.URL.Path]
				w.Header().Set("Content-Length", fmt.Sprint(len(body)))
				_, _ = w.Write(body[:len(body)/2])
			}
		},
		"another base URL": func(files mirrortest.Files) http.HandlerFunc {
			return edited(files, mirrortest.BaseURL, "https://other.example")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			misbehave(t, bad)
		})
	}
}

func misbehave(t *testing.T, bad func(mirrortest.Files) http.HandlerFunc) {
	site := mirrortest.New(3, 20)
	site.Publish(false)
	good := &mirrortest.Origin{}
	good.Serve(site.Files)
	var handler atomic.Pointer[http.Handler]
	use := func(h http.Handler) { handler.Store(&h) }
	use(good)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) }))
	defer srv.Close()
	open := func() mirror.Source {
		source, err := mirror.Open(srv.URL, mirror.Config{})
		if err != nil {
			t.Fatal(err)
		}
		return source
	}
	source := open()
	taken := 0
	follower := mirror.Follower{Source: source, Scope: mirror.Data, BaseURL: mirrortest.BaseURL, AcceptRewrite: true}
	copied := &mirror.Copy{Dir: filepath.Join(t.TempDir(), "copy"), Taken: func(*mirror.Set) { taken++ }, Follower: follower}
	if _, err := copied.Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := onDisk(t, copied.Dir)
	site.Add()
	site.Publish(false)
	use(bad(site.Files))
	copied.Follower.Source = open()
	mirror.Impatient(copied.Follower.Source, 200*time.Millisecond) // all errors are right here
	if _, err := copied.Update(t.Context()); err == nil || taken != 1 || !sameFiles(onDisk(t, copied.Dir), before) {
		t.Errorf("sets taken: %d; error: %v", taken, err)
	} else {
		t.Log(err)
	}
	good.Serve(site.Files)
	use(good)
	copied.Follower = follower // the pause after a set that could not be read is over
	if _, err := copied.Update(t.Context()); err != nil || taken != 2 || !sameFiles(onDisk(t, copied.Dir), wants(site.Files, mirror.Data)) {
		t.Errorf("sets taken: %d; error: %v", taken, err)
	}
}
