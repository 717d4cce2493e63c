package generator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/changes"
	"reviewcast/generator/render"
	"reviewcast/generator/source"
)

// addVersion makes the change document of the version that a build publishes.
func (b *Builder) addVersion(res *Result) error {
	var previous *changes.Previous
	if set := res.previous.set; set != nil {
		previous = &changes.Previous{Manifest: set.Manifest, Files: set.Files, Documents: set.Files}
	}
	v, err := changes.New(changes.Input{
		Previous: previous, Manifest: res.Manifest, Reviews: res.body(reviewcast.PathReviews), Insights: res.body(reviewcast.PathInsights),
		ReviewCount: res.Dataset.ReviewCount, AggregateRating: res.Dataset.AggregateRating, Withdrawn: res.Withdrawn,
		Time: res.time, Forget: b.cfg.Forget,
	})
	if err != nil {
		return err
	}
	res.Version = v
	res.Changed = append(res.Changed, reviewcast.PathLatestChange, reviewcast.PathVersions)
	slices.Sort(res.Changed)
	res.documents = maps.Clone(v.Documents)
	res.documents[reviewcast.PathLatestChange], res.documents[reviewcast.PathVersions] = v.Latest, v.Versions
	return nil
}

// keepVersion makes the result the version that is published already: nothing has
// changed.
func (r *Result) keepVersion() {
	r.Manifest = r.previous.manifest()
	r.documents = map[string][]byte{}
	if r.previous.set == nil {
		return
	}
	for path, body := range r.previous.set.Files {
		if strings.HasPrefix(path, reviewcast.PathChanges) {
			r.documents[path] = body
		}
	}
}

func (s *Site) body(path string) []byte {
	i, ok := slices.BinarySearchFunc(s.Artifacts, path, func(a render.Artifact, p string) int { return cmp.Compare(a.Path, p) })
	if !ok {
		return nil
	}
	return s.Artifacts[i].Body
}

// withdrawals lists what withdrawn.yaml says for /withdrawn.json, sorted by id. The
// month of a review is that of withdrawn.yaml, of the review where it still is in the
// content, or of the last published set.
func withdrawals(content *source.Content, previous *published) ([]reviewcast.Withdrawal, error) {
	months := map[string]string{} // by id in lower case
	if err := previous.months(content, months); err != nil {
		return nil, err
	}
	for _, r := range content.Reviews {
		if r.Hidden == source.Withdrawn || r.Hidden == source.Legal {
			months[strings.ToLower(r.ID)] = string(r.Date[:len("2006-01")])
		}
	}
	list := make([]reviewcast.Withdrawal, 0, len(content.Withdrawn))
	for _, w := range content.Withdrawn {
		out := reviewcast.Withdrawal{ID: w.ID, Reason: string(w.Reason), Date: w.Date}
		if month := cmp.Or(w.Month, months[strings.ToLower(w.ID)]); month != "" {
			out.Month = &month
		}
		list = append(list, out)
	}
	slices.SortFunc(list, func(a, b reviewcast.Withdrawal) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

// months adds the months of withdrawn reviews that the set knows: of reviews that it
// publishes, and of those that were withdrawn before it.
func (p *published) months(content *source.Content, months map[string]string) error {
	if p.set == nil || len(content.Withdrawn) == 0 {
		return nil
	}
	wanted := make(map[string]bool, len(content.Withdrawn))
	for _, w := range content.Withdrawn {
		wanted[strings.ToLower(w.ID)] = true
	}
	if body := p.set.Files[reviewcast.PathWithdrawn]; body != nil {
		var before reviewcast.Withdrawals
		if err := json.Unmarshal(body, &before); err != nil {
			return fmt.Errorf("read %s of the last published set: %w", reviewcast.PathWithdrawn, err)
		}
		for _, w := range before.Withdrawn {
			if w.Month != nil {
				months[strings.ToLower(w.ID)] = *w.Month
			}
		}
	}
	found, err := changes.Months(p.set.Files[reviewcast.PathReviews], func(id string) bool { return wanted[strings.ToLower(id)] })
	for id, month := range found {
		months[strings.ToLower(id)] = month
	}
	return err
}
