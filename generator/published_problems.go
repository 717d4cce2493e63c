package generator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// replaced warns of published reviews that have become another one: a copied entry that kept its id.
func (p *published) replaced(content *source.Content) (problems []diagnostic.Problem) {
	now := make(map[string]*source.Review, len(content.Reviews))
	for _, r := range content.Reviews {
		now[r.ID] = r
	}
	for id, line := range p.reviews() {
		r := now[id]
		if r == nil || !r.Published || strings.Contains(line, `"author":"`+r.Author+`"`) {
			continue
		}
		var was reviewcast.Review
		if json.Unmarshal([]byte(line), &was) != nil || was.Author == r.Author || was.Date == r.Date || was.Text == nil || r.Text == nil || *was.Text == *r.Text {
			continue
		}
		problems = append(problems, content.Position(r).Error("replaced",
			fmt.Sprintf("the published review %q was by %s of %s, and is another one now: author, date and text differ", id, was.Author, was.Date),
			"if it is another customer's, give it an id of its own, and put the old review back"))
	}
	return problems
}

// strangers returns the withdrawals of reviews that neither the files nor what is published have ever had.
func (p *published) strangers(content *source.Content) []source.Withdrawal {
	if p.Files == nil {
		return nil
	}
	known := p.months(content)
	return slices.DeleteFunc(slices.Clone(content.Withdrawn), func(w source.Withdrawal) bool {
		return w.ID == "" || cmp.Or(w.Month, known[strings.ToLower(w.ID)]) != ""
	})
}

var idLetters, idDigits = regexp.MustCompile(`\pL+`), regexp.MustCompile(`\PL+`)

// misspelt warns of withdrawals of strangers, and names the review that differs by letters only. If there is none, one
// that is published already is right, and so may be one while reviews are missing.
func (p *published) misspelt(content *source.Content, missing []string) (problems []diagnostic.Problem) {
	for _, w := range p.strangers(content) {
		letters, digits := idDigits.ReplaceAllString(w.ID, ""), idLetters.ReplaceAllString(w.ID, "")
		i := slices.IndexFunc(content.Reviews, func(r *source.Review) bool {
			return r.Published && idLetters.ReplaceAllString(r.ID, "") == digits && diagnostic.Nearest(letters, []string{idDigits.ReplaceAllString(r.ID, "")}) != ""
		})
		remedy := "if a review is to go that is still published, correct the id"
		if i >= 0 {
			remedy = fmt.Sprintf("did you mean %q? It is still published", content.Reviews[i].ID)
		}
		listed := slices.ContainsFunc(p.withdrawn, func(l reviewcast.Withdrawal) bool { return strings.EqualFold(l.ID, w.ID) })
		if i < 0 && (listed || len(missing) > 0) {
			continue
		}
		problems = append(problems, w.At.Error("unknown-review", fmt.Sprintf("there is no review %s, and none has been published", diagnostic.Quote(w.ID)), remedy))
	}
	return problems
}

// moved warns of another address than that of the published set.
func (b *Builder) moved(previous *published, content *source.Content) []diagnostic.Problem {
	was, is := previous.Manifest.BaseURL, strings.TrimSuffix(cmp.Or(b.cfg.BaseURL, content.Site.BaseURL), "/")
	if was == is || is == "" || b.cfg.Lenient || was == "" || !public(was) || !public(is) || strings.HasSuffix(was, ".example.com") {
		return nil
	}
	return []diagnostic.Problem{diagnostic.Position{File: source.SiteFile}.Error("moved",
		fmt.Sprintf("the address is %s, and the published pages are for %s: ids in feeds and addresses of subscriptions change, and readers see every entry as new", is, was),
		"write base_url: "+was+" unless the site has moved")}
}
