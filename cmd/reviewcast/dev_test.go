package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"reviewcast/bench/corpus"
)

// pageState is an event of dev, as the script of the page reads it.
type pageState struct {
	Build    string
	Message  string
	Total    int
	Problems []struct {
		Severity, File, Message, Suggestion, Source string
		Line, Col, Caret                            int
	}
}

// desk is a running `reviewcast dev`.
type desk struct {
	tb      testing.TB
	url     string
	content string
	public  string
	events  chan pageState // what the page is told
	out     *safeBuffer    // of the terminal, both streams
	process *os.Process
	stop    func() // and wait; the test's end does it, too
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// startDesk starts the program on a folder and reads its events as a page does.
func startDesk(tb testing.TB, content string, args ...string) *desk {
	tb.Helper()
	return startDeskOf(tb, racing(tb), content, args...)
}

// startDeskOf is startDesk with a program of [binary] or [racing].
func startDeskOf(tb testing.TB, program, content string, args ...string) *desk {
	tb.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		tb.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	d := &desk{tb: tb, url: "http://" + addr, content: content, public: filepath.Join(filepath.Dir(content), "public"), out: &safeBuffer{}, events: make(chan pageState, 1000)}
	cmd := exec.Command(program, append([]string{"dev", "--content", content, "--public", d.public, "--listen", addr, "--today", "2027-01-01"}, args...)...)
	cmd.Stdout, cmd.Stderr = d.out, d.out
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	d.process = cmd.Process
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	d.stop = sync.OnceFunc(func() {
		cancel()
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			tb.Errorf("dev ended: %v\n%s", err, d.out)
		}
		wg.Wait()
	})
	tb.Cleanup(d.stop)
	wg.Go(func() { d.listen(ctx) })
	return d
}

// listen reads the events as soon as the server runs.
func (d *desk) listen(ctx context.Context) {
	for ctx.Err() == nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url+"/.reviewcast/events", nil)
		if err != nil {
			return
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			time.Sleep(2 * time.Millisecond) // between two questions, not instead of an answer
			continue
		}
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var s pageState
				if json.Unmarshal([]byte(data), &s) == nil {
					d.events <- s
				}
			}
		}
		resp.Body.Close()
	}
}

// wait reads events until one is accepted.
func (d *desk) wait(what string, will func(pageState) bool) pageState {
	d.tb.Helper()
	deadline := time.After(patience)
	for {
		select {
		case s := <-d.events:
			if will(s) {
				return s
			}
		case <-deadline:
			d.tb.Fatalf("%s: not seen. The terminal shows:\n%s", what, d.out)
		}
	}
}

// get requests a path.
func (d *desk) get(path string) string {
	resp, err := http.Get(d.url + path)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// until waits until the dataset is accepted.
func (d *desk) until(what string, will func(reviews string) bool) {
	d.tb.Helper()
	d.wait(what, func(s pageState) bool { return s.Message == "" && will(d.get("/reviews.json")) })
}

func (d *desk) shows(text string) {
	d.tb.Helper()
	d.until(text, func(s string) bool { return strings.Contains(s, text) })
}

func (d *desk) path(name string) string { return filepath.Join(d.content, filepath.FromSlash(name)) }

func (d *desk) write(name, text string) {
	d.tb.Helper()
	writeFile(d.tb, d.path(name), text)
}

func (d *desk) must(err error) {
	d.tb.Helper()
	if err != nil {
		d.tb.Fatal(err)
	}
}

func writeFile(tb testing.TB, path, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}

// oneReview is a file with one review.
func oneReview(id, text string) string {
	return fmt.Sprintf("- {id: %s, author: Ada L., rating: 5, date: 2026-10-02, text: %q, verification: {method: job}}\n", id, text)
}

// newContent writes a small folder.
func newContent(tb testing.TB) string {
	tb.Helper()
	content := filepath.Join(tb.TempDir(), "content")
	writeFile(tb, filepath.Join(content, "business.yaml"), "id: acme\nname: Acme\n")
	writeFile(tb, filepath.Join(content, "reviews", "first.yaml"), oneReview("first", "The first one."))
	return content
}

// TestSaves changes files as real editors and tools do, with events of the system and
// with polling.
func TestSaves(t *testing.T) {
	for _, mode := range []struct {
		name    string
		program string
		args    []string
	}{{"events", racing(t), nil}, {"poll", binary(t), []string{"--poll", "20ms"}}} {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			d := startDeskOf(t, mode.program, newContent(t), mode.args...)
			d.shows("The first one.")
			target := d.path("reviews/first.yaml")
			for _, save := range []struct {
				name string
				how  func(text string)
			}{
				{"in place, as nano does", func(text string) { d.write("reviews/first.yaml", text) }},
				{"by backup and a new file, as vim does", func(text string) {
					d.write("reviews/4913", "")
					d.must(os.Remove(d.path("reviews/4913")))
					d.must(os.Rename(target, target+"~"))
					d.write("reviews/first.yaml", text)
					d.must(os.Remove(target + "~"))
				}},
				{"by a rename, as gedit and Kate do", func(text string) {
					d.write("reviews/.goutputstream-X1Y2Z3", text)
					d.must(os.Rename(d.path("reviews/.goutputstream-X1Y2Z3"), target))
				}},
				{"by a rename of a name that is no secret, as VS Code and JetBrains do", func(text string) {
					d.write("reviews/first.yaml.tmp", text)
					d.must(os.Rename(d.path("reviews/first.yaml.tmp"), target))
				}},
				{"with a lock beside it, as Emacs does", func(text string) {
					d.must(os.Symlink("ada@desk.4711", d.path("reviews/.#first.yaml")))
					d.write("reviews/#first.yaml#", "half a wo")
					d.write("reviews/first.yaml", text)
					d.must(os.Remove(d.path("reviews/#first.yaml#")))
					d.must(os.Remove(d.path("reviews/.#first.yaml")))
				}},
				{"through a temporary folder, as macOS does", func(text string) {
					d.write("reviews/.sb-1234/first.yaml", text)
					d.must(os.Rename(d.path("reviews/.sb-1234/first.yaml"), target))
					d.must(os.Remove(d.path("reviews/.sb-1234")))
				}},
				{"in two steps, first empty, as redirections do", func(text string) {
					f, err := os.Create(target)
					d.must(err)
					_, err = f.WriteString(text[:20])
					d.must(err)
					_, err = f.WriteString(text[20:])
					d.must(err)
					d.must(f.Close())
				}},
				{"by deleting and writing again", func(text string) {
					d.must(os.Remove(target))
					d.write("reviews/first.yaml", text)
				}},
				{"with the time of another day, as cp -p and rsync do", func(text string) {
					d.write("reviews/first.yaml", text)
					old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
					d.must(os.Chtimes(target, old, old))
				}},
			} {
				save.how(oneReview("first", "Saved "+save.name+"."))
				d.shows("Saved " + save.name + ".")
			}

			d.write("reviews/a/b/c/deep.yaml", oneReview("deep", "In new folders."))
			d.shows("In new folders.")
			d.must(os.Rename(d.path("reviews/a"), d.path("reviews/z")))
			d.write("reviews/z/b/c/d/deeper.yaml", oneReview("deeper", "In a renamed folder."))
			d.shows("In a renamed folder.")
			d.must(os.RemoveAll(d.path("reviews/z")))
			d.until("folders deleted", func(s string) bool { return !strings.Contains(s, "folder") })
			d.must(os.RemoveAll(d.content))
			d.wait("the folder is gone", func(s pageState) bool { return s.Message != "" })
			if !strings.Contains(d.get("/"), "Acme") {
				t.Error("the last good page is gone with the folder")
			}
			d.write("business.yaml", "id: acme\nname: Acme\n")
			d.write("reviews/first.yaml", oneReview("again", "Back again."))
			d.shows("Back again.")
			d.write("reviews/new/more.yaml", oneReview("more", "And more."))
			d.shows("And more.")
		})
	}
}

// TestOverlay breaks a file and fixes it: the page learns what is wrong and where,
// keeps the last good build, and learns when the file is right again.
func TestOverlay(t *testing.T) {
	t.Parallel()
	content := newContent(t)
	writeFile(t, filepath.Join(content, "reviews", "bad.yaml"), "- id: bad\n\trating: 5\n")
	d := startDeskOf(t, binary(t), content)
	s := d.wait("a first build that fails", func(s pageState) bool { return len(s.Problems) > 0 })
	if page := d.get("/"); !strings.Contains(page, "/.reviewcast/preview.js") || s.Build != "" {
		t.Errorf("before the first build: build %q, page\n%s", s.Build, page)
	}
	d.write("reviews/bad.yaml", oneReview("good", "Mended."))
	d.shows("Mended.")
	d.write("reviews/bad.yaml", "- id: good\n  author: Ada L.\n  ratng: 5\n  date: 2026-10-02\n")
	s = d.wait("a mistake", func(s pageState) bool { return len(s.Problems) > 0 })
	p := s.Problems[0]
	if want := d.path("reviews/bad.yaml"); p.File != want || p.Line != 3 || p.Col != 3 || p.Source != "  ratng: 5" || p.Caret != 2 || !strings.Contains(p.Suggestion, `"rating"`) {
		t.Errorf("told %+v, want the place %s", p, want)
	}
	if !strings.Contains(d.get("/reviews.json"), "Mended.") {
		t.Error("the last good output is gone")
	}
	d.write("reviews/bad.yaml", strings.Repeat("- {id: good}\n", 30))
	s = d.wait("many mistakes", func(s pageState) bool { return len(s.Problems) > 1 })
	if len(s.Problems) != 50 || s.Total != 59 {
		t.Errorf("%d of %d problems are shown", len(s.Problems), s.Total)
	}
	d.write("reviews/bad.yaml", oneReview("good", "Mended."))
	d.wait("mended", func(s pageState) bool { return s.Message == "" && len(s.Problems) == 0 && s.Total == 0 })
}

// corpusDesk writes a content folder of n reviews, in a file each or in one file.
func corpusDesk(tb testing.TB, n int, oneFile bool) string {
	tb.Helper()
	content := filepath.Join(tb.TempDir(), "content")
	business, err := json.Marshal(corpus.Business())
	if err != nil {
		tb.Fatal(err)
	}
	writeFile(tb, filepath.Join(content, "business.yaml"), string(business))
	var all bytes.Buffer
	for _, r := range corpus.Reviews(n) {
		m := map[string]any{
			"id": r.ID, "author": r.Author, "rating": r.Rating, "date": r.Date, "language": r.Language, "source": r.Source,
			"verification": map[string]any{"method": r.Verification.Method},
			"technicians":  r.Mentions.Technicians, "services": r.Mentions.Services, "service_areas": r.Mentions.ServiceAreas,
		}
		for name, v := range map[string]*string{"title": r.Title, "text": r.Text, "source_url": r.SourceURL} {
			if v != nil {
				m[name] = *v
			}
		}
		if r.OwnerReply != nil {
			m["owner_reply"] = map[string]any{"text": r.OwnerReply.Text, "date": r.OwnerReply.Date}
		}
		line, err := json.Marshal(m)
		if err != nil {
			tb.Fatal(err)
		}
		if oneFile {
			all.Write(append(line, '\n'))
		} else {
			writeFile(tb, filepath.Join(content, "reviews", r.Date.Month(), r.ID+".yaml"), string(line)+"\n")
		}
	}
	if oneFile {
		writeFile(tb, filepath.Join(content, "reviews", "all.jsonl"), all.String())
	}
	return content
}

// BenchmarkSave measures the time from a saved file to the page that shows it;
// BenchmarkFirstPage that from the start of the program to the first page. The change
// is a review in a file of its own, or a line in the middle of the only data file.
func BenchmarkSave(b *testing.B) {
	each(b, func(b *testing.B, content string) {
		name, before, after := "reviews/mine.yaml", "", ""
		if all, err := os.ReadFile(filepath.Join(content, "reviews", "all.jsonl")); err == nil {
			middle := len(all)/2 + bytes.IndexByte(all[len(all)/2:], '\n') + 1
			name, before, after = "reviews/all.jsonl", string(all[:middle]), string(all[middle:])
		}
		review := func(text string) string {
			if before == "" {
				return strings.Replace(oneReview("mine", text), "2026-10-02", "2026-12-31", 1)
			}
			return before + fmt.Sprintf(`{"id":"mine","author":"Jo K.","rating":5,"date":"2026-12-31","verification":{"method":"job"},"text":%q}`+"\n", text) + after
		}
		d := startDesk(b, content)
		d.wait("the first build", func(s pageState) bool { return s.Build != "" })
		for i := 0; b.Loop(); {
			b.StopTimer()
			if i++; i == 1 {
				d.write(name, review("Not timed."))
				d.wait("the first save", func(s pageState) bool { return strings.Contains(d.get("/"), "Not timed.") })
			}
			time.Sleep(time.Second) // the next save comes when the editor has looked at the page
			text := fmt.Sprintf("Saved for the %dth time.", i)
			data := review(text)
			b.StartTimer()
			d.write(name, data)
			d.wait(text, func(s pageState) bool { return strings.Contains(d.get("/"), text) })
		}
	})
}

func BenchmarkFirstPage(b *testing.B) {
	each(b, func(b *testing.B, content string) {
		for b.Loop() {
			d := startDesk(b, content)
			d.wait("the first build", func(s pageState) bool { return s.Build != "" })
			if !strings.Contains(d.get("/"), "Alder") {
				b.Fatal("no page")
			}
			b.StopTimer()
			d.stop() // or it would still be indexing when the next one starts
			b.StartTimer()
		}
	})
}

func each(b *testing.B, run func(b *testing.B, content string)) {
	for _, n := range []int{1000, 10_000} {
		for _, shape := range []string{"files", "one"} {
			b.Run(fmt.Sprintf("%s/%dk", shape, n/1000), func(b *testing.B) { run(b, corpusDesk(b, n, shape == "one")) })
		}
	}
}
