package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"reviewcast/generator/diagnostic"
)

var formats = map[string]string{".yaml": "yaml", ".yml": "yaml", ".jsonl": "jsonl", ".csv": "csv"}

// formatOf returns how a file's reviews are written, by its extension; "" for a file that holds none.
func formatOf(name string) string { return formats[strings.ToLower(path.Ext(name))] }

// IsYAML reports whether a file of reviews is YAML, by its name.
func IsYAML(name string) bool { return formatOf(name) == "yaml" }

// file is a file with reviews as it was last read. But for its stamp it is never changed.
type file struct {
	path    string
	stamp   stamp
	records []*record // in the order of the file
	reviews int       // records with an id
	// complete reports whether every review in it has an id.
	complete bool
	problems []diagnostic.Problem // its own and those of its records
	lines    map[*record]int      // the first line of each record; 0 for none
}

// all returns the records of a file, which may be nil.
func (f *file) all() []*record {
	if f == nil {
		return nil
	}
	return f.records
}

// read reads a regular file of at most limit bytes. Nothing is read from one that is larger. The status is older than
// the bytes, so that a change in between shows; it is nil, without a problem, if there is no file.
func read(root *os.Root, name string, limit int64) ([]byte, fs.FileInfo, *diagnostic.Problem) {
	f, err := root.Open(name)
	if err != nil {
		if info, _ := root.Lstat(name); errors.Is(err, fs.ErrNotExist) && (info == nil || info.Mode()&fs.ModeSymlink == 0) {
			return nil, nil, nil
		}
		return nil, nil, new(openProblem("the file", name, err))
	}
	defer f.Close()
	var problem diagnostic.Problem
	switch info, err := f.Stat(); {
	case err != nil:
		problem = openProblem("the file", name, err)
	case !info.Mode().IsRegular():
		problem = diagnostic.Position{File: name}.Error("unreadable", "it is not a regular file", "replace it by a regular file")
	case info.Size() > limit:
		problem = diagnostic.Position{File: name}.Error("too-big", fmt.Sprintf("the file has %d bytes; the limit is %d MiB", info.Size(), limit>>20), "split it")
		if IsYAML(name) {
			problem.Suggestion = "split it, or use JSONL"
		}
	default:
		buf := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
		_, err := buf.ReadFrom(io.LimitReader(f, limit)) // it may grow meanwhile
		if err == nil {
			return buf.Bytes(), info, nil
		}
		problem = openProblem("the file", name, err)
	}
	return nil, nil, &problem
}

// stamp is what is known of the bytes that a file was read from.
type stamp struct {
	info fs.FileInfo // nil for a file that could not be read
	// fresh reports that the file changed so shortly before it was read that a second change might have the same time.
	// Then its bytes decide.
	fresh bool
	sum   uint64 // hash of the bytes
}

// granularity is the coarsest time stamp of a file system in use: FAT's.
const granularity = 2 * time.Second

// current reports whether a file has the bytes that were read: it has the same size and time, and is the same file. An
// editor's rename may put an older file in its place.
func (s *stamp) current(t fs.FileInfo) bool {
	return s.info != nil && !s.fresh && s.info.Size() == t.Size() && s.info.ModTime().Equal(t.ModTime()) && os.SameFile(s.info, t)
}
