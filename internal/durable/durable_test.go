package durable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"reviewcast/bench/edgetest"
)

const last = "manifest.json"

// childEnv names the directory that the test binary replaces as a child process,
// see TestKill.
const childEnv = "DURABLE_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		child(dir)
		return
	}
	os.Exit(m.Run())
}

var (
	oldSet = map[string]string{last: "old", "reviews.json": "old reviews", "feed.xml": "old feed", "gone.json": "gone", "api/feed.json": "same"}
	newSet = map[string]string{last: "new", "reviews.json": "new reviews", "feed.xml": "new feed", "api/feed.json": "same", "more/deep.json": "more"}
)

// ours reports whether a file is in one of the sets.
func ours(name string) bool { return oldSet[name]+newSet[name] != "" }

// replace locks, replaces and unlocks.
func replace(ctx context.Context, dir string, set map[string]string, ours func(string) bool) error {
	d, err := Lock(ctx, dir, last)
	if err != nil {
		return err
	}
	defer d.Unlock()
	files := map[string][]byte{}
	for name, text := range set {
		files[name] = []byte(text)
	}
	_, err = d.Replace(ctx, files, ours)
	return err
}

func mustReplace(t *testing.T, dir string, set map[string]string) {
	t.Helper()
	if err := replace(t.Context(), dir, set, ours); err != nil {
		t.Fatal(err)
	}
}

// read returns every file below dir with its content.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// wantAlone fails if something is left beside dir.
func wantAlone(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(dir) {
			t.Errorf("%s is left beside the directory", e.Name())
		}
	}
}

// eachSwap runs a test with and without the exchange of directories.
func eachSwap(t *testing.T, test func(t *testing.T, never bool)) {
	for name, never := range map[string]bool{"swap": false, "never": true} {
		t.Run(name, func(t *testing.T) {
			if never {
				exchangeDirs = exchangeNever
				defer func() { exchangeDirs = exchange }()
			}
			test(t, never)
		})
	}
}

func exchangeNever(_, _ string) error { return errNoExchange }

// child alternates between the two sets until it is killed.
func child(dir string) {
	if os.Getenv(childEnv+"_NEVER") != "" {
		exchangeDirs = exchangeNever
	}
	fmt.Println("ready")
	for i := 0; ; i++ {
		set := oldSet
		if i%2 == 0 {
			set = newSet
		}
		if err := replace(context.Background(), dir, set, ours); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

// TestKill kills a process that replaces the directory at random moments. The
// directory must then hold the old set or the new one as a whole: at once where
// directories are exchanged, after the next Lock where they are not.
func TestKill(t *testing.T) {
	eachSwap(t, func(t *testing.T, never bool) {
		dir := filepath.Join(t.TempDir(), "public")
		mustReplace(t, dir, oldSet)
		write(t, filepath.Join(dir, ".gitignore"), "*", 0o644)
		with := func(set map[string]string) map[string]string {
			set = maps.Clone(set)
			set[".gitignore"] = "*"
			return set
		}
		start := time.Now()
		mustReplace(t, dir, newSet)
		took := time.Since(start)
		unfinished := 0
		moments := edgetest.Rand(t)
		rounds := 10
		if n, err := strconv.Atoi(os.Getenv("KILLS")); err == nil {
			rounds = n
		}
		for round := 0; round < rounds || unfinished == 0; round++ {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childEnv+"="+dir)
			if never {
				cmd.Env = append(cmd.Env, childEnv+"_NEVER=1")
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(make([]byte, 6)); err != nil { // "ready\n"
				t.Fatal(err)
			}
			time.Sleep(time.Duration(moments.Int64N(int64(2*took + time.Millisecond)))) // the moment of the kill
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
				t.Fatalf("the child ended by itself: %v", cmd.ProcessState)
			}
			if _, err := os.Stat(dir + ".staging"); err == nil {
				unfinished++
			}
			if never {
				wantLast(t, dir)
				d, err := Lock(t.Context(), dir, last)
				if err != nil {
					t.Fatalf("lock after kill %d: %v", round, err)
				}
				d.Unlock()
			}
			got := read(t, dir)
			if !maps.Equal(got, with(oldSet)) && !maps.Equal(got, with(newSet)) {
				t.Fatalf("after kill %d the directory holds neither set: %v", round, got)
			}
		}
		mustReplace(t, dir, newSet)
		if got := read(t, dir); !maps.Equal(got, with(newSet)) {
			t.Errorf("the next write leaves %v", got)
		}
		wantAlone(t, dir)
	})
}

// wantLast fails if a killed process has moved Last before another file.
func wantLast(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir+".staging", commitFile)); err != nil {
		return // nothing is being moved
	}
	staged, got := read(t, dir+".staging"), read(t, dir)
	for name, text := range staged {
		if got[last] == staged[last] && name != commitFile && got[name] != text {
			t.Fatalf("%s is new and %s is not", last, name)
		}
	}
}

// TestRecover builds each state that a killed process can leave and locks the
// directory.
func TestRecover(t *testing.T) {
	const record = `{"move":["api/feed.json","feed.xml","more/deep.json","reviews.json","manifest.json"],"remove":["gone.json"]}`
	staged := func(t *testing.T, dir string, but ...string) {
		for name, text := range newSet {
			write(t, filepath.Join(dir+".staging", name), text, 0o644)
		}
		for _, name := range but {
			os.Remove(filepath.Join(dir+".staging", name))
		}
	}
	for name, test := range map[string]struct {
		left func(t *testing.T, dir string)
		want map[string]string
	}{
		"half staged": {func(t *testing.T, dir string) { staged(t, dir, last, "reviews.json") }, oldSet},
		"staged":      {func(t *testing.T, dir string) { staged(t, dir) }, oldSet},
		"record cut short": {func(t *testing.T, dir string) {
			staged(t, dir)
			write(t, filepath.Join(dir+".staging", commitFile), record[:40], 0o644)
		}, oldSet},
		"committed": {func(t *testing.T, dir string) {
			staged(t, dir)
			write(t, filepath.Join(dir+".staging", commitFile), record, 0o644)
		}, newSet},
		"half moved": {func(t *testing.T, dir string) {
			staged(t, dir)
			write(t, filepath.Join(dir+".staging", commitFile), record, 0o644)
			write(t, filepath.Join(dir, "feed.xml"), newSet["feed.xml"], 0o644)
			write(t, filepath.Join(dir, "more/deep.json.tmp"), "mo", 0o644)
		}, newSet},
		"moved, and half of the removals done": {func(t *testing.T, dir string) {
			staged(t, dir)
			write(t, filepath.Join(dir+".staging", commitFile), record, 0o644)
			for name, text := range newSet {
				write(t, filepath.Join(dir, name), text, 0o644)
			}
			os.Remove(filepath.Join(dir, "gone.json"))
		}, newSet},
		// The record is removed before the files: what is left of them is no work.
		"staging half removed": {func(t *testing.T, dir string) { staged(t, dir, "feed.xml", "more/deep.json") }, oldSet},
		"lock left behind":     {func(t *testing.T, dir string) { write(t, dir+".lock", "", 0o644) }, oldSet},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "public")
			mustReplace(t, dir, oldSet)
			test.left(t, dir)
			d, err := Lock(t.Context(), dir, last)
			if err != nil {
				t.Fatal(err)
			}
			d.Unlock()
			if got := read(t, dir); !maps.Equal(got, test.want) {
				t.Errorf("the directory holds %v, want %v", got, test.want)
			}
			wantAlone(t, dir)
		})
	}
}

func TestReplaceTwiceTouchesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	mustReplace(t, dir, oldSet)
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	mustReplace(t, dir, oldSet)
	after, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("the directories were exchanged although nothing changed")
	}
	// A damaged file is a difference.
	write(t, filepath.Join(dir, "feed.xml"), "damaged", 0o644)
	mustReplace(t, dir, oldSet)
	if got := read(t, dir)["feed.xml"]; got != "old feed" {
		t.Errorf("a damaged file stays: %q", got)
	}
}

// TestUnchangedFilesStay: an unchanged file keeps its inode, and with it the time of its last change.
func TestUnchangedFilesStay(t *testing.T) {
	eachSwap(t, func(t *testing.T, _ bool) {
		dir := filepath.Join(t.TempDir(), "public")
		mustReplace(t, dir, oldSet)
		same, changed := filepath.Join(dir, "api/feed.json"), filepath.Join(dir, "feed.xml")
		stat := func(name string) fs.FileInfo {
			info, err := os.Lstat(name)
			if err != nil {
				t.Fatal(err)
			}
			return info
		}
		before, other := stat(same), stat(changed)
		mustReplace(t, dir, newSet)
		if !os.SameFile(before, stat(same)) {
			t.Error("an unchanged file was written again")
		}
		if os.SameFile(other, stat(changed)) {
			t.Error("a file was changed in place, which every link to it would see")
		}
		// A symbolic link is replaced by the file, although it leads to the same bytes.
		write(t, filepath.Join(dir, "..", "elsewhere"), "same", 0o644)
		if err := errors.Join(os.Remove(same), os.Symlink("../../elsewhere", same)); err != nil {
			t.Fatal(err)
		}
		mustReplace(t, dir, newSet)
		if info := stat(same); !info.Mode().IsRegular() {
			t.Errorf("a link stays in place of a file: %v", info.Mode())
		}
		if got := read(t, dir); !maps.Equal(got, newSet) {
			t.Errorf("the directory holds %v, want %v", got, newSet)
		}
	})
}

// TestNames: a name from a stranger can neither leave the directory nor be taken for
// a commit record.
func TestNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	mustReplace(t, dir, oldSet)
	for _, name := range []string{"../outside", "/outside", "a/../../outside", commitFile} {
		set := maps.Clone(newSet)
		set[name] = `{"remove":["../outside"]}`
		if err := replace(t.Context(), dir, set, ours); err == nil {
			t.Errorf("%s was written", name)
		}
		if got := read(t, dir); !maps.Equal(got, oldSet) {
			t.Errorf("%s: the directory has %v", name, got)
		}
	}
}

func TestKeptFiles(t *testing.T) {
	eachSwap(t, func(t *testing.T, _ bool) {
		dir := filepath.Join(t.TempDir(), "public")
		write(t, filepath.Join(dir, "photos", "cat.jpg"), "meow", 0o600)
		if err := replace(t.Context(), dir, oldSet, ours); err == nil || !strings.Contains(err.Error(), "photos/cat.jpg") {
			t.Errorf("a directory of photos is replaced: %v", err)
		}
		if got := read(t, dir); len(got) != 1 {
			t.Errorf("the refusal wrote something: %v", got)
		}

		// Once the directory is ours, what others put there stays, links too.
		os.RemoveAll(dir)
		mustReplace(t, dir, oldSet)
		write(t, filepath.Join(dir, "CNAME"), "reviews.example.com", 0o600)
		if err := os.Symlink("CNAME", filepath.Join(dir, "alias")); err != nil {
			t.Fatal(err)
		}
		mustReplace(t, dir, newSet)
		info, err := os.Lstat(filepath.Join(dir, "CNAME"))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("CNAME after a write: %v, %v", info, err)
		}
		if to, err := os.Readlink(filepath.Join(dir, "alias")); err != nil || to != "CNAME" {
			t.Errorf("the link after a write: %q, %v", to, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "gone.json")); err == nil {
			t.Error("a file of the old set stays")
		}
		// But a new file does not overwrite one that somebody else put there.
		if err := replace(t.Context(), dir, map[string]string{last: "x", "CNAME": "ours"}, ours); err == nil || !strings.Contains(err.Error(), "CNAME") {
			t.Errorf("somebody else's CNAME is overwritten: %v", err)
		}
	})
}

func TestLockWaits(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "public")
	first, err := Lock(t.Context(), dir, last)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = Lock(ctx, dir, last)
	if err == nil || !strings.Contains(err.Error(), "another process") {
		t.Fatalf("a second lock: %v", err)
	}
	got := make(chan error, 1)
	go func() {
		second, err := Lock(t.Context(), dir, last)
		if err == nil {
			second.Unlock()
		}
		got <- err
	}()
	first.Unlock()
	if err := <-got; err != nil {
		t.Errorf("the second lock after the first: %v", err)
	}
	wantAlone(t, dir)
}

// TestLink: the target of a symbolic link is replaced and not the link.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "public")
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	if err := replace(t.Context(), link, oldSet, ours); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("a link to nothing: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	mustReplace(t, link, oldSet)
	mustReplace(t, link, newSet)
	if to, err := os.Readlink(link); err != nil || to != "real" {
		t.Errorf("the link is %q, %v", to, err)
	}
	if got := read(t, filepath.Join(dir, "real")); !maps.Equal(got, newSet) {
		t.Errorf("its target holds %v", got)
	}
}
