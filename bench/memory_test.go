//go:build !race

// Package bench measures the program as a whole: its process, over the network, and
// beside other programs. Each file says what it measures and how to run it.
//
// Packages that hold only benchmarks are not built with the race detector, in which they would measure nothing:
// linking each of them takes seconds of `make test`.
package bench

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/generator/render"
)

// BenchmarkEdgeMemory starts the real edge on a folder of generated reviews and reads
// its resident memory after some requests and its peak during a reload. Both are
// reported as multiples of reviews.json. One iteration is enough:
//
//	go test -run '^$' -bench EdgeMemory -benchtime 1x ./bench
func BenchmarkEdgeMemory(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("resident memory is read from /proc, so on Linux only")
	}
	exe := filepath.Join(b.TempDir(), "reviewcast")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", exe, "../cmd/reviewcast").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("%dk", n/1000), func(b *testing.B) {
			for b.Loop() {
				edgeMemory(b, exe, n)
			}
		})
	}
}

func edgeMemory(b *testing.B, exe string, n int) {
	dir := filepath.Join(b.TempDir(), "public")
	ds := corpus.Dataset(n)
	size := publish(b, dir, ds, 1)
	addr, admin := freeAddr(b), freeAddr(b)
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "edge", "--public", dir, "--listen", addr, "--admin-listen", admin, "--rate-search", "0")
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer cmd.Wait() //nolint:errcheck // the process is killed
	defer cancel()

	until(b, "http://"+admin+"/readyz", `"search_sequence":1`)
	for _, q := range []string{"query=on+time", "query=e", "rating=5&limit=100", "mentions_technician=Marcus", "since=2026-01-01"} {
		fetch(b, "http://"+addr+reviewcast.PathSearch+"?"+q)
	}
	time.Sleep(2 * time.Second) // the runtime returns memory gradually; this is part of the measurement
	steady := status(b, cmd.Process.Pid, "VmRSS")

	ds.Reviews[0].Author = "Somebody Else"
	publish(b, dir, ds, 2)
	until(b, "http://"+admin+"/readyz", `"search_sequence":2`)
	peak := status(b, cmd.Process.Pid, "VmHWM")
	b.ReportMetric(float64(steady)/1e6, "steady-MB")
	b.ReportMetric(float64(steady)/float64(size), "steady/file")
	b.ReportMetric(float64(peak)/float64(size), "peak/file")
}

// publish writes a published folder, the manifest last, and returns the size of
// reviews.json.
func publish(b *testing.B, dir string, ds reviewcast.Dataset, sequence int64) int {
	b.Helper()
	var lines [][]byte
	for i := range ds.Reviews {
		line, err := render.ReviewLine(&ds.Reviews[i])
		if err != nil {
			b.Fatal(err)
		}
		lines = append(lines, line)
	}
	body, err := render.Dataset(&ds, lines)
	if err != nil {
		b.Fatal(err)
	}
	m := reviewcast.Manifest{Version: 1, BaseURL: "https://reviews.example.com", Sequence: sequence, Files: []reviewcast.File{{
		Path: reviewcast.PathReviews, MediaType: reviewcast.MediaJSON, SHA256: sha(body), Size: int64(len(body)),
		LastModified: time.Date(2026, 7, 1, 0, 0, int(sequence), 0, time.UTC),
	}}}
	manifest, err := json.Marshal(m)
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range []struct {
		path string
		data []byte
	}{{reviewcast.PathReviews, body}, {reviewcast.PathManifest, manifest}} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.path), f.data, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return len(body)
}

func sha(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

func freeAddr(b *testing.B) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func until(b *testing.B, url, substring string) {
	b.Helper()
	last := ""
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(10 * time.Millisecond) {
		resp, err := http.Get(url)
		if err != nil {
			last = err.Error()
			continue
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if last = string(body); strings.Contains(last, substring) {
			return
		}
	}
	b.Fatalf("%s never held %q; it holds %s", url, substring, last)
}

func fetch(b *testing.B, url string) {
	b.Helper()
	resp, err := http.Get(url)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		b.Fatalf("%s: %s, %v", url, resp.Status, err)
	}
}

// status returns a value of /proc/PID/status, in bytes.
func status(b *testing.B, pid int, name string) int64 {
	b.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); len(fields) == 3 && fields[0] == name+":" {
			kb, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			return kb << 10
		}
	}
	b.Fatalf("/proc says no %s", name)
	return 0
}
