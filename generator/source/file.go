package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
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
	noted    []citation           // ids in notes of a YAML file
}

// all returns the records of a file, which may be nil.
func (f *file) all() []*record { return cmp.Or(f, &file{}).records }

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
	info, err := f.Stat()
	switch at := (diagnostic.Position{File: name}); {
	case err == nil && !info.Mode().IsRegular():
		return nil, nil, new(at.Error("unreadable", "it is not a regular file", "replace it by a regular file"))
	case err == nil && info.Size() > limit:
		remedy := "split it" + diagnostic.When(IsYAML(name), ", or use JSONL")
		return nil, nil, new(at.Error("too-big", fmt.Sprintf("the file has %d bytes; the limit is %d MiB", info.Size(), limit>>20), remedy))
	case err == nil:
		buf := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
		if _, err = buf.ReadFrom(io.LimitReader(f, limit)); err == nil { // it may grow meanwhile
			return buf.Bytes(), info, nil
		}
	}
	return nil, nil, new(openProblem("the file", name, err))
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

func (j *job) read(ctx context.Context, root *os.Root) {
	limit := diagnostic.Pick(IsYAML(j.path), int64(syntax.MaxYAMLFile), syntax.MaxDataFile)
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
	if IsYAML(j.path) {
		f.noted = notes(j.path, data)
	}
	if len(data) == 0 {
		p.problems.Add(diagnostic.Warning, 1, 1, "empty-file", "the file is empty", "if it had reviews, put them back, from your copy of the folder or with Undo in the editor (or wait, if a cloud service is still copying it); if not, delete it")
	}
	if f.noted != nil && len(f.records)+p.problems.Len() == 0 && !bytes.HasPrefix(data, []byte("# yaml-language-server")) { // as in what init writes
		p.problems.Add(diagnostic.Warning, f.noted[0].at.Line, 1, "empty-file", fmt.Sprintf("the review %q is only a note, since its lines begin with #, and the file has no other", f.noted[0].id), "delete these #, or the file")
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
	if i := slices.IndexFunc(f.problems, func(p diagnostic.Problem) bool { return p.Code == "bad-date" && strings.Contains(p.Message, `"`) }); i >= 0 && p.absent != nil {
		f.problems[i].Suggestion += "; in a spreadsheet program, format the column as text first: it changes dates"
	}
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
			n := syntax.ReadJSON(text, p.List)
			if n == nil {
				n, text, lines = syntax.JoinJSON(text, rest, p.List)
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

// tree is the review files of a folder as they were last read.
type tree struct {
	files  []*file // sorted by path; never changed in place
	notes  []diagnostic.Problem
	linked bool // something in the folder is a link
}

// find returns the index of a file, or where it belongs.
func find(files []*file, path string) (int, bool) {
	return slices.BinarySearchFunc(files, path, func(f *file, path string) int { return strings.Compare(f.path, path) })
}

func (t *tree) get(path string) *file {
	if i, ok := find(t.files, path); ok {
		return t.files[i]
	}
	return nil
}

// update puts the files in that were read.
func (t *tree) update(jobs []*job) {
	t.files = slices.Clone(t.files)
	for _, j := range jobs {
		switch i, known := find(t.files, j.path); {
		case known && j.now == nil:
			t.files = slices.Delete(t.files, i, i+1)
		case known:
			t.files[i] = j.now
		case j.now != nil:
			t.files = slices.Insert(t.files, i, j.now)
		}
	}
}

// tooMany returns the problem of the file that has more reviews than a folder may hold; nil if there is none.
func (t *tree) tooMany() *diagnostic.Problem {
	total := 0
	for _, f := range t.files {
		if total += f.reviews; total > MaxReviews {
			return new(diagnostic.Position{File: f.path}.Error("too-many-reviews",
				fmt.Sprintf("with this file the folder has more than %d reviews", MaxReviews), "publish them under several businesses"))
		}
	}
	return nil
}

func (t *tree) hasFolder(dir string) bool {
	i, _ := find(t.files, dir+"/")
	return i < len(t.files) && strings.HasPrefix(t.files[i].path, dir+"/")
}

// foldsNames reports that one file may have several names here, in capitals or short ones, and events need not have
// the one that the folder lists.
const foldsNames = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

// named looks at nothing but the named files. ok is false if everything has to be looked at: a folder came or went, a
// file may have changed under another name.
func (t *tree) named(root *os.Root, names []string) (jobs []*job, ok bool) {
	if t.linked {
		return nil, false
	}
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	for _, name := range names {
		dir := path.Dir(name)
		switch {
		case slices.ContainsFunc(strings.Split(name, "/"), Ignored):
			continue
		case dir == "." && slices.Contains(smallFiles, name):
			continue // every load reads them
		case dir == "." || formatOf(name) == "" || !t.hasFolder(dir), t.hasFolder(name),
			foldsNames && t.get(name) == nil,
			slices.ContainsFunc(t.notes, func(p diagnostic.Problem) bool { return p.File == name }):
			return nil, false
		}
		info, err := root.Lstat(name) // nil if it is gone
		if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			return nil, false
		}
		jobs = append(jobs, &job{path: name, info: info})
	}
	return jobs, true
}
