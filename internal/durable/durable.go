// Package durable replaces all files of a directory at once, atomically and durably.
//
// [Dir.Replace] stages and syncs the new files beside the directory and exchanges the two directories with one
// rename: a reader sees the old set or the new one, and a crash leaves one of them. Where directories can't be
// exchanged (Windows, mount points, some network file systems), files are renamed one by one; the one that
// readers check the others against comes last. A crash in between is finished by the next [Lock].
//
// Beside a directory d stand d.lock and d.staging while it is written. The next Lock removes what is left of them.
package durable

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockTimeout is how long Lock waits for another process: longer than writing a large set takes.
const lockTimeout = 30 * time.Second

// Dir is a directory that is locked against other processes that use this package.
type Dir struct {
	last    string
	path    string // absolute, symbolic links resolved
	staging string
	lock    *flock.Flock
}

// Lock locks the directory, which need not exist yet. It waits at most lockTimeout. last is the file that comes last
// when files are replaced one by one: a manifest with hashes, by which a reader rejects a mixture of two sets. Its
// presence marks a directory as ours.
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

// acquire locks the file at name. The kernel releases the lock of a process that dies. Since the holder removes
// the file at the end, a lock counts only if its file is still the one at name.
func (d *Dir) acquire(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
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
		at, aerr := os.Stat(name)
		if err == nil && aerr == nil && os.SameFile(held, at) {
			d.lock = l
			return nil
		}
		l.Close()
	}
}

// Unlock releases the lock. The file is removed while it is held, so that a process that waits for it creates a new one. Windows
// can't remove an open file; there it is removed after, unless another process has opened it.
func (d *Dir) Unlock() {
	removed := os.Remove(d.lock.Path()) == nil
	d.lock.Close()
	if !removed {
		os.Remove(d.lock.Path())
	}
}
