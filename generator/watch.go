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

// Watch calls changed once when it has begun to watch, so that nothing falls
// between a first build and the watch, and then after every burst of changes
// below dir, until ctx ends.
// Directories are watched, not files: editors save by writing another file and
// renaming it, and a watch on the old one would see nothing more. New
// directories are added as they appear. poll > 0 looks at the tree at that
// interval instead, for network folders, which send no events.
//
// changed runs on Watch's goroutine: what happens meanwhile is seen afterwards.
func Watch(ctx context.Context, dir string, poll time.Duration, log *slog.Logger, changed func()) error {
	if poll > 0 {
		return watchByPolling(ctx, dir, poll, changed)
	}
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w; --poll 1s works without the system's help", dir, err)
	}
	defer w.Close()
	if err := addTree(w, dir); err != nil {
		return fmt.Errorf("watch %s: %w; --poll 1s works without the system's help", dir, err)
	}
	changed()
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	var burst time.Time // when the burst began; zero when there is none
	for {
		select {
		case <-ctx.Done():
			return nil
		case err, ok := <-w.Errors:
			if !ok {
				return nil
			}
			// An overflow lost events, so anything may have changed.
			log.Warn("watch", "err", err)
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				if err := addTree(w, dir); err != nil {
					log.Warn("watch", "err", err)
				}
				quiet.Reset(watchQuiet)
			}
		case ev, ok := <-w.Events:
			if !ok {
				return nil
			}
			if ev.Op == fsnotify.Chmod || ignored(ev.Name) {
				continue
			}
			if ev.Has(fsnotify.Create) {
				if info, err := os.Stat(ev.Name); err == nil && info.IsDir() {
					if err := addTree(w, ev.Name); err != nil {
						log.Warn("watch a new folder", "dir", ev.Name, "err", err)
					}
				}
			}
			now := time.Now()
			if burst.IsZero() {
				burst = now
			}
			quiet.Reset(min(watchQuiet, max(0, watchBurst-now.Sub(burst))))
		case <-quiet.C:
			burst = time.Time{}
			changed()
		}
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
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path != root:
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			return nil
		case path != root && ignored(path):
			return filepath.SkipDir
		}
		if err := w.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
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
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what can't be read now is simply not in it
		}
		if path != dir && ignored(path) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
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
