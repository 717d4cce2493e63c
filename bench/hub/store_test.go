//go:build !race

package hub

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
)

// BenchmarkStore is the fan-out without the fan-out: every subscription is claimed
// and acknowledged, in the batches of the hub, and nobody is called. It shows what
// the state costs, and of that what is the database's own processor time.
func BenchmarkStore(b *testing.B) {
	databases := map[string]func(testing.TB) string{"sqlite": storetest.SQLite, "postgres": storetest.Postgres}
	for _, name := range []string{"sqlite", "postgres"} {
		b.Run(name, func(b *testing.B) {
			e := &bench{TB: b, store: storetest.Open(b, databases[name](b))}
			e.publish(1)
			e.subscribe(callbacks("https://127.0.0.1:8443", many), nil)
			ctx := context.Background()
			var list [3][]float64 // wall, ours, database's
			sequence, pace := int64(1), store.New
			for b.Loop() {
				for range 5 {
					sequence++
					hash := fmt.Sprint(sequence)
					if _, err := e.store.Publish(ctx, time.Now(), store.Publication{Topic: topic, SHA256: hash, Sequence: sequence}); err != nil {
						b.Fatal(err)
					}
					if err := e.store.Heartbeat(ctx, time.Now(), "bench"); err != nil {
						b.Fatal(err)
					}
					began, own, theirs := time.Now(), cpuSeconds(), databaseSeconds()
					served := 0
					for served < many {
						claim := store.Claim{Owner: "bench", WorkKey: store.WorkKey{Topic: topic, Pace: pace}, SHA256: hash, Limit: 256}
						claimed, err := e.store.ClaimDeliveries(ctx, time.Now(), claim)
						if err != nil || len(claimed) == 0 {
							b.Fatal(len(claimed), err)
						}
						served += len(claimed)
						outcomes := make([]store.Outcome, len(claimed))
						for i, d := range claimed {
							outcomes[i] = store.Outcome{Delivery: d}
						}
						for len(outcomes) > 0 {
							n := min(len(outcomes), 128)
							if err := e.store.Acknowledge(ctx, time.Now(), "bench", outcomes[:n]); err != nil {
								b.Fatal(err)
							}
							outcomes = outcomes[n:]
						}
					}
					pace = store.Quick // after the first delivery
					for i, s := range []float64{time.Since(began).Seconds(), cpuSeconds() - own, databaseSeconds() - theirs} {
						list[i] = append(list[i], s*1e6/many)
					}
				}
			}
			b.ReportMetric(median(list[0]), "µs-each")
			b.ReportMetric(median(list[1]), "µs-cpu-each")
			b.ReportMetric(median(list[2]), "µs-db-cpu-each")
		})
	}
}

// databaseSeconds is the processor time of all PostgreSQL processes of this
// machine; 0 where there are none, or no /proc.
func databaseSeconds() (seconds float64) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		data, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(data), "(postgres)") {
			continue
		}
		fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
		user, _ := strconv.ParseFloat(fields[11], 64)
		system, _ := strconv.ParseFloat(fields[12], 64)
		seconds += (user + system) / 100
	}
	return seconds
}
