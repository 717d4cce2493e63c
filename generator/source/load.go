package source

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"reviewcast"
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

	mu    sync.Mutex
	files map[string]*parsed
}

// parsed is a file with reviews as it was last read. It is never changed.
type parsed struct {
	problems
	drafts [][]draft // by parts, in the order of the file
	// incomplete tells that there may be reviews that weren't understood.
	incomplete bool
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
func (l *Loader) Load(ctx context.Context) (*Content, []Problem, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	root, err := os.OpenRoot(l.dir)
	if err != nil {
		return nil, nil, fmt.Errorf("open content folder: %w", err)
	}
	defer root.Close()
	found, problems, err := walk(root)
	if err != nil {
		return nil, nil, fmt.Errorf("read content folder %s: %w", l.dir, err)
	}
	files, err := l.parse(ctx, root, found)
	if err != nil {
		return nil, nil, fmt.Errorf("read content folder %s: %w", l.dir, err)
	}

	f := newFolder(root)
	f.readAll()
	f.check(files, l.today(f.content.Business.TimeZone))
	problems = append(problems, f.problems...)
	SortProblems(problems)
	if HasErrors(problems) {
		return nil, problems, nil
	}
	return f.content, problems, nil
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

// parse reads the files that changed and gives all of them, in the order of
// found.
func (l *Loader) parse(ctx context.Context, root *os.Root, found []found) ([]*parsed, error) {
	jobs := make([]job, len(found))
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
	for i, f := range found {
		if running.Err() != nil {
			break
		}
		j := &jobs[i]
		j.root, j.name, j.old = root, f.path, l.files[f.path]
		switch {
		case j.old != nil && !j.old.stamp.fresh && j.old.stamp.matches(f.info):
			j.unchanged = true
		case formatOf(f.path) == formatJSONL:
			// A large file is cut up for all workers, so that this one does the cutting.
			j.cut(running, workers)
		default:
			if !next.takes(f) {
				flush()
			}
			next.add(j, f)
		}
	}
	flush()
	if err := cmp.Or(workers.Wait(), ctx.Err()); err != nil {
		return nil, err
	}
	files := make([]*parsed, len(found))
	l.files = make(map[string]*parsed, len(found))
	for i := range jobs {
		files[i] = jobs[i].done()
		if files[i].stamp.info != nil {
			l.files[found[i].path] = files[i]
		}
	}
	return files, nil
}
