package source

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"slices"

	"reviewcast/generator/syntax"
)

// A JSONL file that has changed is seldom another file: between the lines that it
// begins with and those that it ends with, as before, a few are new. Only these are
// parsed, for each line stands for itself.

// lineMark tells a line from another, but for a chance of 1 in 2^64.
type lineMark struct {
	sum  uint64
	size uint32 // in bytes, with its line end
}

func markOf(row []byte, size int) lineMark { return lineMark{maphash.Bytes(seed, row), uint32(size)} }

// maxPatch is how much of a file is parsed by one worker, in bytes; where more has
// changed, all of them had better share the whole file.
const maxPatch = 2 * block

// maxPieces is how many pieces the drafts of a file may be in before they are
// brought together.
const maxPieces = 64

// patch reads a JSONL file by what is different in it, if anything is; false when it
// has to be read as a whole, and then nothing has been noted.
func (j *job) patch(ctx context.Context, f *opened) bool {
	old := j.old
	if old == nil || len(old.marks) == 0 || old.incomplete || old.Full() {
		return false
	}
	marks, err := markLines(ctx, f, len(old.marks))
	if err != nil {
		return false
	}
	d := difference(old.marks, marks)
	if d.before == len(marks) && len(marks) == len(old.marks) {
		j.unchanged = true
		return true
	}
	if d.size > maxPatch || len(marks) > MaxReviews {
		return false
	}
	data := make([]byte, d.size)
	if _, err := f.ReadAt(data, d.offset); err != nil {
		return false
	}
	middle := newPart(j.name)
	if d.before == 0 {
		if syntax.Wide(data) != "" {
			return false
		}
		data = bytes.TrimPrefix(data, syntax.BOM)
	}
	if err := middle.parseJSONL(ctx, data, d.before+1); err != nil {
		return false
	}
	if middle.unmarked || !slices.EqualFunc(middle.marks, marks[d.before:len(marks)-d.after], func(a, b lineMark) bool { return a.sum == b.sum }) {
		return false // the file has changed meanwhile
	}
	shift := len(marks) - len(old.marks)
	j.parts = append(old.lines(j.name, 0, d.before, 0), middle)
	j.parts = append(j.parts, old.lines(j.name, len(old.marks)-d.after, len(old.marks), shift)...)
	j.marks = marks
	return true
}

// markBlock is how much of a file is read at a time to mark its lines, in bytes: so
// much stays near the processor. A file with a longer line is read as a whole.
const markBlock = 256 << 10

// markLines marks every line of a file, of which there are about so many.
func markLines(ctx context.Context, f *opened, about int) ([]lineMark, error) {
	marks := make([]lineMark, 0, about+maxTouched)
	r := bufio.NewReaderSize(io.LimitReader(f, syntax.MaxDataFile), markBlock)
	for ctx.Err() == nil {
		row, err := r.ReadSlice('\n')
		if size := len(row); size > 0 {
			if len(marks) == 0 {
				row = bytes.TrimPrefix(row, syntax.BOM)
			}
			marks = append(marks, markOf(bytes.TrimSuffix(row, []byte{'\n'}), size))
		}
		switch {
		case errors.Is(err, io.EOF):
			return marks, nil
		case err != nil:
			return nil, err
		}
	}
	return nil, ctx.Err()
}

// changedLines is where two states of a file differ: how many lines are the same
// at its beginning and at its end, and where the bytes between them are now.
type changedLines struct {
	before, after int
	offset, size  int64
}

func difference(old, now []lineMark) changedLines {
	var d changedLines
	most := min(len(old), len(now))
	for d.before < most && old[d.before].sum == now[d.before].sum {
		d.offset += int64(now[d.before].size)
		d.before++
	}
	for d.after < most-d.before && old[len(old)-1-d.after].sum == now[len(now)-1-d.after].sum {
		d.after++
	}
	for _, m := range now[d.before : len(now)-d.after] {
		d.size += int64(m.size)
	}
	return d
}

// lines gives what was read of the lines from first to end, counted from 0, as
// parts, and moves it by shift lines.
func (p *parsed) lines(name string, first, end, shift int) []*part {
	rest := newPart(name)
	for _, problem := range p.All() {
		if first < problem.Line && problem.Line <= end {
			problem.Line += shift
			rest.Put(problem)
		}
	}
	parts := []*part{rest}
	for _, drafts := range p.drafts {
		lo, _ := slices.BinarySearchFunc(drafts, first+1, byLine)
		hi, _ := slices.BinarySearchFunc(drafts, end+1, byLine)
		if lo == hi {
			continue
		}
		drafts = drafts[lo:hi:hi]
		if shift != 0 || len(p.drafts) > maxPieces {
			drafts = moved(drafts, shift)
		}
		if last := parts[len(parts)-1]; len(p.drafts) > maxPieces {
			last.drafts = append(last.drafts, drafts...)
			continue
		}
		next := newPart(name)
		next.drafts = drafts
		parts = append(parts, next)
	}
	return parts
}

func byLine(w draft, line int) int { return w.At.Line - line }

// moved copies drafts of a format that has one review a line to other lines.
func moved(drafts []draft, shift int) []draft {
	out := slices.Clone(drafts)
	for i := range out {
		w := &out[i]
		w.At.Line += shift
		for _, at := range []*place{&w.id, &w.date, &w.replyDate, &w.verifiedOn} {
			if *at != (place{}) {
				at.Line += int32(shift)
			}
		}
		w.refs = slices.Clone(w.refs)
		for k := range w.refs {
			w.refs[k].at.Line += int32(shift)
		}
	}
	return out
}
