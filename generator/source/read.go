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
	"time"

	"golang.org/x/sync/errgroup"
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

func (b *batch) takes(f found) bool {
	return len(b.jobs) == 0 || len(b.jobs) < batchFiles && b.size+f.info.Size() <= batchSize && b.folder == path.Dir(f.path)
}

func (b *batch) add(j *job, f found) {
	b.folder = path.Dir(f.path)
	b.size += f.info.Size()
	b.jobs = append(b.jobs, j)
}

func (b *batch) run(ctx context.Context, root *os.Root) error {
	folder, err := root.OpenRoot(b.folder)
	if err == nil {
		defer folder.Close()
	}
	for _, j := range b.jobs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		j.folder = folder
		j.whole()
	}
	return nil
}

// job is the reading of one file.
type job struct {
	root   *os.Root
	folder *os.Root // that the file is in; nil when it isn't open
	name   string
	old    *parsed // nil when it is new
	// unchanged tells that old still holds.
	unchanged bool
	stamp     stamp
	parts     []*part // in the order of the file
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
	case j.unchanged && j.stamp.info == nil:
		return j.old
	case j.unchanged:
		again := *j.old
		again.stamp = j.stamp
		return &again
	}
	p := &parsed{problems: problems{file: j.name}, stamp: j.stamp}
	for _, q := range j.parts {
		p.problems.join(&q.problems)
		p.drafts = append(p.drafts, q.drafts)
		p.incomplete = p.incomplete || q.incomplete
	}
	return p
}

// open opens the file and takes its stamp; nil when it can't be read. A file that
// is gone since it was found has no reviews.
func (j *job) open(limit int64) *opened {
	f, problem := open(j.root, j.folder, j.name, limit)
	if problem != nil {
		if problem.Code != "" {
			j.add().fail(*problem)
		}
		return nil
	}
	// The time is looked at before the bytes, so that a change in between shows.
	j.stamp = stamp{info: f.info, fresh: fresh(f.info, time.Now())}
	return f
}

// whole reads a file in one piece.
func (j *job) whole() {
	limit := int64(MaxDataFile)
	if formatOf(j.name) == formatYAML {
		limit = MaxYAMLFile
	}
	f := j.open(limit)
	if f == nil {
		return
	}
	defer f.Close()
	data, err := f.all(limit)
	if err != nil {
		j.stamp.info = nil
		j.add().fail(openProblem(j.name, err))
		return
	}
	doubtful := j.old != nil && j.old.stamp.fresh && j.old.stamp.matches(j.stamp.info)
	if doubtful || j.stamp.fresh {
		j.stamp.sum = maphash.Bytes(seed, data)
	}
	if doubtful && j.stamp.sum == j.old.stamp.sum {
		j.unchanged = true
		return
	}
	if formatOf(j.name) == formatYAML {
		j.add().parseYAML(data)
	} else {
		j.add().parseCSV(data)
	}
}

// cut reads a JSONL file and hands its lines to the workers.
func (j *job) cut(ctx context.Context, workers *errgroup.Group) {
	f := j.open(MaxDataFile)
	if f == nil {
		return
	}
	defer f.Close()
	fail := func(err error) {
		j.stamp.info = nil
		j.add().fail(openProblem(j.name, err))
	}
	var sum maphash.Hash
	sum.SetSeed(seed)
	if j.old != nil && j.old.stamp.fresh && j.old.stamp.matches(f.info) {
		if _, err := io.Copy(&sum, f); err != nil {
			fail(err)
			return
		}
		if j.stamp.sum = sum.Sum64(); j.stamp.sum == j.old.stamp.sum {
			j.unchanged = true
			return
		}
		sum.Reset()
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			fail(err)
			return
		}
	}
	encoding := ""
	r := io.LimitReader(f, MaxDataFile)
	if j.stamp.fresh {
		r = io.TeeReader(r, &sum)
	}
	err := cutJSONL(r, func(data []byte, line int) error {
		if line == 1 {
			if encoding = wide(data); encoding != "" {
				return errNotUTF8
			}
			data = bytes.TrimPrefix(data, bom)
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
		p.notUTF8(encoding)
	case errors.Is(err, errTooManyLines):
		j.add().fail(Problem{Severity: Error, File: j.name, Line: MaxReviews + 1, Col: 1, Code: "too-many-reviews",
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
