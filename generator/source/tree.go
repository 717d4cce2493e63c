package source

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"reviewcast/generator/diagnostic"
)

// tree is what a walk found.
type tree struct {
	files   []file               // sorted by path
	notes   []diagnostic.Problem // what shouldn't be in the folder
	folders map[string]bool      // below which files were found, by path
	linked  bool                 // something in the folder is a link
	// touched are the files that update was told of, by path, and what was read of
	// them before.
	touched map[string]*parsed
}

// file is a file with reviews.
type file struct {
	path string
	// status is that of the walk, unknown when there is no last to hold it against.
	status status
	known  bool
	// last is what was read of it before; nil when nothing was.
	last *parsed
}

// update brings the tree up to what has become of the named files; false when
// everything has to be looked at.
func (t *tree) update(root *os.Root, names []string) bool {
	if t.linked {
		return false // a file may have changed under another name
	}
	t.touched = map[string]*parsed{}
	for _, name := range names {
		if !t.updateOne(root, name) {
			return false
		}
	}
	return true
}

// foldsNames tells that one file may be known under several names here, in capitals
// or by short ones, and events needn't bear the one that the folder lists.
const foldsNames = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

func (t *tree) updateOne(root *os.Root, name string) bool {
	dir := path.Dir(name)
	if dir == "." {
		// The small files are read by every load.
		return ignored(name) || name != reviewsFolder && slices.Contains(knownFiles, name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if ignored(part) {
			return true
		}
	}
	if !t.folders[dir] || t.folders[name] || formatOf(name) == 0 || slices.ContainsFunc(t.notes, func(p diagnostic.Problem) bool { return p.File == name }) {
		return false
	}
	at, known := slices.BinarySearchFunc(t.files, file{path: name}, byPath)
	if _, again := t.touched[name]; !again && known {
		t.touched[name] = t.files[at].last
	} else if !again {
		t.touched[name] = nil
	}
	info, err := root.Lstat(name)
	switch {
	case !known && foldsNames:
		return false
	case errors.Is(err, fs.ErrNotExist):
		if known {
			t.files = slices.Delete(t.files, at, at+1)
		}
		return true
	case err != nil || !info.Mode().IsRegular():
		return false
	case !known:
		t.files = slices.Insert(t.files, at, file{path: name})
	}
	t.files[at].status, t.files[at].known = statusOf(info), true
	return true
}

// changed are the files that have to be read.
func (t *tree) changed(told bool) []*file {
	var out []*file
	if told {
		for name := range t.touched {
			if f := t.file(name); f != nil && !f.unchanged() {
				out = append(out, f)
			}
		}
		return out
	}
	for i := range t.files {
		if f := &t.files[i]; !f.unchanged() {
			out = append(out, f)
		}
	}
	return out
}

// file finds a file; nil when there is none.
func (t *tree) file(name string) *file {
	at, known := slices.BinarySearchFunc(t.files, file{path: name}, byPath)
	if !known {
		return nil
	}
	return &t.files[at]
}

// unchanged tells whether what was read of the file still holds.
func (f *file) unchanged() bool {
	return f.last != nil && f.known && f.last.stamp.read && !f.last.stamp.fresh && f.last.stamp.same(&f.status)
}

// large is the size from which on writing a file takes so long that it may be seen
// half written, in bytes.
const large = 1 << 20

// How long nothing must have happened to a file before it may be taken for what it
// looks like. Whoever writes a file empties it first, and between the two a machine
// under load may let 50 ms pass.
const (
	emptyFor   = time.Second            // there is nothing left in it
	shrunkFor  = 250 * time.Millisecond // a large one has less than it had
	shorterFor = 25 * time.Millisecond  // it has much less, or is new and empty
)

// Unfinished tells how long nothing must have happened to the named files before
// they may be read, since one of them looks as if it was being written: it is empty,
// or has much less than it had when it was read last. 0 means that they look whole.
// It is quick and may be wrong.
func (l *Loader) Unfinished(names []string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	longest := time.Duration(0)
	for _, name := range names {
		longest = max(longest, l.unfinished(name))
	}
	return longest
}

func (l *Loader) unfinished(name string) time.Duration {
	info, err := os.Stat(filepath.Join(l.dir, filepath.FromSlash(name)))
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	had := int64(0)
	if old := l.files[name]; old != nil {
		had = old.stamp.size
	}
	switch size := info.Size(); {
	case size == 0 && had > 0:
		return emptyFor
	case had > large && size < had:
		return shrunkFor
	case size == 0 || size < had/2:
		return shorterFor
	}
	return 0
}
