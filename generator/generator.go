// Package generator turns an editors' content directory into the published files.
//
// The Builder applies each Delta of the loader to its entries, one for each published review, counts and renders them,
// and compares the files with the last published set. docs/architecture.md has all steps of a build.
//
// The files are a function of the content: the same content gives the same bytes on every machine and every day. Only
// the change documents also depend on the last published set. The clock dates the manifest and the change document,
// and decides, with the business's time zone, which dates are in the future.
package generator

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/generator/changes"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/insights"
	"reviewcast/generator/lint"
	"reviewcast/generator/pages"
	"reviewcast/generator/render"
	"reviewcast/generator/source"
	"reviewcast/internal/durable"
)

// Config says what to build, and where to.
type Config struct {
	ContentDir string          // the editors' directory; required
	PublicDir  string          // the output directory; required
	BaseURL    string          // the origin to publish under, as reviewcast.ParseBaseURL gives it; "" takes site.yaml's
	Previous   string          // the last published set: a directory or an http(s) URL; "" is PublicDir
	Encodings  string          // the encoded variants beside each file: "none", "gzip" (also "") or "all"; brotli and zstd are slow
	Today      reviewcast.Date // no review may be dated after it; "" is the day it is where the business is
	// Lenient allows examples, and makes vanished reviews warnings, as dev does, which publishes nothing.
	Lenient bool
	// NewBusinessID allows that the published business has another id.
	NewBusinessID bool
	// Forget drops all older change documents: for a sentence that was taken out of a review that stays.
	Forget bool
	Now    func() time.Time // dates what changed; nil is time.Now
}

// codings are what Config.Encodings names.
var codings = map[string][]string{"": {render.Gzip}, "gzip": {render.Gzip}, "all": render.Codings}

// Site is everything that content renders to.
type Site struct {
	BaseURL string
	// Artifacts are sorted by path, without the manifest and /changes/. [Builder.Prepare] makes no page but the front
	// page.
	Artifacts []render.Artifact
	Pages     *pages.Site
	render.Content
	reviews []*reviewcast.Review // in published order; in later builds, unchanged ones have the same addresses
}

// Result is what a build made.
type Result struct {
	*Site
	Manifest *reviewcast.Manifest
	// ManifestSHA256 is the hash of the manifest that Build wrote.
	ManifestSHA256 string
	// Delta is what changed in the reviews since the last accepted result; at first, everything was added.
	Delta *reviewcast.Delta
	// Changed and Removed are the paths, sorted, whose bytes differ from the set before or that the new one lacks. The
	// set before is the last accepted result or, without one, the last published set.
	Changed, Removed []string
	// Edited are the files of the output directory, sorted, that weren't as they had been published; a build puts them right.
	Edited    []string
	First     bool                 // there was no published set before
	Erased    bool                 // a withdrawal for legal reasons is new, so that older change documents are gone
	Problems  []diagnostic.Problem // warnings
	content   *source.Content
	previous  *published        // that the content was compared with
	documents map[string][]byte // below /changes/, by path
}

// ChangedTopics returns the changed paths that subscribers follow.
func (r *Result) ChangedTopics() []string {
	return slices.DeleteFunc(slices.Clone(r.Changed), func(p string) bool { return !slices.Contains(reviewcast.Topics, p) })
}

// Before returns the published dataset that the content was compared with; nil if there was none, or it is damaged.
func (r *Result) Before() *reviewcast.Dataset {
	before, _ := r.previous.dataset()
	return before
}

// ProblemsError is what a build fails with when the content is wrong, with every problem, warnings included.
type ProblemsError struct{ Problems []diagnostic.Problem }

// Error gives the number of errors.
func (e *ProblemsError) Error() string {
	n := len(slices.DeleteFunc(slices.Clone(e.Problems), func(p diagnostic.Problem) bool { return p.Severity != diagnostic.Error }))
	return diagnostic.Plural(n, "error") + " to fix first; no page was changed"
}

// Builder builds one content directory, repeatedly if need be, on one goroutine at a time.
type Builder struct {
	cfg       Config
	loader    *source.Loader
	entries   entries
	published *published // the last published set as it was read last; nil before that
	accepted  *Result    // what the next result follows; nil for the published set
	changed   bool       // the content, since accepted was made
}

// NewBuilder makes a Builder. Nothing is read before Build.
func NewBuilder(cfg Config) *Builder {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Builder{cfg: cfg, loader: source.NewLoader(cfg.ContentDir, source.Config{Today: cfg.Today, Now: cfg.Now, OutputDir: cfg.PublicDir})}
}

// Build loads, checks, renders, compares with the last published set, and writes what changed. What is wrong with the
// content is a *[ProblemsError]. On any error the output directory is as it was.
func (b *Builder) Build(ctx context.Context) (*Result, error) {
	dir, err := durable.Lock(ctx, b.cfg.PublicDir, manifestName)
	if err != nil {
		return nil, err
	}
	defer dir.Unlock()
	b.published, b.accepted = nil, nil
	res, err := b.Prepare(ctx, nil)
	if err != nil {
		return nil, err
	}
	pages, err := res.Pages.All()
	if err != nil {
		return nil, templateProblem(err)
	}
	res.setArtifacts(res.Artifacts, pages)
	var version time.Time
	before := res.previous
	res.Manifest, res.Changed, res.Removed, version = nextManifest(before.Manifest, res.Site, b.cfg.Now())
	if len(res.Changed)+len(res.Removed) > 0 || b.cfg.Forget {
		in := changes.Input{
			Manifest: res.Manifest, Dataset: res.Dataset,
			Reviews: res.body(reviewcast.PathReviews), Insights: res.body(reviewcast.PathInsights),
			Withdrawn: res.Withdrawals, Time: version, Forget: b.cfg.Forget,
		}
		if !res.First {
			in.Previous = before.Set
			res.Erased = slices.ContainsFunc(res.Withdrawals, func(w reviewcast.Withdrawal) bool {
				known := func(was reviewcast.Withdrawal) bool { return was.ID == w.ID && was.Reason == w.Reason }
				return w.Reason == reviewcast.ReasonLegal && !slices.ContainsFunc(before.withdrawn, known)
			})
		}
		if res.documents, err = changes.New(in); err != nil {
			return nil, err
		}
		res.Changed = append(res.Changed, reviewcast.PathLatestChange, reviewcast.PathVersions)
		slices.Sort(res.Changed)
	} else { // the result is the published version
		res.Manifest, res.documents = before.Manifest, maps.Clone(before.Files)
		maps.DeleteFunc(res.documents, func(path string, _ []byte) bool { return !strings.HasPrefix(path, reviewcast.PathChanges) })
	}
	files := res.files(codings[b.cfg.Encodings])
	res.ManifestSHA256 = reviewcast.SHA256(files[manifestName])
	ours, err := written(b.cfg.PublicDir, res.BaseURL)
	if err != nil {
		return nil, err
	}
	replaced, err := dir.Replace(ctx, files, ours)
	for _, name := range replaced {
		old, listed := before.Manifest.File("/" + name)
		if now, _ := res.Manifest.File("/" + name); b.cfg.Previous == "" && listed && old.SHA256 == now.SHA256 {
			res.Edited = append(res.Edited, name)
		}
	}
	return res, err
}

// Accept makes res what the next result is compared with.
func (b *Builder) Accept(res *Result) {
	b.accepted, b.changed = res, false
}

// load brings the content and the entries up to date.
func (b *Builder) load(ctx context.Context, names []string) (*source.Content, *source.Delta, []diagnostic.Problem, error) {
	content, delta, problems, err := b.loader.Load(ctx, names)
	switch {
	case err != nil:
		return nil, nil, nil, err
	case content == nil:
		return nil, nil, nil, &ProblemsError{b.causes(ctx, problems)}
	}
	return content, delta, problems, b.entries.apply(content, delta)
}

// Prepare builds without writing, for a preview, and makes no page but the front page. names are the only files that
// may have changed; nil means any. When nothing has changed, the Site is that of the last accepted result.
func (b *Builder) Prepare(ctx context.Context, names []string) (*Result, error) {
	content, delta, problems, err := b.load(ctx, names)
	if err != nil {
		return nil, err
	}
	theme, err := pages.ReadTheme(b.cfg.ContentDir)
	if err != nil {
		return nil, err
	}
	b.changed = b.changed || !delta.Empty() || !reflect.DeepEqual(theme, b.entries.theme)
	b.entries.theme = theme
	previous, err := b.previous(ctx)
	if err != nil {
		return nil, err
	}
	problems, _ = b.compared(previous, content, problems)
	if !b.cfg.Lenient {
		problems = append(problems, b.exampleProblems(content, nil)...)
	}
	problems = append(problems, themeProblems(theme)...)
	problems = b.unaddressed(content, problems)
	if diagnostic.HasErrors(problems) {
		return nil, &ProblemsError{problems}
	}
	if r := b.accepted; r != nil && !b.changed && r.previous == previous {
		problems = append(problems, claimProblems(content, r.Insights)...)
		return &Result{Site: r.Site, Manifest: r.Manifest, Delta: &reviewcast.Delta{}, Problems: problems, content: content, previous: previous}, nil
	}
	site, err := b.entries.render(content, b.cfg.BaseURL, previous)
	if err != nil {
		return nil, templateProblem(err)
	}
	problems = append(problems, claimProblems(content, site.Insights)...)
	if diagnostic.HasErrors(problems) {
		return nil, &ProblemsError{problems}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	before, known := previous.Manifest, []*reviewcast.Review(nil)
	if b.accepted != nil {
		before, known = b.accepted.Manifest, b.accepted.reviews
	}
	res := &Result{Site: site, Delta: reviewcast.Difference(known, site.reviews), Problems: problems, First: previous.Files == nil, content: content, previous: previous}
	made := *before // without the pages that are not made
	made.Files = slices.DeleteFunc(slices.Clone(before.Files), func(f reviewcast.File) bool { return site.body(f.Path) == nil })
	res.Manifest, res.Changed, res.Removed, _ = nextManifest(&made, site, b.cfg.Now())
	return res, nil
}

// Dataset loads the content and returns what a build would publish of it, with its warnings.
func (b *Builder) Dataset(ctx context.Context) (*reviewcast.Dataset, []diagnostic.Problem, error) {
	content, _, problems, err := b.load(ctx, nil)
	if err != nil {
		return nil, nil, err
	}
	return dataset(content, cmp.Or(b.cfg.BaseURL, content.Site.BaseURL), b.entries.published(content)), problems, nil
}

// Insights loads the content for commands that show or draft insights.
func (b *Builder) Insights(ctx context.Context) (insights.Input, error) {
	content, _, problems, err := b.loader.Load(ctx, nil)
	if content == nil {
		return insights.Input{}, cmp.Or[error](err, &ProblemsError{problems})
	}
	return InsightsInput(content), nil
}

// Lint returns what package lint warns of in the content. It reads its files again, and takes 0.4 s for 10,000 reviews.
func (r *Result) Lint(ctx context.Context, contentDir string) ([]diagnostic.Problem, error) {
	return lint.Check(ctx, contentDir, &source.Partial{Content: r.content}, r.Problems)
}

// Waiting returns what [source.Content.Waiting] says.
func (b *Builder) Waiting(ctx context.Context) (string, error) {
	content, _, err := b.loader.LoadPartial(ctx)
	if err != nil {
		return "", err
	}
	return content.Waiting(b.cfg.ContentDir), nil
}

// Waiting is [Builder.Waiting] of what was built.
func (r *Result) Waiting(contentDir string) string { return r.content.Waiting(contentDir) }

// Check runs every step that can fail because of the content, and package lint. It returns all problems, sorted,
// except those that other errors may have caused, and writes nothing.
func (b *Builder) Check(ctx context.Context) ([]diagnostic.Problem, error) {
	content, problems, err := b.loader.LoadPartial(ctx)
	if err != nil {
		return nil, err
	}
	warnings, err := lint.Check(ctx, b.cfg.ContentDir, content, problems)
	if err != nil {
		return nil, err
	}
	broken := diagnostic.HasErrors(problems)
	if content.Complete {
		previous, err := b.previous(ctx)
		if err == nil {
			problems, broken = b.compared(previous, content.Content, problems)
		} else if !broken {
			return nil, err
		}
	}
	if !broken { // a review that is wrong may have moved the numbers
		counted := insights.Compute(InsightsInput(content.Content)).Insights
		problems = append(problems, claimProblems(content.Content, counted)...)
	}
	theme, err := pages.ReadTheme(b.cfg.ContentDir)
	if err != nil {
		return nil, err
	}
	problems = append(problems, themeProblems(theme)...)
	if len(theme.Templates) > 0 && !broken { // what is wrong in them shows when a page is made
		cfg := b.cfg
		cfg.Lenient = true
		_, err := NewBuilder(cfg).Prepare(ctx, nil)
		if p, ok := errors.AsType[*ProblemsError](err); ok {
			problems = append(problems, slices.DeleteFunc(p.Problems, func(p diagnostic.Problem) bool { return p.Code != "theme" || slices.Contains(problems, p) })...)
		} else if err != nil {
			return nil, err
		}
	}
	examples := b.exampleProblems(content.Content, problems)
	if len(examples) > 0 && slices.Contains(source.ExampleBusinesses, content.Business.ID) { // the editors haven't begun
		examples = withSeverity(diagnostic.Warning, examples[:1])
	}
	problems = slices.Concat(problems, examples, warnings)
	diagnostic.Sort(problems)
	return problems, nil
}
