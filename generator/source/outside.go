package source

import (
	"bytes"
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

// has reports whether a file of another folder is one of the content folder, byte by byte.
func (w *walker) has(other *os.Root, e fs.DirEntry) bool {
	info, err := e.Info()
	is, _, _ := read(other, e.Name(), syntax.MaxYAMLFile)
	return err == nil && slices.ContainsFunc(w.files, func(j *job) bool {
		if j.info == nil || j.info.Size() != info.Size() {
			return false
		}
		was, _, _ := read(w.root, j.path, syntax.MaxYAMLFile)
		return bytes.Equal(is, was)
	})
}

// sameBusiness reports whether another folder has the content of the same business.
func (w *walker) sameBusiness(other *os.Root, name string) bool {
	ours, _, _ := read(w.root, BusinessFile, syntax.MaxYAMLFile)
	theirs, _, _ := read(other, name+"/"+BusinessFile, syntax.MaxYAMLFile)
	return theirs != nil && bytes.Equal(forms["idLine"].Find(ours), forms["idLine"].Find(theirs))
}

// outside notes what is beside a folder named content and is not read: its files, reviews, and copies of it in which
// reviews were changed later than in it.
func (w *walker) outside(dir string) {
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil || filepath.Base(dir) != "content" {
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
		case slices.Contains(knownFiles, name) && e.IsDir() == (name == reviewsFolder):
			remedy := "move it into the content folder; if there is one already, move what only this one has"
			is, _, _ := read(root, name, syntax.MaxYAMLFile)
			if was, there, _ := read(w.root, name, syntax.MaxYAMLFile); there != nil && is != nil {
				lines := slices.DeleteFunc(strings.Split(string(is), "\n"), func(line string) bool { return strings.Contains(string(was), strings.TrimSpace(line)) })
				lines = lines[:min(len(lines), maxListed)]
				remedy = "write what is different here into content/" + name + ", in place of what it has there" + diagnostic.When(len(lines) > 0, ": "+strings.TrimSpace(strings.Join(lines, "; "))) + "; then delete this one"
			}
			w.note(diagnostic.Warning, "../"+name, "wrong-name", "beside the content folder it is not read", remedy)
		case IsYAML(name) && out.hasReviews(name) && !w.has(root, e):
			w.note(diagnostic.Warning, "../"+name, "wrong-name", "it has reviews, and beside the content folder it is not read", "move it into content/"+reviewsFolder+"; if its reviews are there already, move it elsewhere")
		case e.IsDir() && name != "content" && w.sameBusiness(root, name):
			_ = fs.WalkDir(root.FS(), name+"/"+reviewsFolder, func(file string, f fs.DirEntry, err error) error {
				if err == nil && formatOf(file) != "" {
					w.copied(root, file, f, newest)
				}
				return nil
			})
		}
	}
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
