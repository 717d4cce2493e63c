package durable

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// commitFile is the commit record: it stands in a staging directory whose files are
// complete and synced, and are being moved into the directory one by one.
const commitFile = ".reviewcast-commit"

// moves is the content of a commit record.
type moves struct {
	Move   []string `json:"move"` // the last file comes last
	Remove []string `json:"remove"`
}

// replaceEach moves the staged files into the directory one by one and removes
// those of the old set that are not replaced. Once the commit record is durable,
// the new set will be complete in the end: the next Lock finishes the work.
func (d *Dir) replaceEach(files map[string][]byte, old []string) error {
	var m moves
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != d.last {
			m.Move = append(m.Move, name)
		}
	}
	m.Move = append(m.Move, d.last)
	for _, name := range old {
		if _, still := files[name]; !still {
			m.Remove = append(m.Remove, name)
		}
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := writeSynced(filepath.Join(d.staging, commitFile), bytes.NewReader(data)); err != nil {
		return err
	}
	if err := syncDir(d.staging); err != nil {
		return err
	}
	return d.rollForward(m)
}

// rollForward carries out a commit record. It can be repeated.
func (d *Dir) rollForward(m moves) error {
	for _, name := range m.Move {
		if err := d.replaceFile(name); err != nil {
			return err
		}
	}
	for _, name := range m.Remove {
		if err := os.Remove(d.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := syncTree(d.path); err != nil {
		return err
	}
	// The record is removed first, and durably: a staging directory that is half
	// removed must not look like unfinished work.
	if err := os.Remove(filepath.Join(d.staging, commitFile)); err != nil {
		return err
	}
	if err := syncDir(d.staging); err != nil {
		return err
	}
	return os.RemoveAll(d.staging)
}

// replaceFile copies a staged file into the directory under a temporary name and
// renames it. It is copied because the directory may be a mount point, which a
// rename cannot cross, and because a second rollForward needs the staged file.
func (d *Dir) replaceFile(name string) error {
	from, err := os.Open(filepath.Join(d.staging, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	defer from.Close()
	to := d.file(name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := writeSynced(to+".tmp", from); err != nil {
		return err
	}
	return os.Rename(to+".tmp", to)
}

// recover finishes or removes what a killed process left. A staging directory with
// a commit record is moved in to the end. Any other holds a set that nobody has
// seen, or the old set after an exchange.
func (d *Dir) recover() error {
	data, err := os.ReadFile(filepath.Join(d.staging, commitFile))
	if err == nil {
		var m moves
		if json.Unmarshal(data, &m) == nil {
			return d.rollForward(m)
		}
		// The record itself is cut short, so nothing has been moved yet.
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(d.staging)
}
