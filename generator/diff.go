package generator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// Difference is what subscribers see change between two datasets.
type Difference struct {
	*reviewcast.Delta
	// Before and After are the ratings.
	Before, After reviewcast.AggregateRating
	// Business tells that the business's own words have changed.
	Business bool
}

// None reports whether nothing has changed.
func (d *Difference) None() bool {
	return d.Empty() && !d.Business
}

// Compare holds two datasets against each other, review by review. before may be
// nil: then every review is new.
func Compare(before, after *reviewcast.Dataset) *Difference {
	if before == nil {
		before = &reviewcast.Dataset{Business: after.Business}
	}
	d := &Difference{Delta: reviewcast.Difference(pointers(before.Reviews), pointers(after.Reviews)), Before: before.AggregateRating, After: after.AggregateRating}
	was, errWas := json.Marshal(before.Business)
	is, errIs := json.Marshal(after.Business)
	d.Business = errWas != nil || errIs != nil || string(was) != string(is)
	return d
}

func pointers(reviews []reviewcast.Review) []*reviewcast.Review {
	p := make([]*reviewcast.Review, len(reviews))
	for i := range reviews {
		p[i] = &reviews[i]
	}
	return p
}

// ReadDataset reads the dataset that is published in a folder or at an http(s)
// URL, checked against its manifest; nil, and no error, when nothing is published
// there yet.
func ReadDataset(ctx context.Context, where string) (*reviewcast.Dataset, error) {
	_, data, err := readSet(ctx, where)
	if errors.Is(err, errNeverPublished) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read the published set from %s: %w", where, err)
	}
	ds := &reviewcast.Dataset{}
	if err := json.Unmarshal(data, ds); err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", reviewcast.PathReviews, where, err)
	}
	return ds, nil
}

// Dataset reads the content and gives what a build would publish of it, with its
// warnings. What is wrong with the content comes as a *ProblemsError.
func (b *Builder) Dataset(ctx context.Context) (*reviewcast.Dataset, []diagnostic.Problem, error) {
	content, problems, err := b.loader.Load(ctx)
	if err != nil {
		return nil, nil, err
	}
	if content == nil {
		return nil, nil, &ProblemsError{problems}
	}
	baseURL := b.cfg.BaseURL
	if baseURL == "" {
		baseURL = content.Site.BaseURL
	}
	ds, _ := count(content, baseURL)
	return ds, problems, nil
}
