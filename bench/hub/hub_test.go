//go:build !race

package hub

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"reviewcast"
	"reviewcast/bench/storetest"
	"reviewcast/edge/hub"
	"reviewcast/edge/hub/store"
	"reviewcast/edge/snapshot"
)

const (
	baseURL  = "https://reviews.example.com"
	topic    = baseURL + reviewcast.PathAtom
	bodySize = 50 << 10
	many     = 10_000
	perHost  = 64
)

// receiver is a server of callbacks: it reads what it is sent and counts.
type receiver struct {
	*httptest.Server
	got    atomic.Int64
	silent func(*http.Request) bool // nil: nobody is
	want   int64
	done   chan struct{}
}

func newReceiver(b testing.TB) *receiver {
	r := &receiver{done: make(chan struct{}, 1)}
	r.Server = httptest.NewUnstartedServer(r)
	r.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	r.StartTLS()
	b.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	_, _ = io.Copy(io.Discard, q.Body)
	if r.silent != nil && r.silent(q) {
		<-q.Context().Done()
		return
	}
	if r.got.Add(1) == r.want {
		r.done <- struct{}{}
	}
}

// expect makes the receiver wait for so many.
func (r *receiver) expect(n int) {
	r.got.Store(0)
	r.want = int64(n)
}

func (r *receiver) wait(b testing.TB) {
	select {
	case <-r.done:
	case <-time.After(5 * time.Minute):
		b.Fatalf("%d of %d after five minutes", r.got.Load(), r.want)
	}
}

// bench is a hub at work on a full state.
type bench struct {
	testing.TB
	store *store.Store
	files snapshot.Current[snapshot.Files]
	hub   *hub.Hub
	stop  func()
}

func newBench(b testing.TB, state string, ca *x509.Certificate) *bench {
	return newBenchWith(b, state, ca, func(*hub.Config) {})
}

func newBenchWith(b testing.TB, state string, ca *x509.Certificate, change func(*hub.Config)) *bench {
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	e := &bench{TB: b, store: storetest.Open(b, state)}
	e.publish(1)
	var err error
	c := hub.Config{BaseURL: baseURL, Store: e.store, Files: &e.files, RootCAs: pool, PerHost: perHost,
		Retry: [2]time.Duration{30 * time.Second, time.Hour}, MinLease: 5 * time.Minute, MaxLease: 720 * time.Hour,
		AllowCIDR: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Metrics: prometheus.NewRegistry()}
	change(&c)
	if e.hub, err = hub.New(c); err != nil {
		b.Fatal(err)
	}
	return e
}

func (e *bench) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := e.hub.Run(ctx); err != nil {
			e.Error(err)
		}
	}()
	e.stop = sync.OnceFunc(func() { cancel(); <-done })
	e.Cleanup(e.stop)
}

// publish makes another feed the newest.
func (e *bench) publish(sequence int64) {
	body := make([]byte, bodySize)
	_, _ = rand.Read(body)
	feed := reviewcast.File{Path: reviewcast.PathAtom, MediaType: reviewcast.MediaAtom, SHA256: reviewcast.SHA256(body)}
	unread := reviewcast.File{Path: reviewcast.PathReviews, SHA256: feed.SHA256} // a manifest has it
	manifest, err := json.Marshal(reviewcast.Manifest{Version: 1, BaseURL: baseURL, Sequence: sequence, Files: []reviewcast.File{feed, unread}})
	if err != nil {
		e.Fatal(err)
	}
	files, err := snapshot.FilesOf(manifest, map[string][]byte{feed.Path: body}, snapshot.Config{Holds: func(path string) bool { return path == feed.Path }})
	if err != nil {
		e.Fatal(err)
	}
	e.files.Swap(files)
}

// feed returns the feed that is published.
func (e *bench) feed() *snapshot.File {
	feed, _ := e.files.Load().File(reviewcast.PathAtom)
	return feed
}

// subscribe fills the state as verified requests do.
func (e *bench) subscribe(callbacks []string, secret []byte) {
	ctx, now := context.Background(), time.Now()
	if _, err := e.store.Publish(ctx, now, store.Publication{Topic: topic, SHA256: e.feed().SHA256, Sequence: e.files.Load().Sequence()}); err != nil {
		e.Fatal(err)
	}
	for part := range slices.Chunk(callbacks, 500) { // as many as may be pending for a host
		together(part, func(callback string) error {
			u, err := url.Parse(callback)
			if err != nil {
				return err
			}
			r := store.Request{Topic: topic, Callback: callback, Mode: store.ModeSubscribe, Lease: hub.DefaultLease, Secret: secret}
			r.Endpoint, r.Host = store.Endpoint(u)
			return e.store.Request(ctx, now, r, store.Publication{SHA256: e.feed().SHA256, Sequence: e.files.Load().Sequence()}, store.Caps{PendingPerHost: 1000})
		}, e)
		claimed, err := e.store.ClaimVerifications(ctx, now, "bench", nil, len(part))
		if err != nil {
			e.Fatal(err)
		}
		together(claimed, func(v store.Verification) error {
			_, err := e.store.Settle(ctx, now, v, true, "")
			return err
		}, e)
	}
}

// together does something with each of a list, many at a time, since they share
// transactions.
func together[T any](list []T, do func(T) error, t testing.TB) {
	var wg sync.WaitGroup
	for part := range slices.Chunk(list, max(1, len(list)/64)) {
		wg.Go(func() {
			for _, item := range part {
				if err := do(item); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// settled waits until everybody has been served and that is durable.
func (e *bench) settled() {
	for {
		c, err := e.store.Counts(context.Background(), time.Now())
		if err != nil {
			e.Fatal(err)
		}
		if c.Topics[topic].Behind == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func callbacks(server string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = server + "/" + strconv.Itoa(i)
	}
	return list
}

// bare is the loop that is compared with: http.Client's POSTs, no state, no
// checks, the same concurrency. It signs, too, where the hub does.
func bare(b testing.TB, ca *x509.Certificate, list []string, body, secret []byte) time.Duration {
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, MaxIdleConnsPerHost: perHost}}
	defer client.CloseIdleConnections()
	work := make(chan string, len(list))
	for _, callback := range list {
		work <- callback
	}
	close(work)
	began := time.Now()
	var wg sync.WaitGroup
	for range perHost {
		wg.Go(func() {
			for callback := range work {
				request, err := http.NewRequest(http.MethodPost, callback, bytes.NewReader(body))
				if err != nil {
					b.Error(err)
					return
				}
				request.Header.Set("Content-Type", reviewcast.MediaAtom)
				if secret != nil {
					mac := hmac.New(sha256.New, secret)
					mac.Write(body)
					request.Header.Set("X-Hub-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
				}
				response, err := client.Do(request)
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, response.Body)
				response.Body.Close()
			}
		})
	}
	wg.Wait()
	return time.Since(began)
}

// median of an odd number.
func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// cpuSeconds is the processor time of this process; 0 where /proc isn't there. It
// shows what a busy machine hides.
func cpuSeconds() float64 {
	data, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100 // ticks of 10 ms
}

// BenchmarkFanOut compares the hub with the bare loop: the two in turn, five times,
// and the medians of each and of the ratio. The hub's time ends when the last
// acknowledgement is durable.
func BenchmarkFanOut(b *testing.B) {
	databases := map[string]func(testing.TB) string{"sqlite": storetest.SQLite, "postgres": storetest.Postgres}
	for _, name := range []string{"sqlite", "postgres"} {
		for _, secret := range []string{"", "secret"} {
			b.Run(strings.Trim(name+"/"+secret, "/"), func(b *testing.B) {
				r := newReceiver(b)
				e := newBench(b, databases[name](b), r.Certificate())
				list := callbacks(r.URL, many)
				var key []byte
				if secret != "" {
					key = []byte(secret)
				}
				e.subscribe(list, key)
				e.run()
				sequence := int64(1)
				for b.Loop() {
					var loop, ours, ratio, busy, database []float64
					for range 5 {
						r.expect(many)
						cpu := cpuSeconds()
						took := bare(b, r.Certificate(), list, e.feed().Body, key).Seconds()
						r.wait(b)
						loopCPU := cpuSeconds() - cpu
						r.expect(many)
						sequence++
						began, cpu, theirs := time.Now(), cpuSeconds(), databaseSeconds()
						e.publish(sequence)
						r.wait(b)
						e.settled()
						loop, ours = append(loop, took), append(ours, time.Since(began).Seconds())
						ratio = append(ratio, took/time.Since(began).Seconds())
						busy = append(busy, loopCPU/(cpuSeconds()-cpu))
						database = append(database, (databaseSeconds()-theirs)*1e6/many)
					}
					b.ReportMetric(many/median(ours), "hub/s")
					b.ReportMetric(many/median(loop), "loop/s")
					b.ReportMetric(median(ratio), "hub/loop")
					b.ReportMetric(median(busy), "hub/loop-by-cpu")
					if name == "postgres" {
						b.ReportMetric(median(database), "µs-db-cpu-each")
					}
				}
			})
		}
	}
}

// BenchmarkIsolation measures how long the 9,900 that answer wait when a hundred
// others never do, on their host and on hosts of their own: a first publish of a
// fresh hub without them and one with them in turn, five times, and the medians.
func BenchmarkIsolation(b *testing.B) { b.Run("10000", benchmarkIsolation) }

func benchmarkIsolation(b *testing.B) {
	const silent = many / 100
	once := func(b *testing.B, list []string, r *receiver) (took, cpu float64) {
		e := newBench(b, storetest.SQLite(b), r.Certificate())
		e.subscribe(list, nil)
		e.run()
		r.expect(many - silent)
		began, cpu := time.Now(), cpuSeconds()
		e.publish(2)
		r.wait(b)
		took, cpu = time.Since(began).Seconds(), cpuSeconds()-cpu
		r.CloseClientConnections() // those of the silent ones, too
		e.stop()
		return took, cpu
	}
	for _, where := range []string{"same host", "own hosts"} {
		b.Run(where, func(b *testing.B) {
			for b.Loop() {
				var without, with, ratio, busy []float64
				for range 5 {
					r := newReceiver(b)
					alone, aloneCPU := once(b, callbacks(r.URL, many-silent), r)

					r = newReceiver(b)
					list := callbacks(r.URL, many)
					if where == "own hosts" {
						for i := 50; i < many; i += many / silent { // spread over the list
							list[i] = newSilent(b).URL
						}
					} else {
						r.silent = func(q *http.Request) bool {
							n, err := strconv.Atoi(q.URL.Path[1:])
							return err == nil && n%(many/silent) == 50
						}
					}
					beside, besideCPU := once(b, list, r)
					without, with = append(without, alone), append(with, beside)
					ratio, busy = append(ratio, beside/alone), append(busy, besideCPU/aloneCPU)
				}
				b.ReportMetric(median(without), "s-without")
				b.ReportMetric(median(with), "s-with")
				b.ReportMetric(median(ratio), "with/without")
				b.ReportMetric(median(busy), "with/without-by-cpu")
			}
		})
	}
}

// newSilent makes a receiver that never answers.
func newSilent(b testing.TB) *receiver {
	r := newReceiver(b)
	r.silent = func(*http.Request) bool { return true }
	return r
}

// BenchmarkHundredThousand publishes to 100,000 subscriptions: what the publish
// itself takes, beside a bare fsync, how long until all are served, and the
// memory of the process (its subscribers' server included).
func BenchmarkHundredThousand(b *testing.B) { b.Run("sqlite", benchmarkHundredThousand) }

func benchmarkHundredThousand(b *testing.B) {
	const n = 100_000
	r := newReceiver(b)
	e := newBench(b, storetest.SQLite(b), r.Certificate())
	e.subscribe(callbacks(r.URL, n), nil)
	for b.Loop() {
		var published, synced []time.Duration
		for i := range 50 {
			synced = append(synced, fsync(b))
			began := time.Now()
			if _, err := e.store.Publish(context.Background(), began, store.Publication{Topic: topic, SHA256: fmt.Sprint(i), Sequence: int64(i + 2)}); err != nil {
				b.Fatal(err)
			}
			published = append(published, time.Since(began))
		}
		slices.Sort(published)
		slices.Sort(synced)
		b.ReportMetric(float64(published[25].Microseconds())/1000, "ms-publish")
		b.ReportMetric(float64(synced[25].Microseconds())/1000, "ms-fsync")

		e.publish(1000)
		r.expect(n)
		began := time.Now()
		e.run()
		peak := watchRSS()
		r.wait(b)
		e.settled()
		b.ReportMetric(time.Since(began).Seconds(), "s-all")
		b.ReportMetric(peak(), "MB-peak")
	}
}

// fsync writes a page and syncs it.
func fsync(b testing.TB) time.Duration {
	f, err := os.Create(filepath.Join(b.TempDir(), "page"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(make([]byte, 4096)); err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

// watchRSS reads the memory of the process until the function that it returns is
// called, which returns the maximum, in MB; 0 where /proc isn't there.
func watchRSS() func() float64 {
	runtime.GC()
	stop, most := make(chan struct{}), make(chan float64)
	go func() {
		high := 0.0
		for {
			if data, err := os.ReadFile("/proc/self/statm"); err == nil {
				if fields := strings.Fields(string(data)); len(fields) > 1 {
					pages, _ := strconv.ParseFloat(fields[1], 64)
					high = max(high, pages*float64(os.Getpagesize())/1e6)
				}
			}
			select {
			case <-stop:
				most <- high
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return func() float64 {
		close(stop)
		return <-most
	}
}
