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
	"sync"
	"time"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// format is how a file's reviews are written.
type format uint8

const (
	formatYAML format = iota + 1
	formatJSONL
	formatCSV
)

// formatOf returns a file's format by its extension; 0 for none that holds reviews.
func formatOf(name string) format {
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml":
		return formatYAML
	case ".jsonl":
		return formatJSONL
	case ".csv":
		return formatCSV
	}
	return 0
}

// IsYAML reports whether a file of reviews is YAML, by its name.
func IsYAML(name string) bool { return formatOf(name) == formatYAML }

// file is a file with reviews as it was last read. But for its stamp it is never
// changed.
type file struct {
	path    string
	stamp   stamp    // guarded by the Loader's lock
	records []placed // in the order of the file
	reviews int      // records with an id
	// complete reports whether every review in it has an id.
	complete bool
	problems []diagnostic.Problem // its own and those of its records

	index sync.Once
	lines map[*record]int // built by line
}

// newFile joins what was read of a file. complete is false if there may be reviews
// that were not read.
func newFile(path string, stamp stamp, records []placed, problems *diagnostic.List, complete bool) *file {
	f := &file{path: path, stamp: stamp, records: records, complete: complete}
	for _, r := range records {
		if r.ID != "" {
			f.reviews++
		}
		if r.problems != nil {
			problems.Join(r.problems, r.line)
		}
	}
	f.complete = f.complete && f.reviews == len(records)
	f.problems = problems.All()
	return f
}

// line returns the first line of a record.
func (f *file) line(r *record) int {
	if len(f.records) == 1 {
		return f.records[0].line
	}
	f.index.Do(func() {
		f.lines = make(map[*record]int, len(f.records))
		for _, r := range f.records {
			f.lines[r.record] = r.line
		}
	})
	return f.lines[r]
}

// all returns the records of a file, which may be nil.
func (f *file) all() []*record {
	if f == nil {
		return nil
	}
	records := make([]*record, len(f.records))
	for i, r := range f.records {
		records[i] = r.record
	}
	return records
}

// opened is a regular file that may be read.
type opened struct {
	*os.File
	info fs.FileInfo
}

// open opens a regular file of at most limit bytes. Nothing is read from one that is
// larger.
func open(root *os.Root, name string, limit int64) (*opened, *diagnostic.Problem) {
	f, err := root.Open(name)
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
		problem.Code, problem.Message, problem.Suggestion = "unreadable", "it is not a regular file", "replace it by a regular file"
	case info.Size() > limit:
		problem.Code, problem.Message, problem.Suggestion = "too-big", fmt.Sprintf("the file has %s; the limit is %s", diagnostic.Bytes(info.Size()), diagnostic.Bytes(limit)), "split it"
		if limit == syntax.MaxYAMLFile && formatOf(name) == formatYAML {
			problem.Suggestion = "split it, or use JSONL"
		}
	default:
		return &opened{f, info}, nil
	}
	f.Close()
	return nil, &problem
}

// readAll reads the file, at most limit bytes even if it grows meanwhile.
func (f *opened) readAll(limit int64) ([]byte, error) {
	buf := bytes.NewBuffer(make([]byte, 0, f.info.Size()+bytes.MinRead))
	_, err := buf.ReadFrom(io.LimitReader(f, limit))
	return buf.Bytes(), err
}

// stamp is what is known of the bytes that a file was read from.
type stamp struct {
	status
	// valid is false for a file that could not be read.
	valid bool
	// fresh reports that the file changed so shortly before it was read that a second
	// change might have the same time. Then its bytes decide.
	fresh bool
	sum   uint64 // hash of the bytes
}

func newStamp(info fs.FileInfo) stamp {
	s := stamp{status: statusOf(info), valid: true}
	s.fresh = time.Now().UnixNano()-max(s.modified, s.changed) <= int64(granularity)
	return s
}

// granularity is the coarsest time stamp of a file system in use: FAT's.
const granularity = 2 * time.Second

// current reports whether a file in a status has the bytes that were read.
func (s *stamp) current(t *status) bool { return s.valid && !s.fresh && s.same(t) }

// status is what the system knows of a file and what distinguishes one state of it
// from another: an editor's rename may put an older file in its place, and rsync and
// cp -p set the time of modification back.
type status struct {
	size              int64
	modified, changed int64  // times in nanoseconds since 1970
	device, inode     uint64 // both 0 where the system has no such numbers
	info              fs.FileInfo
}

// same reports whether two states have the same size and times, and are of the same
// file.
func (s *status) same(t *status) bool {
	if s.size != t.size || s.modified != t.modified || s.changed != t.changed || s.device != t.device || s.inode != t.inode {
		return false
	}
	return s.inode != 0 || os.SameFile(s.info, t.info)
}
