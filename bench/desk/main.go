// Desk compares builds and rebuilds with Hugo and Eleventy. All render the same 10,000
// reviews to the same reviews.json: from one YAML file per review, and from one data
// file (JSON for Hugo and Eleventy, JSON Lines for reviewcast).
//
//	go run ./bench/desk -hugo HUGO -eleventy DIR
//
// HUGO is a binary of Hugo v0.164.0 (go install github.com/gohugoio/hugo@v0.164.0), and
// DIR a folder with the node_modules of @11ty/eleventy and js-yaml. All three write
// reviews.json only, without insights (bench/desk/plain). `reviewcast build` and
// `reviewcast dev`, with all files, feeds and insights, are measured beside them.
//
// A cold build is a new process with an empty output folder. A rebuild begins when the
// author of a review in the middle has been changed and the file is closed: writing the
// file is not measured. It ends when the complete output file has the change, or when
// the running `reviewcast dev` serves it. Nothing is synced to disk in that time; Hugo
// and Eleventy never sync. Each figure is the best of -n. The tools take turns, so that
// other load affects all of them. Their outputs are compared after the cold build and
// after every rebuild, and must be equal.
package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
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
	only := flag.String("shape", "", "files or one; both unless it is said")
	flag.Parse()
	dir, err := os.MkdirTemp("", "desk-*")
	if err == nil {
		b := &bench{dir: dir, hugo: *hugo, modules: *eleventy, n: *n, count: *reviews, only: *only}
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
	only               string
	reviewcast, plain  string
}

// tool is one program with one form of input.
type tool struct {
	name    string
	dir     string // where it works
	out     string // the folder it writes
	file    string // reviews.json
	all     bool   // it makes more than the others
	cold    []string
	watch   []string
	page    string // where the watch serves reviews.json; "" when it writes it
	changed string // the file of the review that changes
}

func (b *bench) run() error {
	b.reviewcast, b.plain = filepath.Join(b.dir, "reviewcast"), filepath.Join(b.dir, "plain")
	for _, c := range []struct{ out, pkg string }{{b.reviewcast, "./cmd/reviewcast"}, {b.plain, "./bench/desk/plain"}} {
		if out, err := exec.Command("go", "build", "-o", c.out, c.pkg).CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", c.pkg, err, out)
		}
	}
	for _, one := range []bool{false, true} {
		skipped, shape := "one", "a file for each review"
		if one {
			skipped, shape = "files", "one data file"
		}
		if b.only == skipped {
			continue
		}
		tools, err := b.write(one)
		if err != nil {
			return err
		}
		if err := b.compare(shape, tools); err != nil {
			return err
		}
	}
	return nil
}

// write writes the input folders of all tools.
func (b *bench) write(one bool) ([]tool, error) {
	root := filepath.Join(b.dir, "files")
	if one {
		root = filepath.Join(b.dir, "one")
	}
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
		for i := range list {
			if err := put(filepath.Join(dir, file(&list[i])), yaml(&list[i])); err != nil {
				return err
			}
		}
		return nil
	}
	pick := func(dir, all string) string {
		if one {
			return filepath.Join(dir, all)
		}
		return filepath.Join(dir, file(&list[len(list)/2]))
	}

	ours := filepath.Join(root, "reviewcast")
	content := filepath.Join(ours, "content")
	err = errors.Join(fill(content, "reviews/all.jsonl"), put(filepath.Join(content, "business.yaml"), business), os.MkdirAll(filepath.Join(ours, "out"), 0o755))
	tools = append(tools,
		tool{name: "reviewcast, reviews.json only", dir: ours, out: filepath.Join(ours, "out"), file: filepath.Join(ours, "out", "reviews.json"),
			cold: []string{b.plain, "content", "out/reviews.json"}, watch: []string{b.plain, "-watch", "content", "out/reviews.json"}, changed: pick(content, "reviews/all.jsonl")},
		tool{name: "reviewcast, everything", all: true, dir: ours, out: filepath.Join(ours, "public"), file: filepath.Join(ours, "public", "reviews.json"),
			cold:    []string{b.reviewcast, "build", "--base-url", "https://reviews.example.com", "--encodings", "none", "--today", "2027-01-01"},
			watch:   []string{b.reviewcast, "dev", "--listen", "localhost:18099", "--base-url", "https://reviews.example.com", "--today", "2027-01-01"},
			page:    "http://localhost:18099/reviews.json",
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

// compare measures all tools.
func (b *bench) compare(shape string, tools []tool) error {
	cold, rebuilt := make([]time.Duration, len(tools)), make([]time.Duration, len(tools))
	if err := b.turns(tools, cold, b.cold); err != nil {
		return err
	}
	if err := b.turns(tools, rebuilt, b.rebuild); err != nil {
		return err
	}
	for i, t := range tools {
		fmt.Printf("%-22s  %-30s  cold %8s  rebuild %8s\n", shape, t.name, cold[i].Round(time.Millisecond), rebuilt[i].Round(time.Millisecond))
	}
	return nil
}

// turns measures each tool n times, in turn, and keeps the best time of each. Their
// outputs must be equal.
func (b *bench) turns(tools []tool, best []time.Duration, do func(t *tool, turn int) (time.Duration, any, error)) error {
	for turn := range b.n {
		var want any
		for i := range tools {
			t := &tools[i]
			took, got, err := do(t, turn)
			switch {
			case err != nil:
				return fmt.Errorf("%s: %w", t.name, err)
			case want == nil:
				want = got
			case !t.all && !reflect.DeepEqual(got, want):
				return fmt.Errorf("%s writes another reviews.json: %s", t.name, where(want, got, ""))
			}
			if turn == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	return nil
}

// cold measures a build in a new process with an empty output folder.
func (b *bench) cold(t *tool, _ int) (time.Duration, any, error) {
	if err := errors.Join(os.RemoveAll(t.out), os.MkdirAll(t.out, 0o755)); err != nil {
		return 0, nil, err
	}
	start := time.Now()
	if out, err := command(t.dir, t.cold).CombinedOutput(); err != nil {
		return 0, nil, fmt.Errorf("%w\n%s", err, out)
	}
	took := time.Since(start)
	data, err := os.ReadFile(t.file)
	if err != nil {
		return 0, nil, err
	}
	got, err := dataset(data)
	return took, got, err
}

// saves is the number of measured saves of each watch process.
const saves = 3

// rebuild starts the tool's watch mode and measures the time from a changed review to
// the output that has the change.
func (b *bench) rebuild(t *tool, turn int) (best time.Duration, got any, err error) {
	original, err := os.ReadFile(t.changed)
	if err != nil {
		return 0, nil, err
	}
	if err := errors.Join(os.RemoveAll(t.out), os.MkdirAll(t.out, 0o755)); err != nil {
		return 0, nil, err
	}
	cmd := command(t.dir, t.watch)
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		err = errors.Join(err, os.WriteFile(t.changed, original, 0o644))
	}()
	look := fileLooker(t.file)
	if t.page != "" {
		look = pageLooker(t.page)
	}
	var data []byte
	// wait returns the time at which the output with the mark was complete. Reading it
	// and searching it for the mark is not part of the measured time.
	wait := func(mark string) (time.Time, bool) {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			var seen time.Time
			if data, seen = look(); bytes.Contains(data, []byte(mark)) && ended(data) {
				return seen, true
			}
		}
		return time.Time{}, false
	}
	if _, ok := wait(`"aggregate_rating"`); !ok {
		return 0, nil, errors.New("the watch never started")
	}
	for i := range saves {
		time.Sleep(2 * time.Second) // the interval between saves, so that the tool is idle again
		mark := fmt.Sprintf("Changed %d %d", turn, i)
		changed := change(original, mark)
		if err := os.WriteFile(t.changed, changed, 0o644); err != nil {
			return 0, nil, err
		}
		start := time.Now()
		seen, ok := wait(mark)
		if !ok {
			return 0, nil, errors.New("the change never came")
		}
		if took := seen.Sub(start); i == 0 || took < best {
			best = took
		}
	}
	got, err = dataset(data)
	return best, got, err
}

// change inserts words before the author's name in the middle of a file.
func change(data []byte, words string) []byte {
	for _, field := range []string{`"author":"`, `author: "`} {
		at := len(data) / 2
		if field[0] == 'a' {
			at = 0 // a file with one review
		}
		if i := bytes.Index(data[at:], []byte(field)); i >= 0 {
			at += i + len(field)
			return slices.Concat(data[:at], []byte(words+" "), data[at:])
		}
	}
	return nil
}

// A looker returns the current output and the time at which it was complete. It returns
// nil when the output is unchanged or incomplete. It is called in a loop and must be
// cheap: reading a file while it is written delays the writer.
type looker func() ([]byte, time.Time)

func fileLooker(name string) looker {
	var last fs.FileInfo
	return func() ([]byte, time.Time) {
		seen := time.Now()
		f, err := os.Open(name)
		if err != nil {
			return nil, seen
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil || last != nil && os.SameFile(info, last) && info.Size() == last.Size() && info.ModTime().Equal(last.ModTime()) {
			return nil, seen
		}
		tail := make([]byte, 2)
		if _, err := f.ReadAt(tail, max(0, info.Size()-int64(len(tail)))); err != nil || !ended(tail) {
			return nil, seen
		}
		data, err := io.ReadAll(f)
		if err != nil || !ended(data) {
			return nil, seen
		}
		last = info
		return data, seen
	}
}

// ended reports whether a reviews.json is complete.
func ended(data []byte) bool { return bytes.HasSuffix(bytes.TrimSpace(data), []byte("}")) }

func pageLooker(url string) looker {
	etag := ""
	var body bytes.Buffer
	return func() ([]byte, time.Time) {
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			return nil, time.Time{}
		}
		req.Header.Set("Accept-Encoding", "identity") // compression would be measured too
		if etag != "" {
			req.Header.Set("If-None-Match", etag)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, time.Time{}
		}
		defer resp.Body.Close()
		body.Reset()
		_, err = body.ReadFrom(resp.Body)
		seen := time.Now() // the response has arrived
		if err != nil || resp.StatusCode != http.StatusOK {
			return nil, seen
		}
		etag = resp.Header.Get("Etag")
		return body.Bytes(), seen
	}
}

func command(dir string, args []string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	return cmd
}

// dataset reads a reviews.json for comparison.
func dataset(data []byte) (any, error) {
	var v any
	return v, json.Unmarshal(data, &v)
}

// where returns the path of the first difference of two values.
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

// kept is a published review in the form of the content folder.
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

// file is the path of a review's file in the content folder.
func file(r *reviewcast.Review) string {
	return filepath.Join("reviews", r.Date.Month(), r.ID+".yaml")
}

// yaml returns the review as YAML in the style of hand-written files.
func yaml(r *reviewcast.Review) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %s\nauthor: %s\nrating: %d\ndate: %s\n", r.ID, quote(r.Author), r.Rating, r.Date)
	if r.Title != nil {
		fmt.Fprintf(&b, "title: %s\n", quote(*r.Title))
	}
	if r.Text != nil {
		b.WriteString("text: |-\n")
		for line := range strings.SplitSeq(*r.Text, "\n") {
			b.WriteString(strings.TrimRight("  "+line, " ") + "\n")
		}
	}
	fmt.Fprintf(&b, "language: %s\nsource: %s\n", r.Language, r.Source)
	if r.SourceURL != nil {
		fmt.Fprintf(&b, "source_url: %s\n", *r.SourceURL)
	}
	if r.OwnerReply != nil {
		fmt.Fprintf(&b, "owner_reply:\n  text: %s\n  date: %s\n", quote(r.OwnerReply.Text), r.OwnerReply.Date)
	}
	fmt.Fprintf(&b, "verification:\n  method: %s\n  verified_on: %s\n", r.Verification.Method, r.Verification.VerifiedOn)
	for _, l := range []struct {
		name string
		ids  []string
	}{{"technicians", r.Mentions.Technicians}, {"services", r.Mentions.Services}, {"service_areas", r.Mentions.ServiceAreas}} {
		if len(l.ids) > 0 {
			fmt.Fprintf(&b, "%s: [%s]\n", l.name, strings.Join(l.ids, ", "))
		}
	}
	return b.Bytes()
}

// quote returns a text in double quotes, in a form that is valid in JSON and YAML.
func quote(s string) []byte {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can always be marshalled
	}
	return data
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
