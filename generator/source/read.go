package source

import (
	"cmp"
	"context"
	"hash/maphash"
	"io"
	"os"
	"runtime"

	"golang.org/x/sync/errgroup"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// job is the reading of one file.
type job struct {
	path string
	old  *file // nil for a new file
	now  *file // afterwards; nil if the file is gone
}

// readFiles reads files in parallel: this goroutine cuts JSONL files into lines, as many
// workers as there are processors parse.
func readFiles(ctx context.Context, root *os.Root, jobs []*job) error {
	workers, running := errgroup.WithContext(ctx)
	tasks := make(chan func(*parser))
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() error {
			p := newParser()
			for task := range tasks {
				if running.Err() == nil {
					task(p)
				}
			}
			return running.Err()
		})
	}
	var finish []func()
	for _, j := range jobs {
		if running.Err() != nil {
			break
		}
		if formatOf(j.path) == formatJSONL {
			finish = append(finish, j.readLines(running, root, tasks))
			continue
		}
		tasks <- func(p *parser) { j.readWhole(root, p) }
	}
	close(tasks)
	if err := cmp.Or(workers.Wait(), ctx.Err()); err != nil {
		return err
	}
	for _, f := range finish {
		f()
	}
	return nil
}

// readWhole reads a file in one piece.
func (j *job) readWhole(root *os.Root, p *parser) {
	limit := int64(syntax.MaxDataFile)
	if formatOf(j.path) == formatYAML {
		limit = syntax.MaxYAMLFile
	}
	f, stamp := j.open(root, limit)
	if f == nil {
		return
	}
	defer f.Close()
	data, err := f.readAll(limit)
	if err != nil {
		j.fail(openProblem(j.path, err))
		return
	}
	stamp.sum = maphash.Bytes(seed, data)
	if j.old != nil && j.old.stamp.valid && j.old.stamp.sum == stamp.sum {
		j.now, j.old.stamp = j.old, stamp
		return
	}
	j.parse(p, data, stamp)
}

// parse parses a YAML or CSV file.
func (j *job) parse(p *parser, data []byte, stamp stamp) {
	problems := &diagnostic.List{File: j.path}
	p.begin(j.path, j.records(), problems)
	parse := p.parseYAML
	if formatOf(j.path) == formatCSV {
		parse = p.parseCSV
	}
	complete := parse(data)
	j.now = newFile(j.path, stamp, p.records, problems, complete)
}

// records are those of the last state of the file.
func (j *job) records() []placed {
	if j.old == nil {
		return nil
	}
	return j.old.records
}

// open opens the file and takes its stamp; nil if it can't be read.
func (j *job) open(root *os.Root, limit int64) (*opened, stamp) {
	f, problem := open(root, j.path, limit)
	if problem != nil {
		if problem.Code != "" { // else it is gone since it was found
			j.fail(*problem)
		}
		return nil, stamp{}
	}
	// The status is older than the bytes, so that a change in between shows.
	return f, newStamp(f.info)
}

// fail makes the file one that can't be read.
func (j *job) fail(p diagnostic.Problem) {
	problems := diagnostic.List{File: j.path}
	problems.Put(p)
	j.now = newFile(j.path, stamp{}, nil, &problems, false)
}

// batchBytes is how much of a file one worker gets at a time.
const batchBytes = 256 << 10

// lineBatch is a number of lines for one worker.
type lineBatch struct {
	data  []byte
	lines []newLine
	found []*record // one for each line
}

// newLine is a line that doesn't follow the one before as in the last state of its
// file: it is new, or was somewhere else.
type newLine struct {
	index int // of its record in the file
	end   int // in data
	key   uint64
}

// readLines reads a JSONL file. Workers parse the lines that the last state of the
// file doesn't have; when they have finished, the caller calls finish.
func (j *job) readLines(ctx context.Context, root *os.Root, tasks chan<- func(*parser)) (finish func()) {
	f, stamp := j.open(root, syntax.MaxDataFile)
	if f == nil {
		return func() {}
	}
	defer f.Close()
	return j.cutLines(ctx, io.LimitReader(f, syntax.MaxDataFile), stamp, tasks)
}

// cutLines is readLines for an open file.
func (j *job) cutLines(ctx context.Context, f io.Reader, stamp stamp, tasks chan<- func(*parser)) (finish func()) {
	old := newEarlier(j.records())
	records := make([]placed, 0, len(old.records))
	var batches []*lineBatch
	batch := &lineBatch{}
	flush := func() {
		if b := batch; len(b.lines) > 0 {
			batches = append(batches, b)
			for _, l := range b.lines {
				b.found = append(b.found, old.far(l.key))
			}
			tasks <- func(p *parser) { b.parse(p, j.path) }
		}
		batch = &lineBatch{}
	}
	problems := &diagnostic.List{File: j.path}
	complete, err := syntax.ReadLines(f, problems, func(line int, text []byte) error {
		key := maphash.Bytes(seed, text)
		r := old.near(key)
		if r == nil {
			if len(batch.data) > 0 && len(batch.data)+len(text) > batchBytes {
				flush()
			}
			if batch.data == nil && j.old == nil {
				batch.data = make([]byte, 0, max(len(text), batchBytes))
			}
			batch.data = append(batch.data, text...)
			batch.lines = append(batch.lines, newLine{index: len(records), end: len(batch.data), key: key})
		}
		records = append(records, placed{r, line})
		return ctx.Err()
	})
	flush()
	return func() {
		if err != nil {
			j.fail(openProblem(j.path, err))
			return
		}
		for _, b := range batches {
			for i, l := range b.lines {
				records[l.index].record = b.found[i]
			}
		}
		j.now = newFile(j.path, stamp, records, problems, complete)
	}
}

// parse reads the lines of a batch.
func (b *lineBatch) parse(p *parser, path string) {
	p.begin(path, nil, nil)
	j := p.jsonl()
	start := 0
	for i, l := range b.lines {
		if b.found[i] == nil {
			b.found[i] = p.parseLine(j, l.key, b.data[start:l.end])
		}
		start = l.end
	}
}
