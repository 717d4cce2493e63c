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
	"strings"
	"time"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/lint"
	"reviewcast/generator/pages"
	"reviewcast/generator/render"
	"reviewcast/generator/source"
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
	// Lenient builds although a published review has vanished, as dev does. The
	// manifest's Draft remembers what readers were really promised, so that the next
	// strict build asks about that and about nothing that only dev has shown.
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
	// Changed are the paths whose bytes differ from the last published set, and
	// Removed those that are no longer published; both sorted.
	Changed, Removed []string
	// Problems are warnings.
	Problems []diagnostic.Problem
	revision uint64 // of the content
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
	// last is what this Builder itself has written, so that the next build needn't
	// read it back, and result what it was made of; nil before that.
	last   *written
	result *Result
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
	out, err := lockOutput(ctx, b.cfg.PublicDir)
	if err != nil {
		return nil, err
	}
	defer out.unlock()
	res, err := b.prepare(ctx, nil)
	if err != nil {
		return nil, err
	}
	return res, b.write(ctx, out, res)
}

// Prepare builds without writing, for whoever wants to show the result first.
func (b *Builder) Prepare(ctx context.Context) (*Result, error) { return b.prepare(ctx, nil) }

// PrepareChanged is Prepare for whoever watches the folder: nothing has changed
// since the last build but the named files (see source.Loader.LoadChanged); nil
// means that anything may have. When not even those have, and the last build was
// written, the Site is that one itself.
func (b *Builder) PrepareChanged(ctx context.Context, names []string) (*Result, error) {
	return b.prepare(ctx, names)
}

// Write writes a prepared result.
func (b *Builder) Write(ctx context.Context, res *Result) error {
	out, err := lockOutput(ctx, b.cfg.PublicDir)
	if err != nil {
		return err
	}
	defer out.unlock()
	return b.write(ctx, out, res)
}

func (b *Builder) write(ctx context.Context, out *output, res *Result) error {
	b.last, b.result = nil, nil // whatever goes wrong, the folder is looked at again
	if err := out.write(ctx, res, b.cfg.Encodings.codings()); err != nil {
		return err
	}
	var err error
	if b.last, err = remember(res); err == nil {
		b.result = res
	}
	return err
}

// Unfinished tells how long nothing must have happened to the named files of the
// content before they may be built, since one of them looks as if it was being
// written at this moment.
func (b *Builder) Unfinished(names []string) time.Duration { return b.loader.Unfinished(names) }

func (b *Builder) prepare(ctx context.Context, changed []string) (*Result, error) {
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
	if r := b.result; r != nil && r.revision == revision && b.last != nil && previous == &b.last.published {
		return &Result{Site: r.Site, Manifest: r.Manifest, Problems: r.Problems, revision: revision}, nil
	}
	draft := previous.draft(content)
	problems = append(problems, vanishedProblems(draft.Missing, content, b.cfg.Lenient)...)
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
	res := &Result{Site: site, Problems: problems, revision: revision}
	res.Manifest, res.Changed, res.Removed = nextManifest(&previous.manifest, site, b.cfg.Now())
	if b.cfg.Lenient {
		res.Manifest.Draft = &draft
	}
	return res, nil
}

// Check goes the way as far as it can go wrong with the content: read, hold
// against the last published set, and read the words once more with care (see
// package lint). Every problem is given, errors and warnings, sorted, but
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
	missing := previous.draft(content).Missing
	if broken {
		missing = slices.DeleteFunc(missing, func(id string) bool {
			return slices.ContainsFunc(content.Reviews, func(r source.Review) bool { return r.ID == id })
		})
	}
	return vanishedProblems(missing, content, b.cfg.Lenient)
}

// previous is the last published set.
func (b *Builder) previous(ctx context.Context) (*published, error) {
	where := b.cfg.Previous
	if where == "" {
		where = b.cfg.PublicDir
		if p := b.last.in(where); p != nil {
			return p, nil
		}
	} else if err := checkNamed(where); err != nil {
		return nil, err
	}
	p, err := readPublished(ctx, where)
	if errors.Is(err, errNeverPublished) {
		return &published{}, nil
	} else if err != nil {
		return nil, fmt.Errorf("read the last published set from %s: %w", where, err)
	}
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
	shown, err := pages.Render(pages.Content{Channel: channel(content.Site, baseURL), Dataset: dataset, Insights: counted,
		Withdrawals: withdrawals(content)}, nil)
	if err != nil {
		return nil, err
	}
	artifacts = append(artifacts, shown...)
	slices.SortFunc(artifacts, func(a, b render.Artifact) int { return strings.Compare(a.Path, b.Path) })
	return &Site{BaseURL: baseURL, Artifacts: artifacts, Dataset: dataset, Insights: counted}, nil
}

// withdrawals are those of the editors' files, sorted by id.
func withdrawals(content *source.Content) []reviewcast.Withdrawal {
	var list []reviewcast.Withdrawal
	for _, w := range content.Withdrawn {
		list = append(list, reviewcast.Withdrawal{ID: w.ID, Reason: string(w.Reason), Date: w.Date})
	}
	slices.SortFunc(list, func(a, b reviewcast.Withdrawal) int { return strings.Compare(a.ID, b.ID) })
	return list
}

func channel(s source.Site, baseURL string) render.Channel {
	return render.Channel{
		BaseURL: baseURL, Title: s.Title, FeedTitle: s.FeedTitle, Description: s.Description, Language: s.Language,
		Author: render.Author(s.Author),
	}
}
