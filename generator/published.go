package generator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/generator/source"
)

// published is what the last build left: its manifest, and the ids that it made
// promises about.
type published struct {
	manifest reviewcast.Manifest
	ids      []string
}

// errNeverPublished says that there is no last build. A manifest that is there
// but can't be read is another matter: going on would forget every promise.
var errNeverPublished = errors.New("nothing has been published yet")

// Limits on what is read from --previous, so that a wrong address can't fill the
// memory or hang the build.
const (
	maxManifest     = 16 << 20
	maxPublished    = 4 << 30
	previousTimeout = 2 * time.Minute
)

// readPublished reads the last published set from a folder or an http(s) URL and
// checks the dataset against its manifest.
func readPublished(ctx context.Context, where string) (*published, error) {
	get := folderReader(where)
	if strings.HasPrefix(where, "http://") || strings.HasPrefix(where, "https://") {
		base, err := reviewcast.ParseBaseURL(where)
		if err != nil {
			return nil, err
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, previousTimeout)
		defer cancel()
		get = func(path string, limit int64) ([]byte, error) { return fetch(ctx, base+path, limit) }
	}
	data, err := get(reviewcast.PathManifest, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNeverPublished
	} else if err != nil {
		return nil, err
	}
	p := &published{}
	if err := json.Unmarshal(data, &p.manifest); err != nil {
		return nil, fmt.Errorf("%s is not a manifest of ours: %w", reviewcast.PathManifest, err)
	}
	if p.manifest.Version != 1 {
		return nil, fmt.Errorf("%s is of version %d; this reviewcast knows version 1", reviewcast.PathManifest, p.manifest.Version)
	}
	file, ok := p.manifest.File(reviewcast.PathReviews)
	if !ok {
		return nil, fmt.Errorf("%s lists no %s", reviewcast.PathManifest, reviewcast.PathReviews)
	}
	data, err = get(reviewcast.PathReviews, maxPublished)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != file.SHA256 {
		return nil, fmt.Errorf("%s is not the one that %s lists; restore the folder, or delete it all to publish as if for the first time", reviewcast.PathReviews, reviewcast.PathManifest)
	}
	if p.ids, err = reviewIDs(data); err != nil {
		return nil, fmt.Errorf("read %s: %w", reviewcast.PathReviews, err)
	}
	return p, nil
}

func reviewIDs(data []byte) ([]string, error) {
	var ds struct {
		Reviews []struct {
			ID string `json:"id"`
		} `json:"reviews"`
	}
	if err := json.Unmarshal(data, &ds); err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(ds.Reviews))
	for _, r := range ds.Reviews {
		ids = append(ids, r.ID)
	}
	return ids, nil
}

type reader func(path string, limit int64) ([]byte, error)

func folderReader(dir string) reader {
	return func(path string, limit int64) ([]byte, error) {
		f, err := os.Open(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readAll(f, limit)
	}
}

func fetch(ctx context.Context, url string, limit int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	// What stands at the origin now, not what a cache remembers.
	req.Header.Set("Cache-Control", "no-cache")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		return readAll(resp.Body, limit)
	case http.StatusNotFound:
		return nil, fmt.Errorf("get %s: %w", url, fs.ErrNotExist)
	}
	return nil, fmt.Errorf("get %s: the answer is %s", url, resp.Status)
}

func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("it is larger than %d bytes", limit)
	}
	return data, err
}

// vanished gives the ids that were published, are not in content any more, and
// don't stand in withdrawn.yaml; sorted.
func (p *published) vanished(content *source.Content) []string {
	if len(p.ids) == 0 && len(p.manifest.Unaccounted) == 0 {
		return nil
	}
	gone := make(map[string]bool, len(p.ids))
	for _, id := range p.ids {
		gone[id] = true
	}
	for _, id := range p.manifest.Unaccounted {
		gone[id] = true
	}
	for i := range content.Reviews {
		if content.Reviews[i].Published {
			delete(gone, content.Reviews[i].ID)
		}
	}
	for _, w := range content.Withdrawn {
		delete(gone, w.ID)
	}
	return slices.Sorted(maps.Keys(gone))
}

// vanishedProblem tells the editor where a published review went, as far as the
// files show it.
func vanishedProblem(id string, content *source.Content, lenient bool) source.Problem {
	p := source.Problem{
		Severity: source.Error, File: "withdrawn.yaml", Code: "vanished",
		Message:    fmt.Sprintf("review %q is published, but it is in no file of reviews/ any more", id),
		Suggestion: fmt.Sprintf("put it back under this id, or add to withdrawn.yaml: - {id: %s, reason: withdrawn, date: YYYY-MM-DD}", id),
	}
	for i := range content.Reviews {
		r := &content.Reviews[i]
		if r.ID == id && !r.Published {
			p.File, p.Line, p.Col = r.At.File, r.At.Line, r.At.Col
			p.Message = fmt.Sprintf("review %q is published, but it has lost its verification", id)
			p.Suggestion = fmt.Sprintf("give it its verification back, or add to withdrawn.yaml: - {id: %s, reason: withdrawn, date: YYYY-MM-DD}", id)
		} else if strings.EqualFold(r.ID, id) && r.ID != id {
			p.File, p.Line, p.Col = r.At.File, r.At.Line, r.At.Col
			p.Message = fmt.Sprintf("review %q is published, but its id is written %q now", id, r.ID)
			p.Suggestion = fmt.Sprintf("write the id as %s: readers hold on to it", id)
		}
	}
	if lenient {
		p.Severity = source.Warning
	}
	return p
}
