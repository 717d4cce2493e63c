// Package pages makes what people and crawlers read: every HTML page, its twin in
// Markdown, the sitemap and the other files that machines look for beside pages, and
// the exports for analysts.
//
// # Addresses
//
// The front page is /. A review has one address for ever, its anchor on the page of
// its month: /reviews/2026-03/#id. A withdrawn review's anchor says that it was
// withdrawn, when and why. /reviews/ lists the months, /reviews/2026/ is a year, and
// /aspects/{id}/, /technicians/{id}/, /services/{id}/ and /areas/{id}/ hold the quotes
// behind a number: on one page while they fit, by year beyond that.
// Ids of our own on a page begin with "_", which no id of a review does.
//
// # How a page is made
//
// [Render] brings the content into a site, which groups the reviews, and lists the
// pages. Each page is a function of the site; html/template makes the page around
// what it returns. The articles of reviews and the lists of quotes are most of the
// bytes, and are written by hand (writer). A page says by its key what it shows, so
// that a [Memo] finds the pages that are unchanged.
//
// Everything is a function of the content: dates are those of reviews, replies and
// withdrawals. No page needs a script or another host, and the policy of each page
// forbids both but for our own search box.
package pages

import (
	"cmp"
	"crypto/sha256"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"reviewcast"
	"reviewcast/generator/render"
)

// Content is what the pages show.
type Content struct {
	Channel  render.Channel
	Dataset  *reviewcast.Dataset  // its reviews in published order
	Insights *reviewcast.Insights // nil: nothing is counted
	// Quotes are, for each review of the dataset, the sentences about its aspects. A
	// review without one is quoted from the insights' evidence, or by its beginning.
	Quotes [][]Quote
	// Withdrawals are those of /withdrawn.json.
	Withdrawals []reviewcast.Withdrawal
	// OpenAPI is the API's description, from which /docs/ is made. Empty: it is
	// rendered here.
	OpenAPI []byte
	// ReviewLines are [render.ReviewLine] of each review. nil: they are rendered here.
	ReviewLines [][]byte
	Theme       Theme
}

// Quote is a review's sentence about an aspect.
type Quote struct{ Aspect, Text string }

// Render makes all pages and the files beside them, sorted by path. The memo may be
// nil; it never changes the result.
func Render(c Content, memo *Memo) ([]render.Artifact, error) {
	s, err := newSite(c, memo)
	if err != nil {
		return nil, err
	}
	jobs := s.jobs()
	made := make([][]render.Artifact, len(jobs))
	errs := make([]error, len(jobs)) // by job, so that the first in order is reported
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range jobs {
		g.Go(func() error {
			made[i], errs[i] = memo.do(&jobs[i])
			return nil
		})
	}
	_ = g.Wait() // the functions keep their errors
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	memo.keep(jobs, made)
	all := slices.Concat(made...)
	slices.SortFunc(all, func(a, b render.Artifact) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// job makes one file, or a page and its twin.
type job struct {
	path string
	// key is a hash of everything that the files depend on; 0 says that they are made
	// anew each time.
	key  uint64
	make func() ([]render.Artifact, error)
}

// file is the job of a single file.
func file(path, mediaType string, key uint64, body func() ([]byte, error)) job {
	return job{path, key, func() ([]render.Artifact, error) {
		b, err := body()
		return []render.Artifact{artifact(path, mediaType, b)}, err
	}}
}

func artifact(path, mediaType string, body []byte) render.Artifact {
	return render.Artifact{Path: path, MediaType: mediaType, Body: body, SHA256: sha256.Sum256(body)}
}

// page is one page.
type page struct {
	path     string          // "/reviews/2026-03/"
	modified reviewcast.Date // the newest date that it shows, for the sitemap; may be ""
	key      uint64          // see job
	view     func() (*view, error)
}

// jobs lists everything that is made. Pages come before the rest, which is small.
func (s *site) jobs() []job {
	pages := s.pages()
	jobs := make([]job, 0, len(pages)+16)
	for _, p := range pages {
		jobs = append(jobs, job{p.path, p.key, func() ([]render.Artifact, error) { return s.artifacts(&p) }})
	}
	return append(jobs, s.files(pages)...)
}

// pages lists all pages, the largest first, so that the last to be made are small.
func (s *site) pages() []page {
	var pages []page
	for i := range s.months {
		pages = append(pages, s.monthPage(i))
	}
	for i := range s.subjects {
		pages = append(pages, s.subjectPages(&s.subjects[i])...)
	}
	for _, y := range s.years() {
		pages = append(pages, s.yearPage(y))
	}
	return append(pages, s.indexPage(), s.frontPage(), s.docsPage())
}
