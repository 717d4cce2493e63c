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
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sync/errgroup"
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

// errNoExchange says that two directories can't be exchanged here. Nothing has changed then.
var errNoExchange = errors.New("directories cannot be exchanged here")

var exchangeDirs = exchange // tests replace it

// Replace makes files, keyed by slash-separated name, the contents of the directory; the last file must be among them.
// ours reports whether an existing file belongs to the old set; all others (.gitignore, a CNAME) are kept. A directory
// with files but without the last file is refused; so is a new file that has the name of a kept one. When nothing
// differs, nothing is touched. After an error the directory holds the old set, or the next Lock completes the new one.
// It returns the old files that had other bytes than the new ones.
func (d *Dir) Replace(ctx context.Context, files map[string][]byte, ours func(name string) bool) (replaced []string, err error) {
	for name := range files {
		// The names of a copy come from an untrusted origin. A commit record among them would be
		// carried out after a crash.
		if name == commitFile || !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("write %s: %q cannot be the name of a file in it", d.path, name)
		}
	}
	old, kept, locked, err := d.inventory(ours)
	if err != nil {
		return nil, err
	}
	for _, name := range kept {
		if _, clash := files[name]; clash {
			return nil, fmt.Errorf("%s exists and is not ours; move it away, or name another output directory", d.file(name))
		}
	}
	same := map[string]bool{} // the files that do not change
	for _, name := range old {
		if body, still := files[name]; still && d.holds(name, body) {
			same[name] = true
		} else if still {
			replaced = append(replaced, name)
		}
	}
	if len(same) == len(files) && len(same) == len(old) {
		return nil, nil
	}
	if locked != "" {
		return nil, fmt.Errorf("%s can't be changed: it is locked, read-only, or belongs to another user, perhaps since a command with sudo; on a Mac, untick Locked in Get Info; then run sudo chown -R \"$USER\" %[2]q && chmod -R u+w %[2]q, and try again", locked, d.path)
	}
	if err := d.stage(ctx, files, same); err != nil {
		os.RemoveAll(d.staging)
		return nil, fmt.Errorf("stage new files beside %s: %w", d.path, err)
	}
	err = d.swap(kept)
	if errors.Is(err, errNoExchange) {
		err = d.replaceEach(files, old, same)
	}
	if err != nil {
		// A staging directory with a commit record is completed by the next Lock.
		if _, serr := os.Stat(filepath.Join(d.staging, commitFile)); serr != nil {
			os.RemoveAll(d.staging)
		}
		return nil, fmt.Errorf("move new files into %s: %w", d.path, err)
	}
	return replaced, nil
}

func (d *Dir) file(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// inventory lists the existing files: those of the old set, and those to keep. locked is a directory that can't be
// removed, so that it would be in the way of every later Lock; "" if there is none.
func (d *Dir) inventory(ours func(name string) bool) (old, kept []string, locked string, err error) {
	_, err = os.Stat(d.file(d.last))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, "", err
	}
	hasLast := err == nil
	err = filepath.WalkDir(d.path, func(path string, entry fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(d.path, path) // it is below
		name := filepath.ToSlash(rel)
		switch {
		case errors.Is(err, fs.ErrNotExist) && path == d.path:
		case err != nil:
			return err
		case entry.IsDir() && Access(path, 2|1) != nil: // W_OK, X_OK
			locked = cmp.Or(locked, path)
		case entry.IsDir():
		case ours(name):
			old = append(old, name)
		case !hasLast && !strings.HasPrefix(name, "."):
			return fmt.Errorf("%s contains %s, which reviewcast has not written (there is no %s), perhaps another website; the reviews need a host of their own, such as reviews.example.com, and a folder outside of that website: name a new or an empty one", d.path, name, d.last)
		default:
			kept = append(kept, name)
		}
		return nil
	})
	return old, kept, locked, err
}

// holds reports whether a name is that of a regular file with these bytes.
func (d *Dir) holds(name string, body []byte) bool {
	info, err := os.Lstat(d.file(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() != int64(len(body)) {
		return false
	}
	have, err := os.ReadFile(d.file(name))
	return err == nil && bytes.Equal(have, body)
}

// stage writes and syncs the files: a rename is only as durable as what it renames. An unchanged file is a hard
// link, if it can be. It keeps its time, which the ETag of many servers is made of.
func (d *Dir) stage(ctx context.Context, files map[string][]byte, same map[string]bool) error {
	if err := os.Mkdir(d.staging, 0o755); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8) // most of the time they wait for the disk
	for name, body := range files {
		g.Go(func() error {
			path := filepath.Join(d.staging, filepath.FromSlash(name))
			if err := cmp.Or(ctx.Err(), os.MkdirAll(filepath.Dir(path), 0o755)); err != nil {
				return err
			}
			if same[name] && os.Link(d.file(name), path) == nil {
				return nil
			}
			return writeSynced(path, body)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return syncTree(d.staging)
}

// swap exchanges the staging directory and the directory, and removes the old set.
func (d *Dir) swap(kept []string) error {
	if _, err := os.Lstat(d.path); errors.Is(err, fs.ErrNotExist) {
		if err := os.Rename(d.staging, d.path); err != nil {
			return err
		}
		return syncDir(filepath.Dir(d.path))
	}
	for _, name := range kept {
		if err := carry(d.file(name), filepath.Join(d.staging, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("%w: %s can't be linked: %w", errNoExchange, name, err)
		}
	}
	if len(kept) > 0 {
		if err := syncTree(d.staging); err != nil {
			return err
		}
	}
	if err := exchangeDirs(d.staging, d.path); err != nil {
		return fmt.Errorf("%w: %w", errNoExchange, err)
	}
	if err := syncDir(filepath.Dir(d.path)); err != nil {
		return err
	}
	return os.RemoveAll(d.staging) // the old set now
}

// carry brings a kept file into the new directory as a hard link, which keeps owner, times and mode.
func carry(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if target, err := os.Readlink(from); err == nil {
		return os.Symlink(target, to)
	}
	return os.Link(from, to)
}

// writeSynced is [os.WriteFile] that also syncs the file.
func writeSynced(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir makes the names in a directory durable. NTFS journals them by itself, and Windows can't flush a directory.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncTree makes the names in a directory and below it durable.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncDir(path)
	})
}

// commitFile is the commit record: the files beside it are complete, synced, and being moved one by one.
const commitFile = ".reviewcast-commit"

// moves is the content of a commit record.
type moves struct {
	Move   []string `json:"move"` // the last file comes last
	Remove []string `json:"remove"`
}

// replaceEach moves the staged files in one by one and removes those of the old set that are not replaced. Once
// the commit record is durable, the next Lock finishes the work.
func (d *Dir) replaceEach(files map[string][]byte, old []string, same map[string]bool) error {
	var m moves
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != d.last && !same[name] {
			m.Move = append(m.Move, name)
		}
	}
	m.Move = append(m.Move, d.last)
	for _, name := range old {
		if _, still := files[name]; !still {
			m.Remove = append(m.Remove, name)
		}
	}
	data, _ := json.Marshal(m) // strings always marshal
	if err := writeSynced(filepath.Join(d.staging, commitFile), data); err != nil {
		return err
	}
	if err := syncDir(d.staging); err != nil {
		return err
	}
	return d.rollForward(m)
}

// rollForward carries out a commit record. It can be repeated. It copies each staged file and renames the copy: a
// rename can't cross a mount point, and a second rollForward needs the staged file.
func (d *Dir) rollForward(m moves) error {
	for _, name := range m.Move {
		data, err := os.ReadFile(filepath.Join(d.staging, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		to := d.file(name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := writeSynced(to+".tmp", data); err != nil {
			return err
		}
		if err := os.Rename(to+".tmp", to); err != nil {
			return err
		}
	}
	for _, name := range m.Remove {
		if err := os.Remove(d.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := syncTree(d.path); err != nil {
		return err
	}
	// The record goes first, and durably: a half-removed directory must not look like unfinished work.
	if err := os.Remove(filepath.Join(d.staging, commitFile)); err != nil {
		return err
	}
	if err := syncDir(d.staging); err != nil {
		return err
	}
	return os.RemoveAll(d.staging)
}

// recover finishes or removes what a killed process left. Without a commit record that is a set that nobody has
// seen, or the old set after an exchange.
func (d *Dir) recover() error {
	var m moves
	data, err := os.ReadFile(filepath.Join(d.staging, commitFile))
	if err == nil && json.Unmarshal(data, &m) == nil {
		return d.rollForward(m)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// If there is a record, it is cut short, so nothing has been moved yet.
	return os.RemoveAll(d.staging)
}
