package generator

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
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Change is what a watch has seen since it last told.
type Change struct {
	// Names are the files that changed, relative to the folder, with slashes. nil
	// means that anything may have changed.
	Names []string
	// Settled tells that the burst is over, so far as one can know, or that it has
	// gone on for so long that it isn't waited out. Otherwise a file may be there by
	// half.
	Settled bool
	// Still is how long nothing has happened, at least.
	Still time.Duration
}

// A build follows watchSoon after the last change of some files, which is as long
// as an editor takes between two steps of one save; what looks like half a save
// is looked at again when nothing has happened for watchQuiet. Where folders come
// and go, nothing is begun before. watchBurst is the longest that a burst is
// waited out, so that a stream of saves still shows.
const (
	watchSoon  = 4 * time.Millisecond
	watchQuiet = 25 * time.Millisecond
	watchBurst = 100 * time.Millisecond
)

// watchNames is how many names are told one by one.
const watchNames = 1000

// watchReturn is how often a folder that is gone is looked for.
const watchReturn = 200 * time.Millisecond

// Watch calls changed once when it has begun to watch, so that nothing falls
// between a first build and the watch, and then after every burst of changes
// below dir, until ctx ends. When changed gives a time, it is called again with the
// same names, and those that come till then, once nothing has happened for so long.
//
// Directories are watched, not files: editors save by writing another file and
// renaming it, and a watch on the old one would see nothing more. New
// directories are added as they appear. When dir itself goes (a rename, another
// branch checked out), changed is called for that, and again when it is back.
// poll > 0 looks at the tree at that interval instead, for network folders, which
// send no events.
//
// changed runs on Watch's goroutine: what happens meanwhile is seen afterwards.
func Watch(ctx context.Context, dir string, poll time.Duration, log *slog.Logger, changed func(Change) (again time.Duration)) error {
	if poll > 0 {
		return watchByPolling(ctx, dir, poll, changed)
	}
	w := &watch{dir: filepath.Clean(dir), log: log, changed: changed, errs: make(chan error, 1), names: map[string]bool{}}
	err := w.open()
	if err == nil {
		defer func() { w.Close() }()
		err = w.addTree(w.dir)
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
	changed func(Change) time.Duration
	errs    chan error
	folders map[string]bool // that are watched

	quiet  *time.Timer     // runs while a burst does
	burst  time.Time       // when the burst began; zero when there is none
	names  map[string]bool // what has changed since changed was content
	all    bool            // it was about more than those
	moved  bool            // the burst is
	settle *time.Timer     // runs when changed wants to be called again
	again  time.Duration   // that it wants to wait for
	gone   *time.Timer     // runs while dir isn't there
}

// open makes a watcher that watches nothing yet, in place of the one there is.
//
// When folders move, nothing less will do: fsnotify 1.10.1 keeps the old name of one
// that is added under its new name, forgets it when the event of its own move comes
// later, and panics in Remove when it was watched under two names.
//
// Errors are taken as they come: it sends them while it holds the lock that Add and
// Close need, so that whoever reads them between two calls of Add waits for ever. One
// stands for many.
func (w *watch) open() error {
	fresh, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	if w.Watcher != nil {
		w.Close()
	}
	w.Watcher, w.folders = fresh, map[string]bool{}
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
	for _, t := range []**time.Timer{&w.quiet, &w.settle, &w.gone} {
		*t = time.NewTimer(time.Hour)
		(*t).Stop()
	}
	w.changed(Change{Settled: true, Still: watchReturn})
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-w.errs:
			// An overflow lost events, so anything may have changed.
			w.log.Warn("watch", "err", err)
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				w.event("")
			}
		case ev := <-w.Events:
			if err := w.take(ev); err != nil {
				return err
			}
		case <-w.quiet.C:
			w.tell()
		case <-w.settle.C:
			if w.burst.IsZero() { // or else it is told of that one
				w.call(Change{Settled: w.again >= watchQuiet, Still: w.again})
			}
		case <-w.gone.C:
			w.look()
		}
	}
}

// tell calls changed at the end of a burst.
func (w *watch) tell() {
	c := Change{Settled: w.moved || time.Since(w.burst) >= watchBurst, Still: watchSoon}
	switch {
	case time.Since(w.burst) >= watchBurst:
		c.Still = 0
	case w.moved:
		c.Still = watchQuiet
	}
	if w.moved {
		w.anew()
		w.all = true
	}
	w.burst, w.moved = time.Time{}, false
	w.call(c)
}

// call tells of all that changed hasn't been content with.
func (w *watch) call(c Change) {
	if !w.all {
		c.Names = slices.Sorted(maps.Keys(w.names))
		if c.Names == nil {
			c.Names = []string{}
		}
	}
	if w.again = w.changed(c); w.again > 0 {
		w.settle.Reset(w.again)
		return
	}
	w.settle.Stop()
	w.all = false
	clear(w.names)
}

// take takes one event.
func (w *watch) take(ev fsnotify.Event) error {
	self := ev.Name == w.dir
	gone := ev.Has(fsnotify.Remove) || ev.Has(fsnotify.Rename)
	switch {
	case ev.Op == fsnotify.Chmod || !self && ignored(ev.Name):
		return nil
	case self && gone:
		// A watch on the old folder, wherever it is now, would tell of another's changes.
		if err := w.open(); err != nil {
			return fmt.Errorf("watch %s: %w", w.dir, err)
		}
		w.gone.Reset(watchReturn)
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

// event puts the call of changed off until a burst is over; without a name, what
// happened is about more than one file.
func (w *watch) event(name string) {
	now := time.Now()
	if w.burst.IsZero() {
		w.burst = now
	}
	rel, err := filepath.Rel(w.dir, name)
	if name == "" || err != nil || len(w.names) == watchNames {
		w.moved = true
	} else {
		w.names[filepath.ToSlash(rel)] = true
	}
	wait := watchSoon
	if w.moved {
		wait = watchQuiet
	}
	w.quiet.Reset(min(wait, max(0, watchBurst-now.Sub(w.burst))))
}

// look looks for a folder that is gone.
func (w *watch) look() {
	if info, err := os.Stat(w.dir); err != nil || !info.IsDir() {
		w.gone.Reset(watchReturn)
		return
	}
	w.anew()
	w.event("")
}

// anew watches everything that is below dir now. What happened before it is told of
// by whoever calls it.
func (w *watch) anew() {
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
func (w *watch) addTree(root string) error {
	return walk(root, func(path string, isDir bool) error {
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
func watchByPolling(ctx context.Context, dir string, every time.Duration, changed func(Change) time.Duration) error {
	last := fingerprint(dir)
	again, still := changed(Change{Settled: true}), time.Duration(0)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			now := fingerprint(dir)
			still += every
			if !now.equal(last) {
				last, still = now, 0
			} else if again == 0 || still < again {
				continue
			}
			again = changed(Change{Settled: true, Still: still})
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
