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

// Changed is told the files that changed, relative to the folder, with slashes, nil for anything, and for at least how
// long nothing has changed. If it returns a duration, it is called again when nothing has changed for that long, with
// the same names and those until then.
type Changed func(names []string, quiet time.Duration) (wait time.Duration)

const (
	maxBurst     = 100 * time.Millisecond // how long changes without a pause put off a build
	goneInterval = 200 * time.Millisecond // how often a folder that has vanished is looked for
)

// Watch calls changed when it has begun to watch, and then after every burst of changes in the folder, until ctx ends.
//
// Directories are watched and not files, since many editors save by renaming. When the folder itself vanishes
// (another branch checked out), changed is called, and again when it is back. With Poll, the tree is compared at
// that interval: network folders send no events. Changes while changed runs are reported afterwards.
func Watch(ctx context.Context, c Config, changed Changed) error {
	// Absolute, since walk compares paths, and . is no prefix of the paths below it.
	dir, err := filepath.Abs(c.ContentDir)
	if err != nil {
		return fmt.Errorf("watch %s: %w", c.ContentDir, err)
	}
	w := &watch{Watcher: &fsnotify.Watcher{}, dir: dir, log: c.Logger, changed: changed, errs: make(chan error, 1),
		names: map[string]int64{}, sizes: map[string]int64{}, all: true, timer: time.NewTimer(0)}
	if name := source.OutputName(c.ContentDir, c.OutputDir); name != "" {
		w.output = filepath.Join(dir, filepath.FromSlash(name))
	}
	if c.Poll > 0 {
		w.tick, w.stamps = time.Tick(c.Poll), w.stamp()
	} else if err := w.rewatch(); err != nil {
		return fmt.Errorf("watch %s: %w; --poll 1s works without events of the system", dir, err)
	} else {
		defer func() { w.Close() }()
	}
	return w.run(ctx)
}

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
		case <-w.tick:
			if now := w.stamp(); !maps.Equal(now, w.stamps) {
				w.stamps, w.last, w.all = now, time.Now(), true
				w.timer.Reset(0)
			}
		case <-w.timer.C:
			w.call()
		}
	}
}

type watch struct {
	*fsnotify.Watcher // has no events with Poll
	dir               string
	output            string // the output folder if it is inside; "" if not
	tick              <-chan time.Time
	stamps            map[string]string // with Poll, at the last tick
	log               *slog.Logger
	changed           Changed
	errs              chan error
	folders           map[string]bool // watched

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
	if w.folders != nil {
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
	return w.walk(func(path string, isDir bool) error {
		if !isDir {
			return nil
		}
		w.folders[path] = true
		return w.Add(path)
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
	var names []string
	if !w.all {
		names = slices.Sorted(maps.Keys(w.names))
	}
	w.burst = time.Time{}
	wait := w.changed(names, time.Since(w.last))
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
	info, err := os.Stat(ev.Name)
	came := ev.Has(fsnotify.Create) && err == nil && info.IsDir()
	went := w.folders[ev.Name] && (ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename))
	if came || went || ev.Name == w.dir {
		ev.Name = ""
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

// stamp returns the size and time of each file that can be read now.
func (w *watch) stamp() map[string]string {
	stamps := map[string]string{}
	_ = w.walk(func(path string, isDir bool) error {
		if info, err := os.Stat(path); err == nil && !isDir {
			stamps[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return stamps
}

// ignored reports whether the loader ignores a path, the output folder among others.
func (w *watch) ignored(path string) bool {
	output := w.output != "" && (path == w.output || path == w.output+".staging" || path == w.output+".lock")
	return output || source.Ignored(filepath.Base(path))
}

// walk visits the folder and everything below it that the loader may read. Like the loader it follows no links to
// folders below it. What vanishes in the meantime is left out.
func (w *watch) walk(visit func(path string, isDir bool) error) error {
	return filepath.WalkDir(w.dir+string(filepath.Separator), func(path string, e fs.DirEntry, err error) error {
		path = filepath.Clean(path)
		below := path != w.dir
		skip := below && w.ignored(path)
		if err == nil && !skip {
			err = visit(path, e.IsDir())
		}
		switch gone := below && errors.Is(err, fs.ErrNotExist); {
		case (skip || gone) && e.IsDir():
			return fs.SkipDir
		case skip || gone:
			return nil
		}
		return err
	})
}
