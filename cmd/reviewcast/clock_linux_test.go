package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reviewcast"
	"reviewcast/bench/storetest"
)

// stepped builds the program with a clock that can be stepped: time.Now adds the seconds in the file that CLOCK_STEP
// names. Monotonic readings stay, as they do when a machine's clock is set. The standard library's time.go is replaced
// for this program only; nothing of it is in ours.
func stepped(t *testing.T) string {
	dir := t.TempDir()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	original := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	const begins = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(source), begins) != 1 {
		t.Fatalf("%s: time.Now doesn't begin with %q any more; change what is replaced here", original, begins)
	}
	replaced := map[string]string{}
	replace := func(file, text string) {
		other := filepath.Join(dir, fmt.Sprint(len(replaced), ".go"))
		writeFile(t, other, text)
		replaced[file] = other
	}
	replace(original, strings.Replace(string(source), begins, "// Step is added to the wall clock, in seconds.\nvar Step int64\n\n"+begins+"\tsec += Step\n", 1))
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	replace(filepath.Join(here, "clockstep.go"), `package main

import (
	"fmt"
	"os"
	"time"
)

func init() {
	follow := func() {
		text, _ := os.ReadFile(os.Getenv("CLOCK_STEP"))
		_, _ = fmt.Sscan(string(text), &time.Step)
	}
	follow()
	go func() {
		for range time.Tick(10 * time.Millisecond) {
			follow()
		}
	}()
}
`)
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "overlay.json"), string(overlay))
	program := filepath.Join(dir, "stepped")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestFaultClock: the clock is stepped while the edge runs, and between two runs. Every answer is right meanwhile, no
// subscription is lost, and everybody gets each version.
func TestFaultClock(t *testing.T) {
	const day = 24 * time.Hour
	faults(t)
	program := stepped(t)
	for name, state := range map[string]func(testing.TB) string{"sqlite": storetest.SQLite, "postgres": storetest.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // mostly waits
			s := newFaultSite(t, 60)
			s.program = program
			clock := filepath.Join(t.TempDir(), "step")
			step := func(by time.Duration) {
				// Renamed, so that it is never read empty.
				writeFile(t, clock+".new", fmt.Sprint(int64(by.Seconds())))
				if err := os.Rename(clock+".new", clock); err != nil {
					t.Fatal(err)
				}
			}
			step(0)
			s.env = []string{"REVIEWCAST_STATE=" + state(t), "CLOCK_STEP=" + clock}
			s.start()
			s.has(s.site.Files.Manifest().Sequence)
			const subscribers = 10
			pushed := s.subscribers(subscribers)
			delivered := func(when string) {
				s.has(s.publish())
				s.until("all have the version "+when, func() bool { return pushed.all(subscribers, s.site.Files[reviewcast.PathLatestChange]) })
			}
			delivered("before any step")
			stop := s.checking()
			for _, by := range []time.Duration{2 * time.Hour, 0, -day, day, 0} {
				step(by)
				s.until(fmt.Sprintf("the clock is stepped by %s", by), func() bool { return s.ahead(by) })
				delivered(fmt.Sprintf("when the clock is %s ahead", by))
			}
			stop()
			for _, by := range []time.Duration{-2 * time.Hour, day, 0} {
				s.kill()
				step(by)
				s.start()
				s.until(fmt.Sprintf("the clock is stepped by %s", by), func() bool { return s.ahead(by) })
				delivered(fmt.Sprintf("when the clock was %s ahead at a start", by))
			}
		})
	}
}

// ahead reports whether the edge's clock is ahead by so much, as its Date says.
func (s *faultSite) ahead(by time.Duration) bool {
	resp, err := s.ask(http.DefaultClient, reviewcast.PathManifest)
	if err != nil {
		return false
	}
	resp.Body.Close()
	date, err := http.ParseTime(resp.Header.Get("Date"))
	return err == nil && (time.Until(date)-by).Abs() < 10*time.Second
}
