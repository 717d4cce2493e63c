//go:build linux && !race

// Package serve compares the edge with other servers of the same files, over sockets:
//
//	go test -run '^$' -bench Files -benchtime 7x ./bench/serve
//
// The servers are processes of their own: the edge; a bare net/http server with the
// same bodies, headers and timeouts, which is what the edge can reach at best; nginx and
// Caddy with their usual configuration for static files. One iteration asks all of them
// for the same file one after the other, in changing order, for half a second each
// over 16 connections. Every server runs on the first core and the client on the second
// one, because a client that takes its time from the servers' cores makes all servers
// look alike. The client writes prepared bytes and skips bodies. Reported are medians:
// requests a second and processor time a request of each server, both of the edge
// divided by each other's, and both of the bare server divided by nginx's and Caddy's:
// what Go can reach beside them.
package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"reviewcast"
	"reviewcast/bench/corpus"
	"reviewcast/bench/snapshottest"
	"reviewcast/edge"
)

const (
	connections = 16
	turn        = 500 * time.Millisecond
	tick        = 10 * time.Millisecond // of /proc, on every system that Go supports
)

// TestMain serves as the bare server when the benchmark starts this program again.
func TestMain(m *testing.M) {
	if dir := os.Getenv("SERVE_BARE"); dir != "" {
		if err := serveBare(dir, os.Getenv("SERVE_ADDR")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serveBare serves the files of a directory with net/http and nothing else.
func serveBare(dir, addr string) error {
	type body struct {
		header http.Header
		bytes  []byte
	}
	bodies := map[string]body{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(b)
		h := http.Header{
			"Access-Control-Allow-Origin": {"*"}, "Access-Control-Expose-Headers": {"ETag, Last-Modified, Link, Retry-After, Reviewcast-Sequence"},
			"Cache-Control": {"public, max-age=60, stale-while-revalidate=600"}, "Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
			"Content-Type": {"application/json"}, "Etag": {`"` + hex.EncodeToString(sum[:]) + `"`}, "Last-Modified": {"Sun, 22 Nov 2026 12:00:00 GMT"},
			"Reviewcast-Sequence": {"1"}, "Vary": {"Accept-Encoding"}, "X-Content-Type-Options": {"nosniff"}, "Accept-Ranges": {"bytes"},
			"Content-Length": {strconv.Itoa(len(b))},
		}
		path := "/" + strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(dir)+"/")
		if plain, ok := strings.CutSuffix(path, ".gz"); ok {
			path = plain
			h["Content-Encoding"] = []string{"gzip"}
			bodies[path] = body{h, b}
		} else if _, ok := bodies[path]; !ok {
			bodies[path] = body{h, b}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s := edge.Server(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, ok := bodies[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		for name, value := range b.header {
			h[name] = value
		}
		if r.Header.Get("If-None-Match") == b.header["Etag"][0] {
			delete(h, "Content-Length")
			delete(h, "Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(b.bytes)
	}), nil)
	s.Addr = addr
	return s.ListenAndServe()
}

// onServerCore runs a command on the first core.
var onServerCore = []string{"taskset", "-c", "0"}

// pin moves this process to the second core.
func pin(b *testing.B) {
	if out, err := exec.Command("taskset", "-a", "-c", "-p", "1", strconv.Itoa(os.Getpid())).CombinedOutput(); err != nil {
		b.Fatalf("taskset: %v\n%s", err, out)
	}
	procs := runtime.GOMAXPROCS(1)
	b.Cleanup(func() { runtime.GOMAXPROCS(procs) })
}

// server is a process that serves the files.
type server struct {
	name, addr string
	pids       []int
}

func BenchmarkFiles(b *testing.B) { b.Run("servers", benchmarkFiles) }

func benchmarkFiles(b *testing.B) {
	dir := b.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // nginx's workers are another user
		b.Fatal(err)
	}
	public := filepath.Join(dir, "public")
	publish(b, public)
	servers := start(b, dir, public)
	pin(b)
	for _, c := range []struct{ name, path string }{
		{"304", reviewcast.PathReviews},
		{"22kB", "/small.json"},
		{"469kB", "/large.json"},
	} {
		b.Run(c.name, func(b *testing.B) { compare(b, servers, c.path, c.name == "304") })
	}
}

// publish writes a set with files whose gzip has the sizes to measure.
func publish(b *testing.B, public string) {
	p := snapshottest.Publish(b, corpus.Dataset(200))
	for path, size := range map[string]int{"/small.json": 22_000, "/large.json": 469_000} {
		// Random bytes in base64 lose a quarter by gzip.
		random := make([]byte, size)
		_, _ = rand.NewChaCha8([32]byte{}).Read(random) // never fails
		text := fmt.Appendf(nil, `"%s`, base64.StdEncoding.EncodeToString(random))
		p[path] = append(text, '"')
	}
	for path, body := range p {
		name := filepath.Join(public, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, body, 0o644), os.WriteFile(name+".gz", zip(b, body), 0o644)); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(public, "manifest.json"), p.Manifest(b, 1), 0o644); err != nil {
		b.Fatal(err)
	}
}

func zip(b *testing.B, body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(body); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return out.Bytes()
}

// start starts all servers that are installed, and stops them with the benchmark.
func start(b *testing.B, dir, public string) []server {
	program := filepath.Join(dir, "reviewcast")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/reviewcast").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	run := func(name, addr string, env []string, command ...string) server {
		ctx, cancel := context.WithCancel(context.Background())
		command = slices.Concat(onServerCore, command)
		c := exec.CommandContext(ctx, command[0], command[1:]...)
		c.Env = append(os.Environ(), env...)
		c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
		c.WaitDelay = 5 * time.Second
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		if err := c.Start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { cancel(); _ = c.Wait() })
		for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			resp, err := http.Get("http://" + addr + reviewcast.PathReviews)
			if err == nil {
				resp.Body.Close()
				if resp.StatusCode == http.StatusOK {
					break
				}
			}
			if time.Now().After(deadline) {
				b.Fatalf("%s doesn't serve: %s", name, out.String())
			}
		}
		return server{name, addr, family(c.Process.Pid)}
	}
	servers := []server{
		run("edge", "127.0.0.1:18801", nil, program, "edge", "--public", public, "--listen", "127.0.0.1:18801", "--state", "none"),
		run("net/http", "127.0.0.1:18802", []string{"SERVE_BARE=" + public, "SERVE_ADDR=127.0.0.1:18802"}, self),
	}
	if nginx, err := exec.LookPath("nginx"); err == nil {
		config := filepath.Join(dir, "nginx.conf")
		text := fmt.Sprintf(`daemon off; worker_processes auto; pid %[1]s/nginx.pid; error_log %[1]s/nginx.log;
events { worker_connections 1024; }
http { access_log off; sendfile on; keepalive_requests 1000000000; open_file_cache max=100;
types { application/json json; } gzip_static on;
server { listen 127.0.0.1:18803; root %[2]s;
add_header Access-Control-Allow-Origin *; add_header Cache-Control "public, max-age=60, stale-while-revalidate=600"; add_header X-Content-Type-Options nosniff; } }`, dir, public)
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
		servers = append(servers, run("nginx", "127.0.0.1:18803", nil, nginx, "-c", config))
	}
	if caddy, err := exec.LookPath("caddy"); err == nil {
		config := filepath.Join(dir, "Caddyfile")
		text := fmt.Sprintf("{\nadmin off\n}\nhttp://127.0.0.1:18804 {\nroot * %s\nheader Access-Control-Allow-Origin *\nheader Cache-Control \"public, max-age=60, stale-while-revalidate=600\"\nheader X-Content-Type-Options nosniff\nfile_server {\nprecompressed gzip\n}\n}\n", public)
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
		servers = append(servers, run("caddy", "127.0.0.1:18804", []string{"XDG_DATA_HOME=" + dir, "XDG_CONFIG_HOME=" + dir}, caddy, "run", "--config", config, "--adapter", "caddyfile"))
	}
	return servers
}

// family returns a process and its children, which are nginx's workers.
func family(pid int) []int {
	pids := []int{pid}
	list, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid)) // none elsewhere
	for _, f := range strings.Fields(string(list)) {
		if child, err := strconv.Atoi(f); err == nil {
			pids = append(pids, child)
		}
	}
	return pids
}

// ticks is the processor time of a server in clock ticks; 0 where there is no /proc.
func (s server) ticks() (sum float64) {
	for _, pid := range s.pids {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, after, _ := strings.Cut(string(stat), ") ")
		if f := strings.Fields(after); len(f) > 12 {
			user, _ := strconv.ParseFloat(f[11], 64)
			system, _ := strconv.ParseFloat(f[12], 64)
			sum += user + system
		}
	}
	return sum
}

// compare reports how the edge does beside the others for one file.
func compare(b *testing.B, servers []server, path string, conditional bool) {
	requests := make([][]byte, len(servers))
	for i, s := range servers {
		requests[i] = request(b, s, path, conditional)
	}
	rates, costs := make([][]float64, len(servers)), make([][]float64, len(servers))
	for first := 0; b.Loop(); first++ {
		for n := range servers {
			i := (first + n) % len(servers)
			before := servers[i].ticks()
			count, took := load(b, servers[i].addr, requests[i])
			rates[i] = append(rates[i], float64(count)/took.Seconds())
			costs[i] = append(costs[i], (servers[i].ticks()-before)/float64(count))
		}
	}
	for i, s := range servers {
		b.ReportMetric(median(rates[i]), "req/s-"+s.name)
		b.ReportMetric(median(costs[i])*tick.Seconds()*1e6, "µs-"+s.name)
	}
	for i, s := range servers[1:] {
		b.ReportMetric(median(ratios(rates[0], rates[i+1])), "rate/"+s.name)
		b.ReportMetric(median(ratios(costs[0], costs[i+1])), "cpu/"+s.name)
	}
	for i, s := range servers[2:] { // what a program can reach that does nothing but net/http
		b.ReportMetric(median(ratios(rates[1], rates[i+2])), "rate-net/http/"+s.name)
		b.ReportMetric(median(ratios(costs[1], costs[i+2])), "cpu-net/http/"+s.name)
	}
	b.ReportMetric(0, "ns/op")
}

func ratios(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = a[i] / b[i]
	}
	return out
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// request returns the bytes of a request that the server answers with what is measured.
func request(b *testing.B, s server, path string, conditional bool) []byte {
	head := "GET " + path + " HTTP/1.1\r\nHost: " + s.addr + "\r\nAccept-Encoding: gzip\r\nUser-Agent: bench\r\n"
	want := http.StatusOK
	if conditional {
		r, err := http.NewRequest(http.MethodGet, "http://"+s.addr+path, nil)
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", "gzip")
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
		head += "If-None-Match: " + resp.Header.Get("ETag") + "\r\n"
		want = http.StatusNotModified
	}
	raw := []byte(head + "\r\n")
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write(raw); err != nil {
		b.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != want || !conditional && resp.Header.Get("Content-Encoding") != "gzip" {
		b.Fatalf("%s %s: %s %v", s.name, path, resp.Status, resp.Header)
	}
	return raw
}

// load sends a request over all connections for a turn.
func load(b *testing.B, addr string, request []byte) (count int, took time.Duration) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	started := time.Now()
	for range connections {
		wg.Go(func() {
			n, err := exchange(addr, request, started.Add(turn))
			mu.Lock()
			defer mu.Unlock()
			if count += n; err != nil {
				b.Error(err)
			}
		})
	}
	wg.Wait()
	return count, time.Since(started)
}

var lengthField = []byte("content-length: ")

// exchange repeats a request on one connection until a time.
func exchange(addr string, request []byte, until time.Time) (n int, err error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	r := bufio.NewReaderSize(c, 64<<10)
	for time.Now().Before(until) {
		if _, err := c.Write(request); err != nil {
			return n, err
		}
		length := 0
		for {
			line, err := r.ReadSlice('\n')
			if err != nil {
				return n, err
			}
			if len(line) <= 2 {
				break
			}
			if len(line) > len(lengthField) && bytes.EqualFold(line[:len(lengthField)], lengthField) {
				if length, err = strconv.Atoi(string(bytes.TrimSpace(line[len(lengthField):]))); err != nil {
					return n, err
				}
			}
		}
		if _, err := r.Discard(length); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
