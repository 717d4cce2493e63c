package source

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"reviewcast/generator/diagnostic"
)

// TestDeltas edits a folder at random and lets one Loader follow, mostly told which
// files changed, sometimes through several broken states. Applied one after another to
// an empty set, its Deltas give what a new Loader reads: reviews, order, places and
// problems. LONG=1 makes 500 edits.
func TestDeltas(t *testing.T) {
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("SEED"), "20261122"), 10, 64) // a search for more is a loop over SEED
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{T: t, Rand: rand.New(rand.NewPCG(seed, 0)), steps: 150, dir: writeFolder(t, map[string]string{"reviews/a/0.yaml": goodYAML})}
	l := NewLoader(e.dir, Config{Today: today})
	applied := map[*Review]bool{}
	if os.Getenv("LONG") != "" {
		e.steps = 500
	}
	good, small := 0, 0
	for step := range e.steps {
		e.step = step
		names := e.edit()
		if e.IntN(3) == 0 {
			names = append(names, e.repair()...)
		}
		if e.IntN(8) == 0 {
			names = nil
		}
		if e.IntN(10) == 0 {
			comparePartial(t, l, e.dir, step)
		}
		c, delta, problems, err := l.Load(t.Context(), names)
		if err != nil {
			t.Fatal(err)
		}
		want, _, wantProblems, err := NewLoader(e.dir, Config{Today: today}).Load(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(wantProblems, problems) {
			t.Fatalf("step %d, %q: %s", step, names, gocmp.Diff(wantProblems, problems))
		}
		if (c == nil) != (want == nil) || (c == nil) != (delta == nil) {
			t.Fatalf("step %d: content %v, delta %v, want %v", step, c, delta, want)
		}
		if c == nil {
			continue
		}
		good++
		if !delta.All {
			small++
		}
		apply(t, applied, delta)
		if inOrder := slices.SortedFunc(maps.Keys(applied), compare); !slices.Equal(inOrder, c.Reviews) {
			t.Fatalf("step %d: %d reviews after the deltas, want %d", step, len(inOrder), len(c.Reviews))
		}
		compareContent(t, step, want, c)
	}
	if t.Logf("%d of %d good, %d of them by a small delta", good, e.steps, small); good < e.steps*3/10 || small < e.steps/5 {
		t.Error("too many broken states")
	}
}

// apply applies a delta to a set of reviews.
func apply(t *testing.T, set map[*Review]bool, d *Delta) {
	t.Helper()
	if d.All && len(d.Gone) != len(set) {
		t.Fatalf("all are gone: %d of %d", len(d.Gone), len(set))
	}
	for _, r := range d.Gone {
		if !set[r] {
			t.Fatalf("%s is gone, and was not there", r.ID)
		}
		delete(set, r)
	}
	for _, r := range d.Come {
		if set[r] {
			t.Fatalf("%s comes, and was there", r.ID)
		}
		set[r] = true
	}
}

func compareContent(t *testing.T, step int, want, got *Content) {
	t.Helper()
	if diff := gocmp.Diff(want, got, cmpopts.IgnoreUnexported(Content{}, Review{})); diff != "" {
		t.Fatalf("step %d: %s", step, diff)
	}
	for i, r := range got.Reviews {
		if a, b := want.Position(want.Reviews[i]), got.Position(r); a != b {
			t.Fatalf("step %d: %s is at %v, want %v", step, r.ID, b, a)
		}
	}
}

func comparePartial(t *testing.T, l *Loader, dir string, step int) {
	t.Helper()
	want, wantProblems, err := NewLoader(dir, Config{Today: today}).LoadPartial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, problems, err := l.LoadPartial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(wantProblems, problems); diff != "" {
		t.Fatalf("step %d, partial: %s", step, diff)
	}
	compareContent(t, step, want.Content, got.Content)
	if diff := gocmp.Diff(want, got, cmpopts.IgnoreFields(Partial{}, "Content"), cmpopts.IgnoreUnexported(Review{})); diff != "" {
		t.Fatalf("step %d, partial: %s", step, diff)
	}
}

// editor changes a content folder at random.
type editor struct {
	*testing.T
	*rand.Rand
	dir         string
	step, steps int
}

// edit makes a few changes and returns the names that a watch would report.
func (e *editor) edit() []string {
	names := []string{}
	for range e.IntN(3) {
		folder := [...]string{"reviews", "reviews/a", "reviews/b", "reviews/a/c", ""}[e.IntN(5)]
		name := filepath.ToSlash(filepath.Join(folder, fmt.Sprint(e.IntN(3))+[...]string{".yaml", ".jsonl", ".csv", ".jsonl", ".txt", ".tmp"}[e.IntN(6)]))
		switch e.IntN(14) {
		case 0:
			e.must(os.Remove(e.path(name)))
		case 1:
			if folder == "reviews" || folder == "" {
				continue
			}
			e.must(os.RemoveAll(e.path(folder)))
			name = folder
		case 2:
			e.must(os.MkdirAll(e.path(folder), 0o755))
			name = folder
		case 3:
			other := "reviews/moved" + filepath.Ext(name)
			e.must(os.Rename(e.path(name), e.path(other)))
			names = append(names, other)
		case 4:
			name = e.small()
		case 5:
			if e.step > e.steps*9/10 { // from then on everything is looked at
				e.must(os.Symlink("0.yaml", e.path(name)))
			}
		default:
			if at, err := os.Readlink(e.path(name)); err == nil { // what is written is the file behind it
				names = append(names, filepath.ToSlash(filepath.Join(folder, at)))
			}
			e.rewrite(name)
		}
		names = append(names, name)
	}
	return names
}

func (e *editor) path(name string) string { return filepath.Join(e.dir, filepath.FromSlash(name)) }

func (e *editor) must(err error) {
	e.Helper()
	if err != nil && !os.IsNotExist(err) && !os.IsExist(err) {
		e.Fatal(err)
	}
}

// repair deletes the lines and the files that have errors.
func (e *editor) repair() []string {
	_, problems, err := NewLoader(e.dir, Config{Today: today}).LoadPartial(e.Context())
	e.must(err)
	names := []string{}
	for _, p := range slices.Backward(problems) {
		switch data, err := os.ReadFile(e.path(p.File)); {
		case p.Severity != diagnostic.Error:
			continue
		case p.File == BusinessFile:
			e.must(os.WriteFile(e.path(p.File), []byte("id: n\nname: N\ntechnicians: [{id: t0, name: T}, {id: t1, name: U}]\n"), 0o644))
		case err == nil && p.Line > 1:
			lines := strings.Split(string(data), "\n")
			lines = slices.Delete(lines, min(p.Line-1, len(lines)), min(p.Line, len(lines)))
			e.must(os.WriteFile(e.path(p.File), []byte(strings.Join(lines, "\n")), 0o644))
		default:
			e.must(os.RemoveAll(e.path(p.File)))
		}
		names = append(names, p.File)
	}
	return names
}

// small changes one of the small files.
func (e *editor) small() string {
	files := [][2]string{
		{BusinessFile, fmt.Sprintf("id: n\nname: N%d\ntechnicians: [{id: t%d, name: T}]\n", e.step, e.IntN(3))},
		{BusinessFile, "id: n\nname: N\ntechnicians: [{id: t0, name: T}, {id: t1, name: U}, {id: t2, name: V}]\n"},
		{SiteFile, fmt.Sprintf("language: %s\n", [...]string{"de", "en"}[e.IntN(2)])},
		{WithdrawnFile, fmt.Sprintf("- {id: r%d, reason: withdrawn, date: 2026-01-01}\n", e.IntN(30))},
		{WithdrawnFile, "[]\n"},
		{FAQFile, fmt.Sprintf("- {question: q, answer: a, evidence_review_ids: [r%d]}\n", e.IntN(30))},
		{FAQFile, "[]\n"},
	}
	f := files[e.IntN(len(files))]
	e.must(os.WriteFile(e.path(f[0]), []byte(f[1]), 0o644))
	return f[0]
}

// rewrite edits the reviews of a file: lines come, go, move, and are written twice.
func (e *editor) rewrite(name string) {
	data, _ := os.ReadFile(e.path(name))
	ext := filepath.Ext(name)
	lines := slices.DeleteFunc(strings.Split(string(data), "\n"), func(s string) bool { return s == "" || strings.HasPrefix(s, "id,") })
	for range 1 + e.IntN(3) {
		at := e.IntN(len(lines) + 1)
		switch n := e.IntN(10); {
		case n < 5 || len(lines) == 0:
			lines = slices.Insert(lines, at, e.review(ext))
		case n < 7:
			lines = slices.Delete(lines, at%len(lines), at%len(lines)+1)
		case n < 8:
			lines[at%len(lines)] = e.review(ext)
		default:
			e.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		}
	}
	if len(lines) > 0 && e.IntN(25) == 0 {
		lines = append(lines, lines[0])
	}
	if e.IntN(5) == 0 {
		lines = lines[:min(len(lines), 1)]
	}
	text := strings.Join(lines, [...]string{"\n", "\n", "\n\n"}[e.IntN(3)]) + "\n"
	if ext == ".csv" {
		text = "id,author,rating,date,technicians\n" + strings.ReplaceAll(text, "\n\n", "\n")
	}
	_ = os.WriteFile(e.path(name), []byte(text), 0o644) // the folder may not be there
}

// review is a line with a review, seldom with a mistake or an id that may be taken.
func (e *editor) review(ext string) string {
	id, date, technician := fmt.Sprintf("s%d-%d", e.step, e.IntN(1000)), fmt.Sprintf("2026-01-0%d", 1+e.IntN(9)), "t0"
	switch e.IntN(40) {
	case 0, 1, 2, 3, 4, 5:
		id = fmt.Sprintf("r%d", e.IntN(60))
	case 6:
		id = "R7"
	case 7:
		id = "not an id"
	case 8:
		date = "2027-01-01"
	case 9:
		technician = "t1"
	case 10:
		return "{"
	}
	switch ext {
	case ".csv":
		return fmt.Sprintf("%s,A,5,%s,%s", id, date, technician)
	case ".jsonl":
		return fmt.Sprintf(`{"id":%q,"author":"A","rating":5,"date":%q,"technicians":[%q],"verification":{"method":"job"}}`, id, date, technician)
	}
	return fmt.Sprintf("- {id: %s, author: A, rating: 5, date: %s, technicians: [%s], verification: {method: job}}", id, date, technician)
}

// TestDeltaOfOne: of an edited file only the edited reviews come and go, whatever the
// format, and moved lines are the same reviews.
func TestDeltaOfOne(t *testing.T) {
	for _, ext := range []string{".yaml", ".jsonl", ".csv"} {
		t.Run(ext, func(t *testing.T) {
			e := &editor{T: t, dir: writeFolder(t, nil)}
			write := func(rows ...string) {
				lines := []string{}
				for _, row := range rows {
					id, author, _ := strings.Cut(row, " ")
					switch ext {
					case ".csv":
						lines = append(lines, fmt.Sprintf("%s,%s,5,2026-01-01", id, author))
					case ".jsonl":
						lines = append(lines, fmt.Sprintf(`{"id":%q,"author":%q,"rating":5,"date":"2026-01-01"}`, id, author))
					default:
						lines = append(lines, fmt.Sprintf("- id: %s\n  author: %s\n  rating: 5\n  date: 2026-01-01", id, author))
					}
				}
				if ext == ".csv" {
					lines = slices.Insert(lines, 0, "id,author,rating,date")
				}
				writeOld(t, e.dir, "reviews/all"+ext, []byte(strings.Join(lines, "\n")+"\n"))
			}
			l := NewLoader(e.dir, Config{Today: today})
			load := func() string {
				_, d, problems, err := l.Load(t.Context(), []string{"reviews/all" + ext})
				if err != nil || len(problems) > 0 {
					t.Fatal(problems, err)
				}
				ids := func(list []*Review) (s string) {
					for _, r := range list {
						s += " " + r.ID + "=" + r.Author
					}
					return s
				}
				return fmt.Sprintf("%v%s;%s", d.Empty(), ids(d.Gone), ids(d.Come))
			}
			for _, test := range []struct {
				rows []string
				want string
			}{
				{[]string{"a M", "b M", "c M"}, "false; a=M b=M c=M"},
				{[]string{"a M", "b M", "c M"}, "true;"},
				{[]string{"a M", "b N", "c M"}, "false b=M; b=N"},
				{[]string{"c M", "d M", "a M", "b N"}, "false; d=M"},
				{[]string{"b N", "a M"}, "false c=M d=M;"},
				{[]string{"a M", "b N"}, "true;"},
			} {
				write(test.rows...)
				if got := load(); got != test.want {
					t.Errorf("%v: %s, want %s", test.rows, got, test.want)
				}
			}
		})
	}
}

// TestDeltaAcrossErrors: what changes while there are errors is in the Delta of the
// next good load.
func TestDeltaAcrossErrors(t *testing.T) {
	dir := writeFolder(t, map[string]string{"reviews/a.jsonl": sampleJSON(1) + "\n"})
	l := NewLoader(dir, Config{Today: today})
	first := mustLoad(t, l)
	for _, data := range []string{"{\n", sampleJSON(2) + "\n{\n"} {
		writeOld(t, dir, "reviews/a.jsonl", []byte(data))
		if c, d, problems, err := l.Load(t.Context(), nil); c != nil || d != nil || err != nil || !diagnostic.HasErrors(problems) {
			t.Fatal(c, d, problems, err)
		}
	}
	writeOld(t, dir, "reviews/a.jsonl", []byte(sampleJSON(2)+"\n"))
	c, d, _, err := l.Load(t.Context(), nil)
	if err != nil || d.All || !slices.Equal(d.Gone, first.Reviews) || !slices.Equal(d.Come, c.Reviews) {
		t.Fatal(d, err)
	}
}
