package generator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"reviewcast"
	"reviewcast/generator/render"
)

// manifestName is the manifest's file in the output directory.
var manifestName = strings.TrimPrefix(reviewcast.PathManifest, "/")

// files returns every file of the output directory by its name: the artifacts,
// their encoded variants where these are smaller, and the manifest.
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

// written returns a function that reports whether an earlier build wrote a file of
// the output directory: the manifest there lists it, or the file that it encodes.
func written(dir string) (func(name string) bool, error) {
	ours := map[string]bool{}
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err == nil {
		var m reviewcast.Manifest
		if err := json.Unmarshal(data, &m); err != nil {
			return nil, fmt.Errorf("%s is not a manifest of reviewcast: %w", filepath.Join(dir, manifestName), err)
		}
		ours[manifestName] = true
		for _, f := range m.Files {
			name := strings.TrimPrefix(f.Path, "/")
			ours[name] = true
			for _, coding := range render.Codings {
				ours[name+coding.Ext()] = true
			}
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return func(name string) bool { return ours[name] }, nil
}
