package generator

import (
	"context"
	"encoding/json"
	"fmt"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// noLicense is what the dataset says when site.yaml names no licence: without
// one, nothing is granted.
const noLicense = "all-rights-reserved"

// dataset makes the published dataset. Of a source.Review, nothing but its published
// fields is in an entry's published review.
func dataset(content *source.Content, baseURL string, all []*entry) *reviewcast.Dataset {
	ds := &reviewcast.Dataset{
		Version:     1,
		License:     content.Site.License,
		Business:    content.Business,
		ReviewCount: len(all),
		Unpublished: unpublished(content),
		Reviews:     make([]reviewcast.Review, 0, len(all)),
	}
	if ds.License == "" {
		ds.License = noLicense
	}
	if ds.Business.URL == "" {
		ds.Business.URL = baseURL
	}
	for _, e := range all {
		ds.Reviews = append(ds.Reviews, e.published)
	}
	ds.AggregateRating = reviewcast.Aggregate(ds.Reviews)
	return ds
}

// unpublished counts what is left out. A withdrawal counts whether or not the
// review still stands in the editors' files.
func unpublished(content *source.Content) reviewcast.Unpublished {
	var u reviewcast.Unpublished
	for _, r := range content.Reviews {
		if r.Hidden == source.Unverified {
			u.Unverified++
		}
	}
	for _, w := range content.Withdrawn {
		if w.Reason == source.Legal {
			u.Legal++
		} else {
			u.Withdrawn++
		}
	}
	return u
}

// Dataset loads the content and returns what a build would publish of it, with its
// warnings. What is wrong with the content is returned as a *[ProblemsError].
func (b *Builder) Dataset(ctx context.Context) (*reviewcast.Dataset, []diagnostic.Problem, error) {
	content, delta, problems, err := b.loader.Load(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	if content == nil {
		return nil, nil, &ProblemsError{problems}
	}
	if err := b.entries.apply(content, delta); err != nil {
		return nil, nil, err
	}
	baseURL := b.cfg.BaseURL
	if baseURL == "" {
		baseURL = content.Site.BaseURL
	}
	return dataset(content, baseURL, b.entries.published(content)), problems, nil
}

// ReadDataset reads the dataset that is published in a directory or at an http(s)
// URL, checked against its manifest. It returns nil, and no error, when nothing is
// published there yet.
func ReadDataset(ctx context.Context, where string) (*reviewcast.Dataset, error) {
	p, err := readPublished(ctx, where)
	if err != nil {
		return nil, fmt.Errorf("read the published set from %s: %w", where, err)
	}
	if p.set == nil {
		return nil, nil
	}
	ds := &reviewcast.Dataset{}
	if err := json.Unmarshal(p.set.Files[reviewcast.PathReviews], ds); err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", reviewcast.PathReviews, where, err)
	}
	return ds, nil
}
