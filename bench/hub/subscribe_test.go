//go:build !race

package hub

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/storetest"
	"reviewcast/edge/hub"
)

// BenchmarkSubscribe measures how long 10,000 subscribe requests take that come at once, 64
// at a time, for a hundred hosts: until the last 202, and until all are verified and stored.
func BenchmarkSubscribe(b *testing.B) {
	databases := map[string]func(testing.TB) string{"sqlite": storetest.SQLite, "postgres": storetest.Postgres}
	for _, name := range []string{"sqlite", "postgres"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				accepted, verified, busy := subscribeMany(b, databases[name](b))
				b.ReportMetric(accepted, "s-accepted")
				b.ReportMetric(verified, "s-verified")
				b.ReportMetric(busy, "s-cpu")
			}
		})
	}
}

func subscribeMany(b *testing.B, state string) (accepted, verified, cpu float64) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.URL.Query().Get("hub.challenge"))
	}))
	defer server.Close()
	e := newBenchWith(b, state, server.Certificate(), func(c *hub.Config) {
		c.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) { // every name is this server
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		}
		c.Client = func(r *http.Request) netip.Addr { return netip.MustParseAddr(r.Header.Get("X-From")) }
	})
	e.run()
	defer e.stop()
	list := make([]int, many)
	for i := range list {
		list[i] = i
	}
	began, used := time.Now(), cpuSeconds()
	together(list, func(i int) error {
		form := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {fmt.Sprintf("https://h%d.example.com:8443/%d", i%100, i)}}
		r := httptest.NewRequest(http.MethodPost, reviewcast.PathHub, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("X-From", fmt.Sprintf("192.0.%d.1", i%50))
		w := httptest.NewRecorder()
		if e.hub.ServeHTTP(w, r); w.Code != http.StatusAccepted {
			return fmt.Errorf("%d %s", w.Code, w.Body)
		}
		return nil
	}, e)
	accepted = time.Since(began).Seconds()
	for c := 0; c < many; time.Sleep(20 * time.Millisecond) {
		counts, err := e.store.Counts(context.Background(), time.Now())
		if err != nil {
			b.Fatal(err)
		}
		c = counts.Total
	}
	return accepted, time.Since(began).Seconds(), cpuSeconds() - used
}
