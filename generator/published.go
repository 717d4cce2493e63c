package generator

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/render"
	"reviewcast/generator/source"
	"reviewcast/internal/mirror"
)

// published is the last published set. When nothing has been published, its manifest is empty, and Files is nil.
type published struct {
	*mirror.Set
	reviews   iter.Seq2[string, string] // by id, as they are published
	ids       map[string]bool           // of them
	withdrawn []reviewcast.Withdrawal
}

// previous returns the last published set. A directory is read again when its manifest has changed, an address
// once for each Build and once for all Prepares.
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
	if err != nil {
		return nil, fmt.Errorf("read the last published set from %s: %w", where, err)
	}
	b.published = p
	return p, nil
}

// readPublished reads the last published set from a directory or an http(s) URL.
func readPublished(ctx context.Context, where string) (*published, error) {
	const maxAge = 5 * time.Second // on an older set, a build would publish a second version
	src, err := mirror.Open(where, mirror.Config{Timeout: 2 * time.Minute, MaxAge: maxAge})
	if err != nil {
		return nil, err
	}
	set, err := mirror.Read(ctx, src, mirror.Record)
	if errors.Is(err, mirror.ErrNeverPublished) {
		set = &mirror.Set{Manifest: &reviewcast.Manifest{}}
	} else if err != nil {
		return nil, err
	}
	reviews := set.Files[reviewcast.PathReviews]
	p := &published{Set: set, reviews: reviewcast.ReviewLines(reviews), ids: map[string]bool{}}
	for id := range p.reviews {
		p.ids[strings.Clone(id)] = true
	}
	var withdrawn reviewcast.Withdrawals
	if body := set.Files[reviewcast.PathWithdrawn]; body != nil && json.Unmarshal(body, &withdrawn) != nil {
		return nil, fmt.Errorf("read %s: it is not a list of withdrawals", reviewcast.PathWithdrawn)
	}
	p.withdrawn = withdrawn.Withdrawn
	// The first two lines and the last one are not reviews.
	if n := bytes.Count(reviews, []byte("\n")); n > len(p.ids)+3 {
		return nil, fmt.Errorf("read %s: %d of %d lines are reviews; the file was not written by reviewcast", reviewcast.PathReviews, len(p.ids), n)
	}
	return p, nil
}

// ReadDataset reads the dataset that is published in a directory or at a URL, checked against its manifest; nil
// when nothing is published there yet.
func ReadDataset(ctx context.Context, where string) (*reviewcast.Dataset, error) {
	p, err := readPublished(ctx, where)
	if err != nil {
		return nil, fmt.Errorf("read the published set from %s: %w", where, err)
	}
	return p.dataset()
}

// dataset decodes the dataset; nil when nothing has been published.
func (p *published) dataset() (*reviewcast.Dataset, error) {
	if p.Files == nil {
		return nil, nil
	}
	ds := &reviewcast.Dataset{}
	if err := json.Unmarshal(p.Files[reviewcast.PathReviews], ds); err != nil {
		return nil, fmt.Errorf("read the published %s: %w", reviewcast.PathReviews, err)
	}
	return ds, nil
}

// business returns the published business, whose id is "" when nothing has been published.
func (p *published) business() (b reviewcast.Business) {
	_, rest, _ := bytes.Cut(p.Files[reviewcast.PathReviews], []byte(`"business":`))
	_ = json.NewDecoder(bytes.NewReader(rest)).Decode(&b) // checked against the manifest
	return b
}

// current reports whether p is still what is published at where; an address is not asked again.
func (p *published) current(where string) bool {
	if mirror.IsURL(where) {
		return true
	}
	data, err := os.ReadFile(filepath.Join(where, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return p.Files == nil
	}
	return err == nil && p.Files != nil && bytes.Equal(data, p.Files[reviewcast.PathManifest])
}

// checkNamed refuses a last published set that was named and isn't there: taking
// a mistyped name for a first build would forget every published review.
func checkNamed(where string) error {
	if mirror.IsURL(where) {
		return nil // 404 for its manifest is an answer
	}
	entries, err := os.ReadDir(where) // an empty one is that of a build server before its first build
	if _, none := os.Stat(filepath.Join(where, manifestName)); err != nil || len(entries) > 0 && errors.Is(none, fs.ErrNotExist) {
		return fmt.Errorf("--previous: %s is not a folder that reviewcast has published; name the folder public of the last build, or its address with https://", where)
	}
	return nil
}

func (s *Site) body(path string) []byte {
	if i, ok := slices.BinarySearchFunc(s.Artifacts, path, func(a render.Artifact, p string) int { return cmp.Compare(a.Path, p) }); ok {
		return s.Artifacts[i].Body
	}
	return nil
}

// withdrawals lists what withdrawn.yaml says, sorted by id. The month is that of withdrawn.yaml, of the review in
// the content, or of the last published set. An id is written as it is published, not with other capital letters.
func withdrawals(content *source.Content, previous *published) []reviewcast.Withdrawal {
	months := previous.months(content)
	list := make([]reviewcast.Withdrawal, 0, len(content.Withdrawn))
	spelt := map[string]string{} // published ids by their small letters
	for id := range previous.ids {
		spelt[strings.ToLower(id)] = id
	}
	for _, w := range previous.withdrawn {
		spelt[strings.ToLower(w.ID)] = w.ID
	}
	for _, w := range content.Withdrawn {
		out := reviewcast.Withdrawal{ID: cmp.Or(spelt[strings.ToLower(w.ID)], w.ID), Reason: string(w.Reason), Date: w.Date}
		if month := cmp.Or(w.Month, months[strings.ToLower(w.ID)]); month != "" {
			out.Month = &month
		}
		list = append(list, out)
	}
	slices.SortFunc(list, func(a, b reviewcast.Withdrawal) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// months returns the months of withdrawn reviews, by id in lower case: of those in the content, published in the set,
// or withdrawn before it.
func (p *published) months(content *source.Content) map[string]string {
	months, wanted := map[string]string{}, withdrawnIDs(content)
	if len(wanted) == 0 {
		return months
	}
	for _, w := range p.withdrawn {
		if w.Month != nil {
			months[strings.ToLower(w.ID)] = *w.Month
		}
	}
	for id, review := range p.reviews {
		var r reviewcast.Review
		if wanted[strings.ToLower(id)] && json.Unmarshal([]byte(review), &r) == nil && r.Date.Valid() {
			months[strings.ToLower(id)] = r.Date.Month()
		}
	}
	for _, r := range content.Reviews {
		if id := strings.ToLower(r.ID); wanted[id] && r.Date != "" { // none if it could not be read
			months[id] = r.Date.Month()
		}
	}
	return months
}

// withdrawnIDs returns the ids of withdrawn.yaml in lower case: ids compare ignoring case.
func withdrawnIDs(content *source.Content) map[string]bool {
	ids := make(map[string]bool, len(content.Withdrawn))
	for _, w := range content.Withdrawn {
		ids[strings.ToLower(w.ID)] = true
	}
	return ids
}

// early warns of withdrawals that are older than their review, or old although it is published to this day: their year
// is mistyped.
func (p *published) early(content *source.Content) (problems []diagnostic.Problem) {
	months := p.months(content)
	for _, w := range content.Withdrawn {
		if month := cmp.Or(w.Month, months[strings.ToLower(w.ID)]); w.Date != "" && (w.Date.Month() < month || p.ids[w.ID] && content.Today.Noon().Sub(w.Date.Noon()) > 300*24*time.Hour) {
			meant := content.Today[:4] + w.Date[4:]
			if !meant.Valid() || meant > content.Today || meant.Month() < month {
				meant = w.Date
			}
			problems = append(problems, w.At.Error("bad-date", fmt.Sprintf("the withdrawal of %q is dated %s, and its review of %s was published after that", w.ID, w.Date, month), diagnostic.Pick(meant == w.Date, "correct the date", fmt.Sprintf("if the year is mistyped, write date: %s", meant))+"; if it is withdrawn today, write date: "+string(content.Today)))
		}
	}
	return problems
}

// strangers returns the withdrawals, but for those that are published, of reviews that neither the files nor what is
// published have ever had.
func (p *published) strangers(content *source.Content) []source.Withdrawal {
	if p.Files == nil {
		return nil
	}
	known := p.months(content)
	return slices.DeleteFunc(slices.Clone(content.Withdrawn), func(w source.Withdrawal) bool {
		listed := func(l reviewcast.Withdrawal) bool { return strings.EqualFold(l.ID, w.ID) }
		return w.ID == "" || cmp.Or(w.Month, known[strings.ToLower(w.ID)]) != "" || slices.ContainsFunc(p.withdrawn, listed)
	})
}

// strange returns the problems of withdrawals of reviews that never were: they would be published, and couldn't be taken
// back. Those that are published already stay. A missing review explains a misspelt one.
func (p *published) strange(content *source.Content, missing []string) (problems []diagnostic.Problem) {
	listed := withdrawnIDs(content)
	ids := slices.DeleteFunc(slices.Sorted(maps.Keys(p.ids)), func(id string) bool { return listed[strings.ToLower(id)] })
	for _, w := range p.strangers(content) {
		if near := diagnostic.NearestID(w.ID, ids); len(missing) == 0 && reviewcast.ValidID(w.ID) {
			problems = append(problems, w.At.Error("unknown-review", fmt.Sprintf("there is no review %s, and none has been published", diagnostic.Quote(w.ID)),
				"if a review is to go that is still published, "+diagnostic.Pick(near != "", "write id: "+near, "correct the id")+"; what was never published needs no withdrawal: delete these lines"))
		}
	}
	return problems
}

// moved warns of another address than that of the published set. If it is that of another website of the business, as
// one of the problems says, that one gets the remedy.
func (b *Builder) moved(previous *published, content *source.Content, problems []diagnostic.Problem) []diagnostic.Problem {
	was, is := previous.Manifest.BaseURL, strings.TrimSuffix(cmp.Or(b.cfg.BaseURL, content.Site.BaseURL), "/")
	if was == is || is == "" || b.cfg.Lenient || was == "" || !public(was) || !public(is) || strings.HasSuffix(was, ".example.com") ||
		is == strings.Replace(was, "http://", "https://", 1) {
		return nil
	}
	at, what, back := content.BaseURLAt, "the address", "write base_url: "+was
	if b.cfg.BaseURL != "" {
		at, what, back = diagnostic.Position{File: source.SiteFile}, "--base-url", "leave it out, or write --base-url "+was
	}
	for i, p := range problems {
		if p.Code == "same-address" && b.cfg.BaseURL == "" {
			problems[i].Suggestion = "the published pages are for an address of their own; " + back
			return nil
		}
	}
	return []diagnostic.Problem{at.Error("moved",
		fmt.Sprintf("%s is %s, and the published pages are for %s: ids in feeds and addresses of subscriptions change, and readers see every entry as new", what, is, was),
		fmt.Sprintf("if it is mistyped, or the pages are there and stay, %s; if the site moves to %s, there is nothing to do, and this is said once", back, is))}
}
