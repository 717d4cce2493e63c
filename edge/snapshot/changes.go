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
		f, err := readChangeFile(read, reviewcast.ChangePath(seq), c)
		if err != nil {
			return err
		}
		var change reviewcast.Change
		switch err := json.Unmarshal(f.Body, &change); {
		case f.SHA256 != hash:
			return fmt.Errorf("%s has the sha256 %s, want %s", f.Path[1:], f.SHA256, hash)
		case err != nil:
			return fmt.Errorf("%s: %w", f.Path[1:], err)
		}
		f.LastModified = change.LastModified
		files.files[f.Path] = f
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
		f, err := readChangeFile(read, changed.Patch, c)
		if err != nil {
			return err
		}
		if f.SHA256 != changed.PatchSHA256 {
			return fmt.Errorf("%s has the sha256 %s, want %s", f.Path[1:], f.SHA256, changed.PatchSHA256)
		}
		f.LastModified = change.LastModified
		files.files[f.Path] = f
	}
	return nil
}

func readChangeFile(read reader, path string, c Config) (*File, error) {
	body, err := read(path[1:])
	if err != nil {
		return nil, err
	}
	f := unlisted(path, body)
	f.Variants = readVariants(read, path[1:], body, c)
	return f, nil
}

// unlisted is a JSON file that the manifest doesn't list.
func unlisted(path string, body []byte) *File {
	return &File{Body: body, File: reviewcast.File{Path: path, MediaType: reviewcast.MediaJSON, SHA256: reviewcast.SHA256(body), Size: int64(len(body))}}
}
