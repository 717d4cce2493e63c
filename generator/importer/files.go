package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"runtime"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast/generator/diagnostic"
)

// folder is the folder of reviews below the content folder.
const folder = "reviews"

func dataPath(source string) string   { return path.Join(folder, "import-"+source+".jsonl") }
func memoryPath(source string) string { return path.Join(folder, ".import-"+source+".json") }

// files are the two files of an import, before and after it.
type files struct {
	source  string
	records []*record
	memory  *memory
	// data and remembered are the bytes that were read; nil of a file that isn't there.
	data, remembered []byte
}

// load reads the files of earlier imports of a source.
func load(root *os.Root, source string) (*files, error) {
	f := &files{source: source}
	var err error
	if f.data, err = read(root, dataPath(source)); err != nil {
		return nil, err
	}
	if f.records, err = parseRecords(f.data); err != nil {
		return nil, fmt.Errorf("read %s: %w", dataPath(source), err)
	}
	if f.remembered, err = read(root, memoryPath(source)); err != nil {
		return nil, err
	}
	remembered := diagnostic.Pick(f.data != nil, f.remembered, nil) // an editor who deletes the reviews begins afresh
	if f.memory, err = parseMemory(remembered); err != nil {
		return nil, fmt.Errorf("read %s: %w", memoryPath(source), err)
	}
	return f, nil
}

func read(root *os.Root, name string) (data []byte, err error) {
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && info.Size() > MaxExport:
		return nil, fmt.Errorf("read %s: it is larger than %d MiB; move some of its reviews to files of their own", name, MaxExport>>20)
	case err == nil:
		data, err = root.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read import: %w", err)
	}
	return data, nil
}

func (f *files) encode() (data, remembered []byte) {
	for _, r := range f.records {
		data = r.append(data)
	}
	return data, f.memory.encode()
}

// holds reports whether the files have these bytes already, so that there is nothing to write. An import without
// reviews creates no files.
func (f *files) holds(data, remembered []byte) bool {
	return bytes.Equal(data, f.data) && (f.data == nil || bytes.Equal(remembered, f.remembered))
}

// errMeanwhile is the error of an import whose files changed while it ran.
var errMeanwhile = errors.New("it changed during the import, so no file was changed; import again")

// replace writes both files, the reviews first. The memory may be older than the reviews, but must never contain a
// review that is not there, since it would be taken for one that the editor removed. The next import repairs it.
func (f *files) replace(root *os.Root, data, remembered []byte) error {
	if err := root.Mkdir(folder, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("create folder: %w", err)
	}
	steps := []struct {
		name     string
		old, new []byte
	}{
		{dataPath(f.source), f.data, data},
		{memoryPath(f.source), f.remembered, remembered},
	}
	for _, s := range steps {
		if now, err := read(root, s.name); err != nil {
			return err
		} else if !bytes.Equal(now, s.old) {
			return fmt.Errorf("write %s: %w", s.name, errMeanwhile)
		}
	}
	for i, s := range steps {
		staged := fmt.Sprintf("%s/.import-%s~%d.tmp", folder, f.source, i)
		if err := write(root, staged, s.name, s.new); err != nil {
			_ = root.Remove(staged)
			return fmt.Errorf("write %s: %w", s.name, err)
		}
	}
	return nil
}

// write writes and syncs a staged file and renames it to its name, with the permissions of the file that it replaces.
// It replaces what a killed import left. If another import of the source is running, that one fails at its rename and
// changes nothing.
func write(root *os.Root, staged, name string, data []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := root.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	_ = root.Remove(staged) // opening fails with the better message
	f, err := root.OpenFile(staged, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := root.Rename(staged, name); err != nil || runtime.GOOS == "windows" { // it can't sync a folder, and journals renames
		return err
	}
	d, err := root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// memory is .import-{source}.json: what the last imports wrote, by key.
type memory struct {
	Version int `json:"version"`
	// KnownBy says how reviews are identified: "id", or the fields that are part of the keys of content.
	KnownBy []string         `json:"known_by"`
	Reviews map[string]entry `json:"reviews"`
}

// entry remembers one review.
type entry struct {
	ID string `json:"id"`
	// Scale is the rating scale that it was imported on; 0 is reviewcast.MaxRating.
	Scale float64 `json:"scale,omitzero"`
	// Wrote has the fingerprint of each member as it was last imported, without absent ones. It is empty once the editor
	// has removed the review from the file: then nothing is kept but that it is not wanted.
	Wrote map[string]string `json:"wrote,omitempty"`
}

const memoryVersion = 1

// parseMemory reads the file; empty data is an empty memory.
func parseMemory(data []byte) (*memory, error) {
	m := &memory{}
	if len(data) == 0 {
		data = fmt.Appendf(nil, `{"version":%d}`, memoryVersion)
	}
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%w; restore the file from version control, or delete it: then everything in the file of reviews is kept", cause(err))
	}
	if m.Version != memoryVersion {
		return nil, fmt.Errorf("version %d is not supported, only version %d; import with the program that wrote it", m.Version, memoryVersion)
	}
	if m.Reviews == nil {
		m.Reviews = map[string]entry{}
	}
	return m, nil
}

// encode returns the file, one entry per line, so that version control shows which reviews an import changed.
func (m *memory) encode() []byte {
	b := fmt.Appendf(nil, `{"version":%d,"known_by":%s,"reviews":{`, memoryVersion, asJSON(m.KnownBy))
	before := "\n"
	for _, key := range slices.Sorted(maps.Keys(m.Reviews)) {
		b = fmt.Appendf(b, "%s%s:%s", before, asJSON(key), asJSON(m.Reviews[key]))
		before = ",\n"
	}
	return append(b, "\n}}\n"...)
}

// asJSON returns strings and entries as JSON. The caller has checked that they are UTF-8.
func asJSON(v any) jsontext.Value {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic("importer: write text that was checked: " + err.Error())
	}
	return b
}

// identify returns the fields by which an import identifies reviews: those of the first import, which all later ones
// must have.
func (f *files) identify(c Config) ([]string, error) {
	m := f.memory
	if len(m.Reviews) == 0 {
		return c.knownBy(), nil
	}
	missing := slices.DeleteFunc(slices.Clone(m.KnownBy), func(f string) bool { return c.Map[f] != "" })
	if len(missing) == 0 {
		return m.KnownBy, nil
	}
	return nil, fmt.Errorf("the import before this one identified reviews by %s, and this one has no %s: every review would be added a second time; map %s to a column, too, or export again where that export came from. "+
		"If that import was a mistake, and its reviews are not published yet, delete %s and import again",
		diagnostic.Join(m.KnownBy, "and"), diagnostic.Join(missing, "and"), diagnostic.Join(missing, "and"), dataPath(c.Source))
}

// knownBy lists the mapped fields that are part of the keys.
func (c Config) knownBy() []string {
	if c.Map["id"] != "" {
		return []string{"id"}
	}
	return slices.DeleteFunc([]string{"date", "author", "title", "text", "source_url"}, func(name string) bool { return c.Map[name] == "" })
}
