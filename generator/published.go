package generator

import (
	"bytes"
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
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// published is the last published set: its manifest and the ids of its reviews. The
// zero value is that of a business that has published nothing yet.
type published struct {
	manifest reviewcast.Manifest
	raw      []byte // the manifest's bytes
	ids      map[string]bool
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

// readPublished reads the last published set from a folder or an http(s) URL.
func readPublished(ctx context.Context, where string) (*published, error) {
	p, data, err := readSet(ctx, where)
	if err != nil {
		return nil, err
	}
	if p.ids, err = reviewIDs(data); err != nil {
		return nil, fmt.Errorf("read %s: %w", reviewcast.PathReviews, err)
	}
	return p, nil
}

// readSet reads a manifest and the bytes of the dataset, checked against it.
func readSet(ctx context.Context, where string) (p *published, dataset []byte, err error) {
	get := folderReader(where)
	if isURL(where) {
		base, err := reviewcast.ParseBaseURL(where)
		if err != nil {
			return nil, nil, err
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, previousTimeout)
		defer cancel()
		get = func(path string, limit int64) ([]byte, error) { return fetch(ctx, base+path, limit) }
	}
	raw, err := get(reviewcast.PathManifest, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, errNeverPublished
	} else if err != nil {
		return nil, nil, err
	}
	var m struct {
		reviewcast.Manifest
		Draft json.RawMessage `json:"draft"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, nil, fmt.Errorf("%s is not a manifest of ours: %w", reviewcast.PathManifest, err)
	}
	if m.Version != 1 {
		return nil, nil, fmt.Errorf("%s is of version %d; this reviewcast knows version 1", reviewcast.PathManifest, m.Version)
	}
	if m.Draft != nil {
		return nil, nil, fmt.Errorf("%s was written by `reviewcast dev` of an older version: it lists a preview and not a published set; delete the folder, and name the last published set with --previous if there is one", reviewcast.PathManifest)
	}
	file, ok := m.File(reviewcast.PathReviews)
	if !ok {
		return nil, nil, fmt.Errorf("%s lists no %s", reviewcast.PathManifest, reviewcast.PathReviews)
	}
	dataset, err = get(reviewcast.PathReviews, maxPublished)
	if err != nil {
		return nil, nil, err
	}
	if sum := sha256.Sum256(dataset); hex.EncodeToString(sum[:]) != file.SHA256 {
		return nil, nil, fmt.Errorf("%s is not the one that %s lists; restore the folder, or delete it all to publish as if for the first time", reviewcast.PathReviews, reviewcast.PathManifest)
	}
	return &published{manifest: m.Manifest, raw: raw}, dataset, nil
}

// current reports whether p is still what is published at where. What was read from
// an address is not asked for again.
func (p *published) current(where string) bool {
	if isURL(where) {
		return true
	}
	data, err := folderReader(where)(reviewcast.PathManifest, maxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return p.raw == nil
	}
	return err == nil && p.raw != nil && bytes.Equal(data, p.raw)
}

func reviewIDs(data []byte) (map[string]bool, error) {
	var ds struct {
		Reviews []struct {
			ID string `json:"id"`
		} `json:"reviews"`
	}
	if err := json.Unmarshal(data, &ds); err != nil {
		return nil, err
	}
	ids := make(map[string]bool, len(ds.Reviews))
	for _, r := range ds.Reviews {
		ids[r.ID] = true
	}
	return ids, nil
}

// isURL tells a place on the network from a folder.
func isURL(where string) bool { return strings.Contains(where, "://") }

// checkNamed refuses a last published set that was named and isn't there: taking
// a mistyped name for a first build would forget every promise.
func checkNamed(where string) error {
	if isURL(where) {
		return nil // 404 on its manifest is an answer
	}
	if info, err := os.Stat(where); err != nil || !info.IsDir() {
		return fmt.Errorf("--previous %s is no folder; name the folder of the last published set, or its address with https://", where)
	}
	return nil
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

// missing returns the ids of the published reviews that the content neither
// publishes nor lists in withdrawn.yaml, sorted.
func (p *published) missing(content *source.Content) []string {
	kept := 0
	for i := range content.Reviews {
		if r := &content.Reviews[i]; r.Published && p.ids[r.ID] {
			kept++
		}
	}
	if kept == len(p.ids) { // the usual case, on every save
		return nil
	}
	missing := maps.Clone(p.ids)
	for i := range content.Reviews {
		if r := &content.Reviews[i]; r.Published {
			delete(missing, r.ID)
		}
	}
	withdrawn := make(map[string]bool, len(content.Withdrawn)) // as ids compare, ignoring case
	for _, w := range content.Withdrawn {
		withdrawn[strings.ToLower(w.ID)] = true
	}
	maps.DeleteFunc(missing, func(id string, _ bool) bool { return withdrawn[strings.ToLower(id)] })
	return slices.Sorted(maps.Keys(missing))
}

// maxVanished is how many vanished reviews are told one by one. When more are
// gone, it is a wrong folder or a new source, and not that many mistakes.
const maxVanished = 100

// vanishedProblems tell the editor where the published reviews went, as far as
// the files show it. They are errors, but in a lenient build.
func vanishedProblems(missing []string, content *source.Content, lenient bool) []diagnostic.Problem {
	if len(missing) == 0 {
		return nil
	}
	kept := make(map[string]*source.Review, len(content.Reviews))
	for i := range content.Reviews {
		kept[strings.ToLower(content.Reviews[i].ID)] = &content.Reviews[i]
	}
	severity := diagnostic.Error
	if lenient {
		severity = diagnostic.Warning
	}
	var problems []diagnostic.Problem
	for _, id := range missing[:min(len(missing), maxVanished)] {
		p := vanishedProblem(id, kept[strings.ToLower(id)])
		p.Severity = severity
		problems = append(problems, p)
	}
	if more := len(missing) - maxVanished; more > 0 {
		problems = append(problems, diagnostic.Problem{
			Severity: severity, File: "withdrawn.yaml", Code: "vanished",
			Message:    fmt.Sprintf("%d more published reviews are gone", more),
			Suggestion: "when all of them are, it may be the wrong folder, or another --source of an import",
		})
	}
	return problems
}

// vanishedProblem tells of one review; kept is what stands in the files under its
// id, in whatever case, nil when nothing does.
func vanishedProblem(id string, kept *source.Review) diagnostic.Problem {
	p := diagnostic.Problem{File: "withdrawn.yaml", Code: "vanished"}
	withdraw := fmt.Sprintf("or add to withdrawn.yaml: - {id: %s, reason: withdrawn, date: YYYY-MM-DD}", id)
	if kept == nil {
		p.Message = fmt.Sprintf("review %q is published, but it is in no file of reviews/ any more", id)
		p.Suggestion = "put it back under this id, " + withdraw
		return p
	}
	p.File, p.Line, p.Col = kept.At.File, kept.At.Line, kept.At.Col
	if kept.ID != id {
		p.Message = fmt.Sprintf("review %q is published, but its id is written %q now", id, kept.ID)
		p.Suggestion = fmt.Sprintf("write the id as %s: readers hold on to it", id)
		return p
	}
	p.Message = fmt.Sprintf("review %q is published, but it has lost its verification", id)
	p.Suggestion = "give it its verification back, " + withdraw
	return p
}
