package main

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestStorm edits a folder at random, as fast as a dozen careless editors could,
// under a running dev, and compares what dev serves in the end with a fresh build:
// byte for byte but for the manifest, whose sequence and times depend on the way,
// and the script that dev adds to pages. It takes STORM, such as 2m, or else a few
// seconds.
func TestStorm(t *testing.T) {
	inCI(t)
	t.Parallel()
	long := 3 * time.Second
	if s := os.Getenv("STORM"); s != "" {
		var err error
		if long, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	s := &storm{Rand: rand.New(rand.NewPCG(seed, 0))}
	s.desk = startDesk(t, newContent(t), "--base-url", "https://reviews.example.com")
	s.shows("The first one.")
	steps := 0
	for end := time.Now().Add(long); time.Now().Before(end); steps++ {
		s.step()
		switch s.IntN(60) { // an editor looks up: some builds get through
		case 0:
			time.Sleep(300 * time.Millisecond)
		case 1, 2:
			time.Sleep(time.Duration(s.IntN(120)) * time.Millisecond)
		}
	}
	// What is wrong at the end is mended, and a last review says that all of it is
	// built.
	s.heal()
	s.write("reviews/last.yaml", oneReview("the-last", "After the storm."))
	s.shows("After the storm.")
	t.Logf("%d edits, the terminal has %d lines", steps, strings.Count(s.out.String(), "\n"))

	fresh := filepath.Join(t.TempDir(), "public")
	cmd := exec.Command(binary(t), "build", "--content", s.content, "--public", fresh, "--base-url", "https://reviews.example.com", "--encodings", "none", "--today", "2027-01-01")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the fresh build: %v\n%s", err, out)
	}
	want, got := filesOf(t, fresh), map[string]string{}
	for name := range want {
		if strings.HasPrefix(name, "changes/") {
			delete(want, name) // dev publishes no version
			continue
		}
		got[name] = previewScript.ReplaceAllString(s.get("/"+strings.TrimSuffix(name, "index.html")), "")
	}
	if differs := difference(got, want); differs != "" {
		t.Errorf("after %d edits %s", steps, differs)
	}
	if _, err := os.Stat(s.public); err == nil {
		t.Error("dev has written files")
	}
}

var previewScript = regexp.MustCompile(`<script src="/\.reviewcast/preview\.js" data-build="[^"]*" defer></script>\n`)

// storm edits.
type storm struct {
	*desk
	*rand.Rand
	n     int
	lines []string // of reviews/many.jsonl
}

// step makes one edit. Names and ids are few, so that they meet.
func (s *storm) step() {
	s.n++
	dir := [...]string{"reviews", "reviews/a", "reviews/a/b", "reviews/c"}[s.IntN(4)]
	name := fmt.Sprintf("%s/f%d", dir, s.IntN(8))
	id := strings.NewReplacer("/", "-").Replace(name)
	switch s.IntN(17) {
	case 0, 1, 2, 3:
		s.write(name+".yaml", oneReview(id, fmt.Sprintf("Edit %d.", s.n)))
	case 4: // atomically
		tmp := s.path(dir + "/.save")
		s.write(dir+"/.save", oneReview(id, fmt.Sprintf("Atomic edit %d.", s.n)))
		_ = os.Rename(tmp, s.path(name+".yaml"))
	case 5: // same size and time as before
		info, err := os.Stat(s.path(name + ".yaml"))
		s.write(name+".yaml", oneReview(id, fmt.Sprintf("Twin %04d.", s.IntN(10000))))
		if err == nil {
			_ = os.Chtimes(s.path(name+".yaml"), info.ModTime(), info.ModTime())
		}
	case 6:
		_ = os.Remove(s.path(name + ".yaml"))
	case 7:
		_ = os.RemoveAll(s.path([...]string{"reviews/a", "reviews/a/b", "reviews/c"}[s.IntN(3)]))
	case 8:
		_ = os.Rename(s.path("reviews/a"), s.path("reviews/c"))
	case 9:
		_ = os.Rename(s.path("reviews/c"), s.path("reviews/a/b"))
	case 10: // a mistake
		s.write(name+".yaml", "- id: "+id+"\n  ratng: 5\n")
	case 11:
		s.write(name+".jsonl", fmt.Sprintf("{\"id\":%q,\"author\":\"Bo\",\"rating\":%d,\"date\":\"2026-01-02\",\"verification\":{\"method\":\"job\"}}\n", id+"-line", 1+s.IntN(5)))
	case 12:
		s.write("business.yaml", fmt.Sprintf("id: acme\nname: Acme %d\n", s.IntN(100)))
	case 14: // a line of many is changed, comes, or goes
		s.line()
	case 15: // in two writes, with a moment between them
		text := oneReview(id, fmt.Sprintf("Slow edit %d.", s.n))
		if f, err := os.Create(s.path(name + ".yaml")); err == nil {
			_, _ = f.WriteString(text[:len(text)/2])
			time.Sleep(time.Duration(s.IntN(8)) * time.Millisecond)
			_, _ = f.WriteString(text[len(text)/2:])
			_ = f.Close()
		}
	case 16: // a list, as people write it
		s.write(name+".yaml", fmt.Sprintf("# Two of them.\n- id: %s\n  author: Ada L.\n  rating: %d\n  date: 2026-10-02\n  text: |\n    Edit %d.\n\n    And more.\n  verification:\n    method: job\n\n- id: %[1]s-too\n  author: 'It''s me'\n  rating: 5\n  date: 2026-10-03\n", id, 1+s.IntN(5), s.n))
	case 13: // the whole folder goes and comes back
		if s.IntN(20) == 0 {
			away := s.content + ".away"
			if os.Rename(s.content, away) == nil {
				_ = os.Rename(away, s.content)
			}
		}
	}
}

// line edits one line of a data file.
func (s *storm) line() {
	line := fmt.Sprintf(`{"id":"line-%d","author":"Bo","rating":%d,"date":"2026-01-%02d","verification":{"method":"job"},"text":"Edit %d of a line."}`, s.n, 1+s.IntN(5), 1+s.IntN(28), s.n)
	at := s.IntN(len(s.lines) + 1)
	switch {
	case at == len(s.lines) || len(s.lines) < 20:
		s.lines = slices.Insert(s.lines, at, line)
	case s.IntN(3) == 0:
		s.lines = slices.Delete(s.lines, at, at+1)
	default:
		s.lines[at] = line
	}
	s.write("reviews/many.jsonl", strings.Join(s.lines, "\n")+"\n")
}

// heal takes away every file that a build would refuse: mistakes, and reviews
// that stand in two places.
func (s *storm) heal() {
	seen := map[string]bool{}
	_ = filepath.WalkDir(s.path("reviews"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		s.must(err)
		ids := idForm.FindAllString(strings.NewReplacer(`"`, "", ":", ": ").Replace(string(data)), -1)
		if strings.Contains(string(data), "ratng") || slices.ContainsFunc(ids, func(id string) bool { return seen[id] }) {
			s.must(os.Remove(path))
			return nil
		}
		for _, id := range ids {
			seen[id] = true
		}
		return nil
	})
}

var idForm = regexp.MustCompile(`\bid: *[\w-]+`)

// filesOf reads a published folder but its manifest.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if rel, rerr := filepath.Rel(dir, path); err == nil && rerr == nil && rel != "manifest.json" {
			files[filepath.ToSlash(rel)] = string(data)
		}
		return nil
	})
	return files
}

func difference(got, want map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		body := want[name]
		if got[name] != body {
			have, at := got[name], 0
			for at < min(len(have), len(body)) && have[at] == body[at] {
				at++
			}
			around := func(s string) string { return s[max(0, at-60):min(len(s), at+60)] }
			return fmt.Sprintf("%s differs at byte %d: it has\n%s\nand a fresh build\n%s", name, at, around(have), around(body))
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("there are %d files, want %d", len(got), len(want))
	}
	return ""
}
