// Package durable replaces all files of a directory at once, atomically and
// durably.
//
// [Dir.Replace] writes and syncs the new files in a staging directory beside the
// directory, then exchanges the two directories with one rename. A reader that
// opens the directory sees the old set or the new one, and a crash leaves one of
// them. Where directories cannot be exchanged (Windows, mount points, some network
// file systems), the files are renamed into place one by one, the last one being
// the file that readers check the others against. A crash in between is finished
// by the next [Lock].
//
// For a directory d, this package uses the names d.lock and d.staging beside it.
// Both are removed when the work is done; what a killed process left behind is
// removed by the next Lock.
package durable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// patience is how long Lock waits for another process: longer than writing a large
// set takes.
const patience = 30 * time.Second

// Dir is a directory that is locked against other processes that use this package.
type Dir struct {
	last    string
	path    string // absolute, symbolic links resolved
	staging string
	lock    *flock.Flock
}

// Lock locks the directory, which need not exist yet. It waits for another process
// that holds the lock, and finishes or removes what a killed process left behind.
//
// last is the name of the file that comes last when files are replaced one by one: a
// manifest that lists the others with their hashes, so that a reader can reject a
// mixture of two sets. Its presence also marks a directory as ours.
func Lock(ctx context.Context, path, last string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// A symbolic link is followed, so that its target is exchanged and not the link.
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if to, lerr := os.Readlink(path); lerr == nil {
		return nil, fmt.Errorf("%s is a symbolic link to %s, which does not exist; create that directory, or name another", path, to)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	d := &Dir{last: last, path: path, staging: path + ".staging"}
	if err := d.acquire(ctx, path+".lock"); err != nil {
		return nil, err
	}
	if err := d.recover(); err != nil {
		d.Unlock()
		return nil, fmt.Errorf("recover %s after an interrupted write: %w", path, err)
	}
	return d, nil
}

// acquire locks the file at name. The kernel releases the lock of a process that
// dies, so the existence of the file means nothing. Since the holder removes the
// file at the end, a lock counts only if its file is still the one at name.
func (d *Dir) acquire(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		l := flock.New(name)
		if _, err := l.TryLockContext(ctx, 20*time.Millisecond); err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("another process is writing %s (it holds %s); wait for it to end, or stop it", d.path, name)
			}
			return fmt.Errorf("lock %s: %w", name, err)
		}
		held, err := l.Stat()
		if err == nil {
			var at fs.FileInfo
			if at, err = os.Stat(name); err == nil && os.SameFile(held, at) {
				d.lock = l
				return nil
			}
		}
		l.Close()
	}
}

// Unlock releases the lock. The file is removed while the lock is still held, so
// that a process that waits for it finds it gone and creates a new one. Windows
// cannot remove an open file; there it is removed right after, unless another
// process has opened it by then.
func (d *Dir) Unlock() {
	removed := os.Remove(d.lock.Path()) == nil
	d.lock.Close()
	if !removed {
		os.Remove(d.lock.Path())
	}
}
