package hub

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// A state that can't be written any more is known within two seconds, and so is its return.
func TestHealth(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount a file system")
	}
	for name, fault := range map[string]func(t *testing.T, dir string) (repair func()){
		"full disk": fillDisk,
		"read-only": mountReadOnly,
		"immutable": makeImmutable,
		"file removed": func(t *testing.T, dir string) func() {
			move(t, filepath.Join(dir, "hub.sqlite"), filepath.Join(dir, "away"))
			return func() { move(t, filepath.Join(dir, "away"), filepath.Join(dir, "hub.sqlite")) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			roots(t)
			dir := t.TempDir()
			if name == "full disk" || name == "read-only" {
				if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
					t.Skipf("mount: %v", err)
				}
				t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
			}
			synctest.Test(t, func(t *testing.T) {
				net := &pipes{}
				r := newRig(t, filepath.Join(dir, "hub.sqlite"), func(c *Config) { c.Dial = net.dial })
				subscribe := func(want int) {
					t.Helper()
					callback, _ := at(0)
					if w := r.post(url.Values{"hub.mode": {"subscribe"}, "hub.topic": {atom}, "hub.callback": {callback}}); w.Code != want {
						t.Errorf("a request is answered %d, want %d", w.Code, want)
					}
				}
				subscribe(http.StatusAccepted)
				synctest.Wait() // what the request started opens files; none may be open on a mount that becomes read-only
				repair := fault(t, dir)
				time.Sleep(2 * DefaultPollInterval)
				synctest.Wait()
				if err := r.Health(); !errors.Is(err, ErrState) {
					t.Errorf("two seconds after the fault: %v", err)
				}
				subscribe(http.StatusServiceUnavailable)
				repair()
				time.Sleep(2 * DefaultPollInterval)
				synctest.Wait()
				if err := r.Health(); err != nil {
					t.Errorf("two seconds after its end: %v", err)
				}
				subscribe(http.StatusAccepted)
				r.stop()
			})
		})
	}
}

// fillDisk leaves no byte free.
func fillDisk(t *testing.T, dir string) func() {
	name := filepath.Join(dir, "full")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err = nil; err == nil; {
		_, err = f.Write(make([]byte, 4096))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(name); err != nil {
			t.Error(err)
		}
	}
}

// mountReadOnly mounts the directory onto itself: a file system can't be made read-only
// while a file on it is open for writing.
func mountReadOnly(t *testing.T, dir string) func() {
	if err := syscall.Mount(dir, dir, "", syscall.MS_BIND, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if err := syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	// The hub may have a file open on the mount, so it can't be unmounted here.
	return func() {
		if err := syscall.Mount("", dir, "", syscall.MS_BIND|syscall.MS_REMOUNT, ""); err != nil {
			t.Error(err)
		}
	}
}

func makeImmutable(t *testing.T, dir string) func() {
	chattr := func(flag string) error { return exec.Command("chattr", flag, filepath.Join(dir, "hub.sqlite")).Run() }
	if err := chattr("+i"); err != nil {
		t.Skipf("chattr: %v", err)
	}
	repair := func() { _ = chattr("-i") }
	t.Cleanup(repair) // before the directory is removed
	return repair
}

func move(t *testing.T, from, to string) {
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
