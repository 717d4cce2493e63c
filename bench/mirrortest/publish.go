package mirrortest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"reviewcast"
)

// Publish publishes what has changed since the last version, as `build` does, and
// reports whether there is a new version. forget drops all documents but the newest.
func (s *Site) Publish(forget bool) bool {
	s.Now = s.Now.Add(time.Duration(1+s.Rand.IntN(5000)) * time.Second)
	v := Version{Previous: s.Files, Bodies: s.Render(), Time: s.Now, Forget: forget}
	if s.Files != nil && !forget && !v.Changed() {
		return false
	}
	s.Files = v.Publish()
	return true
}

// Render makes all files but those of the changes and the manifest.
func (s *Site) Render() Files {
	ds := s.Dataset()
	list := reviewcast.Withdrawals{Version: 1, Withdrawn: []reviewcast.Withdrawal{}}
	for _, id := range slices.Sorted(maps.Keys(s.Withdrawn)) {
		list.Withdrawn = append(list.Withdrawn, s.Withdrawn[id])
	}
	bodies := Files{
		reviewcast.PathReviews:   layOut(ds),
		reviewcast.PathInsights:  layOutInsights(Insights(ds)),
		reviewcast.PathJSONFeed:  fmt.Appendf(nil, "{\"title\":%q,\"items\":%d}\n", s.Business.Name, min(50, len(ds.Reviews))),
		reviewcast.PathWithdrawn: append(encode(list), '\n'),
		reviewcast.PathIndex:     fmt.Appendf(nil, "<!doctype html>\n<p>%s, %d reviews. %s</p>\n", s.Business.Name, len(ds.Reviews), s.Note),
		"/robots.txt":            []byte("User-agent: *\n"),
	}
	for i := range ds.Reviews {
		r := &ds.Reviews[i]
		path := "/reviews/" + r.Date.Month() + "/index.html"
		bodies[path] = fmt.Appendf(bodies[path], "<p id=%q>%d stars, %s</p>\n", r.ID, r.Rating, encode(r.Text))
	}
	return bodies
}

// layOut writes a dataset with a review a line.
func layOut(ds *reviewcast.Dataset) []byte {
	head := *ds
	head.Reviews = []reviewcast.Review{}
	out := append(bytes.Replace(encode(head), []byte(`,"aggregate_rating":`), []byte(",\n"+`"aggregate_rating":`), 1), '\n')
	if len(ds.Reviews) == 0 {
		return out
	}
	out = append(bytes.TrimSuffix(out, []byte("]}\n")), '\n')
	for i := range ds.Reviews {
		out = append(append(out, encode(ds.Reviews[i])...), ",\n"...)
	}
	return append(bytes.TrimSuffix(out, []byte(",\n")), "\n]}\n"...)
}

// layOutInsights writes insights with about a review and an aspect a line.
func layOutInsights(in *reviewcast.Insights) []byte {
	body := append(encode(in), '\n')
	body = bytes.ReplaceAll(body, []byte(`},"`), []byte("},\n\""))
	return bytes.ReplaceAll(body, []byte(`},{`), []byte("},\n{"))
}

// Version is one version to be published.
type Version struct {
	Previous Files // nil for the first version
	Bodies   Files // all but the changes and the manifest
	Time     time.Time
	Forget   bool
	// Tamper changes the document before it is encoded; nil leaves it honest.
	Tamper func(*reviewcast.Change)
}

// manifest lists the bodies.
func (v *Version) manifest() (m, before *reviewcast.Manifest) {
	m, before = &reviewcast.Manifest{Version: 1, BaseURL: BaseURL}, &reviewcast.Manifest{}
	if v.Previous != nil {
		before = v.Previous.Manifest()
	}
	for _, path := range slices.Sorted(maps.Keys(v.Bodies)) {
		m.Files = append(m.Files, v.file(before, path, v.Bodies[path]))
	}
	return m, before
}

func (v *Version) file(before *reviewcast.Manifest, path string, body []byte) reviewcast.File {
	f := reviewcast.File{Path: path, MediaType: reviewcast.MediaJSON, SHA256: reviewcast.SHA256(body), Size: int64(len(body)), LastModified: v.Time}
	switch {
	case strings.HasSuffix(path, ".html"):
		f.MediaType = reviewcast.MediaHTML
	case strings.HasSuffix(path, ".txt"):
		f.MediaType = reviewcast.MediaVersions
	}
	if old, ok := before.File(path); ok && old.SHA256 == f.SHA256 {
		f.LastModified = old.LastModified
	}
	return f
}

// Changed reports whether the bodies differ from those of the previous version.
func (v *Version) Changed() bool {
	m, before := v.manifest()
	return m.SetSHA256() != before.SetSHA256()
}

// Publish returns the published set.
func (v *Version) Publish() Files {
	m, before := v.manifest()
	m.Sequence = max(before.Sequence+1, v.Time.Unix())
	set := maps.Clone(v.Bodies)
	c := v.change(m, before, set)
	if v.Tamper != nil {
		v.Tamper(c)
	}
	newest, err := reviewcast.EncodeJSON(c)
	must(err)
	c.ChangesFrom = v.retain(set, c, len(newest))
	newest, err = reviewcast.EncodeJSON(c)
	must(err)
	m.ChangesFrom, m.ChangeSHA256 = c.ChangesFrom, reviewcast.SHA256(newest)
	set[reviewcast.ChangePath(c.Sequence)], set[reviewcast.PathLatestChange] = newest, newest
	set[reviewcast.PathVersions] = append(slices.Clone(v.Previous[reviewcast.PathVersions]), reviewcast.VersionLine{Sequence: c.Sequence, SHA256: m.ChangeSHA256}.String()...)
	for _, path := range []string{reviewcast.PathLatestChange, reviewcast.PathVersions} {
		m.Files = append(m.Files, v.file(before, path, set[path]))
	}
	slices.SortFunc(m.Files, func(a, b reviewcast.File) int { return strings.Compare(a.Path, b.Path) })
	body, err := json.MarshalIndent(m, "", "  ")
	must(err)
	set[reviewcast.PathManifest] = append(body, '\n')
	return set
}

// change makes the document of the version, and adds the patch to the set.
func (v *Version) change(m, before *reviewcast.Manifest, set Files) *reviewcast.Change {
	ds := dataset(v.Bodies)
	c := &reviewcast.Change{
		Version: 1, Sequence: m.Sequence, ChangesFrom: m.Sequence, SetSHA256: m.SetSHA256(), LastModified: v.Time,
		Reviews:     reviewcast.ReviewChanges{Added: []string{}, Changed: []string{}, Withdrawn: []reviewcast.WithdrawnReview{}},
		ReviewCount: ds.ReviewCount, AggregateRating: ds.AggregateRating, IDsSHA256: reviewcast.IDsSHA256(ids(ds)), Files: []reviewcast.FileChange{},
	}
	if v.Previous == nil {
		return c
	}
	c.Previous = &before.Sequence
	if before.ChangeSHA256 != "" {
		c.PreviousSHA256 = &before.ChangeSHA256
	}
	delta := reviewcast.Difference(pointers(dataset(v.Previous)), pointers(ds))
	c.Reviews.Added = append(c.Reviews.Added, delta.Added...)
	c.Reviews.Changed = append(c.Reviews.Changed, delta.Changed...)
	reasons := map[string]string{}
	for _, w := range withdrawals(v.Bodies).Withdrawn {
		reasons[w.ID] = w.Reason
	}
	for _, id := range delta.Removed {
		c.Reviews.Withdrawn = append(c.Reviews.Withdrawn, reviewcast.WithdrawnReview{ID: id, Reason: reasons[id]})
	}
	for _, path := range []string{reviewcast.PathInsights, reviewcast.PathReviews} {
		old, next := v.Previous[path], v.Bodies[path]
		if bytes.Equal(old, next) {
			continue
		}
		f := reviewcast.FileChange{Path: path, From: reviewcast.SHA256(old), To: reviewcast.SHA256(next), Size: int64(len(next))}
		ops := reviewcast.Diff(old, next)
		if len(encode(ops)) <= reviewcast.MaxOpsSize(len(next)) {
			if path == reviewcast.PathReviews {
				f.Ops = ops
			} else {
				patch := append(encode(reviewcast.Patch{Path: path, From: f.From, To: f.To, Ops: ops}), '\n')
				f.Patch, f.PatchSHA256 = reviewcast.InsightsPatchPath(c.Sequence), reviewcast.SHA256(patch)
				set[f.Patch] = patch
			}
		}
		c.Files = append(c.Files, f)
	}
	return c
}

// retain copies the older documents and patches that the set keeps, and returns
// changes_from.
func (v *Version) retain(set Files, c *reviewcast.Change, newest int) int64 {
	if v.Previous == nil {
		return c.Sequence
	}
	oldest, seq, size := c.Sequence, c.Previous, newest+len(set[reviewcast.InsightsPatchPath(c.Sequence)])
	var legal []string
	for _, w := range withdrawals(v.Bodies).Withdrawn {
		if w.Reason == reviewcast.ReasonLegal {
			legal = append(legal, w.ID)
		}
	}
	for n := 1; n < reviewcast.MaxChanges && !v.Forget && seq != nil; n++ {
		path, patchPath := reviewcast.ChangePath(*seq), reviewcast.InsightsPatchPath(*seq)
		document, patch := v.Previous[path], v.Previous[patchPath]
		var old reviewcast.Change
		if document == nil || json.Unmarshal(document, &old) != nil {
			break
		}
		size += len(document) + len(patch)
		holdsErased := slices.ContainsFunc(legal, func(id string) bool {
			quoted := []byte(`\"` + id + `\"`)
			return bytes.Contains(document, quoted) || bytes.Contains(patch, quoted)
		})
		if size > reviewcast.MaxChangesSize(len(v.Bodies[reviewcast.PathReviews])) || holdsErased {
			break
		}
		set[path] = document
		if patch != nil {
			set[patchPath] = patch
		}
		oldest, seq = *seq, old.Previous
	}
	return oldest
}

func dataset(files Files) *reviewcast.Dataset {
	ds := &reviewcast.Dataset{}
	must(json.Unmarshal(files[reviewcast.PathReviews], ds))
	return ds
}

func withdrawals(files Files) reviewcast.Withdrawals {
	var list reviewcast.Withdrawals
	must(json.Unmarshal(files[reviewcast.PathWithdrawn], &list))
	return list
}

func pointers(ds *reviewcast.Dataset) []*reviewcast.Review {
	p := make([]*reviewcast.Review, len(ds.Reviews))
	for i := range ds.Reviews {
		p[i] = &ds.Reviews[i]
	}
	return p
}

func ids(ds *reviewcast.Dataset) []string {
	list := make([]string, len(ds.Reviews))
	for i := range ds.Reviews {
		list[i] = ds.Reviews[i].ID
	}
	return list
}
