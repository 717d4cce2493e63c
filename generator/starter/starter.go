// Package starter writes the folder that an editor begins with: a small, made-up
// business with a note on every field. It is what `reviewcast init` leaves
// behind.
//
// The folder builds as it is, and still builds when the editor has deleted
// everything in reviews/, and faq.yaml and summary.md. That is why nothing in
// business.yaml, site.yaml, insights.yaml or withdrawn.yaml refers to an example
// review. The files stand in files/, as they are written.
package starter

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed files
var embedded embed.FS

// ErrNotEmpty is the error of Write for a folder that holds something already.
var ErrNotEmpty = errors.New("the folder is not empty")

// Write writes the starter folder into dir, which it creates, with its parents,
// when it isn't there. It gives back the files written, sorted, below dir and
// with forward slashes.
//
// A folder that holds anything but dotfiles (.git, .DS_Store) is refused with
// ErrNotEmpty, so that no editor's work is ever overwritten. After any error the
// disk is as it was: what had been written, folders included, is removed.
func Write(dir string) (files []string, err error) {
	content, err := fs.Sub(embedded, "files")
	if err != nil {
		return nil, err
	}
	return write(dir, content)
}

func write(dir string, content fs.FS) (files []string, err error) {
	dir = filepath.Clean(dir)
	if err := checkEmpty(dir); err != nil {
		return nil, err
	}
	var made []string // files and folders, parents first
	defer func() {
		if err == nil {
			return
		}
		files = nil
		// Children go first. A folder that somebody else has meanwhile put
		// something into can't be removed, and shouldn't be.
		for i := len(made) - 1; i >= 0; i-- {
			os.Remove(made[i])
		}
	}()
	err = fs.WalkDir(content, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(dir, filepath.FromSlash(path))
		if d.IsDir() {
			return mkdirAll(target, &made)
		}
		if err := copyFile(target, content, path, &made); err != nil {
			return err
		}
		files = append(files, path)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("write starter folder: %w", err)
	}
	return files, nil
}

// Empty reports whether Write can write to dir: it does not exist, or has nothing in it
// but dotfiles.
func Empty(dir string) bool { return checkEmpty(dir) == nil }

// checkEmpty refuses a folder with anything in it but dotfiles.
func checkEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write starter folder: %w", err)
	}
	var found []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			found = append(found, e.Name())
		}
	}
	if len(found) == 0 {
		return nil
	}
	return fmt.Errorf("write starter folder: %w: %s already holds %s; name a new or empty folder, or move what is there elsewhere first",
		ErrNotEmpty, dir, list(found))
}

// list names the first three of names and counts the rest.
func list(names []string) string {
	const shown = 3
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

// mkdirAll makes dir and its missing parents, and appends what it made to made:
// os.MkdirAll doesn't tell.
func mkdirAll(dir string, made *[]string) error {
	err := os.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrNotExist) {
		if err := mkdirAll(filepath.Dir(dir), made); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o755)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil // if it is a file, creating something below it tells
	}
	if err == nil {
		*made = append(*made, dir)
	}
	return err
}

// copyFile writes one file that must not be there yet: one that came between the
// check and now belongs to somebody else.
func copyFile(target string, content fs.FS, path string, made *[]string) error {
	b, err := fs.ReadFile(content, path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	*made = append(*made, target)
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}
