package generator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"reviewcast"
	"reviewcast/generator/source"
)

// Difference is what subscribers see change between two datasets.
type Difference struct {
	// Added, Changed and Removed are ids of reviews, sorted. A removed review is
	// withdrawn, or has vanished.
	Added, Changed, Removed []string
	// Fields are the published names of what changed, by the ids of Changed.
	Fields map[string][]string
	// Before and After are the ratings.
	Before, After reviewcast.AggregateRating
	// Business tells that the business's own words have changed.
	Business bool
}

// None tells whether nothing has changed.
func (d *Difference) None() bool {
	return len(d.Added)+len(d.Changed)+len(d.Removed) == 0 && !d.Business
}

// Compare holds two datasets against each other, review by review. before may be
// nil: then every review is new.
func Compare(before, after *reviewcast.Dataset) *Difference {
	if before == nil {
		before = &reviewcast.Dataset{Business: after.Business}
	}
	d := &Difference{Before: before.AggregateRating, After: after.AggregateRating, Fields: map[string][]string{}}
	old := make(map[string]*reviewcast.Review, len(before.Reviews))
	for i := range before.Reviews {
		old[before.Reviews[i].ID] = &before.Reviews[i]
	}
	for i := range after.Reviews {
		r := &after.Reviews[i]
		was, known := old[r.ID]
		if !known {
			d.Added = append(d.Added, r.ID)
			continue
		}
		delete(old, r.ID)
		if fields := changedFields(was, r); len(fields) > 0 {
			d.Changed = append(d.Changed, r.ID)
			d.Fields[r.ID] = fields
		}
	}
	for id := range old {
		d.Removed = append(d.Removed, id)
	}
	slices.Sort(d.Added)
	slices.Sort(d.Changed)
	slices.Sort(d.Removed)
	was, errWas := json.Marshal(before.Business)
	is, errIs := json.Marshal(after.Business)
	d.Business = errWas != nil || errIs != nil || string(was) != string(is)
	return d
}

// changedFields names the fields in which two reviews differ, in their published
// order. It is asked for every review of a folder on every save, so that it
// compares by hand.
func changedFields(a, b *reviewcast.Review) []string {
	var fields []string
	note := func(name string, equal bool) {
		if !equal {
			fields = append(fields, name)
		}
	}
	note("rating", a.Rating == b.Rating)
	note("author", a.Author == b.Author)
	note("date", a.Date == b.Date)
	note("title", sameText(a.Title, b.Title))
	note("text", sameText(a.Text, b.Text))
	note("language", a.Language == b.Language)
	note("source", a.Source == b.Source)
	note("source_url", sameText(a.SourceURL, b.SourceURL))
	note("author_avatar_url", sameText(a.AuthorAvatarURL, b.AuthorAvatarURL))
	note("owner_reply", a.OwnerReply == b.OwnerReply || a.OwnerReply != nil && b.OwnerReply != nil && *a.OwnerReply == *b.OwnerReply)
	note("verification", a.Verification == b.Verification)
	note("mentions", slices.Equal(a.Mentions.Technicians, b.Mentions.Technicians) &&
		slices.Equal(a.Mentions.Services, b.Mentions.Services) && slices.Equal(a.Mentions.ServiceAreas, b.Mentions.ServiceAreas))
	return fields
}

func sameText(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

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
func (b *Builder) Dataset(ctx context.Context) (*reviewcast.Dataset, []source.Problem, error) {
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
