package source

import (
	"cmp"
	"context"
	"hash/maphash"
	"io/fs"
	"os"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// job is the reading of one file.
type job struct {
	path string
	info fs.FileInfo // as it was found; nil if it is gone
	old  *file       // nil for a new file
	now  *file       // afterwards; nil if the file is gone
}

// readFiles reads files in parallel, as many as there are processors.
func readFiles(ctx context.Context, root *os.Root, jobs []*job) error {
	workers, running := errgroup.WithContext(ctx)
	workers.SetLimit(runtime.GOMAXPROCS(0))
	for _, j := range jobs {
		workers.Go(func() error {
			if j.info != nil && running.Err() == nil {
				j.read(running, root)
			}
			return running.Err()
		})
	}
	return cmp.Or(workers.Wait(), ctx.Err())
}

// read reads the file.
func (j *job) read(ctx context.Context, root *os.Root) {
	limit := int64(syntax.MaxDataFile)
	if IsYAML(j.path) {
		limit = syntax.MaxYAMLFile
	}
	data, info, problem := read(root, j.path, limit)
	if problem != nil {
		j.now = &file{path: j.path, problems: []diagnostic.Problem{*problem}}
	}
	if info == nil {
		return // it may be gone since it was found
	}
	stamp := stamp{info: info, fresh: time.Since(info.ModTime()) <= granularity, sum: maphash.Bytes(seed, data)}
	if j.old != nil && j.old.stamp.info != nil && j.old.stamp.sum == stamp.sum {
		j.now, j.old.stamp = j.old, stamp
		return
	}
	j.parse(ctx, data, stamp)
}

// parse makes the records of the file.
func (j *job) parse(ctx context.Context, data []byte, stamp stamp) {
	old := j.old.all()
	p := &parser{decoder: &decoder{List: &diagnostic.List{File: j.path}}, ctx: ctx, old: make(map[uint64]*record, len(old)),
		now: &file{path: j.path, lines: make(map[*record]int, len(old))}, problems: &diagnostic.List{File: j.path}}
	for _, r := range old {
		// One whose problems aren't all listed has to be read again.
		if r.problems == nil || r.problems.Complete() {
			p.old[r.key] = r
		}
	}
	parse := map[string]func([]byte) bool{"yaml": p.parseYAML, "csv": p.parseCSV, "jsonl": p.parseJSONL}[formatOf(j.path)]
	f := p.now
	f.complete = parse(data)
	if len(data) == 0 {
		p.problems.Add(diagnostic.Warning, 1, 1, "empty-file", "the file is empty", "delete it; if it had reviews, it may not have been copied to this computer yet")
	}
	for _, r := range f.records {
		if r.ID != "" {
			f.reviews++
		}
		if r.problems != nil {
			p.problems.Join(r.problems, f.lines[r])
		}
	}
	f.complete = f.complete && f.reviews == len(f.records)
	f.stamp, f.problems = stamp, p.problems.All()
	j.now = f
}

// parseJSONL reads a file with one review a line. A line that the last state of the file had is not parsed again.
func (p *parser) parseJSONL(data []byte) (complete bool) {
	p.strict = true
	return syntax.ReadLines(data, p.problems, func(line int, text, rest []byte) (lines int) {
		key := maphash.Bytes(seed, text)
		r, lines := p.old[key], 1
		delete(p.old, key)
		if r == nil {
			n := syntax.ReadJSON(text, fieldNames, p.List)
			if n == nil {
				n, text, lines = syntax.JoinJSON(text, rest, fieldNames, p.List)
				key = maphash.Bytes(seed, text)
			}
			r = p.decode(key, n)
		}
		p.put(r, line)
		if p.ctx.Err() != nil {
			return 0
		}
		return lines
	})
}
