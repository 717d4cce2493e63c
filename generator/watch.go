package generator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A burst of changes is over after watchQuiet without another; watchBurst is the
// longest that a burst is waited out, so that a stream of saves still shows.
const (
	watchQuiet = 25 * time.Millisecond
	watchBurst = 100 * time.Millisecond
)

// watchReturn is how often a folder that is gone is looked for.
const watchReturn = 200 * time.Millisecond

// Watch calls changed once when it has begun to watch, so that nothing falls
// between a first build and the watch, and then after every burst of changes
// below dir, until ctx ends.
//
// Directories are watched, not files: editors save by writing another file and
// renaming it, and a watch on the old one would see nothing more. New
// directories are added as they appear. When dir itself goes (a rename, another
// branch checked out), changed is called for that, and again when it is back.
// poll > 0 looks at the tree at that interval instead, for network folders, which
// send no events.
//
// changed runs on Watch's goroutine: what happens meanwhile is seen afterwards.
func Watch(ctx context.Context, dir string, poll time.Duration, log *slog.Logger, changed func()) error {
	if poll > 0 {
		return watchByPolling(ctx, dir, poll, changed)
	}
	w := &watch{dir: dir, log: log, changed: changed, errs: make(chan error, 1)}
	err := w.open()
	if err == nil {
		defer func() { w.Close() }()
		err = addTree(w.Watcher, dir)
	}
	if err != nil {
		return fmt.Errorf("watch %s: %w; --poll 1s works without the system's help", dir, err)
	}
	return w.run(ctx)
}

// watch is a running Watch.
type watch struct {
	*fsnotify.Watcher
	dir     string
	log     *slog.Logger
	changed func()
	errs    chan error

	quiet *time.Timer // runs while a burst does
	burst time.Time   // when the burst began; zero when there is none
	gone  *time.Timer // runs while dir isn't there
}

// open makes the watcher. Its errors are taken as they come: fsnotify 1.10.1 sends
// them while it holds the lock that Add and Close need, so that whoever reads them
// between two calls of Add waits for ever. One stands for many.
func (w *watch) open() error {
	fresh, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	w.Watcher = fresh
	go func() { // ends with the watcher
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
	w.quiet, w.gone = time.NewTimer(time.Hour), time.NewTimer(time.Hour)
	w.quiet.Stop()
	w.gone.Stop()
	w.changed()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.errs:
			// An overflow lost events, so anything may have changed.
			w.log.Warn("watch", "err", err)
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				w.add(w.dir)
				w.event()
			}
		case ev := <-w.Events:
			if err := w.take(ev); err != nil {
				return err
			}
		case <-w.quiet.C:
			w.burst = time.Time{}
			// A folder that was renamed loses its watch although it was added under its
			// new name: the event of its move comes later.
			w.add(w.dir)
			w.changed()
		case <-w.gone.C:
			w.look()
		}
	}
}

// take takes one event.
func (w *watch) take(ev fsnotify.Event) error {
	self := ev.Name == filepath.Clean(w.dir)
	switch {
	case ev.Op == fsnotify.Chmod || !self && ignored(ev.Name):
		return nil
	case self && (ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename)):
		// A watch on the old folder, wherever it is now, would tell of another's
		// changes, so that all begins anew. (fsnotify 1.10.1 panics in Remove when one
		// folder was watched under two names, as it is after a rename.)
		w.Close()
		if err := w.open(); err != nil {
			return fmt.Errorf("watch %s: %w", w.dir, err)
		}
		w.gone.Reset(watchReturn)
	case ev.Has(fsnotify.Create):
		if info, err := os.Stat(ev.Name); err == nil && info.IsDir() {
			w.add(ev.Name)
		}
	}
	w.event()
	return nil
}

// event puts the call of changed off until a burst is over.
func (w *watch) event() {
	now := time.Now()
	if w.burst.IsZero() {
		w.burst = now
	}
	w.quiet.Reset(min(watchQuiet, max(0, watchBurst-now.Sub(w.burst))))
}

// look looks for a folder that is gone.
func (w *watch) look() {
	if info, err := os.Stat(w.dir); err != nil || !info.IsDir() {
		w.gone.Reset(watchReturn)
		return
	}
	w.add(w.dir)
	w.event()
}

func (w *watch) add(dir string) {
	err := addTree(w.Watcher, dir)
	if err == nil || errors.Is(err, fs.ErrNotExist) && dir != w.dir {
		return
	}
	if !errors.Is(err, fs.ErrNotExist) {
		w.log.Warn("watch", "dir", dir, "err", err)
	}
	if dir == w.dir { // gone again, or not readable yet
		w.gone.Reset(watchReturn)
	}
}

// ignored tells whether nothing that the loader reads has this name: dotfiles,
// and what editors write beside the file that they save.
func ignored(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") ||
		strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".swp")
}

// addTree watches a directory and all below it. One that vanishes meanwhile is
// no error: its parent tells.
func addTree(w *fsnotify.Watcher, root string) error {
	return walk(root, func(path string, isDir bool) error {
		if !isDir {
			return nil
		}
		if err := w.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// walk visits root and everything below it that the loader may read, links
// followed as the loader follows them: not out of root, and to each directory
// once, so that links in a circle end. What vanishes meanwhile is left out; its
// parent tells.
func walk(root string, visit func(path string, isDir bool) error) error {
	home, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	var descend func(dir string) error
	descend = func(dir string) error {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return err
		}
		if outside := real != home && !strings.HasPrefix(real, home+string(filepath.Separator)); outside || seen[real] {
			return nil
		}
		seen[real] = true
		if err := visit(dir, true); err != nil {
			return err
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if ignored(path) {
				continue
			}
			isDir := e.IsDir()
			if e.Type()&fs.ModeSymlink != 0 {
				info, err := os.Stat(path)
				isDir = err == nil && info.IsDir()
			}
			if isDir {
				err = descend(path)
			} else {
				err = visit(path, false)
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	return descend(root)
}

// watchByPolling compares the names, sizes and times of all files with those of
// the last look.
func watchByPolling(ctx context.Context, dir string, every time.Duration, changed func()) error {
	last := fingerprint(dir)
	changed()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if now := fingerprint(dir); !now.equal(last) {
				last = now
				changed()
			}
		}
	}
}

type stamp struct {
	size  int64
	mtime time.Time
}

type stamps map[string]stamp

func fingerprint(dir string) stamps {
	s := stamps{}
	// What can't be read now is simply not in it, and shows when it can be.
	_ = walk(dir, func(path string, isDir bool) error {
		if info, err := os.Stat(path); err == nil && !isDir {
			s[path] = stamp{info.Size(), info.ModTime()}
		}
		return nil
	})
	return s
}

func (s stamps) equal(t stamps) bool {
	if len(s) != len(t) {
		return false
	}
	for path, a := range s {
		if b, ok := t[path]; !ok || a.size != b.size || !a.mtime.Equal(b.mtime) {
			return false
		}
	}
	return true
}
