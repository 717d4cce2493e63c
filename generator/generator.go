// Package generator turns an editor's content folder into the published files.
//
// The way of the data: source.Load reads the folder (every problem at once, or
// the content) → insights.Compute counts → render writes bytes → a manifest is
// made that says what changed since the last published set → the files are
// written beside public/, synced and swapped in → the names of what changed go to
// the hub as a publish ping.
//
// Render is pure: the same content gives the same bytes, on every machine and on
// every day. The one clock value is the manifest's last_modified, and the one
// day that the content is held against ("no date in the future") is settable.
//
// A Builder does the whole way and keeps what it has read, so that the next build
// parses only the files that changed.
package generator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/lint"
	"reviewcast/generator/render"
	"reviewcast/generator/source"
	"reviewcast/internal/durable"
)

// Config says what to build, and where to.
type Config struct {
	ContentDir string // the editors' folder; required
	PublicDir  string // the output folder; required
	// BaseURL is the origin to publish under; "" takes site.yaml's.
	BaseURL string
	// Previous is where the last published set is: a folder or an http(s) URL.
	// "" is PublicDir.
	Previous string
	// Encodings says which encoded variants are made; "" is EncodingsGzip.
	Encodings Encodings
	// Today is the calendar day that no review may be dated after; "" is the day
	// it is now where the business is.
	Today reviewcast.Date
	// Lenient makes warnings of the errors about published reviews that have
	// vanished, as dev does, which publishes nothing.
	Lenient bool
	// Now dates files that changed; nil is time.Now.
	Now func() time.Time
}

// Encodings names the encoded variants that a build makes beside each file.
type Encodings string

// The choices: none for development and for hosts that compress by themselves,
// gzip for everybody, all for the smallest transfers (brotli and zstd too; slow).
const (
	EncodingsNone Encodings = "none"
	EncodingsGzip Encodings = "gzip"
	EncodingsAll  Encodings = "all"
)

func (e Encodings) codings() []render.Coding {
	switch e {
	case EncodingsNone:
		return nil
	case EncodingsAll:
		return render.Codings
	}
	return []render.Coding{render.Gzip}
}

// Site is everything that content renders to, before anybody asks what changed.
type Site struct {
	BaseURL   string
	Artifacts []render.Artifact // sorted by path; the manifest isn't one of them
	Dataset   *reviewcast.Dataset
	Insights  *reviewcast.Insights
}

// Result is a build that can be written.
type Result struct {
	*Site
	Manifest *reviewcast.Manifest
	// Changed are the paths whose bytes differ from the set before, and Removed
	// those that are not in the new one; both sorted. The set before is the last
	// published one, or the last result that was given to [Builder.Accept].
	Changed, Removed []string
	// Problems are warnings.
	Problems []diagnostic.Problem
	revision uint64     // of the content
	previous *published // that the content was compared with
}

// ChangedTopics are the changed paths that subscribers follow.
func (r *Result) ChangedTopics() []string {
	return slices.DeleteFunc(slices.Clone(r.Changed), func(p string) bool { return !reviewcast.IsTopic(p) })
}

// ProblemsError is what a build fails with when the content is wrong. It holds
// every problem, warnings included.
type ProblemsError struct{ Problems []diagnostic.Problem }

func (e *ProblemsError) Error() string {
	n := 0
	for _, p := range e.Problems {
		if p.Severity == diagnostic.Error {
			n++
		}
	}
	if n == 1 {
		return "1 problem in the content; nothing was written"
	}
	return fmt.Sprintf("%d problems in the content; nothing was written", n)
}

// Builder builds one content folder, again and again if need be. It is for one
// goroutine at a time.
type Builder struct {
	cfg    Config
	loader *source.Loader
	// published is the last published set as it was read last; nil before that.
	published *published
	// accepted is the result that the next one follows; nil for the published set.
	accepted *Result
}

// NewBuilder makes a Builder. Nothing is read before Build.
func NewBuilder(cfg Config) *Builder {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Builder{cfg: cfg, loader: source.NewLoader(cfg.ContentDir, source.Config{Today: cfg.Today, Now: cfg.Now})}
}

// Build goes the whole way: read, check, render, hold against the last published
// set, write, unless nothing changed. What is wrong with the content comes as a
// *ProblemsError. On any error the output folder is as it was.
func (b *Builder) Build(ctx context.Context) (*Result, error) {
	dir, err := durable.Lock(ctx, b.cfg.PublicDir, durable.Config{Last: manifestName})
	if err != nil {
		return nil, err
	}
	defer dir.Unlock()
	b.published, b.accepted = nil, nil
	res, err := b.PrepareChanged(ctx, nil)
	if err != nil {
		return nil, err
	}
	files, err := res.files(b.cfg.Encodings.codings())
	if err != nil {
		return nil, err
	}
	ours, err := written(b.cfg.PublicDir)
	if err != nil {
		return nil, err
	}
	return res, dir.Replace(ctx, files, ours)
}

// Prepare builds without writing, for a preview.
func (b *Builder) Prepare(ctx context.Context) (*Result, error) { return b.PrepareChanged(ctx, nil) }

// Accept makes res the result that the next Prepare follows: its Changed and
// Removed, its dates and its sequence are relative to res.
func (b *Builder) Accept(res *Result) { b.accepted = res }

// PrepareChanged is Prepare for a caller that watches the folder: nothing has
// changed since the last build but the named files (see source.Loader.LoadChanged);
// nil means that anything may have changed. When not even those have, the Site is
// that of the last accepted result.
func (b *Builder) PrepareChanged(ctx context.Context, changed []string) (*Result, error) {
	content, problems, err := b.loader.LoadChanged(ctx, changed)
	if err != nil {
		return nil, err
	}
	if content == nil {
		return nil, &ProblemsError{problems}
	}
	previous, err := b.previous(ctx)
	if err != nil {
		return nil, err
	}
	revision := b.loader.Revision()
	if r := b.accepted; r != nil && r.revision == revision && r.previous == previous {
		return &Result{Site: r.Site, Manifest: r.Manifest, Problems: r.Problems, revision: revision, previous: previous}, nil
	}
	problems = append(problems, vanishedProblems(previous.missing(content), content, b.cfg.Lenient)...)
	if diagnostic.HasErrors(problems) {
		return nil, &ProblemsError{problems}
	}
	site, err := renderWith(content, b.cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	problems = append(problems, claimProblems(content, site.Insights)...)
	if diagnostic.HasErrors(problems) {
		return nil, &ProblemsError{problems}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	before := &previous.manifest
	if b.accepted != nil {
		before = b.accepted.Manifest
	}
	res := &Result{Site: site, Problems: problems, revision: revision, previous: previous}
	res.Manifest, res.Changed, res.Removed = nextManifest(before, site, b.cfg.Now())
	return res, nil
}

// Check goes the way as far as it can go wrong with the content: read, hold
// against the last published set, and read the words once more with care (see
// source.Loader.Check). Every problem is given, errors and warnings, sorted, but
// for those that others may have caused; nothing is written.
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
		switch {
		case err != nil && !broken:
			return nil, err
		case err == nil:
			problems = append(problems, b.vanished(previous, content.Content, broken)...)
		}
	}
	if !broken { // a review that is wrong may have moved the numbers
		_, counted := count(content.Content, "")
		problems = append(problems, claimProblems(content.Content, counted)...)
	}
	problems = append(problems, warnings...)
	diagnostic.Sort(problems)
	return problems, nil
}

// vanished tells of the published reviews that are gone. In content that has errors,
// one that is there may merely seem to be without its verification.
func (b *Builder) vanished(previous *published, content *source.Content, broken bool) []diagnostic.Problem {
	missing := previous.missing(content)
	if broken {
		missing = slices.DeleteFunc(missing, func(id string) bool {
			return slices.ContainsFunc(content.Reviews, func(r source.Review) bool { return r.ID == id })
		})
	}
	return vanishedProblems(missing, content, b.cfg.Lenient)
}

// previous returns the last published set. A folder is read again when its manifest
// has changed, an address once for each Build and once for all Prepares.
func (b *Builder) previous(ctx context.Context) (*published, error) {
	where := b.cfg.Previous
	if where == "" {
		where = b.cfg.PublicDir
	} else if err := checkNamed(where); err != nil {
		return nil, err
	}
	if b.published != nil && b.published.current(where) {
		return b.published, nil
	}
	p, err := readPublished(ctx, where)
	if errors.Is(err, errNeverPublished) {
		p, err = &published{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the last published set from %s: %w", where, err)
	}
	b.published = p
	return p, nil
}

// Render makes every artifact of the content. baseURL overrides site.yaml's.
func Render(content *source.Content, baseURL string) (*Site, error) {
	return renderWith(content, baseURL)
}

func renderWith(content *source.Content, baseURL string) (*Site, error) {
	if baseURL == "" {
		baseURL = content.Site.BaseURL
	}
	if baseURL == "" {
		return nil, errors.New("no base URL: name the site's origin in site.yaml (base_url: https://reviews.example.com) or with --base-url")
	}
	baseURL, err := reviewcast.ParseBaseURL(baseURL)
	if err != nil {
		return nil, err
	}
	dataset, counted := count(content, baseURL)
	artifacts, err := render.Files(render.Content{Channel: channel(content.Site, baseURL), Dataset: dataset, Insights: counted})
	if err != nil {
		return nil, err
	}
	return &Site{BaseURL: baseURL, Artifacts: artifacts, Dataset: dataset, Insights: counted}, nil
}

func channel(s source.Site, baseURL string) render.Channel {
	return render.Channel{
		BaseURL: baseURL, Title: s.Title, FeedTitle: s.FeedTitle, Description: s.Description, Language: s.Language,
		Author: render.Author(s.Author),
	}
}
