package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"reviewcast/generator/diagnostic"
)

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

// get returns a file; nil if there is none.
func (t *tree) get(path string) *file {
	if i, ok := find(t.files, path); ok {
		return t.files[i]
	}
	return nil
}

// update puts the files in that were read.
func (t *tree) update(jobs []*job) {
	if len(jobs) == 0 {
		return
	}
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

// hasFolder reports whether there are files below a folder.
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
		info, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			jobs = append(jobs, &job{path: name})
		case err != nil || !info.Mode().IsRegular():
			return nil, false
		default:
			jobs = append(jobs, &job{path: name, info: info})
		}
	}
	return jobs, true
}
