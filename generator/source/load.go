package source

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// MaxReviews is how many reviews one folder may hold, published or not. All of them are in memory at once, here and in
// every edge.
const MaxReviews = syntax.MaxRecords

// Config says how a folder is read. Its zero value is ready to use.
type Config struct {
	// Today is the last day that a date may name; "" is the calendar day of the business, in the time zone of
	// business.yaml.
	Today reviewcast.Date
	// Now returns the time for Today; nil is time.Now.
	Now func() time.Time
	// OutputDir is where builds write; inside the content folder it is not read. "" when nothing is built.
	OutputDir string
}

// Loader reads one content folder, again and again. It keeps the records of every file, so that a further Load reads
// only the files that changed: by size, time or identity, and where the time is too recent to be trusted, by their
// bytes. One goroutine at a time may use a Loader.
type Loader struct {
	dir string
	cfg Config

	tree tree
	// sure reports whether the tree is that of the last load, so that the names of changed files are enough.
	sure  bool
	index *index // nil before the first load
	// shown are the reviews of the last Content that Load returned, which was made from the index shownBy.
	shown   []*Review
	shownBy *index
}

// NewLoader returns a Loader of a folder. Nothing is read before Load.
func NewLoader(dir string, cfg Config) *Loader {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Loader{dir: dir, cfg: cfg}
}

// Load reads the folder. The problems are everything that is wrong in it, sorted; the Content and the Delta are nil if
// and only if one of them is an Error. The error is for a folder that can't be read, and for the context's.
//
// names are the files that may have changed since the last Load, for callers that watch the folder; their paths are
// relative to it and have slashes. Where they don't say enough (a folder came or went, there are links), and if they
// are nil, everything is looked at.
//
// The Delta is relative to the last Content that Load returned. A review that has not changed is the same pointer in
// both. A Content must not be changed.
func (l *Loader) Load(ctx context.Context, names []string) (*Content, *Delta, []diagnostic.Problem, error) {
	problems, err := l.update(ctx, names)
	if err != nil || diagnostic.HasErrors(problems) {
		return nil, nil, problems, err
	}
	c := l.content()
	delta := &Delta{Gone: l.shown, Come: c.Reviews, All: l.shownBy != l.index}
	if !delta.All {
		delta.Gone, delta.Come = difference(l.shown, c.Reviews)
	}
	l.shown, l.shownBy = c.Reviews, l.index
	return c, delta, problems, nil
}

// Partial is what could be read of a folder that may have errors.
type Partial struct {
	*Content // may be published unless a problem is an Error
	// Unidentified are the reviews without a usable id.
	Unidentified []*Review
	// Complete reports whether a review that is neither in the Content nor withdrawn is not in the folder either.
	Complete bool
}

// LoadPartial is [Loader.Load] for checks that go on although there are errors. It changes nothing in what the next
// Delta is relative to.
func (l *Loader) LoadPartial(ctx context.Context) (*Partial, []diagnostic.Problem, error) {
	problems, err := l.update(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	if l.index == nil { // there are too many reviews
		return &Partial{Content: &Content{}}, problems, nil
	}
	wrong := func(p diagnostic.Problem) bool {
		return p.Severity == diagnostic.Error && p.File == WithdrawnFile && p.Code != "bad-id"
	}
	p := &Partial{Content: l.content(), Complete: l.complete() && !slices.ContainsFunc(problems, wrong)}
	p.Unidentified = slices.SortedFunc(maps.Values(l.index.unidentified), places(l.tree.files).compare)
	return p, problems, nil
}

// OutputName returns the slash-separated name of an output directory below a content directory; "" when it is
// elsewhere.
func OutputName(content, output string) string {
	if output == "" {
		return ""
	}
	dir, derr := filepath.Abs(content)
	out, oerr := filepath.Abs(output)
	rel, err := filepath.Rel(dir, out)
	if derr != nil || oerr != nil || err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// update brings the tree and the index up to date and returns all problems, sorted.
func (l *Loader) update(ctx context.Context, names []string) ([]diagnostic.Problem, error) {
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return nil, fmt.Errorf("open content folder: %w; was it renamed or moved? Name it back, or name its new place with --content", err)
	}
	defer root.Close()
	jobs, err := l.changes(ctx, root, names)
	if err != nil {
		return nil, fmt.Errorf("read content folder %s: %w", l.dir, err)
	}
	var gone, come []*record
	for _, j := range jobs {
		g, c := difference(j.old.all(), j.now.all())
		gone, come = append(gone, g...), append(come, c...)
	}
	l.tree.update(jobs)

	problems, imports := slices.Clone(l.tree.notes), []string(nil)
	for _, f := range l.tree.files {
		problems, imports = append(problems, f.problems...), append(imports, f.path)
	}
	for i, p := range problems { // a command that imports a newer export of one that is here
		if m := forms("sourceForm").FindStringSubmatch(p.Suggestion); m != nil {
			problems[i].Suggestion = strings.Replace(p.Suggestion, m[0], "--source "+cmp.Or(ImportedAs(m[1], imports), m[1]), 1)
		}
	}
	if p := l.tree.tooMany(); p != nil {
		l.index = nil
		problems = append(problems, *p)
	} else {
		l.apply(root, gone, come)
		at, around := places(l.tree.files), l.index.around
		problems = slices.Concat(problems, around.problems, l.index.problems(at), around.citations(l.index, at, l.complete()))
	}
	problems = causes(problems)
	diagnostic.Sort(problems)
	return problems, nil
}

// ImportedAs returns the source of earlier imports that a name of an export begins with, such as guestbook of
// guestbook-nov; "" if none is among the files.
func ImportedAs(name string, files []string) (longest string) {
	for _, file := range files {
		source, ok := strings.CutPrefix(strings.TrimSuffix(filepath.Base(file), ".jsonl"), "import-")
		if rest, begins := strings.CutPrefix(name, source); ok && begins && len(source) > len(longest) && strings.TrimLeft(rest, "-_.0123456789") != rest {
			longest = source
		}
	}
	return longest
}

// causes drops the messages that follow from others: on quotes that a value needs which is wrong with them, too, on
// what a part of another review lacks, and that business.yaml is missing, which is under another name or in a folder.
func causes(problems []diagnostic.Problem) []diagnostic.Problem {
	line := func(p diagnostic.Problem) diagnostic.Position { return diagnostic.Position{File: p.File, Line: p.Line} }
	wrong, partial, misplaced := map[diagnostic.Position]bool{}, map[diagnostic.Position]bool{}, false
	for _, p := range problems {
		misplaced = misplaced || p.Code == "wrong-name" && (strings.Contains(p.Suggestion, " "+BusinessFile) || strings.HasPrefix(p.Suggestion, "move its files up")) ||
			p.Code == "unreadable" && strings.HasPrefix(p.Message, BusinessFile)
		partial[line(p)] = partial[line(p)] || p.Code == "duplicate-id"
		if p.Severity == diagnostic.Error && (p.Code == "wrong-type" || p.Code == "unknown-field" && strings.HasPrefix(p.Suggestion, "write ") || strings.HasPrefix(p.Code, "bad-") || strings.HasPrefix(p.Message, "the answer is")) {
			wrong[line(p)] = true
		}
	}
	return slices.DeleteFunc(problems, func(p diagnostic.Problem) bool {
		return p.Code == "yaml-syntax" && wrong[line(p)] && strings.Contains(p.Message, "quotes") ||
			partial[line(p)] && strings.HasPrefix(p.Message, "the review has no author, no") || misplaced && p.Code == "missing-file"
	})
}

// changes looks at the files and reads those that changed.
func (l *Loader) changes(ctx context.Context, root *os.Root, names []string) ([]*job, error) {
	jobs, ok := []*job(nil), false
	if l.sure && names != nil {
		jobs, ok = l.tree.named(root, names)
	}
	l.sure = false // should this fail
	if !ok {
		w, err := walk(root, OutputName(l.dir, l.cfg.OutputDir))
		if err != nil {
			return nil, err
		}
		jobs = w.files
		w.outside(l.dir)
		for _, f := range l.tree.files {
			at := func(j *job, path string) int { return strings.Compare(j.path, path) }
			if _, ok := slices.BinarySearchFunc(w.files, f.path, at); !ok {
				jobs = append(jobs, &job{path: f.path}) // it is gone
			}
		}
		l.tree.notes, l.tree.linked = w.notes, w.linked
	}
	jobs = slices.DeleteFunc(jobs, func(j *job) bool {
		j.old = l.tree.get(j.path)
		return j.old != nil && j.info != nil && j.old.stamp.current(j.info)
	})
	if err := readFiles(ctx, root, jobs); err != nil {
		return nil, err
	}
	l.sure = true
	return jobs, nil
}

// apply brings the index up to date. If a small file or the day changed, it makes a new one.
func (l *Loader) apply(root *os.Root, gone, come []*record) {
	files, problems, key := readSmallFiles(root)
	if x := l.index; x != nil && x.around.key == key && x.around.content.Today == l.today(x.around.content.Business.TimeZone) {
		x.apply(gone, come)
		return
	}
	l.index = newIndex(newSurroundings(files, problems, key, l.today))
	come = nil
	for _, f := range l.tree.files {
		come = append(come, f.records...)
	}
	l.index.apply(nil, come)
}

// content returns what the files say. Of several reviews with the same id it has the first.
func (l *Loader) content() *Content {
	c := l.index.around.content
	c.files = l.tree.files
	c.Reviews = l.index.unique(c.files)
	return &c
}

// complete reports whether every review has been read.
func (l *Loader) complete() bool {
	return !diagnostic.HasErrors(l.tree.notes) && !slices.ContainsFunc(l.tree.files, func(f *file) bool { return !f.complete })
}

// today returns the last day that a date may name.
func (l *Loader) today(timeZone string) reviewcast.Date {
	if l.cfg.Today != "" {
		return l.cfg.Today
	}
	zone, _ := time.LoadLocation(timeZone) // "" if business.yaml has none that is known, which is UTC
	return reviewcast.Date(l.cfg.Now().In(zone).Format(time.DateOnly))
}

// Delta is what changed between two Contents of a folder.
type Delta struct {
	// Gone are reviews of the earlier Content, Come reviews of the later one, both in published order. A review that was
	// edited is in both, as two pointers.
	Gone, Come []*Review
	// All reports that something else than reviews changed, the business or the vocabulary for instance, or that there
	// was no earlier Content. Then every review is gone and come.
	All bool
}

// Empty reports whether nothing changed.
func (d *Delta) Empty() bool { return !d.All && len(d.Gone) == 0 && len(d.Come) == 0 }

// difference returns what is in one list and not in the other, in their order.
func difference[T comparable](was, is []T) (gone, come []T) {
	in := make(map[T]int, len(was)) // 1 for the earlier list, 2 for the later one, 3 for both
	for _, r := range was {
		in[r] = 1
	}
	for _, r := range is {
		in[r] |= 2
	}
	gone = slices.DeleteFunc(slices.Clone(was), func(r T) bool { return in[r] != 1 })
	come = slices.DeleteFunc(slices.Clone(is), func(r T) bool { return in[r] != 2 })
	return gone, come
}
