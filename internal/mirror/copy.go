package mirror

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"reviewcast"
	"reviewcast/internal/durable"
)

// Copy is a directory that holds a copy of a published set. Beside it a Copy keeps the directory with ".fork" appended,
// when there is evidence of a fork, and the file with ".waiting" appended, while an older version is waited for.
//
// A Copy is used by one goroutine at a time. Processes exclude each other.
type Copy struct {
	Follower
	Dir string
	// Taken is called with each set that the directory holds or is about to hold, before it is written. It may be nil.
	Taken func(*Set)

	current   *Set // the set in Dir, when it has been read
	compared  *Set // the one that Replace has verified in Dir
	unwritten *Set // a newer one that could not be written yet
}

// Update brings the directory up to date with the source, whole or not at all. Files that no manifest lists
// (.gitignore, a CNAME) stay.
func (c *Copy) Update(ctx context.Context) (Report, error) {
	if c.current == nil && c.unwritten == nil { // Taken receives the copy on disk even if it can't be locked or written
		_, _ = c.Read(ctx) // the second Read returns its error
	}
	locked, err := durable.Lock(ctx, c.Dir, manifestName)
	if err != nil {
		return Report{}, err
	}
	defer locked.Unlock()
	written, err := c.Read(ctx)
	damaged := errors.Is(err, ErrDamaged)
	if err != nil && !errors.Is(err, ErrNeverPublished) && !damaged {
		return Report{}, err
	}
	have := cmp.Or(c.unwritten, written)
	if c.Waiting == nil {
		// Where nothing is stored, or nothing that can be read, the time starts again.
		stored := &Waiting{}
		if data, err := os.ReadFile(filepath.Clean(c.Dir) + waitingSuffix); err == nil && json.Unmarshal(data, stored) == nil {
			c.Waiting = stored
		}
	}
	before := c.Source.Received()
	set, relation, err := c.update(ctx, have)
	if c.Taken != nil && set != have {
		c.Taken(set)
	}
	report := newReport(have, set, relation, c.Source.Received()-before) // empty with an error
	if werr := c.writeWaiting(c.Waiting); err == nil {                   // the error of the update says more
		err = werr
	}
	if fork, ok := errors.AsType[*ForkError](err); ok {
		return report, errors.Join(fmt.Errorf("%w; %s has the evidence", err, filepath.Clean(c.Dir)+forkSuffix), c.keepEvidence(fork))
	}
	if err != nil || set == c.compared {
		return report, err
	}
	owns := written.owns
	if damaged && (written == nil || written.Files[reviewcast.PathManifest] == nil) { // nothing lists any more what was ours
		owns = func(name string) bool { return set.owns(name) || isPage(name) }
	}
	files := make(map[string][]byte, len(set.Files))
	for path, body := range set.Files {
		files[strings.TrimPrefix(path, "/")] = body
	}
	if _, err := locked.Replace(ctx, files, owns); err != nil {
		c.unwritten = set
		return report, err
	}
	c.current, c.compared, c.unwritten = set, set, nil
	return report, nil
}

var manifestName = strings.TrimPrefix(reviewcast.PathManifest, "/") // the file by which the others are checked

// owns is [reviewcast.Manifest.Owns]; the manifest belongs to every set, also to none.
func (s *Set) owns(name string) bool {
	return name == manifestName || s != nil && s.Manifest.Owns(name)
}

// isPage reports whether a file is in a folder for pages that hold reviews.
func isPage(name string) bool {
	folders := []string{reviewcast.PathMonths, reviewcast.PathAspects, reviewcast.PathTechnicians, reviewcast.PathServices, reviewcast.PathAreas}
	return slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix("/"+name, folder) })
}

// Read returns the set in the directory. When files are damaged, the error wraps ErrDamaged, and the set has the
// others. It is nil when neither the manifest nor versions.txt says which versions the directory held.
func (c *Copy) Read(ctx context.Context) (*Set, error) {
	source := dir(c.Dir)
	manifest, err := source.manifest(ctx)
	if errors.Is(err, ErrNeverPublished) {
		if set := remember(ctx, source, c.Scope); set != nil {
			return set, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	if err != nil {
		return nil, err
	}
	if c.current.is(manifest, c.Scope) {
		return c.current, nil
	}
	set, err := readWhole(ctx, source, manifest, c.Scope)
	if err == nil {
		if c.current = set; c.Taken != nil {
			c.Taken(set)
		}
	}
	return set, err
}

// readWhole reads the set in a directory. Files that are missing or have another hash are listed as damaged, and the
// error names the first of them.
func readWhole(ctx context.Context, source dir, manifest []byte, scope Scope) (*Set, error) {
	o, err := outline(ctx, source, manifest, scope, nil)
	if o == nil {
		return remember(ctx, source, scope), fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	files, perr := Patches(o.set.Changes...)
	err = cmp.Or(err, perr)
	for _, f := range append(files, o.missing()...) {
		if ferr := o.addAll(ctx, []reviewcast.File{f}); ferr != nil {
			err = cmp.Or(err, ferr)
			o.set.damaged = append(o.set.damaged, f.Path)
		}
	}
	if err == nil {
		return o.set, nil
	}
	if len(o.set.damaged) == 0 { // it contradicts the documents
		o.set.damaged = []string{reviewcast.PathManifest}
	}
	known := string(o.set.Files[reviewcast.PathVersions])
	if m := o.set.Manifest; known == "" && m.ChangeSHA256 != "" { // the documents still name the newest versions
		known = cmp.Or(string(o.lines(-1)), reviewcast.VersionLine{Sequence: m.Sequence, SHA256: m.ChangeSHA256}.String())
	}
	o.set.Versions, _ = reviewcast.ParseVersions([]byte(known)) // a set that was whole has valid ones
	return o.set, fmt.Errorf("%w: %w", ErrDamaged, err)
}

// remember returns what is left of a set without its manifest: its versions and what was erased. Without versions it
// returns nil.
func remember(ctx context.Context, source dir, scope Scope) *Set {
	text, err := source.read(ctx, reviewcast.PathVersions, maxDocument)
	versions, perr := reviewcast.ParseVersions(text)
	if err != nil || perr != nil || len(versions) == 0 {
		return nil
	}
	m := &reviewcast.Manifest{Sequence: versions[len(versions)-1].Sequence, Files: []reviewcast.File{{Path: reviewcast.PathWithdrawn}}}
	set := newSet(scope, m, nil)
	set.Versions, set.Files[reviewcast.PathVersions], set.damaged = versions, text, []string{reviewcast.PathManifest}
	if list, err := source.read(ctx, reviewcast.PathWithdrawn, maxDocument); err == nil && json.Valid(list) {
		set.Files[reviewcast.PathWithdrawn] = list
	}
	return set
}

// The files beside the directory.
const (
	forkSuffix    = ".fork"
	waitingSuffix = ".waiting"
)

// keepEvidence writes the manifests and versions of both histories, whose hashes show the fork, beside the directory.
// It replaces earlier evidence, and keeps no texts, which either side may erase later.
func (c *Copy) keepEvidence(fork *ForkError) error {
	path := filepath.Clean(c.Dir) + forkSuffix
	err := os.RemoveAll(path)
	for name, set := range map[string]*Set{"mine": fork.Mine, "theirs": fork.Theirs} {
		for _, file := range []string{reviewcast.PathManifest, reviewcast.PathVersions} {
			name := filepath.Join(path, name, filepath.FromSlash(file))
			err = cmp.Or(err, os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, set.Files[file], 0o644)) // empty where damaged
		}
	}
	return err
}

func (c *Copy) writeWaiting(w *Waiting) error {
	name := filepath.Clean(c.Dir) + waitingSuffix
	if w == nil {
		return os.RemoveAll(name) // no error when there is none
	}
	body, _ := reviewcast.EncodeJSON(w) // a hash and a time always marshal
	return os.WriteFile(name, body, 0o644)
}

// checkErased returns an error for a set that mentions, outside its lists, a review that the set at hand lists as
// legally withdrawn, and for any if that list is damaged. Refusing one set too many only delays a copy.
func checkErased(have, next *Set) error {
	listed, ok := have.Manifest.File(reviewcast.PathWithdrawn)
	list, whole := have.Files[reviewcast.PathWithdrawn]
	if !whole {
		list, whole = next.byHash[listed.SHA256]
	}
	if ok && !whole {
		return fmt.Errorf("%w: without the copy's %s nothing says which text was erased; a newer version puts that right, and to take this one, delete the copy", ErrDamaged, reviewcast.PathWithdrawn)
	}
	var known reviewcast.Withdrawals
	_ = json.Unmarshal(list, &known) // what is no list names nothing
	for _, w := range known.Withdrawn {
		if w.Reason != reviewcast.ReasonLegal {
			continue
		}
		quoted := []byte(`"` + w.ID + `"`)
		escaped := []byte(`\"` + w.ID + `\"`) // in the lines of a change document
		for path, body := range next.Files {
			if strings.HasPrefix(path, reviewcast.PathChanges) && bytes.Contains(body, escaped) ||
				(path == reviewcast.PathReviews || path == reviewcast.PathInsights) && bytes.Contains(body, quoted) {
				return fmt.Errorf("review %s: %w", w.ID, ErrErased)
			}
		}
	}
	return nil
}

// Report is what an Update changed, and what it cost.
type Report struct {
	// Updated reports whether there is a new set.
	Updated bool
	// Relation is how the source's history relates to that of the set at hand.
	Relation reviewcast.Relation
	// Added, Changed and Withdrawn count reviews.
	Added, Changed, Withdrawn int
	// Repaired counts the files of the set at hand that were damaged or missing.
	Repaired int
	// Files counts the files whose bytes changed, came or went.
	Files int
	// Before and After are the ratings; nil without reviews.
	Before, After *float64
	// Bytes came over the network, encoded as they came.
	Bytes int64
}

func newReport(have, set *Set, relation reviewcast.Relation, received int64) Report {
	if have == set {
		return Report{}
	}
	have = cmp.Or(have, &Set{})
	r := Report{Updated: true, Relation: relation, Repaired: len(have.damaged), Before: rating(have), After: rating(set), Bytes: received}
	gone := maps.Clone(have.Files)
	for path, body := range set.Files {
		if old, ok := have.Files[path]; !ok || !bytes.Equal(old, body) {
			r.Files++
		}
		delete(gone, path)
	}
	r.Files += len(gone)
	before, after := have.Files[reviewcast.PathReviews], set.Files[reviewcast.PathReviews]
	if bytes.Equal(before, after) || before == nil && r.Repaired > 0 {
		return r
	}
	old := maps.Collect(reviewcast.ReviewLines(before))
	for id, line := range reviewcast.ReviewLines(after) {
		if was, known := old[id]; !known {
			r.Added++
		} else if was != line {
			r.Changed++
		}
		delete(old, id)
	}
	r.Withdrawn = len(old)
	return r
}

// rating is the mean of the stars as a set publishes it; nil in a set of a program that knew no changes.
func rating(s *Set) *float64 {
	if n := len(s.Changes); n > 0 {
		return s.Changes[n-1].AggregateRating.RatingValue
	}
	return nil
}

// String is one line, such as "3 added, 1 changed, 1 withdrawn; rating 4.61 → 4.62; 2.8 kB".
func (r Report) String() string {
	if !r.Updated {
		return "nothing has changed; " + humanize.Bytes(uint64(r.Bytes))
	}
	var parts []string
	for i, n := range []int{r.Repaired, r.Added, r.Changed, r.Withdrawn} {
		if n > 0 {
			parts = append(parts, fmt.Sprintf([]string{"files repaired: %d", "%d added", "%d changed", "%d withdrawn"}[i], n))
		}
	}
	line := cmp.Or(strings.Join(parts, ", "), fmt.Sprintf("no review changed, files: %d", r.Files))
	rating := reviewcast.Stars(r.After)
	if before := reviewcast.Stars(r.Before); r.Before != nil && before != rating {
		rating = before + " → " + rating
	}
	return line + "; rating " + rating + "; " + humanize.Bytes(uint64(r.Bytes))
}
