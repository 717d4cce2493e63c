package generator

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/generator/render"
)

// manifestName is the manifest's file in the output directory.
var manifestName = strings.TrimPrefix(reviewcast.PathManifest, "/")

// files returns every file of the output directory by its name, with its encoded variants.
func (r *Result) files(codings []string) map[string][]byte {
	manifest, _ := json.MarshalIndent(r.Manifest, "", "  ") // types of the contract always encode
	files := map[string][]byte{manifestName: append(manifest, '\n')}
	artifacts := slices.Clone(r.Artifacts)
	for path, body := range r.documents {
		artifacts = append(artifacts, render.Artifact{Path: path, Body: body})
	}
	for path, variant := range render.Precompress(artifacts, codings) {
		files[strings.TrimPrefix(path, "/")] = variant
	}
	for _, a := range artifacts {
		files[strings.TrimPrefix(a.Path, "/")] = a.Body
	}
	return files
}

// written returns a function that reports whether an earlier build wrote a file of the directory.
func written(dir, baseURL string) (func(name string) bool, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(dir, reviewcast.PathReviews)); err == nil {
			return nil, fmt.Errorf("%s was published, and its %s is missing; put it back from the recycle bin or your web server, or delete %[1]s and build with --previous %[3]s", dir, manifestName, baseURL)
		}
		return func(string) bool { return false }, nil
	} else if err != nil {
		return nil, err
	}
	var m reviewcast.Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s is not a manifest of reviewcast: %w", filepath.Join(dir, manifestName), err)
	}
	return m.Owns, nil
}

// nextManifest lists a site's files and compares them with the manifest before. A file with equal bytes keeps its
// last_modified. All others get the time of the version: now, but at least a second after the version before,
// since HTTP dates count in seconds (RFC 9110, section 13.1.3). Package changes adds what is below /changes/.
func nextManifest(before *reviewcast.Manifest, site *Site, now time.Time) (m *reviewcast.Manifest, changed, removed []string, version time.Time) {
	m = &reviewcast.Manifest{Version: 1, BaseURL: site.BaseURL, Sequence: before.Sequence}
	version = now.UTC().Truncate(time.Second)
	if last := before.LastModified(); !version.After(last) {
		version = last.Add(time.Second)
	}
	for _, a := range site.Artifacts {
		f := reviewcast.File{Path: a.Path, MediaType: a.MediaType, SHA256: hex.EncodeToString(a.SHA256[:]), Size: int64(len(a.Body)), LastModified: version}
		if old, known := before.File(a.Path); known && old.SHA256 == f.SHA256 {
			f.LastModified = old.LastModified
		} else {
			changed = append(changed, a.Path)
		}
		m.Files = append(m.Files, f)
	}
	for _, old := range before.Files {
		if _, still := m.File(old.Path); !still && !strings.HasPrefix(old.Path, reviewcast.PathChanges) {
			removed = append(removed, old.Path)
		}
	}
	if len(changed)+len(removed) > 0 {
		m.Sequence++
	}
	return m, changed, removed, version
}

// Ping informs a WebSub hub that topics have changed, one publish request for each, which every hub understands
// (PubSubHubbub 0.4, section 7.1). manifest is the hash of the published manifest: an edge that follows the site
// waits until that version is deployed, and other hubs ignore it.
func Ping(ctx context.Context, hub, baseURL, manifest string, topics []string) (errs error) {
	for _, topic := range topics {
		form := url.Values{"hub.mode": {"publish"}, "hub.url": {baseURL + topic}, "manifest": {manifest}}
		if err := ping(ctx, hub, form); err != nil {
			errs = errors.Join(errs, fmt.Errorf("ping the hub about %s: %w", topic, err))
		}
	}
	return errs
}

func ping(ctx context.Context, hub string, form url.Values) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, hub, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	const timeout = 10 * time.Second // a hub answers a ping before it does anything about it
	resp, err := (&http.Client{Timeout: timeout}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(resp.Body, 200))
	if resp.StatusCode/100 != 2 {
		line, _, _ := strings.Cut(strings.TrimSpace(string(said)), "\n") // a hub's page of HTML helps nobody
		return fmt.Errorf("%s answered %s: %s", hub, resp.Status, line)
	}
	return nil
}
