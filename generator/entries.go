package generator

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"reviewcast"
	"reviewcast/generator/insights"
	"reviewcast/generator/pages"
	"reviewcast/generator/render"
	"reviewcast/generator/sentiment"
	"reviewcast/generator/source"
)

// entry is what a build makes of one published review, of that and the small files alone.
type entry struct {
	insights.Analyzed
	published         reviewcast.Review
	line, insightLine []byte // in reviews.json and insights.json
	quotes            []pages.Quote
}

// entries are those of the Content that was loaded last. They change only by [entries.apply].
type entries struct {
	analyzer *sentiment.Analyzer
	of       map[*source.Review]*entry
	theme    pages.Theme
}

// apply brings the entries up to date. New reviews are analyzed and rendered on all cores.
func (e *entries) apply(content *source.Content, d *source.Delta) error {
	if d.All { // as the first one
		e.analyzer, e.of = sentiment.NewAnalyzer(content.Config), make(map[*source.Review]*entry, len(d.Come))
	}
	for _, r := range d.Gone {
		delete(e.of, r)
	}
	come := source.Published(d.Come)
	made, err := render.Parallel(len(come), runtime.GOMAXPROCS(0), func(i int) (*entry, error) { return newEntry(e.analyzer, come[i]) })
	if err != nil {
		return err
	}
	for i, r := range come {
		e.of[r] = made[i]
	}
	return nil
}

var bases = [...]string{sentiment.Area: reviewcast.PathAreas, sentiment.Technician: reviewcast.PathTechnicians, sentiment.Service: reviewcast.PathServices}

func newEntry(a *sentiment.Analyzer, r *source.Review) (*entry, error) {
	e := &entry{Analyzed: insights.Analyzed{Review: insights.Review{Review: &r.Review, Job: r.Job}, Analysis: a.Analyze(&r.Review, r.Job)}}
	e.published = r.Review
	e.published.Verified, e.published.Mentions = true, e.Analysis.Mentions
	var err, err2 error
	e.line, err = render.ReviewLine(&e.published)
	e.insightLine, err2 = render.InsightLine(r.ID, e.Insight)
	for _, v := range e.Votes {
		e.quotes = append(e.quotes, pages.Quote{Base: reviewcast.PathAspects, ID: a.Aspects[v.Aspect].ID, Text: e.Sentence(v)})
	}
	for i := range e.Entities {
		if m := &e.Entities[i]; !m.Ambiguous() && int(m.Kind) < len(bases) {
			e.quotes = append(e.quotes, pages.Quote{Base: bases[m.Kind], ID: a.Entities[m.Kind][m.ID].ID, Text: e.Naming(m), Title: m.Title})
		}
	}
	if err = cmp.Or(err, err2); err != nil {
		return nil, fmt.Errorf("render review %s: %w", r.ID, err)
	}
	return e, nil
}

func (e *entries) published(content *source.Content) []*entry {
	all := make([]*entry, 0, len(e.of))
	for _, r := range source.Published(content.Reviews) {
		all = append(all, e.of[r])
	}
	return all
}

// render counts the entries, renders the data files and the front page, and prepares the other pages.
func (e *entries) render(content *source.Content, baseURL string, previous *published) (*Site, error) {
	baseURL = cmp.Or(baseURL, content.Site.BaseURL)
	all := e.published(content)
	analyzed := make([]insights.Analyzed, len(all))
	reviews, lines, quotes := make([]*reviewcast.Review, len(all)), make([][]byte, len(all)), make([][]pages.Quote, len(all))
	for i, entry := range all {
		analyzed[i], reviews[i], lines[i], quotes[i] = entry.Analyzed, &entry.published, entry.line, entry.quotes
	}
	var insightLines [][]byte // in the order of the ids
	for _, e := range slices.SortedFunc(slices.Values(all), func(a, b *entry) int { return cmp.Compare(a.ID, b.ID) }) {
		insightLines = append(insightLines, e.insightLine)
	}
	in := insights.Count(e.analyzer, analyzed).Insights
	in.FAQ, in.Summary, in.PullQuote = content.FAQ, content.Summary, content.PullQuote
	s := content.Site
	site := &Site{BaseURL: baseURL, reviews: reviews, Content: render.Content{
		Channel: render.Channel{
			BaseURL: baseURL, Title: s.Title, FeedTitle: s.FeedTitle, Description: s.Description, Language: s.Language,
			Author: render.Author(s.Author), Links: s.Links,
		},
		Dataset: dataset(content, baseURL, all), Insights: in, Withdrawals: withdrawals(content, previous), ReviewLines: lines, InsightLines: insightLines,
	}}
	files, err := render.Files(site.Content)
	if err != nil {
		return nil, err
	}
	site.setArtifacts(files)
	site.Pages, err = pages.New(pages.Content{Content: site.Content, Quotes: quotes, OpenAPI: site.body(reviewcast.PathOpenAPI), Theme: e.theme})
	if err != nil {
		return nil, err
	}
	front, err := site.Pages.Files(reviewcast.PathIndex)
	site.setArtifacts(site.Artifacts, front)
	return site, err
}

// setArtifacts sets the artifacts, sorted, each once.
func (s *Site) setArtifacts(parts ...[]render.Artifact) {
	all := slices.Concat(parts...)
	slices.SortFunc(all, func(a, b render.Artifact) int { return cmp.Compare(a.Path, b.Path) })
	s.Artifacts = slices.CompactFunc(all, func(a, b render.Artifact) bool { return a.Path == b.Path })
}

// dataset makes the published dataset, out of published fields only.
func dataset(content *source.Content, baseURL string, all []*entry) *reviewcast.Dataset {
	ds := &reviewcast.Dataset{
		Version:     1,
		License:     cmp.Or(content.Site.License, "all-rights-reserved"), // without one nothing is granted
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

// InsightsInput converts the content: source and insights don't import each other.
func InsightsInput(content *source.Content) insights.Input {
	in := insights.Input{Config: content.Config}
	for _, r := range source.Published(content.Reviews) {
		in.Reviews = append(in.Reviews, insights.Review{Review: &r.Review, Job: r.Job})
	}
	return in
}
