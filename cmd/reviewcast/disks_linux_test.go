package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/mirrortest"
	"reviewcast/internal/mirror"
)

// disk mounts a disk for the copy of the edge.
func (s *faultSite) disk(mount ...string) string {
	s.Helper()
	disk := filepath.Join(s.dir, "disk")
	if err := os.Mkdir(disk, 0o755); err != nil {
		s.Fatal(err)
	}
	if out, err := exec.Command("mount", append(mount, disk)...).CombinedOutput(); err != nil {
		if os.Getenv("TEST_POSTGRES_URL") != "" { // as in CI, where nothing may be left out
			s.Fatalf("no disk: %v %s", err, out)
		}
		s.Skipf("no disk: %v %s", err, out)
	}
	s.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	s.args[slices.Index(s.args, "--public")+1] = filepath.Join(disk, "copy")
	return disk
}

// TestFaultDiskFull: the disks of the copy and of the state are full, also at a start.
func TestFaultDiskFull(t *testing.T) {
	t.Parallel() // mostly waits
	s := newFaultSite(t, 200)
	disk := s.disk("-t", "tmpfs", "-o", "size=16m", "tmpfs")
	s.args = append(s.args, "--state", filepath.Join(disk, "hub.sqlite"))
	s.start()
	s.has(s.site.Files.Manifest().Sequence)
	pushed := s.subscribers(1)
	written := func(files mirrortest.Files) func() bool {
		return func() bool {
			set, err := (&mirror.Copy{Dir: filepath.Join(disk, "copy"), Follower: mirror.Follower{Scope: mirror.Data}}).Read(t.Context())
			return err == nil && bytes.Equal(set.Files[reviewcast.PathManifest], files[reviewcast.PathManifest])
		}
	}
	old := s.site.Files
	s.until("the copy is written", written(old))
	stop := s.checking()
	s.fill(disk)
	s.has(s.publish())
	s.until("the full disk is logged", func() bool { return strings.Contains(s.edge.Log(), "no space left") })
	if !written(old)() {
		t.Error("the copy is not the old version")
	}
	if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
		t.Fatal(err)
	}
	s.until("the copy is written when there is room", written(s.site.Files))
	s.until("what was published is delivered when there is room", func() bool { return pushed.all(1, s.site.Files[reviewcast.PathLatestChange]) })
	stop()

	s.kill()
	s.fill(disk)
	last := s.publish()
	s.start()
	s.has(last)
	if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
		t.Fatal(err)
	}
	s.until("the copy is written when there is room", written(s.site.Files))
	s.until("what was published is delivered when there is room", func() bool { return pushed.all(1, s.site.Files[reviewcast.PathLatestChange]) })
}

// fill fills a disk.
func (s *faultSite) fill(disk string) {
	f, err := os.Create(filepath.Join(disk, "filler"))
	if err != nil {
		s.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
}

// TestFaultHungDisk: the disk of the copy or of the state answers no write for a while, as a frozen file system does.
func TestFaultHungDisk(t *testing.T) {
	t.Parallel() // mostly waits
	t.Run("copy", func(t *testing.T) {
		t.Parallel()
		s := newFaultSite(t, 200)
		disk := s.hangingDisk()
		s.start()
		s.has(s.site.Files.Manifest().Sequence)
		pushed := s.subscribers(1)
		s.until("the copy is written", func() bool { _, err := os.Stat(filepath.Join(disk, "copy", "manifest.json")); return err == nil })
		stop := s.checking()

		s.command("fsfreeze", "-f", disk)
		old := s.site.Files.Manifest().Sequence
		next := s.publish()
		s.ping()
		s.until("/readyz says that the look hangs", func() bool {
			_, ready := s.get(s.admin + "/readyz")
			return strings.Contains(ready, "a look at it has not ended for ")
		})
		if s.metric("reviewcast_origin_up") != 0 {
			t.Error("the origin counts as up")
		}
		if s.metric("reviewcast_files_sequence") != float64(old) {
			t.Error("the old version is not served")
		}
		s.command("fsfreeze", "-u", disk)
		t.Logf("recovered after %s", s.has(next).Round(time.Millisecond))
		s.until("what was published is delivered", func() bool { return pushed.all(1, s.site.Files[reviewcast.PathLatestChange]) })
		stop()

		s.command("fsfreeze", "-f", disk)
		s.hangs()
		s.stopsHung(disk, "the copy is still being written")
	})
	t.Run("state", func(t *testing.T) {
		t.Parallel()
		s := newFaultSite(t, 200)
		disk := s.hangingDisk()
		s.args[slices.Index(s.args, "--public")+1] = filepath.Join(s.dir, "copy")
		s.args = append(s.args, "--state", filepath.Join(disk, "hub.sqlite"))
		s.env = append(s.env, "GOGC=5") // a collection that waits for the disk would stop everything
		s.start()
		s.has(s.site.Files.Manifest().Sequence)
		pushed := s.subscribers(1)
		stop := s.checking()
		for range 2 {
			s.command("fsfreeze", "-f", disk)
			began := time.Now()
			if status := s.request(pushed.callback); status != http.StatusServiceUnavailable {
				t.Errorf("a request while the disk hangs is answered %d", status)
			}
			t.Logf("refused after %s", time.Since(began).Round(time.Millisecond))
			if took := time.Since(began); took > 5*time.Second { // two, on a machine with time
				t.Errorf("a request while the disk hangs is answered after %s", took)
			}
			s.has(s.publish())
			time.Sleep(10 * time.Second) // how long the fault lasts
			if _, ready := s.get(s.admin + "/readyz"); !strings.Contains(ready, `"hub":"the hub's state can't be written`) {
				t.Errorf("/readyz says %s", ready)
			}
			s.command("fsfreeze", "-u", disk)
			s.until("what was published is delivered", func() bool { return pushed.all(1, s.site.Files[reviewcast.PathLatestChange]) })
		}
		stop()

		s.command("fsfreeze", "-f", disk)
		s.hangs()
		s.stopsHung(disk, "the hub's state is still being written")

		s.command("fsfreeze", "-f", disk)
		s.start()
		s.has(s.site.Files.Manifest().Sequence)
		if status := s.request(pushed.callback); status != http.StatusServiceUnavailable {
			t.Errorf("a request after a start while the disk hangs is answered %d", status)
		}
		s.command("fsfreeze", "-u", disk)
		last := s.publish()
		s.has(last)
		s.until("what was published is delivered", func() bool { return pushed.all(1, s.site.Files[reviewcast.PathLatestChange]) })
	})
}

// hangingDisk mounts a disk that fsfreeze can make hang.
func (s *faultSite) hangingDisk() string {
	image := filepath.Join(s.dir, "image")
	if err := os.WriteFile(image, nil, 0o600); err != nil || os.Truncate(image, 64<<20) != nil {
		s.Fatal("no image of a disk")
	}
	s.command("mkfs.ext4", "-q", "-F", image)
	disk := s.disk("-o", "loop", image)
	s.Cleanup(func() { _ = exec.Command("fsfreeze", "-u", disk).Run() }) // or the edge can't be killed
	return disk
}

// hangs waits until a thread of the edge has waited for a disk for a second.
func (s *faultSite) hangs() {
	s.Helper()
	ran := time.Now()
	s.until("the edge hangs", func() bool {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", s.edge.PID())) // the pattern is valid
		if !slices.ContainsFunc(threads, func(name string) bool {
			status, _ := os.ReadFile(name)
			return bytes.Contains(status, []byte("\nState:\tD"))
		}) {
			ran = time.Now()
		}
		return time.Since(ran) > time.Second
	})
}

// stopsHung tells an edge whose disk hangs to stop.
func (s *faultSite) stopsHung(disk, says string) {
	ended := make(chan error)
	go func() { ended <- s.edge.Stop(syscall.SIGTERM) }()
	s.until("it stops to listen and to wait for the disk", func() bool {
		status, _ := s.get(s.hub + reviewcast.PathManifest)
		return status == 0 && strings.Contains(s.edge.Log(), says)
	})
	s.command("fsfreeze", "-u", disk) // the kernel ends no process before
	if err := <-ended; err != nil {
		s.Errorf("the edge ended with %v\n%s", err, s.edge.Log())
	}
}

// request asks the hub for a subscription.
func (s *faultSite) request(callback string) int {
	s.Helper()
	resp, err := http.PostForm(s.hub+reviewcast.PathHub, url.Values{"hub.mode": {"subscribe"}, "hub.topic": {s.base + reviewcast.PathLatestChange}, "hub.callback": {callback}})
	if err != nil {
		s.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// command runs a program that must succeed.
func (s *faultSite) command(name string, args ...string) {
	s.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		s.Fatalf("%s %s: %v %s", name, args, err, out)
	}
}
