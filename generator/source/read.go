package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// A batch is a few files of one folder, for one worker. A goroutine and the
// opening of a folder cost as much as the parsing of a small file: they are
// shared.
type batch struct {
	folder string
	size   int64
	jobs   []*job
}

// Limits of a batch: with more, the last worker would keep the others waiting.
const (
	batchFiles = 32
	batchSize  = 256 << 10 // bytes
)

func (b *batch) takes(f *file) bool {
	return len(b.jobs) == 0 || len(b.jobs) < batchFiles && b.size+f.status.size <= batchSize && b.folder == path.Dir(f.path)
}

func (b *batch) add(j *job, f *file) {
	b.folder = path.Dir(f.path)
	b.size += f.status.size
	b.jobs = append(b.jobs, j)
}

func (b *batch) run(ctx context.Context, root *os.Root) error {
	r := reader{root: root}
	if folder, err := root.OpenRoot(b.folder); err == nil {
		defer folder.Close()
		r.folder = folder
	}
	for _, j := range b.jobs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r.whole(j)
	}
	return nil
}

// reader reads the files of one folder, one after another, in memory that it
// keeps.
type reader struct {
	root   *os.Root
	folder *os.Root // that the files are in; nil when it isn't open
}

// job is the reading of one file.
type job struct {
	root *os.Root
	name string
	old  *parsed // nil when it is new
	// unchanged tells that old still holds.
	unchanged bool
	stamp     stamp
	parts     []*part // in the order of the file
	marks     []lineMark
}

// add begins the next part of the file.
func (j *job) add() *part {
	p := newPart(j.name)
	j.parts = append(j.parts, p)
	return p
}

// done joins the parts.
func (j *job) done() *parsed {
	switch {
	case j.unchanged && !j.stamp.read:
		return j.old
	case j.unchanged:
		again := *j.old
		again.stamp = j.stamp
		return &again
	}
	p := &parsed{List: diagnostic.List{File: j.name}, stamp: j.stamp}
	for _, q := range j.parts {
		p.List.Join(&q.List)
		p.drafts = append(p.drafts, q.drafts)
		p.nameless = append(p.nameless, q.nameless...)
		p.incomplete = p.incomplete || q.incomplete
	}
	p.marks = j.marks
	if p.marks != nil || slices.ContainsFunc(j.parts, func(q *part) bool { return q.unmarked }) {
		return p
	}
	for _, q := range j.parts {
		p.marks = append(p.marks, q.marks...)
	}
	return p
}

// open opens the file and takes its stamp; nil when it can't be read. A file that
// is gone since it was found has no reviews.
func (j *job) open(folder *os.Root, limit int64) *opened {
	f, problem := open(j.root, folder, j.name, limit)
	if problem != nil {
		if problem.Code != "" {
			j.add().fail(*problem)
		}
		return nil
	}
	// The time is looked at before the bytes, so that a change in between shows.
	j.seen(statusOf(f.info))
	return f
}

// seen takes the file's stamp.
func (j *job) seen(s status) { j.stamp = stamp{status: s, read: true, fresh: s.fresh(time.Now())} }

// doubtful tells that nothing but the bytes can say whether the file has changed.
func (j *job) doubtful() bool {
	return j.old != nil && j.old.stamp.fresh && j.old.stamp.same(&j.stamp.status)
}

// bytes gives the content of a file; false when it can't be read, which is noted.
func (r *reader) bytes(j *job, limit int64) ([]byte, bool) {
	f := j.open(r.folder, limit)
	if f == nil {
		return nil, false
	}
	defer f.Close()
	data, err := f.all(limit)
	if err != nil {
		j.stamp.read = false
		j.add().fail(openProblem(j.name, err))
		return nil, false
	}
	return data, true
}

// whole reads a file in one piece.
func (r *reader) whole(j *job) {
	limit := int64(syntax.MaxDataFile)
	if formatOf(j.name) == formatYAML {
		limit = syntax.MaxYAMLFile
	}
	data, ok := r.bytes(j, limit)
	if !ok {
		return
	}
	if j.stamp.fresh || j.doubtful() {
		j.stamp.sum = maphash.Bytes(seed, data)
		if j.old != nil && j.old.stamp.fresh && j.stamp.sum == j.old.stamp.sum {
			j.unchanged = true
			return
		}
	}
	if formatOf(j.name) == formatYAML {
		j.add().parseYAML(data)
	} else {
		j.add().parseCSV(data)
	}
}

// cut reads a JSONL file and hands its lines to the workers.
func (j *job) cut(ctx context.Context, workers *errgroup.Group) {
	f := j.open(nil, syntax.MaxDataFile)
	if f == nil {
		return
	}
	defer f.Close()
	fail := func(err error) {
		j.stamp.read = false
		j.add().fail(openProblem(j.name, err))
	}
	if j.patch(ctx, f) {
		return
	}
	again := func() bool {
		_, err := f.Seek(0, io.SeekStart)
		if err != nil {
			fail(err)
		}
		return err == nil
	}
	if !again() {
		return
	}
	var sum maphash.Hash
	sum.SetSeed(seed)
	if j.doubtful() {
		if _, err := io.Copy(&sum, f); err != nil {
			fail(err)
			return
		}
		if j.stamp.sum = sum.Sum64(); j.stamp.sum == j.old.stamp.sum {
			j.unchanged = true
			return
		}
		sum.Reset()
		if !again() {
			return
		}
	}
	var wide []byte // in UTF-16 or UTF-32
	r := io.LimitReader(f, syntax.MaxDataFile)
	if j.stamp.fresh {
		r = io.TeeReader(r, &sum)
	}
	err := cutJSONL(r, func(data []byte, line int) error {
		if line == 1 {
			if syntax.Wide(data) != "" {
				wide = data
				return errNotUTF8
			}
			data = bytes.TrimPrefix(data, syntax.BOM)
		}
		if line > MaxReviews {
			return errTooManyLines
		}
		p := j.add()
		workers.Go(func() error { return p.parseJSONL(ctx, data, line) })
		return ctx.Err()
	}, func(line int) { j.add().tooLong(line) })
	switch {
	case errors.Is(err, errNotUTF8):
		p := j.add()
		p.incomplete = true
		syntax.Clean(wide, 1, false, &p.List)
	case errors.Is(err, errTooManyLines):
		j.add().fail(diagnostic.Problem{Severity: diagnostic.Error, File: j.name, Line: MaxReviews + 1, Col: 1, Code: "too-many-reviews",
			Message: fmt.Sprintf("the file has more than %d lines", MaxReviews), Suggestion: "a folder holds no more reviews than that"})
	case err != nil && ctx.Err() == nil:
		fail(err)
	}
	j.stamp.sum = sum.Sum64()
}

// Reasons to stop cutting.
var (
	errNotUTF8      = errors.New("not UTF-8")
	errTooManyLines = errors.New("too many lines")
)
