package devserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"reviewcast/generator/source"
)

// Change is what [Watch] reports.
type Change struct {
	// Names are the files that changed, relative to the folder, with slashes; nil means anything.
	Names []string
	// Quiet is for at least how long nothing has changed.
	Quiet time.Duration
}

const (
	// maxBurst is how long changes without a pause put off a build.
	maxBurst = 100 * time.Millisecond
	// goneInterval is how often a folder that has vanished is looked for.
	goneInterval = 200 * time.Millisecond
)

// Watch calls changed when it has begun to watch, and then after every burst of changes in the folder, until ctx
// ends. If changed returns a duration, it is called again when nothing has changed for that long, with the same
// names and those until then.
//
// Directories are watched and not files, since many editors save by renaming. When the folder itself vanishes
// (another branch checked out), changed is called, and again when it is back. With Poll, the tree is compared at
// that interval: network folders send no events. Changes while changed runs are reported afterwards.
func Watch(ctx context.Context, c Config, changed func(Change) (wait time.Duration)) error {
	// Absolute, since walk compares paths, and . is no prefix of the paths below it.
	dir, err := filepath.Abs(c.ContentDir)
	if err != nil {
		return fmt.Errorf("watch %s: %w", c.ContentDir, err)
	}
	t := tree{dir: dir}
	if name := source.OutputName(c.ContentDir, c.OutputDir); name != "" {
		t.output = filepath.Join(t.dir, filepath.FromSlash(name))
	}
	if c.Poll > 0 {
		return t.poll(ctx, c.Poll, changed)
	}
	w := &watch{tree: t, log: c.Logger, changed: changed, errs: make(chan error, 1), names: map[string]int64{}, sizes: map[string]int64{}, all: true, timer: time.NewTimer(0)}
	if err := w.rewatch(); err != nil {
		return fmt.Errorf("watch %s: %w; --poll 1s works without events of the system", t.dir, err)
	}
	defer func() { w.Close() }()
	return w.run(ctx)
}

// run handles events until ctx ends.
func (w *watch) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.errs: // events may be lost
			w.log.Warn("watch", "err", err)
			w.event("")
		case ev := <-w.Events:
			w.handle(ev)
		case <-w.timer.C:
			w.call()
		}
	}
}

// watch is the state of Watch with events of the system.
type watch struct {
	*fsnotify.Watcher
	tree
	log     *slog.Logger
	changed func(Change) time.Duration
	errs    chan error
	folders map[string]bool // watched

	timer    *time.Timer      // runs until changed is to be called
	burst    time.Time        // the first event since the last call; zero if there is none
	last     time.Time        // the last event
	names    map[string]int64 // to report, with their sizes
	sizes    map[string]int64 // of the files reported before
	all      bool             // anything may have changed
	moved    bool             // folders have come, gone or moved since the last call, or dir does not exist
	reported bool             // that dir does not exist
}

// rewatch replaces the watcher by a new one for everything below dir. When folders have moved, nothing less is
// reliable: fsnotify 1.10.1 keeps the old name of a folder that is added under its new one, drops it when the
// event of its move comes later, and panics in Remove if it was watched under two names.
//
// A goroutine receives the errors: fsnotify sends them while it holds the lock that Add and Close need.
func (w *watch) rewatch() error {
	fresh, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	if w.Watcher != nil {
		w.Close()
	}
	w.Watcher, w.folders = fresh, map[string]bool{}
	go func() { // ends when the watcher is closed
		for err := range fresh.Errors {
			select {
			case w.errs <- err:
			default:
			}
		}
	}()
	return w.walk(w.dir, func(path string, isDir bool) error {
		if !isDir {
			return nil
		}
		w.folders[path] = true
		if err := w.Add(path); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// call reports the changes, which are kept as long as changed wants to be called again.
func (w *watch) call() {
	if w.unfinished() {
		w.timer.Reset(debounce)
		return
	}
	if w.moved {
		err := w.rewatch()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.log.Warn("watch", "dir", w.dir, "err", err)
		}
		w.moved, w.all = err != nil, true
		if w.moved && w.reported {
			w.timer.Reset(goneInterval)
			return
		}
	}
	c := Change{Quiet: time.Since(w.last)}
	if !w.all {
		c.Names = slices.Sorted(maps.Keys(w.names))
	}
	w.burst = time.Time{}
	wait := w.changed(c)
	w.reported = w.moved && wait == 0
	if wait == 0 {
		w.all = false
		maps.Copy(w.sizes, w.names)
		clear(w.names)
	}
	if w.reported {
		wait = goneInterval
	}
	if wait > 0 {
		w.timer.Reset(wait)
	}
}

// unfinished reports whether a file of the burst still changes its size, or is much smaller than at the last report.
// A large file is written in many steps, and reading half of it costs twice: its reviews vanish, and all of them are
// read again.
func (w *watch) unfinished() (found bool) {
	for name, before := range w.names {
		now := w.size(name)
		found = found || now != before || now == 0 || now < w.sizes[name]*3/4
		w.names[name] = now
	}
	return found && time.Since(w.burst) < maxBurst
}

// size returns the size of a file in the folder; -1 if it is gone.
func (w *watch) size(name string) int64 {
	info, err := os.Stat(filepath.Join(w.dir, filepath.FromSlash(name)))
	if err != nil {
		return -1
	}
	return info.Size()
}

func (w *watch) handle(ev fsnotify.Event) {
	if ev.Op == fsnotify.Chmod || ev.Name != w.dir && w.ignored(ev.Name) {
		return
	}
	folder := ev.Name == w.dir || w.folders[ev.Name] && (ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename))
	if ev.Has(fsnotify.Create) {
		info, err := os.Stat(ev.Name)
		folder = folder || err == nil && info.IsDir()
	}
	if folder {
		w.event("")
		return
	}
	w.event(ev.Name)
}

// event notes a change and puts the next call off. Without a name, folders may have changed.
func (w *watch) event(name string) {
	w.last = time.Now()
	if w.burst.IsZero() {
		w.burst = w.last
	}
	if rel, err := filepath.Rel(w.dir, name); name == "" || err != nil {
		w.moved = true
	} else {
		w.names[filepath.ToSlash(rel)] = w.size(rel)
	}
	w.timer.Reset(min(debounce, max(0, maxBurst-w.last.Sub(w.burst))))
}

// tree is the watched folder.
type tree struct {
	dir    string
	output string // the output folder if it is inside; "" if not
}

// poll is Watch without events: it compares names, sizes and times.
func (t tree) poll(ctx context.Context, interval time.Duration, changed func(Change) time.Duration) error {
	last := t.stamps()
	wait, quiet := changed(Change{}), time.Duration(0)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			now := t.stamps()
			quiet += interval
			if !maps.Equal(now, last) {
				last, quiet = now, 0
			} else if wait == 0 || quiet < wait {
				continue
			}
			wait = changed(Change{Quiet: quiet})
		}
	}
}

// stamps returns the size and time of each file that can be read now.
func (t tree) stamps() map[string]string {
	stamps := map[string]string{}
	_ = t.walk(t.dir, func(path string, isDir bool) error {
		if info, err := os.Stat(path); err == nil && !isDir {
			stamps[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return stamps
}

// ignored reports whether the loader ignores a path, the output folder among others.
func (t tree) ignored(path string) bool {
	if t.output != "" && (path == t.output || path == t.output+".staging" || path == t.output+".lock") {
		return true
	}
	return source.Ignored(filepath.Base(path))
}

// walk visits root and everything below it that the loader may read. Like the loader it follows no links to
// folders below root. What vanishes in the meantime is left out.
func (t tree) walk(root string, visit func(path string, isDir bool) error) error {
	return filepath.WalkDir(root+string(filepath.Separator), func(path string, e fs.DirEntry, err error) error {
		path = filepath.Clean(path)
		below := path != filepath.Clean(root)
		switch {
		case err != nil:
		case below && t.ignored(path):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		default:
			err = visit(path, e.IsDir())
		}
		if below && errors.Is(err, fs.ErrNotExist) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		return err
	})
}
