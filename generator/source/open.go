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
)

// opened is a file that may be read.
type opened struct {
	*os.File
	info fs.FileInfo
}

// open opens an ordinary file of at most limit bytes. Nothing is read from one
// that is larger. Through its folder, if that is given, it opens faster; but a
// link may lead out of the folder and still stay below the root.
func open(root, folder *os.Root, name string, limit int64) (*opened, *Problem) {
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
	problem := Problem{Severity: Error, File: name}
	switch {
	case err != nil:
		problem = openProblem(name, err)
	case !info.Mode().IsRegular():
		problem.Code, problem.Message, problem.Suggestion = "unreadable", "it is no ordinary file", "put a file here"
	case info.Size() > limit:
		problem.Code, problem.Message, problem.Suggestion = "too-big", fmt.Sprintf("the file has %s; at most %s are read", size(info.Size()), size(limit)), "split it"
		if limit == MaxYAMLFile && formatOf(name) == formatYAML {
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
	info fs.FileInfo
	// fresh tells that the file changed so shortly before it was read that a
	// second change might bear the same time. Then its hash decides.
	fresh bool
	sum   uint64
}

// granularity is the coarsest time stamp of a file system in use: FAT's.
const granularity = 2 * time.Second

// fresh tells whether a file of this time may change without its time changing.
func fresh(info fs.FileInfo, now time.Time) bool {
	return now.Sub(info.ModTime()) <= granularity || now.Sub(changeTime(info)) <= granularity
}

// matches tells whether the file has the same size and times, and is the same
// file: an editor's rename may bring an older one in its place, and rsync and cp
// -p set the time of modification back.
func (s *stamp) matches(info fs.FileInfo) bool {
	return s.info.Size() == info.Size() && s.info.ModTime().Equal(info.ModTime()) && changeTime(s.info).Equal(changeTime(info)) && os.SameFile(s.info, info)
}
