package source

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// MaxReviews is how many reviews one folder may hold, published or not. All of
// them are in memory at once, here and in every edge.
const MaxReviews = 1_000_000

// Config says how a folder is read. Its zero value is ready to use.
type Config struct {
	// Today is the last day that a date may name; "" is the calendar day of the
	// business, in the time zone of business.yaml.
	Today reviewcast.Date
	// Now tells the time for Today; nil is time.Now.
	Now func() time.Time
}

// Loader reads one content folder, again and again. It keeps what it parsed, so
// that a second Load reads only the files with reviews that changed: by size,
// time or identity, and where the time is too young to be trusted, by their
// bytes. A Loader may be used by several goroutines, one Load at a time runs.
type Loader struct {
	dir string
	cfg Config

	mu   sync.Mutex
	tree *tree // of the last Load; nil when it failed
	// files are those of the tree by path, and those that were kept of a Load that
	// failed.
	files map[string]*parsed
	// joined is what the last Load that was told of changes has made of the tree.
	joined   *joined
	revision uint64
}

// parsed is a file with reviews as it was last read. It is never changed.
type parsed struct {
	diagnostic.List
	drafts   [][]draft // by parts, in the order of the file
	nameless []draft   // reviews without a usable id
	// incomplete tells that there may be reviews that weren't understood.
	incomplete bool
	marks      []lineMark // of all lines of a JSONL file
	stamp      stamp
}

// NewLoader makes a Loader of a folder, which is first looked at by Load.
func NewLoader(dir string, cfg Config) *Loader {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Loader{dir: dir, cfg: cfg, files: make(map[string]*parsed)}
}

// Load reads the folder. Everything that is wrong in it is among the problems,
// sorted by file, line, column and code; the Content is nil if and only if one of
// them is an Error. The error is for a folder that can't be read, and for the
// context's.
//
// Each Content is the caller's own, but its texts and job records are shared with
// those of other loads and must not be changed.
func (l *Loader) Load(ctx context.Context) (*Content, []diagnostic.Problem, error) {
	return l.load(ctx, nil)
}

// LoadChanged is Load for whoever watches the folder: nothing but the named files,
// whose paths are relative to it and have slashes, has changed since the last
// Load. Ten thousand others needn't be looked at then. Where the names don't say
// enough (folders come and go, there are links), or are nil, it looks at everything
// all the same. The reviews of its Content are shared with those of other loads and
// must not be changed.
func (l *Loader) LoadChanged(ctx context.Context, names []string) (*Content, []diagnostic.Problem, error) {
	return l.load(ctx, names)
}

// Revision is the same after a LoadChanged that found all as it was: editors empty a
// file before they write it, and a watch tells of both.
func (l *Loader) Revision() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.revision
}

func (l *Loader) load(ctx context.Context, changed []string) (*Content, []diagnostic.Problem, error) {
	f, problems, err := l.read(ctx, changed)
	if err != nil {
		return nil, nil, err
	}
	if diagnostic.HasErrors(problems) {
		return nil, problems, nil
	}
	return f.content, problems, nil
}

// Partial is what could be read of a folder that may have errors.
type Partial struct {
	*Content // may be published unless a problem is an Error
	// Unidentified are the reviews without a usable id.
	Unidentified []Review
	// Complete reports whether a review that is neither in the Content nor withdrawn
	// is not in the folder either.
	Complete bool
}

// LoadPartial is [Loader.Load] for checks that go on although there are errors: the
// Partial is never nil unless the error isn't.
func (l *Loader) LoadPartial(ctx context.Context) (*Partial, []diagnostic.Problem, error) {
	f, problems, err := l.read(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	p := &Partial{Content: f.content, Complete: f.complete}
	for _, w := range f.nameless {
		p.Unidentified = append(p.Unidentified, w.Review)
	}
	return p, problems, nil
}

// read reads the folder and gives what it could make out, whatever is wrong.
func (l *Loader) read(ctx context.Context, changed []string) (*folder, []diagnostic.Problem, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return nil, nil, fmt.Errorf("open content folder: %w", err)
	}
	defer root.Close()
	t := l.tree
	l.tree = nil // should this fail, what has changed isn't known
	told := t != nil && changed != nil && t.update(root, changed)
	if !told {
		if t, err = walk(root, l.files); err != nil {
			return nil, nil, fmt.Errorf("read content folder %s: %w", l.dir, err)
		}
	}
	if err := l.parse(ctx, root, t, told); err != nil {
		return nil, nil, fmt.Errorf("read content folder %s: %w", l.dir, err)
	}
	l.tree = t

	f := newFolder(root)
	f.readAll()
	today := l.today(f.content.Business.TimeZone)
	again, same := false, false
	if told {
		again, same = f.checkTouched(l.joined, t, today)
	}
	if !again {
		f.check(t.files, today)
		l.joined = nil
		if changed != nil { // there will be a next time
			l.joined = f.join(t, today)
		}
	}
	if !same {
		l.revision++
	}
	problems := slices.Concat(t.notes, f.problems)
	diagnostic.Sort(problems)
	broken := slices.ContainsFunc(problems, func(p diagnostic.Problem) bool { return p.Severity == diagnostic.Error && p.File == withdrawnFile })
	f.complete = !broken && f.content.Reviews != nil && !diagnostic.HasErrors(t.notes) && !slices.ContainsFunc(t.files, func(f file) bool { return f.last.incomplete })
	return f, problems, nil
}

// today is the last day that a date may name.
func (l *Loader) today(timeZone string) reviewcast.Date {
	if l.cfg.Today != "" {
		return l.cfg.Today
	}
	zone, err := time.LoadLocation(timeZone)
	if err != nil {
		zone = time.UTC // business.yaml has a problem already
	}
	return reviewcast.Date(l.cfg.Now().In(zone).Format(time.DateOnly))
}

// parse reads the files of the tree that changed; told, no others than the touched
// ones have.
func (l *Loader) parse(ctx context.Context, root *os.Root, t *tree, told bool) error {
	workers, running := errgroup.WithContext(ctx)
	// Parsing is all computing: more workers than processors would only hold more
	// of the files in memory.
	workers.SetLimit(runtime.GOMAXPROCS(0))
	var next batch
	flush := func() {
		if b := next; len(b.jobs) > 0 {
			workers.Go(func() error { return b.run(running, root) })
		}
		next = batch{}
	}
	todo := t.changed(told)
	jobs := make([]*job, len(todo))
	for i, f := range todo {
		if running.Err() != nil {
			break
		}
		j := &job{root: root, name: f.path, old: f.last}
		jobs[i] = j
		if formatOf(f.path) == formatJSONL {
			// A large file is cut up for all workers, so that this one does the cutting.
			j.cut(running, workers)
			continue
		}
		if !next.takes(f) {
			flush()
		}
		next.add(j, f)
	}
	flush()
	if err := cmp.Or(workers.Wait(), ctx.Err()); err != nil {
		return err
	}
	for i, j := range jobs {
		todo[i].last = j.done()
	}
	l.keep(t, told)
	return nil
}

// keep remembers what was read of the tree's files, and no others.
func (l *Loader) keep(t *tree, told bool) {
	if !told {
		l.files = make(map[string]*parsed, len(t.files))
		for i := range t.files {
			l.remember(&t.files[i])
		}
		return
	}
	for name := range t.touched {
		delete(l.files, name)
		if f := t.file(name); f != nil {
			l.remember(f)
		}
	}
}

func (l *Loader) remember(f *file) {
	if f.last.stamp.read {
		l.files[f.path] = f.last
	}
}
