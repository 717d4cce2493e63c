package snapshot

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"reviewcast"
)

// readChanges reads the change documents, which the manifest doesn't list, from the newest back to
// changes_from, with their patches. Each is checked against the hash in the next one, or in the
// manifest.
func (files *Files) readChanges(read reader, c Config) error {
	seq, hash := files.manifest.Sequence, files.manifest.ChangeSHA256
	for hash != "" {
		f, err := files.readUnlisted(read, reviewcast.ChangePath(seq), hash, c)
		if err != nil {
			return err
		}
		var change reviewcast.Change
		if err := json.Unmarshal(f.Body, &change); err != nil {
			return fmt.Errorf("%s: %w", f.Path[1:], err)
		}
		f.LastModified = change.LastModified
		if err := files.readPatches(read, &change, c); err != nil {
			return err
		}
		if change.Previous == nil || change.PreviousSHA256 == nil || *change.Previous < files.manifest.ChangesFrom {
			break
		}
		seq, hash = *change.Previous, *change.PreviousSHA256
	}
	return nil
}

func (files *Files) readPatches(read reader, change *reviewcast.Change, c Config) error {
	for _, changed := range change.Files {
		if changed.Patch == "" {
			continue
		}
		if changed.Patch != reviewcast.InsightsPatchPath(change.Sequence) || !fs.ValidPath(changed.Patch[1:]) {
			return fmt.Errorf("change %d names the patch %q, want %s", change.Sequence, changed.Patch, reviewcast.InsightsPatchPath(change.Sequence))
		}
		f, err := files.readUnlisted(read, changed.Patch, changed.PatchSHA256, c)
		if err != nil {
			return err
		}
		f.LastModified = change.LastModified
	}
	return nil
}

// readUnlisted reads a file that has a hash although the manifest doesn't list it.
func (files *Files) readUnlisted(read reader, path, hash string, c Config) (*File, error) {
	body, err := read(path[1:])
	if err != nil {
		return nil, err
	}
	f := unlisted(path, body)
	if f.SHA256 != hash {
		return nil, fmt.Errorf("%s has the sha256 %s, want %s", path[1:], f.SHA256, hash)
	}
	f.Variants = readVariants(read, path[1:], body, c)
	files.files[path] = f
	return f, nil
}

// unlisted is a JSON file that the manifest doesn't list.
func unlisted(path string, body []byte) *File {
	return &File{Body: body, File: reviewcast.File{Path: path, MediaType: reviewcast.MediaJSON, SHA256: reviewcast.SHA256(body), Size: int64(len(body))}}
}
