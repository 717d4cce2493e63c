//go:build unix && !race

package changes

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/generator/changes"
	"reviewcast/internal/mirror"
)

// BenchmarkCost compares the CPU time of building the change with that of the cold
// build it is part of: 100,000 reviews, of which 10 are new and one is edited.
func BenchmarkCost(b *testing.B) { b.Run("100000", benchmarkCost) }

func benchmarkCost(b *testing.B) {
	h := newHistory(b, 100_000)
	h.build(b)
	before := h.read(b)
	for b.Loop() {
		h.day()
		build := cpu(func() { h.build(b) })
		after := h.read(b)
		ds := &reviewcast.Dataset{}
		if err := json.Unmarshal(after.Files[reviewcast.PathReviews], ds); err != nil {
			b.Fatal(err)
		}
		m := *after.Manifest
		m.Files = slices.DeleteFunc(slices.Clone(m.Files), func(f reviewcast.File) bool { return strings.HasPrefix(f.Path, reviewcast.PathChanges) })
		change := cpu(func() {
			files, err := changes.New(changes.Input{Previous: before, Manifest: &m, Dataset: ds, Reviews: after.Files[reviewcast.PathReviews],
				Insights: after.Files[reviewcast.PathInsights], Time: h.now})
			if err != nil || string(files[reviewcast.PathLatestChange]) != string(after.Files[reviewcast.PathLatestChange]) {
				b.Fatalf("the change is not that of the build: %v", err)
			}
		})
		before = after
		b.ReportMetric(build.Seconds()*1000, "build-cpu-ms")
		b.ReportMetric(change.Seconds()*1000, "change-cpu-ms")
		b.ReportMetric(100*change.Seconds()/build.Seconds(), "%-of-build")
	}
}

// read returns what the next version is built on.
func (h *history) read(b *testing.B) *mirror.Set {
	b.Helper()
	source, err := mirror.Open(h.public, mirror.Config{})
	if err != nil {
		b.Fatal(err)
	}
	set, err := mirror.Read(context.Background(), source, mirror.Record)
	if err != nil {
		b.Fatal(err)
	}
	return set
}

// cpu returns the CPU time, of the user and the system, that a function takes.
func cpu(f func()) time.Duration {
	used := func() time.Duration {
		var u syscall.Rusage
		if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
			return 0
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	f()
	return used() - before
}
