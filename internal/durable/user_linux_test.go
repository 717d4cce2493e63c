package durable

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAnotherUser replaces a set with a folder that can't be changed, as after a command with sudo. Root, who may
// change everything, runs it as another user.
func TestAnotherUser(t *testing.T) {
	dir := t.TempDir()
	if os.Getuid() == 0 {
		asNobody(t, dir)
		return
	}
	dir = filepath.Join(dir, "public")
	mustReplace(t, dir, oldSet)
	api := filepath.Join(dir, "api")
	chmod(t, api, 0o555)
	for range 2 {
		err := replace(t.Context(), dir, newSet, ours)
		if err == nil || !strings.Contains(err.Error(), api+" can't be changed") {
			t.Errorf("replace: %v, want that the folder can't be changed", err)
		}
		if got := read(t, dir); !maps.Equal(got, oldSet) {
			t.Errorf("the directory holds %v, want the old set", got)
		}
		wantAlone(t, dir)
	}
	chmod(t, api, 0o755)
	mustReplace(t, dir, newSet)
}

// asNobody runs the test as the user nobody, with a copy of the test binary in dir, which nobody may enter.
func asNobody(t *testing.T, dir string) {
	binary, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "test"), string(binary), 0o755)
	for _, open := range []string{dir, filepath.Dir(dir)} {
		chmod(t, open, 0o755)
	}
	run := exec.Command(filepath.Join(dir, "test"), "-test.run=^"+t.Name()+"$", "-test.v")
	run.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	run.Env = append(os.Environ(), "TMPDIR=/tmp")
	if out, err := run.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("as nobody: %v\n%s", err, out)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}
