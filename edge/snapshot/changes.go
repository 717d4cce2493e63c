package snapshot

import (
	"fmt"

	"reviewcast"
	"reviewcast/internal/mirror"
)

// readChanges reads the change documents, which the manifest doesn't list, with their patches. Each is checked
// against the hash in the next one, or in the manifest.
func (files *Files) readChanges(read reader, c Config) error {
	if files.manifest.ChangeSHA256 == "" {
		return nil
	}
	changes, err := mirror.ReadChanges(&files.manifest, func(path, sha256 string) ([]byte, error) {
		return files.readUnlisted(read, path, sha256, c)
	})
	if err != nil {
		return err
	}
	for _, change := range changes {
		patches, err := mirror.Patches(change)
		if err != nil {
			return err
		}
		files.files[reviewcast.ChangePath(change.Sequence)].LastModified = change.LastModified
		for _, p := range patches {
			if _, err := files.readUnlisted(read, p.Path, p.SHA256, c); err != nil {
				return err
			}
			files.files[p.Path].LastModified = change.LastModified
		}
	}
	return nil
}

// readUnlisted reads a file that has a hash although the manifest doesn't list it.
func (files *Files) readUnlisted(read reader, path, sha256 string, c Config) ([]byte, error) {
	body, err := read(path[1:])
	if err != nil {
		return nil, err
	}
	f := unlisted(path, body)
	if f.SHA256 != sha256 {
		return nil, fmt.Errorf("%s has the sha256 %s, want %s", path[1:], f.SHA256, sha256)
	}
	f.Variants = readVariants(read, path[1:], body, c)
	files.files[path] = f
	return body, nil
}

// unlisted is a JSON file that the manifest doesn't list.
func unlisted(path string, body []byte) *File {
	return &File{Body: body, File: reviewcast.File{Path: path, MediaType: reviewcast.MediaJSON, SHA256: reviewcast.SHA256(body), Size: int64(len(body))}}
}
