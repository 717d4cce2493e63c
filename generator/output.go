package generator

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

// output is the published folder, locked for one build. Beside public/ a build
// keeps public.lock, held while it works, and public.staging, the set to be;
// both are gone when it ends, and the next build removes what a killed one left.
type output struct {
	dir     string // absolute, links resolved
	staging string
	lock    *flock.Flock
	// step, when set, is told each step of a write before it is taken; tests die
	// there to prove that any moment is a good one.
	step func(name string)
	// inPlace skips the swap of directories, for tests of the way without one.
	inPlace bool
}

// lockWait is how long a build waits for another one that writes the same
// folder: longer than a large build's writing takes.
const lockWait = 30 * time.Second

// lockOutput waits for the folder to be free, takes it, and clears up after a
// build that was killed.
func lockOutput(ctx context.Context, dir string) (*output, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	// A link is followed, so that the folder behind it is swapped and not the
	// link; the folder itself may not be there yet.
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	} else if to, lerr := os.Readlink(dir); lerr == nil {
		return nil, fmt.Errorf("%s is a link to %s, which isn't there; make that folder, or name another", dir, to)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	o := &output{dir: dir, staging: dir + ".staging"}
	if err := o.acquire(ctx, dir+".lock"); err != nil {
		return nil, err
	}
	if err := o.recover(); err != nil {
		o.unlock()
		return nil, fmt.Errorf("clear up after a build that was killed: %w", err)
	}
	return o, nil
}

// acquire locks the file at path. The kernel frees the lock of a process that
// dies, so the file's presence means nothing; but since the holder removes the
// file at the end, a lock counts only if the file it is on is still the one at
// the path.
func (o *output) acquire(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		l := flock.New(path)
		if _, err := l.TryLockContext(ctx, 20*time.Millisecond); err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("another build has been writing %s for over %s (it holds %s); wait for it, or stop it", o.dir, lockWait, path)
			}
			return fmt.Errorf("lock %s: %w", path, err)
		}
		held, err := l.Stat()
		if err == nil {
			var at fs.FileInfo
			if at, err = os.Stat(path); err == nil && os.SameFile(held, at) {
				o.lock = l
				return nil
			}
		}
		l.Close()
	}
}

// unlock removes the lock file while it is still held, so that whoever waits on
// it finds it gone and makes a new one. Where an open file can't be removed
// (Windows), it goes right after, unless another build has opened it by then.
func (o *output) unlock() {
	removed := os.Remove(o.lock.Path()) == nil
	o.lock.Close()
	if !removed {
		os.Remove(o.lock.Path())
	}
}
