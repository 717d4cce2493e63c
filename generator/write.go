package generator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/render"
)

// errNoSwap says that two directories can't be exchanged here: another operating
// system, a file system without it, or a mount point.
var errNoSwap = errors.New("directories can't be swapped here")

// commitFile stands in a staging folder whose files are all there and synced,
// and which is being moved into public/ file by file. It lists what to remove
// afterwards. Whoever finds it finishes the work.
const commitFile = ".reviewcast-commit"

// write brings the result into the folder, whole or not at all: every file is
// written and synced in staging, then the two folders are exchanged in one
// rename, so that a reader that opens the folder sees the old set or the new one
// and a crash leaves one of them. Where no exchange is to be had, the files are
// renamed into place one by one, the manifest last; a reader that checks files
// against the manifest (the edge does) never takes a mixture, and a crash is
// rolled forward by the next build.
//
// Files in the folder that no build of ours wrote (.gitignore, a CNAME) stay.
// When nothing differs, nothing is touched.
func (o *output) write(ctx context.Context, res *Result, codings []render.Coding) error {
	files, err := res.files(codings)
	if err != nil {
		return err
	}
	ours, foreign, err := o.inventory()
	if err != nil {
		return err
	}
	for _, name := range foreign {
		if _, clash := files[name]; clash {
			return fmt.Errorf("%s is in the way: no build of ours wrote it; move it away, or name another output folder", filepath.Join(o.dir, filepath.FromSlash(name)))
		}
	}
	if o.holds(files, ours) {
		return nil
	}
	if err := o.stage(ctx, files); err != nil {
		os.RemoveAll(o.staging)
		return fmt.Errorf("stage the new files beside %s: %w", o.dir, err)
	}
	o.at("staged")
	err = o.swap(foreign)
	if errors.Is(err, errNoSwap) {
		err = o.replace(files, ours)
	}
	if err != nil {
		// Staging stays for the next build when it holds a committed set.
		if _, serr := os.Stat(filepath.Join(o.staging, commitFile)); serr != nil {
			os.RemoveAll(o.staging)
		}
		return fmt.Errorf("bring the new files into %s: %w", o.dir, err)
	}
	return nil
}

func (o *output) at(step string) {
	if o.step != nil {
		o.step(step)
	}
}

// files gives every file of the folder by its name: the artifacts, their encoded
// variants where these are smaller, the manifest.
func (r *Result) files(codings []render.Coding) (map[string][]byte, error) {
	if err := render.Precompress(r.Artifacts, codings...); err != nil {
		return nil, err
	}
	manifest, err := encodeManifest(r.Manifest)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{manifestName: manifest}
	for _, a := range r.Artifacts {
		name := strings.TrimPrefix(a.Path, "/")
		files[name] = a.Body
		for coding, encoded := range a.Encodings {
			files[name+coding.Ext()] = encoded
		}
	}
	return files, nil
}

var manifestName = strings.TrimPrefix(reviewcast.PathManifest, "/")

// inventory tells apart the files that a build of ours wrote (those the manifest
// in the folder lists, with their encodings, and itself) from everybody else's.
// A folder with files but without a manifest is not ours to publish into.
func (o *output) inventory() (ours, foreign []string, err error) {
	known := map[string]bool{}
	data, err := os.ReadFile(filepath.Join(o.dir, manifestName))
	if err == nil {
		var m reviewcast.Manifest
		if err := json.Unmarshal(data, &m); err != nil {
			return nil, nil, fmt.Errorf("%s is not a manifest of ours: %w", filepath.Join(o.dir, manifestName), err)
		}
		known[manifestName] = true
		for _, f := range m.Files {
			name := strings.TrimPrefix(f.Path, "/")
			known[name] = true
			for _, coding := range render.Codings {
				known[name+coding.Ext()] = true
			}
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	hasManifest := err == nil
	err = filepath.WalkDir(o.dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == o.dir {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(o.dir, path)
		name := filepath.ToSlash(rel)
		switch {
		case err != nil:
			return err
		case known[name]:
			ours = append(ours, name)
		case !hasManifest && !strings.HasPrefix(name, "."):
			return fmt.Errorf("%s holds %s but no manifest.json, so no build of ours wrote it; name an empty or new folder, or move the files away", o.dir, name)
		default:
			foreign = append(foreign, name)
		}
		return nil
	})
	return ours, foreign, err
}

// holds tells whether the folder has exactly these files of ours already.
func (o *output) holds(files map[string][]byte, ours []string) bool {
	if len(ours) != len(files) {
		return false
	}
	for _, name := range ours {
		want, ok := files[name]
		if !ok {
			return false
		}
		have, err := os.ReadFile(filepath.Join(o.dir, filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(have, want) {
			return false
		}
	}
	return true
}

// stage writes and syncs the files into the staging folder: a rename is only as
// durable as what it renames.
func (o *output) stage(ctx context.Context, files map[string][]byte) error {
	if err := os.Mkdir(o.staging, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		o.at("stage " + name)
		path := filepath.Join(o.staging, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := writeSynced(path, bytes.NewReader(files[name])); err != nil {
			return err
		}
	}
	return syncTree(o.staging)
}

// swap exchanges staging and the folder, and removes the old set.
func (o *output) swap(foreign []string) error {
	if o.inPlace {
		return errNoSwap
	}
	if _, err := os.Lstat(o.dir); errors.Is(err, fs.ErrNotExist) {
		if err := os.Rename(o.staging, o.dir); err != nil {
			return err
		}
		return syncDir(filepath.Dir(o.dir))
	}
	for _, name := range foreign {
		if err := carry(filepath.Join(o.dir, filepath.FromSlash(name)), filepath.Join(o.staging, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("carry %s over: %w", name, err)
		}
	}
	if len(foreign) > 0 {
		if err := syncTree(o.staging); err != nil {
			return err
		}
	}
	o.at("swap")
	if err := exchange(o.staging, o.dir); err != nil {
		return err
	}
	o.at("swapped")
	if err := syncDir(filepath.Dir(o.dir)); err != nil {
		return err
	}
	return os.RemoveAll(o.staging) // the old set now
}

// carry brings a file that isn't ours into the new folder: by a hard link where
// that works, so that its owner, times and mode stay what they are.
func carry(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	if os.Link(from, to) == nil {
		return nil
	}
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := writeSynced(to, f); err != nil {
		return err
	}
	return os.Chmod(to, info.Mode().Perm())
}

// moves is what commitFile says: what to do with the staged set.
type moves struct {
	Move   []string `json:"move"` // the manifest last
	Remove []string `json:"remove"`
}

// replace moves the staged files into the folder one by one, the manifest last,
// and removes those of ours that are no longer published. From the moment that
// commitFile is durable, the new set will be there in the end, whatever happens.
func (o *output) replace(files map[string][]byte, ours []string) error {
	var m moves
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if name != manifestName {
			m.Move = append(m.Move, name)
		}
	}
	m.Move = append(m.Move, manifestName)
	for _, name := range ours {
		if _, still := files[name]; !still {
			m.Remove = append(m.Remove, name)
		}
	}
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := writeSynced(filepath.Join(o.staging, commitFile), bytes.NewReader(data)); err != nil {
		return err
	}
	if err := syncDir(o.staging); err != nil {
		return err
	}
	return o.rollForward(m)
}

func (o *output) rollForward(m moves) error {
	for _, name := range m.Move {
		o.at("replace " + name)
		if err := o.replaceFile(name); err != nil {
			return err
		}
	}
	for _, name := range m.Remove {
		o.at("remove " + name)
		if err := os.Remove(filepath.Join(o.dir, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := syncTree(o.dir); err != nil {
		return err
	}
	// The record goes first, and durably: a staging folder that is half removed
	// must not look like work to be done.
	o.at("done")
	if err := os.Remove(filepath.Join(o.staging, commitFile)); err != nil {
		return err
	}
	if err := syncDir(o.staging); err != nil {
		return err
	}
	o.at("cleared")
	return os.RemoveAll(o.staging)
}

// replaceFile copies a staged file into the folder under a temporary name and
// renames it. It is copied, since the folder may be a mount point and a rename
// can't cross one; and the staged file stays for a second try.
func (o *output) replaceFile(name string) error {
	from, err := os.Open(filepath.Join(o.staging, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	defer from.Close()
	to := filepath.Join(o.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := writeSynced(to+".tmp", from); err != nil {
		return err
	}
	return os.Rename(to+".tmp", to)
}

// recover clears up after a build that was killed. A staging folder with a
// commitFile holds a set that is half moved in: it is moved in to the end. Any
// other holds a set that nobody has seen, or the old one after a swap.
func (o *output) recover() error {
	data, err := os.ReadFile(filepath.Join(o.staging, commitFile))
	if err == nil {
		var m moves
		if json.Unmarshal(data, &m) == nil {
			return o.rollForward(m)
		}
		// The marker itself was cut short, so nothing has been moved yet.
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.RemoveAll(o.staging)
}

// writeSynced writes a new file and has the disk confirm it.
func writeSynced(path string, r io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// syncTree makes the names in a folder and below it durable.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncDir(path)
	})
}
