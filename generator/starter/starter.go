// Package starter writes the folder that an editor begins with: a small, invented business with a note on every field.
// `reviewcast init` writes it.
//
// The folder builds as it is, and still builds when the editor has deleted everything in reviews/, faq.yaml and
// summary.md. Therefore nothing in business.yaml, site.yaml, insights.yaml or withdrawn.yaml refers to an example
// review. The files are in files/, as they are written.
package starter

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed files
var embedded embed.FS

var folder, _ = fs.Sub(embedded, "files") // the name is valid

// manual is the name of the editors' manual. An unpacked release has it in a folder content, without other files.
const manual = "README.md"

// Write writes the starter folder into dir, which it creates with its parents if necessary. It returns the files that
// it wrote, sorted, relative to dir and with forward slashes.
//
// A folder that contains anything but dotfiles (.git, .DS_Store) and a manual, which stay as they are, is refused. After
// any error the disk is as it was: everything that was written, folders included, is removed.
func Write(dir string) (files []string, err error) {
	return write(dir, folder, func(_ string, text []byte) []byte { return text })
}

// WriteEmpty is Write without the made-up business and reviews: every field is a comment to fill in, but for the two
// that business.yaml needs.
func WriteEmpty(dir string) (files []string, err error) { return write(dir, folder, empty) }

// empty makes comments of the fields of a file; nil leaves the file out.
func empty(name string, text []byte) []byte {
	switch {
	case name == "summary.md":
		return nil
	case filepath.Ext(name) != ".yaml":
		return text
	}
	required := name == "business.yaml"
	var b bytes.Buffer
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case required && strings.HasPrefix(line, "id: "):
			line = "id: my-business                         # a short name without spaces; never change it later\n"
		case required && strings.HasPrefix(line, "name: "):
			line = "name: My business                       # as customers know you\n"
		default:
			b.WriteByte('#')
		}
		b.WriteString(line)
	}
	return b.Bytes()
}

func write(dir string, content fs.FS, edit func(name string, text []byte) []byte) (files []string, err error) {
	dir = filepath.Clean(dir)
	if err := checkEmpty(dir); err != nil {
		return nil, err
	}
	var made []string // files and folders, parents first
	err = fs.WalkDir(content, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(path))
		if d.IsDir() {
			made = append(made, missing(target)...)
			return os.MkdirAll(target, 0o755)
		}
		text, err := fs.ReadFile(content, path)
		if err != nil {
			return err
		}
		if text = edit(path, text); text == nil {
			return nil
		}
		// One that appeared after the check belongs to somebody else.
		f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		switch {
		case path == manual && errors.Is(err, fs.ErrExist):
			return nil
		case err != nil:
			return err
		}
		made, files = append(made, target), append(files, path)
		_, err = f.Write(text)
		return errors.Join(err, f.Close())
	})
	if err != nil {
		// Children first. A folder into which somebody else has put something can't be removed, and should not be.
		for _, path := range slices.Backward(made) {
			os.Remove(path)
		}
		return nil, fmt.Errorf("write starter folder: %w", err)
	}
	return files, nil
}

// Empty reports whether Write can write to dir: it does not exist, or has nothing in it but dotfiles and the manual.
func Empty(dir string) bool { return checkEmpty(dir) == nil }

// checkEmpty returns an error for a folder with anything in it but dotfiles and the manual.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write starter folder: %w", err)
	}
	var found []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && e.Name() != manual {
			found = append(found, e.Name())
		}
	}
	if len(found) == 0 {
		return nil
	}
	held := strings.Join(found[:min(3, len(found))], ", ")
	if len(found) > 3 {
		held += fmt.Sprintf(" and %d more", len(found)-3)
	}
	return fmt.Errorf("write starter folder: the folder is not empty: %s already holds %s; name a new or empty folder, or move what is there elsewhere first",
		dir, held)
}

// missing returns those of dir and its parents that don't exist, parents first.
func missing(dir string) []string {
	if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
		return nil
	}
	return append(missing(filepath.Dir(dir)), dir)
}
