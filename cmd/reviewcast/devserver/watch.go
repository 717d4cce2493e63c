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
	// Names are the files that changed, relative to the folder, with slashes. nil
	// means that anything may have changed.
	Names []string
	// Quiet is how long, at least, nothing has changed since.
	Quiet time.Duration
}

// WatchConfig says what to watch.
type WatchConfig struct {
	// Dir is the folder. Required.
	Dir string
	// OutputDir is where builds write; changes in it are not reported. "" for none.
	OutputDir string
	// Poll compares the files at this interval; 0 waits for events of the system.
	Poll time.Duration
	// Logger receives the errors of the system. Required.
	Logger *slog.Logger
}

// maxBurst is the longest that changes without a pause put off a build, so that a
// program that writes all the time does not stop the preview.
const maxBurst = 100 * time.Millisecond

// maxNames is how many names are reported one by one.
const maxNames = 1000

// goneInterval is how often a folder that has vanished is looked for.
const goneInterval = 200 * time.Millisecond

// Watch calls changed when it has begun to watch, so that no change is lost
// between a first build and the watch, and then after every burst of changes in the
// folder, until ctx ends. If changed returns a duration, it is called again when
// nothing has changed for that long, with the same names and those of the changes
// until then.
//
// Directories are watched and not files, since many editors save by writing another
// file and renaming it. New directories are added as they appear. When the folder itself
// vanishes (a rename, another branch checked out), changed is called, and again
// when it is back. With Poll, the tree is compared at that interval instead, for
// network folders, which send no events.
//
// changed is called on the goroutine of Watch. Changes in the meantime are
// reported afterwards.
func Watch(ctx context.Context, c WatchConfig, changed func(Change) (wait time.Duration)) error {
	// Absolute, since walk compares paths, and . is no prefix of the paths below it.
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return fmt.Errorf("watch %s: %w", c.Dir, err)
	}
	t := tree{dir: dir}
	if name := source.OutputName(c.Dir, c.OutputDir); name != "" {
		t.output = filepath.Join(t.dir, filepath.FromSlash(name))
	}
	if c.Poll > 0 {
		return t.poll(ctx, c.Poll, changed)
	}
	w := &watch{tree: t, log: c.Logger, changed: changed, errs: make(chan error, 1), names: map[string]bool{}}
	err = w.open()
	if err == nil {
		defer func() { w.Close() }()
		err = w.addTree(w.dir)
	}
	if err != nil {
		return fmt.Errorf("watch %s: %w; --poll 1s works without events of the system", t.dir, err)
	}
	return w.run(ctx)
}

// watch is the state of Watch.
type watch struct {
	*fsnotify.Watcher
	tree
	log     *slog.Logger
	changed func(Change) time.Duration
	errs    chan error
	folders map[string]bool // watched

	timer *time.Timer     // runs until changed is to be called
	gone  *time.Timer     // runs while dir does not exist
	burst time.Time       // the first event since the last call; zero if there is none
	last  time.Time       // the last event
	names map[string]bool // to report
	all   bool            // anything may have changed
	moved bool            // folders have come, gone or moved since the last call
}

// open replaces the watcher by a new one that watches nothing yet.
//
// When folders have moved, nothing less is reliable: fsnotify 1.10.1 keeps the old
// name of a folder that is added under its new name, drops it when the event of its
// move comes later, and panics in Remove if it was watched under two names. Adding
// the folders again to the old watcher missed edits in 7 of 24 runs of
// TestWatchFollowsMoves.
//
// A goroutine receives the errors: fsnotify sends them while it holds the lock that
// Add and Close need, so that reading them between two calls of Add would block
// forever. One error stands for several.
func (w *watch) open() error {
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
	return nil
}

func (w *watch) run(ctx context.Context) error {
	for _, t := range []**time.Timer{&w.timer, &w.gone} {
		*t = time.NewTimer(time.Hour)
		(*t).Stop()
	}
	w.all = true
	w.call()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.errs:
			w.log.Warn("watch", "err", err)
			if errors.Is(err, fsnotify.ErrEventOverflow) { // events are lost
				w.event("")
			}
		case ev := <-w.Events:
			if err := w.handle(ev); err != nil {
				return err
			}
		case <-w.timer.C:
			w.call()
		case <-w.gone.C:
			if info, err := os.Stat(w.dir); err != nil || !info.IsDir() {
				w.gone.Reset(goneInterval)
				continue
			}
			w.rewatch()
			w.event("")
		}
	}
}

// call reports the changes. They are kept as long as changed wants to be called
// again.
func (w *watch) call() {
	if w.moved {
		w.rewatch()
		w.all = true
	}
	c := Change{Quiet: time.Since(w.last)}
	if !w.all {
		c.Names = slices.AppendSeq([]string{}, maps.Keys(w.names))
		slices.Sort(c.Names)
	}
	w.burst, w.moved = time.Time{}, false
	if wait := w.changed(c); wait > 0 {
		w.timer.Reset(wait)
		return
	}
	w.timer.Stop()
	w.all = false
	clear(w.names)
}

func (w *watch) handle(ev fsnotify.Event) error {
	self := ev.Name == w.dir
	gone := ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename)
	switch {
	case ev.Op == fsnotify.Chmod || !self && w.ignored(ev.Name):
		return nil
	case self && gone:
		// A watch on the old folder, wherever it is now, would report foreign changes.
		if err := w.open(); err != nil {
			return fmt.Errorf("watch %s: %w", w.dir, err)
		}
		w.gone.Reset(goneInterval)
	case ev.Has(fsnotify.Create):
		if info, err := os.Stat(ev.Name); err == nil && info.IsDir() {
			w.add(ev.Name)
			w.event("")
			return nil
		}
	}
	if self || gone && w.folders[ev.Name] {
		w.event("")
		return nil
	}
	w.event(ev.Name)
	return nil
}

// event notes a change and puts the next call off. Without a name, more than one
// file may have changed.
func (w *watch) event(name string) {
	w.last = time.Now()
	if w.burst.IsZero() {
		w.burst = w.last
	}
	rel, err := filepath.Rel(w.dir, name)
	if name == "" || err != nil || len(w.names) == maxNames {
		w.moved = true
	} else {
		w.names[filepath.ToSlash(rel)] = true
	}
	w.timer.Reset(min(debounce, max(0, maxBurst-w.last.Sub(w.burst))))
}

// rewatch watches everything that is below dir now. The caller reports what
// happened before.
func (w *watch) rewatch() {
	if err := w.open(); err != nil {
		w.log.Warn("watch", "dir", w.dir, "err", err)
	}
	w.add(w.dir)
}

func (w *watch) add(dir string) {
	err := w.addTree(dir)
	if err == nil || errors.Is(err, fs.ErrNotExist) && dir != w.dir {
		return
	}
	if !errors.Is(err, fs.ErrNotExist) {
		w.log.Warn("watch", "dir", dir, "err", err)
	}
	if dir == w.dir { // gone again, or not readable yet
		w.gone.Reset(goneInterval)
	}
}

// addTree watches a directory and all below it. One that vanishes in the meantime
// is no error: the watch on its parent reports it.
func (w *watch) addTree(root string) error {
	return w.walk(root, func(path string, isDir bool) error {
		if !isDir {
			return nil
		}
		w.folders[path] = true
		if err := w.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}
