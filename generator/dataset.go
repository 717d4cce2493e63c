package generator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/insights"
	"reviewcast/generator/sentiment"
	"reviewcast/generator/source"
)

// noLicense stands for no licence in site.yaml: nothing is granted.
const noLicense = "all-rights-reserved"

// dataset makes the published dataset, out of published fields only.
func dataset(content *source.Content, baseURL string, all []*entry) *reviewcast.Dataset {
	ds := &reviewcast.Dataset{
		Version:     1,
		License:     cmp.Or(content.Site.License, noLicense),
		Business:    content.Business,
		ReviewCount: len(all),
		Reviews:     make([]reviewcast.Review, 0, len(all)),
	}
	ds.Business.URL = cmp.Or(ds.Business.URL, baseURL)
	for _, e := range all {
		ds.Reviews = append(ds.Reviews, e.published)
	}
	ds.AggregateRating = reviewcast.Aggregate(ds.Reviews)
	u := &ds.Unpublished // a withdrawal counts whether or not its review is in the files
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
	return ds
}

// Dataset loads the content and returns what a build would publish of it, with its warnings.
func (b *Builder) Dataset(ctx context.Context) (*reviewcast.Dataset, []diagnostic.Problem, error) {
	content, _, problems, err := b.load(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	return dataset(content, cmp.Or(b.cfg.BaseURL, content.Site.BaseURL), b.entries.published(content)), problems, nil
}

// ReadDataset reads the dataset that is published in a directory or at a URL, checked against its manifest; nil
// when nothing is published there yet.
func ReadDataset(ctx context.Context, where string) (*reviewcast.Dataset, error) {
	p, err := readPublished(ctx, where)
	if err != nil {
		return nil, fmt.Errorf("read the published set from %s: %w", where, err)
	}
	if p.Files == nil {
		return nil, nil
	}
	ds := &reviewcast.Dataset{}
	if err := json.Unmarshal(p.Files[reviewcast.PathReviews], ds); err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", reviewcast.PathReviews, where, err)
	}
	return ds, nil
}

// InsightsInput converts the content: source and insights don't import each other.
func InsightsInput(content *source.Content) insights.Input {
	in := insights.Input{
		Config: vocabulary(content),
		FAQ:    content.FAQ, Summary: content.Summary, PullQuote: content.Vocabulary.PullQuote,
	}
	for _, r := range content.Reviews {
		if r.Published {
			in.Reviews = append(in.Reviews, insights.Review{Review: &r.Review, Job: r.Job})
		}
	}
	return in
}

// vocabulary converts what the editors look for in texts.
func vocabulary(content *source.Content) sentiment.Config {
	v := &content.Vocabulary
	return sentiment.Config{
		Business:       content.Business,
		ServiceAliases: content.ServiceAliases,
		AreaAliases:    content.AreaAliases,
		Aspects:        vocabularyTerms(v.Aspects),
		Problems:       vocabularyTerms(v.Problems),
		Ignore:         v.Ignore,
		Topics:         sentiment.TopicRules(v.Topics),
	}
}

func vocabularyTerms(in []source.Term) []sentiment.Term {
	if in == nil { // the shipped ones
		return nil
	}
	out := make([]sentiment.Term, 0, len(in))
	for _, t := range in {
		out = append(out, sentiment.Term(t))
	}
	return out
}

// Insights loads the content for commands that show or draft insights. The Builder must not build afterwards: the
// load takes the Delta that a build would apply.
func (b *Builder) Insights(ctx context.Context) (insights.Input, error) {
	content, _, problems, err := b.loader.Load(ctx, nil)
	if err != nil {
		return insights.Input{}, err
	}
	if content == nil || diagnostic.HasErrors(problems) {
		return insights.Input{}, &ProblemsError{problems}
	}
	return InsightsInput(content), nil
}
