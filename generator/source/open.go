package source

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// opened is a file that may be read.
type opened struct {
	*os.File
	info fs.FileInfo
}

// open opens an ordinary file of at most limit bytes. Nothing is read from one
// that is larger. Through its folder, if that is given, it opens faster; but a
// link may lead out of the folder and still stay below the root.
func open(root, folder *os.Root, name string, limit int64) (*opened, *diagnostic.Problem) {
	var f *os.File
	err := fs.ErrInvalid
	if folder != nil {
		f, err = folder.Open(path.Base(name))
	}
	if err != nil {
		f, err = root.Open(name)
	}
	if err != nil {
		p := openProblem(name, err)
		if errors.Is(err, fs.ErrNotExist) {
			p.Code = "" // the caller knows whether it may be missing
		}
		return nil, &p
	}
	info, err := f.Stat()
	problem := diagnostic.Problem{Severity: diagnostic.Error, File: name}
	switch {
	case err != nil:
		problem = openProblem(name, err)
	case !info.Mode().IsRegular():
		problem.Code, problem.Message, problem.Suggestion = "unreadable", "it is no ordinary file", "put a file here"
	case info.Size() > limit:
		problem.Code, problem.Message, problem.Suggestion = "too-big", fmt.Sprintf("the file has %s; at most %s are read", size(info.Size()), size(limit)), "split it"
		if limit == syntax.MaxYAMLFile && formatOf(name) == formatYAML {
			problem.Suggestion = "split it, or use JSONL"
		}
	default:
		return &opened{f, info}, nil
	}
	f.Close()
	return nil, &problem
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}

// all reads the file, at most limit bytes even if it grows meanwhile.
func (f *opened) all(limit int64) ([]byte, error) {
	buf := bytes.NewBuffer(make([]byte, 0, f.info.Size()+bytes.MinRead))
	_, err := buf.ReadFrom(io.LimitReader(f, limit))
	return buf.Bytes(), err
}

// seed makes the hashes of one process comparable.
var seed = maphash.MakeSeed()

// stamp tells whether a file has changed since it was parsed.
type stamp struct {
	status
	// read tells that the file was opened and its status is known.
	read bool
	// fresh tells that the file changed so shortly before it was read that a
	// second change might bear the same time. Then its hash decides.
	fresh bool
	sum   uint64
}

// status is what the system says of a file, so far as it tells one state of a file
// from another: an editor's rename may bring an older one in its place, and rsync
// and cp -p set the time of modification back.
type status struct {
	size              int64
	modified, changed int64  // times in nanoseconds since 1970
	device, inode     uint64 // both 0 where the system has no such numbers
	info              fs.FileInfo
}

// same tells whether two states of a file have the same size and times, and are of
// the same file.
func (s *status) same(t *status) bool {
	if s.size != t.size || s.modified != t.modified || s.changed != t.changed || s.device != t.device || s.inode != t.inode {
		return false
	}
	return s.inode != 0 || os.SameFile(s.info, t.info)
}

// granularity is the coarsest time stamp of a file system in use: FAT's.
const granularity = 2 * time.Second

// fresh tells whether a file in this state may change without its time changing.
func (s *status) fresh(now time.Time) bool {
	return now.UnixNano()-max(s.modified, s.changed) <= int64(granularity)
}
