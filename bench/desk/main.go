// Desk compares an editor's builds with Hugo's and Eleventy's: the same 10,000
// reviews, in a file each and in one data file, to the same reviews.json.
//
//	go run ./bench/desk -hugo HUGO -eleventy DIR
//
// HUGO is a binary of Hugo v0.164.0 (go install github.com/gohugoio/hugo@v0.164.0),
// DIR a folder with node_modules of @11ty/eleventy and js-yaml. Each cold build is a
// new process over an empty output folder, the best of -n. All three write
// reviews.json only, without insights; `reviewcast build` with all its files, feeds
// and insights stands beside them. The three files are held against each other
// before anything is timed. A rebuild, after one review has changed, is that of the
// running `reviewcast dev` (until its page shows the change), and of the two others
// in their watch modes (until their file does).
package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/bench/corpus"
)

//go:embed hugo eleventy
var templates embed.FS

func main() {
	hugo := flag.String("hugo", "hugo", "the hugo binary")
	eleventy := flag.String("eleventy", "", "a folder with node_modules")
	n := flag.Int("n", 5, "builds of each, of which the best counts")
	reviews := flag.Int("reviews", 10_000, "how many reviews")
	flag.Parse()
	dir, err := os.MkdirTemp("", "desk-*")
	if err == nil {
		b := &bench{dir: dir, hugo: *hugo, modules: *eleventy, n: *n, count: *reviews}
		err = errors.Join(b.run(), os.RemoveAll(dir))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type bench struct {
	dir, hugo, modules string
	n, count           int
	reviewcast, plain  string
}

// tool is one contender in one shape.
type tool struct {
	name    string
	dir     string // where it works
	out     string // the folder it writes
	file    string // reviews.json
	cold    []string
	watch   []string // nil: none
	changed string   // the file of the review that changes, in all shapes but one
}

func (b *bench) run() error {
	b.reviewcast, b.plain = filepath.Join(b.dir, "reviewcast"), filepath.Join(b.dir, "plain")
	for _, c := range []struct{ out, pkg string }{{b.reviewcast, "./cmd/reviewcast"}, {b.plain, "./bench/desk/plain"}} {
		if out, err := exec.Command("go", "build", "-o", c.out, c.pkg).CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", c.pkg, err, out)
		}
	}
	for _, one := range []bool{false, true} {
		tools, err := b.write(one)
		if err != nil {
			return err
		}
		shape := "a file for each review"
		if one {
			shape = "one data file"
		}
		if err := b.compare(shape, tools); err != nil {
			return err
		}
	}
	return nil
}

// write lays out the folders of all contenders.
func (b *bench) write(one bool) ([]tool, error) {
	root := filepath.Join(b.dir, map[bool]string{false: "files", true: "one"}[one])
	var tools []tool
	business, err := json.Marshal(corpus.Business())
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	list := corpus.Reviews(b.count)
	for _, r := range list {
		line, err := json.Marshal(kept(r))
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	fill := func(dir, all string) error {
		if one {
			data := append(bytes.Join(lines, []byte("\n")), '\n')
			if strings.HasSuffix(all, ".json") {
				data = append(append([]byte("["), bytes.Join(lines, []byte(",\n"))...), ']')
			}
			return put(filepath.Join(dir, all), data)
		}
		for i, r := range list {
			if err := put(filepath.Join(dir, "reviews", r.Date.Month(), r.ID+".yaml"), append(lines[i], '\n')); err != nil {
				return err
			}
		}
		return nil
	}
	first := filepath.Join("reviews", list[0].Date.Month(), list[0].ID+".yaml")
	pick := func(dir, all string) string {
		if one {
			return filepath.Join(dir, all)
		}
		return filepath.Join(dir, first)
	}

	ours := filepath.Join(root, "reviewcast")
	content := filepath.Join(ours, "content")
	err = errors.Join(fill(content, "reviews/all.jsonl"), put(filepath.Join(content, "business.yaml"), business), os.MkdirAll(filepath.Join(ours, "out"), 0o755))
	tools = append(tools,
		tool{name: "reviewcast, reviews.json only", dir: ours, out: filepath.Join(ours, "out"), file: filepath.Join(ours, "out", "reviews.json"), cold: []string{b.plain, "content", "out/reviews.json"}},
		tool{name: "reviewcast build, everything", dir: ours, out: filepath.Join(ours, "public"), file: filepath.Join(ours, "public", "reviews.json"),
			cold:    []string{b.reviewcast, "build", "--base-url", "https://reviews.example.com", "--encodings", "none", "--today", "2027-01-01"},
			watch:   []string{b.reviewcast, "dev", "--listen", "localhost:18099", "--base-url", "https://reviews.example.com", "--today", "2027-01-01"},
			changed: pick(content, "reviews/all.jsonl")})

	h := filepath.Join(root, "hugo")
	err = errors.Join(err, fill(filepath.Join(h, "data"), "all.json"), put(filepath.Join(h, "data", "business.json"), business),
		copyOut("hugo/index.json", filepath.Join(h, "layouts", "index.json")), copyOut("hugo/hugo.toml", filepath.Join(h, "hugo.toml")))
	tools = append(tools, tool{name: "Hugo", dir: h, out: filepath.Join(h, "public"), file: filepath.Join(h, "public", "reviews.json"),
		cold: []string{b.hugo, "--quiet"}, watch: []string{b.hugo, "--watch", "--quiet"}, changed: pick(filepath.Join(h, "data"), "all.json")})

	if b.modules != "" {
		e := filepath.Join(root, "eleventy")
		modules, aerr := filepath.Abs(filepath.Join(b.modules, "node_modules"))
		err = errors.Join(err, aerr, fill(filepath.Join(e, "src", "_data"), "all.json"), put(filepath.Join(e, "src", "_data", "business.json"), business),
			copyOut("eleventy/reviews.11ty.js", filepath.Join(e, "src", "reviews.11ty.js")), copyOut("eleventy/eleventy.config.cjs", filepath.Join(e, "eleventy.config.cjs")),
			os.Symlink(modules, filepath.Join(e, "node_modules")))
		bin := filepath.Join(modules, ".bin", "eleventy")
		tools = append(tools, tool{name: "Eleventy", dir: e, out: filepath.Join(e, "public"), file: filepath.Join(e, "public", "reviews.json"),
			cold: []string{bin, "--quiet"}, watch: []string{bin, "--watch", "--quiet"}, changed: pick(filepath.Join(e, "src", "_data"), "all.json")})
	}
	return tools, err
}

// compare checks that all write the same, then times them in turn, so that what
// the machine does besides falls on all.
func (b *bench) compare(shape string, tools []tool) error {
	best := make([]time.Duration, len(tools))
	var want any
	for i := range b.n {
		for j, t := range tools {
			if err := errors.Join(os.RemoveAll(t.out), os.MkdirAll(t.out, 0o755)); err != nil {
				return err
			}
			start := time.Now()
			if out, err := command(t.dir, t.cold).CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w\n%s", t.name, err, out)
			}
			if took := time.Since(start); i == 0 || took < best[j] {
				best[j] = took
			}
			if i == 0 {
				got, err := dataset(t.file)
				if err != nil {
					return fmt.Errorf("%s: %w", t.name, err)
				}
				if want == nil {
					want = got
				} else if t.name != "reviewcast build, everything" && !reflect.DeepEqual(got, want) {
					return fmt.Errorf("%s writes another reviews.json: %s", t.name, where(want, got, ""))
				}
			}
		}
	}
	for j, t := range tools {
		line := fmt.Sprintf("%-24s %-32s cold %8s", shape, t.name, best[j].Round(time.Millisecond))
		if t.watch != nil {
			took, err := b.rebuild(t)
			if err != nil {
				line += "   rebuild " + err.Error()
			} else {
				line += fmt.Sprintf("   rebuild %8s", took.Round(time.Millisecond))
			}
		}
		fmt.Println(line)
	}
	return nil
}

// rebuild starts the tool's watch mode and times the way from a changed review to
// what is served or written, best of n.
func (b *bench) rebuild(t tool) (best time.Duration, err error) {
	original, err := os.ReadFile(t.changed)
	if err != nil {
		return 0, err
	}
	if err := os.RemoveAll(t.out); err != nil {
		return 0, err
	}
	cmd := command(t.dir, t.watch)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}()
	shown := func(mark string) bool {
		if strings.HasPrefix(t.name, "reviewcast") {
			resp, err := http.Get("http://localhost:18099/reviews.json")
			if err != nil {
				return false
			}
			defer resp.Body.Close()
			var body bytes.Buffer
			_, err = body.ReadFrom(resp.Body)
			return err == nil && bytes.Contains(body.Bytes(), []byte(mark))
		}
		data, err := os.ReadFile(t.file)
		return err == nil && bytes.Contains(data, []byte(mark))
	}
	wait := func(mark string) bool {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
			if shown(mark) {
				return true
			}
		}
		return false
	}
	if !wait(`"aggregate_rating"`) {
		return 0, errors.New("never started")
	}
	for i := range b.n {
		time.Sleep(2 * time.Second) // an editor's next save; the tool is at rest
		mark := fmt.Sprintf("Changed %d", i)
		data := bytes.Replace(original, []byte(`"author":"`), []byte(`"author":"`+mark+" "), 1)
		start := time.Now()
		if err := os.WriteFile(t.changed, data, 0o644); err != nil {
			return 0, err
		}
		if !wait(mark) {
			return 0, errors.New("never came")
		}
		if took := time.Since(start); i == 0 || took < best {
			best = took
		}
	}
	return best, os.WriteFile(t.changed, original, 0o644)
}

func command(dir string, args []string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	return cmd
}

// dataset reads a reviews.json for comparison.
func dataset(file string) (any, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var v any
	return v, json.Unmarshal(data, &v)
}

// where names the first place at which two values differ.
func where(a, b any, path string) string {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		for k := range x {
			if !reflect.DeepEqual(x[k], y[k]) {
				return where(x[k], y[k], path+"."+k)
			}
		}
		return fmt.Sprintf("%s has more members", path)
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			if !reflect.DeepEqual(x[i], y[i]) {
				return where(x[i], y[i], fmt.Sprintf("%s[%d]", path, i))
			}
		}
	}
	return fmt.Sprintf("%s is %.80v, want %.80v", path, b, a)
}

// kept is a published review as an editor keeps it.
func kept(r reviewcast.Review) map[string]any {
	m := map[string]any{
		"id": r.ID, "author": r.Author, "rating": r.Rating, "date": r.Date, "language": r.Language, "source": r.Source,
		"verification": map[string]any{"method": r.Verification.Method, "verified_on": r.Verification.VerifiedOn},
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
	return m
}

func put(path string, data []byte) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644))
}

func copyOut(name, to string) error {
	data, err := fs.ReadFile(templates, name)
	if err != nil {
		return err
	}
	return put(to, data)
}
