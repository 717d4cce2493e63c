//go:build !race

package hub

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
)

// BenchmarkCosts measures single calls of the store with 100,000 subscriptions of one host
// and 10,000 pending requests, all due: medians in microseconds.
func BenchmarkCosts(b *testing.B) {
	const subscriptions, pending, samples = 100_000, 10_000, 51
	databases := map[string]func(testing.TB) string{"sqlite": storetest.SQLite, "postgres": storetest.Postgres}
	for _, name := range []string{"sqlite", "postgres"} {
		b.Run(name, func(b *testing.B) {
			e := &bench{TB: b, store: storetest.Open(b, databases[name](b))}
			e.publish(1)
			ctx := context.Background()
			e.subscribe(callbacks("https://127.0.0.1:8443", subscriptions), []byte("secret"))
			request := func(i int) error {
				r := store.Request{Topic: topic, Callback: fmt.Sprintf("https://host%d.example/%d", i%1000, i), Mode: store.ModeSubscribe,
					Endpoint: fmt.Sprintf("host%d.example:443", i%1000), Host: fmt.Sprintf("host%d.example", i%1000),
					Network: fmt.Sprintf("192.0.%d.0/24", i%256), Lease: time.Hour}
				return e.store.Request(ctx, time.Now(), r, store.Publication{}, store.Caps{PendingPerHost: 1000, PendingPerNetwork: 1000, PerHost: 10_000})
			}
			list := make([]int, pending)
			for i := range list {
				list[i] = i
			}
			together(list, request, e)
			if _, err := e.store.Publish(ctx, time.Now(), store.Publication{Topic: topic, SHA256: "second", Sequence: 2}); err != nil {
				b.Fatal(err)
			}
			if err := e.store.Heartbeat(ctx, time.Now(), "bench"); err != nil {
				b.Fatal(err)
			}
			claim := store.Claim{Owner: "bench", WorkKey: store.WorkKey{Topic: topic, Pace: store.New}, SHA256: "second", Limit: 256}
			nothing := claim
			nothing.Except = []string{"127.0.0.1:8443"}
			for b.Loop() {
				for _, c := range []struct {
					name string
					call func(i int) error
				}{
					{"request", func(i int) error { return request(pending + i) }},
					{"claim-256", func(int) error { _, err := e.store.ClaimDeliveries(ctx, time.Now(), claim); return err }},
					{"claim-nothing", func(int) error { _, err := e.store.ClaimDeliveries(ctx, time.Now(), nothing); return err }},
					{"claim-verifications-32", func(int) error {
						_, err := e.store.ClaimVerifications(ctx, time.Now(), "bench", nil, 32)
						return err
					}},
					{"status", func(i int) error {
						_, err := e.store.History(ctx, time.Now(), topic, fmt.Sprintf("https://127.0.0.1:8443/%d", i))
						return err
					}},
					{"heartbeat", func(i int) error { // an unchanged row would not be written
						return e.store.Heartbeat(ctx, time.Now().Add(time.Duration(i)*time.Second), "bench")
					}},
				} {
					var took []float64
					for i := range samples {
						began := time.Now()
						if err := c.call(i); err != nil {
							b.Fatal(c.name, err)
						}
						took = append(took, float64(time.Since(began).Microseconds()))
					}
					slices.Sort(took)
					b.ReportMetric(median(took), "µs-"+c.name)
				}
			}
		})
	}
}
