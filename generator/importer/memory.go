package importer

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast/generator/diagnostic"
)

// memory is .import-{source}.json: what the last imports wrote, by key.
type memory struct {
	// knownBy says how reviews are identified: "id", or the fields that are part of the keys of content.
	knownBy []string
	entries map[string]entry
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
	if len(data) == 0 {
		return &memory{entries: map[string]entry{}}, nil
	}
	var file struct {
		Version int              `json:"version"`
		KnownBy []string         `json:"known_by"`
		Reviews map[string]entry `json:"reviews"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%w; restore the file from version control, or delete it: then everything in the file of reviews is kept", cause(err))
	}
	if file.Version != memoryVersion {
		return nil, fmt.Errorf("version %d is not supported, only version %d; import with the program that wrote it", file.Version, memoryVersion)
	}
	if file.Reviews == nil {
		file.Reviews = map[string]entry{}
	}
	return &memory{knownBy: file.KnownBy, entries: file.Reviews}, nil
}

// append writes the file, one entry per line, so that version control shows which reviews an import changed.
func (m *memory) append(b []byte) []byte {
	b = append(b, `{"version":`+strconv.Itoa(memoryVersion)+`,"known_by":`...)
	b = appendJSON(b, m.knownBy)
	b = append(b, `,"reviews":{`...)
	for i, key := range slices.Sorted(maps.Keys(m.entries)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '\n')
		b = appendJSON(b, key)
		b = append(b, ':')
		b = appendJSON(b, m.entries[key])
	}
	return append(b, "\n}}\n"...)
}

func appendJSON(b []byte, v any) []byte {
	buf := bytes.NewBuffer(b)
	if err := json.MarshalWrite(buf, v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		panic("importer: write memory: " + err.Error()) // strings only
	}
	return buf.Bytes()
}

// identify returns the fields by which an import identifies reviews: those of the first import, which all later ones
// must have.
func (m *memory) identify(c Config) ([]string, error) {
	if len(m.entries) == 0 {
		return c.knownBy(), nil
	}
	missing := slices.DeleteFunc(slices.Clone(m.knownBy), func(f string) bool { return c.Map[f] != "" })
	if len(missing) == 0 {
		return m.knownBy, nil
	}
	return nil, fmt.Errorf("the import before this one identified reviews by %s, and this one has no %s: every review would be added a second time; map %s to a column, too. "+
		"If that import was a mistake, and its reviews are not published yet, delete %s and import again",
		join(m.knownBy), join(missing), join(missing), dataPath(c.Source))
}

// knownBy lists the mapped fields that are part of the keys.
func (c Config) knownBy() []string {
	if c.Map[fieldID.String()] != "" {
		return []string{fieldID.String()}
	}
	fields := []string{fieldDate.String()}
	for _, f := range []field{fieldAuthor, fieldTitle, fieldText, fieldSourceURL} {
		if c.Map[f.String()] != "" {
			fields = append(fields, f.String())
		}
	}
	return fields
}

func join(words []string) string { return diagnostic.Join(words, "and") }
