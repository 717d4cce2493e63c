package generator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/render"
)

// manifestName is the manifest's file in the output directory.
var manifestName = strings.TrimPrefix(reviewcast.PathManifest, "/")

// files returns every file of the output directory by its name: the artifacts and
// the change documents, their encoded variants where these are smaller, and the
// manifest.
func (r *Result) files(codings []render.Coding) (map[string][]byte, error) {
	if err := render.Precompress(r.Artifacts, codings...); err != nil {
		return nil, err
	}
	manifest, err := encodeManifest(r.Manifest)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{manifestName: manifest}
	documents := make([]render.Artifact, 0, len(r.documents))
	for path, body := range r.documents {
		documents = append(documents, render.Artifact{Path: path, Body: body})
	}
	if err := render.Precompress(documents, codings...); err != nil {
		return nil, err
	}
	for _, a := range slices.Concat(r.Artifacts, documents) {
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
	changes := strings.TrimPrefix(reviewcast.PathChanges, "/")
	return func(name string) bool { return ours[name] || ours[manifestName] && strings.HasPrefix(name, changes) }, nil
}
