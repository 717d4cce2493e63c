package devserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tree is the watched folder.
type tree struct {
	dir    string
	output string // the output folder if it is inside; "" if not
}

// poll is Watch without events: it compares the names, sizes and times of all files at
// an interval.
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

// stamps returns the size and time of each file. What cannot be read now is left
// out, and is a change once it can be read.
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

// ignored reports whether the loader ignores a path: dotfiles, what editors write
// beside the file that they save, and the output folder.
func (t tree) ignored(path string) bool {
	if t.output != "" && (path == t.output || path == t.output+".staging" || path == t.output+".lock") {
		return true
	}
	name := filepath.Base(path)
	return strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") ||
		strings.HasSuffix(name, ".tmp") || strings.HasSuffix(name, ".swp")
}

// walk visits root and everything below it that the loader may read. It follows
// symbolic links as the loader does: not out of root, and to each directory once,
// so that links in a circle end. What vanishes in the meantime is left out.
func (t tree) walk(root string, visit func(path string, isDir bool) error) error {
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
			if t.ignored(path) {
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
