package mirror_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"reviewcast/bench/mirrortest"
	"reviewcast/internal/mirror"
)

// TestServers follows histories through other people's static servers, those that
// are installed. MIRROR_SERVERS is the number of histories through each; without it
// the test is skipped, since it takes minutes.
func TestServers(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv("MIRROR_SERVERS"))
	if err != nil {
		t.Skip("MIRROR_SERVERS is not a number of histories")
	}
	for i, server := range []struct {
		name    string
		command func(t *testing.T, root, port string) []string
	}{
		{"nginx", nginx},
		{"caddy", func(_ *testing.T, root, port string) []string {
			return []string{"file-server", "--root", root, "--listen", "127.0.0.1:" + port}
		}},
		{"python3", func(_ *testing.T, root, port string) []string {
			return []string{"-m", "http.server", "--bind", "127.0.0.1", "--directory", root, port}
		}},
	} {
		t.Run(server.name, func(t *testing.T) {
			t.Parallel()
			exe, err := exec.LookPath(server.name)
			if err != nil {
				t.Skipf("%s is not installed", server.name)
			}
			root := filepath.Join(t.TempDir(), "current")
			url := startServer(t, exe, server.command, root)
			versions := 0
			for seed := range uint64(n) { // no two servers have the same history
				versions += followThrough(t, uint64(i*n)+seed, root, url)
			}
			t.Logf("%d histories, %d versions", n, versions)
		})
	}
}

// nginx writes a configuration and returns the arguments that use it.
func nginx(t *testing.T, root, port string) []string {
	dir := t.TempDir()
	conf := filepath.Join(dir, "nginx.conf")
	text := fmt.Sprintf(`user root; daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log;
events {}
http {
	types { application/json json; text/html html; text/plain txt; }
	access_log off; gzip on; gzip_types application/json text/plain; gzip_min_length 0;
	client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy; fastcgi_temp_path %[1]s/fcgi; uwsgi_temp_path %[1]s/uwsgi; scgi_temp_path %[1]s/scgi;
	server { listen 127.0.0.1:%[2]s; root %[3]s; }
}
`, dir, port, root)
	if err := os.WriteFile(conf, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"-c", conf, "-e", filepath.Join(dir, "error.log")}
}

// startServer starts a server on a free port and returns its URL when it answers.
func startServer(t *testing.T, exe string, command func(t *testing.T, root, port string) []string, root string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(addr)
	expose(t, root, mirrortest.Files{"/ready.txt": []byte("ready\n")}, time.Now())
	cmd := exec.Command(exe, command(t, root, port)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // killed, nginx leaves its workers running
		_ = cmd.Wait()
	})
	url := "http://" + addr
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) { // no measure of time
		if resp, err := http.Get(url + "/ready.txt"); err == nil {
			resp.Body.Close()
			return url
		}
	}
	t.Fatalf("%s does not answer", exe)
	return ""
}

// expose makes files what the symbolic link root leads to. Their time is that of the
// publication: the servers make ETags out of time and size.
func expose(t *testing.T, root string, files mirrortest.Files, at time.Time) {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(root), "version")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // the workers of a server may be another user
		t.Fatal(err)
	}
	for path, body := range files {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, body, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := os.Readlink(root)
	if err := os.Symlink(dir, dir+".link"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir+".link", root); err != nil {
		t.Fatal(err)
	}
	if before != "" {
		_ = os.RemoveAll(before)
	}
}

// followThrough follows one history and returns the number of its versions.
func followThrough(t *testing.T, seed uint64, root, url string) int {
	t.Helper()
	h := newHistory(t, seed, []int{0, 2, 30, 120}[seed%4])
	source, err := mirror.Open(url, mirror.Config{})
	if err != nil {
		t.Fatal(err)
	}
	f := &mirror.Follower{Source: source, Scope: []mirror.Scope{mirror.All, mirror.Data}[seed/4%2]}
	var have *mirror.Set
	for range 6 {
		expose(t, root, h.site.Files, h.site.Now)
		set, _, err := f.Update(t.Context(), have)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, h.log)
		}
		if d := difference(set, h.site.Files); d != "" {
			t.Fatalf("seed %d: %s\n%s", seed, d, h.log)
		}
		have = set
		h.step()
	}
	return len(h.versions)
}
