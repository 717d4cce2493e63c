package generator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/changes"
	"reviewcast/generator/render"
	"reviewcast/generator/source"
)

// addVersion makes the change document of the version that a build publishes.
func (b *Builder) addVersion(res *Result) (err error) {
	res.documents, err = changes.New(changes.Input{
		Previous: res.previous.set, Manifest: res.Manifest, Dataset: res.Dataset,
		Reviews: res.body(reviewcast.PathReviews), Insights: res.body(reviewcast.PathInsights),
		Withdrawn: res.Withdrawn, Time: res.time, Forget: b.cfg.Forget,
	})
	res.Changed = append(res.Changed, reviewcast.PathLatestChange, reviewcast.PathVersions)
	slices.Sort(res.Changed)
	return err
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
			months[strings.ToLower(r.ID)] = r.Date.Month()
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
	for line := range strings.Lines(string(p.set.Files[reviewcast.PathReviews])) {
		if id, review, ok := reviewcast.ReviewLine(line); ok && wanted[strings.ToLower(id)] {
			var r reviewcast.Review
			if json.Unmarshal([]byte(review), &r) != nil || !r.Date.Valid() {
				return fmt.Errorf("read review %s of the last published set: its line is not a review with a date", id)
			}
			months[strings.ToLower(id)] = r.Date.Month()
		}
	}
	return nil
}
