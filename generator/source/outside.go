package source

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// sameBusiness reports whether another folder has the content of the same business.
func (w *walker) sameBusiness(other *os.Root, name string) bool {
	name += "/" + BusinessFile
	if info, err := other.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	ours, _, _ := read(w.root, BusinessFile, syntax.MaxYAMLFile)
	theirs, _, _ := read(other, name, syntax.MaxYAMLFile)
	id := forms("idLine").Find(theirs)
	return id != nil && bytes.Equal(id, forms("idLine").Find(ours))
}

// outside notes what is beside a folder named content and is not read: its files, reviews, and copies of it in which
// reviews were changed later than in it.
func (w *walker) outside(dir string) {
	dir, err := filepath.Abs(dir)
	if err != nil || filepath.Base(dir) != "content" {
		return
	}
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return
	}
	defer root.Close()
	var newest time.Time
	for _, j := range w.files {
		if j.info != nil && j.info.ModTime().After(newest) {
			newest = j.info.ModTime()
		}
	}
	out := &walker{root: root}
	entries, _ := fs.ReadDir(root.FS(), ".")
	for _, e := range entries {
		name := e.Name()
		switch {
		case !e.IsDir() && !e.Type().IsRegular():
		case slices.Contains(knownFiles, name) && e.IsDir() == (name == reviewsFolder):
			w.note(diagnostic.Warning, "../"+name, "wrong-name", "beside the content folder it is not read", w.differs(root, name))
		case IsYAML(name) && out.hasReviews(name):
			w.note(diagnostic.Warning, "../"+name, "wrong-name", "it has reviews, and beside the content folder it is not read", "move it into content/"+reviewsFolder+"; if its reviews are there already, move it elsewhere")
		case e.IsDir() && name != "content" && w.sameBusiness(root, name):
			_ = fs.WalkDir(root.FS(), name+"/"+reviewsFolder, func(file string, f fs.DirEntry, err error) error {
				if err == nil && formatOf(file) != "" && f.Type().IsRegular() {
					w.copied(root, file, f, newest)
				}
				return nil
			})
		}
	}
}

// differs returns what to do about a file of the content folder that stands beside it, too.
func (w *walker) differs(root *os.Root, name string) string {
	is, _, _ := read(root, name, syntax.MaxYAMLFile)
	was, there, _ := read(w.root, name, syntax.MaxYAMLFile)
	if there == nil || is == nil {
		return "move it into the content folder; if there is one already, move what only this one has"
	}
	ours := map[string]bool{"": true}
	for line := range strings.Lines(string(was)) {
		ours[strings.TrimSpace(line)] = true
	}
	lines := slices.DeleteFunc(strings.Split(string(is), "\n"), func(line string) bool { return ours[strings.TrimSpace(line)] })
	if len(lines) == 0 || len(lines) > maxListed {
		return "content/" + name + " is read: if this one is newer, write what differs into that; then move this one elsewhere"
	}
	return fmt.Sprintf("content/%s is read: if this one is newer, write into that, in place of its own lines: %s; then move this one elsewhere", name, strings.TrimSpace(strings.Join(lines, "; ")))
}

// copied notes a file in a copy of the content folder that was changed after all reviews in it.
func (w *walker) copied(root *os.Root, file string, e fs.DirEntry, newest time.Time) {
	if info, err := e.Info(); err != nil || !info.ModTime().After(newest) {
		return
	}
	folder, inside, _ := strings.Cut(file, "/")
	is, _, _ := read(root, file, syntax.MaxYAMLFile)
	was, there, _ := read(w.root, inside, syntax.MaxYAMLFile)
	if !bytes.Equal(is, was) {
		w.note(diagnostic.Warning, "../"+file, "wrong-name", "it was changed after all reviews in the content folder, of which "+folder+" is a copy that is not read",
			diagnostic.Pick(there == nil, "if it is to be published, move it into content/"+path.Dir(inside), "if that is to be published, write the change into content/"+inside))
	}
}
