package generator

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// exampleProblems returns an error for each example that would be published as real.
func (b *Builder) exampleProblems(content *source.Content, known []diagnostic.Problem) (problems []diagnostic.Problem) {
	baseURL := cmp.Or(b.cfg.BaseURL, content.Site.BaseURL)
	if baseURL == "" || !public(baseURL) {
		return nil // without one there is an error of its own
	}
	business, site := &content.Business, &content.Site
	texts := map[string]string{
		source.BusinessFile: fmt.Sprint(business.LegalName, business.URL, business.Email, business.Address, business.Telephone, business.Description, business.Technicians),
		source.SummaryFile:  *cmp.Or(content.Summary, new(string)),
		source.SiteFile:     fmt.Sprint(site.Title, site.FeedTitle, site.Description, site.Author),
	}
	if slices.Contains(source.ExampleBusinesses, business.ID) {
		texts = nil // one problem stands for all of them
		problems = append(problems, diagnostic.Position{File: source.BusinessFile}.Error("example",
			"this is still the example business that init wrote, which a build refuses, since "+baseURL+" is public",
			"replace its values with your own, and those in site.yaml and summary.md; to look at the examples, run `reviewcast dev`"))
	}
	for file, text := range texts {
		for _, value := range slices.Compact(slices.Sorted(slices.Values(forms("exampleWords").FindAllString(text, -1)))) {
			for at := b.find(diagnostic.Position{File: file, Line: 1}, value); at.Line == 1 || at.Col > 0; at = b.find(diagnostic.Position{File: file, Line: at.Line + 1}, value) {
				problems = append(problems, at.Error("example", fmt.Sprintf("%s is of the example business that init wrote, and %s is public", diagnostic.Quote(value), baseURL), "replace it with your own, or delete it"))
			}
		}
	}
	for _, r := range content.Reviews { // init writes them with the source example
		reported := slices.ContainsFunc(known, func(p diagnostic.Problem) bool {
			return p.Code == "example" && diagnostic.Position{File: p.File, Line: p.Line, Col: p.Col} == content.Position(r)
		})
		if r.Source == "example" && !reported {
			problems = append(problems, b.find(content.Position(r), "source: example").Error("example",
				fmt.Sprintf("review %q is a made-up example, as its source says, and %s is public", r.ID, baseURL), source.ExampleRemedy))
		}
	}
	diagnostic.Sort(problems)
	return problems
}

// find returns the place of words in a file, at or below a line; without them, that line.
func (b *Builder) find(at diagnostic.Position, words string) diagnostic.Position {
	data, _ := os.ReadFile(filepath.Join(b.cfg.ContentDir, at.File))
	lines := strings.SplitAfterN(string(data), "\n", at.Line)
	if before, _, found := strings.Cut(lines[len(lines)-1], words); found && len(lines) == at.Line {
		at.Line += strings.Count(before, "\n")
		at.Col = utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1
	}
	return at
}

// unaddressed adds an error to the problems if nothing says what the address of the pages is.
func (b *Builder) unaddressed(content *source.Content, problems []diagnostic.Problem) []diagnostic.Problem {
	if b.cfg.BaseURL != "" || content.Site.BaseURL != "" {
		return problems
	}
	for i, p := range problems {
		if p.File == "../"+source.SiteFile { // the address is in it
			problems[i].Severity = diagnostic.Error
			return problems
		}
	}
	return append(problems, content.BaseURLAt.Error("missing-field", "the address of your reviews is missing", "write it into site.yaml, in the content folder: base_url: https://reviews.example.com, with your own name; or name it with --base-url"))
}

// public reports whether an origin is neither this machine nor below .example (RFC 2606).
func public(baseURL string) bool {
	return !source.IsLocal(baseURL) && !forms("exampleDomain").MatchString(baseURL)
}

// withSeverity gives problems a severity.
func withSeverity(severity diagnostic.Severity, lists ...[]diagnostic.Problem) []diagnostic.Problem {
	all := slices.Concat(lists...)
	for i := range all {
		all[i].Severity = severity
	}
	return all
}

var citing = map[string]bool{"empty-file": true, "unknown-review": true, "unpublished-review": true}

// compared adds to the problems of content what is published and is gone, or is another one now: reviews, withdrawals,
// the business, the address. A review that is gone stands in place of problems with its citations. It reports whether
// errors other than these are left: in content with errors, a review may merely seem to be without its verification.
func (b *Builder) compared(previous *published, content *source.Content, problems []diagnostic.Problem) (all []diagnostic.Problem, broken bool) {
	content = previous.named(content, problems)
	missing := previous.missing(content)
	for i, p := range problems {
		if was := previous.Manifest.BaseURL; (p.Code == "bad-url" || p.Code == "local-url") && strings.HasPrefix(p.Message, "base_url") && public(was) && was != "" {
			other, _, _ := strings.Cut(p.Suggestion, "; if the reviews are published")
			problems[i].Suggestion = diagnostic.Pick(strings.HasSuffix(other, was), "write base_url: "+was,
				fmt.Sprintf("the published pages are at %s; if they stay there, write base_url: %[1]s; if not, %s", was, other))
		}
		if list := jobLists[p.Code]; list != "" {
			id, _, _ := strings.Cut(strings.TrimPrefix(p.Message, `"`), `"`)
			problems[i].Suggestion = cmp.Or(b.deleted(previous, content, id, list), p.Suggestion)
		}
	}
	others := func() []diagnostic.Problem {
		return slices.DeleteFunc(slices.Clone(problems), func(p diagnostic.Problem) bool {
			return citing[p.Code] && slices.ContainsFunc(missing, func(id string) bool {
				return strings.Contains(p.Message, "the review "+diagnostic.Quote(id))
			})
		})
	}
	if broken = diagnostic.HasErrors(others()); broken {
		here := map[string]bool{} // also where an error names them
		for _, r := range content.Reviews {
			here[r.ID] = true
		}
		for _, p := range problems {
			for _, word := range p.Words() {
				here[word] = here[word] || p.Severity == diagnostic.Error && !citing[p.Code]
			}
		}
		missing = slices.DeleteFunc(missing, func(id string) bool { return here[id] })
	}
	var revisions []revision
	if !broken { // a text may have changed by the mistake
		revisions = b.revisions(previous, content)
	}
	breaking := diagnostic.Pick(b.cfg.Lenient, diagnostic.Warning, diagnostic.Error)
	gone := withSeverity(breaking, previous.vanishedProblems(missing, content), previous.unlisted(content), previous.strange(content, missing), b.renamed(previous, content))
	b.complete(gone)
	warnings := withSeverity(diagnostic.Warning, previous.early(content), previous.tables(revisions), b.moved(previous, content, problems))
	return slices.Concat(others(), gone, warnings), broken || len(missing) > 0
}

// complete adds to remedies for reviews that are gone the lines that cite one, which would be the next problem, and takes
// --previous out of those of a build that has it.
func (b *Builder) complete(gone []diagnostic.Problem) {
	files := []string{source.FAQFile, source.InsightsFile}
	citing := make([][]string, len(files)) // their lines
	for i, file := range files {
		data, _ := os.ReadFile(filepath.Join(b.cfg.ContentDir, file))
		citing[i] = strings.Split(string(data), "\n")
	}
	for i, p := range gone {
		if b.cfg.Previous != "" {
			gone[i].Suggestion = strings.Replace(p.Suggestion, neverOnline, "", 1)
		}
		quoted := strings.Split(p.Message, `"`)
		id := quoted[max(0, len(quoted)-2)] // the last one, which nothing is called any more
		names := regexp.MustCompile(`^(?:[^#]*[^#\w.-])?` + regexp.QuoteMeta(id) + `(?:[^\w.-]|$)`)
		for k, lines := range citing {
			for n, line := range lines {
				if p.Code == "vanished" && names.MatchString(line) {
					gone[i].Suggestion += fmt.Sprintf("; %s:%d names %s, too", files[k], n+1, id)
				}
			}
		}
	}
}

// named returns the content with the ids of reviews whose withdrawals have the name of their author in place of the id,
// and puts them into the problems. The author of several reviews means none.
func (p *published) named(content *source.Content, problems []diagnostic.Problem) *source.Content {
	named := *content
	named.Withdrawn = slices.Clone(content.Withdrawn)
	for i, w := range named.Withdrawn {
		if reviewcast.ValidID(w.ID) {
			continue
		}
		ids := map[string]bool{}
		for id, line := range p.reviews {
			if strings.Contains(line, `"author":`+asJSON(w.ID)+",") {
				ids[strings.Clone(id)] = true
			}
		}
		for _, r := range content.Reviews {
			if r.Author == w.ID {
				ids[r.ID] = true
			}
		}
		for id := range ids {
			for k, problem := range problems {
				if len(ids) == 1 && problem.Code == "bad-id" && problem.File == w.At.File && problem.Line == w.At.Line {
					named.Withdrawn[i].ID = id
					remedy := diagnostic.Pick(strings.Contains(problem.Suggestion, w.ID), problem.Suggestion, "write id: "+w.ID)
					problems[k].Suggestion = strings.Replace(remedy, w.ID, id, 1)
				}
			}
		}
	}
	return &named
}

// causes adds the published reviews that are gone to problems of content that can't be loaded, and removes the citations
// of them: who repairs a citation only makes the mistake whole.
func (b *Builder) causes(ctx context.Context, problems []diagnostic.Problem) []diagnostic.Problem {
	if !slices.ContainsFunc(problems, func(p diagnostic.Problem) bool {
		return citing[p.Code] || jobLists[p.Code] != "" || strings.HasPrefix(p.Code, "bad-")
	}) {
		return problems
	}
	content, all, err := b.loader.LoadPartial(ctx)
	previous, perr := b.previous(ctx)
	if err != nil || perr != nil || !content.Complete {
		return problems
	}
	all, _ = b.compared(previous, content.Content, all)
	for i := range all {
		if all[i].Code == "vanished" {
			all[i].Severity = diagnostic.Error // also in dev: it is why there is no build
		}
	}
	diagnostic.Sort(all)
	return all
}

// jobLists are the lists in business.yaml by the code of a problem with an id that isn't in them.
var jobLists = map[string]string{"unknown-technician": "technicians", "unknown-service": "services", "unknown-service-area": "service_areas"}

// deleted returns what to do about an id that is published and no longer in its list; "" for one that never was.
func (b *Builder) deleted(previous *published, content *source.Content, id, list string) string {
	was, is := listOf(previous.business(), list), listOf(content.Business, list)
	at := slices.IndexFunc(was, func(t reviewcast.Technician) bool { return t.ID == id })
	if at < 0 {
		return ""
	}
	entry, same := was[at], ""
	first, _, _ := strings.Cut(entry.Name, " ")
	for _, other := range is {
		switch {
		case slices.ContainsFunc(was, func(t reviewcast.Technician) bool { return t.ID == other.ID }):
		case other.Name == entry.Name:
			return fmt.Sprintf("write id: %s in place of id: %s in business.yaml, since older reviews name it", id, other.ID)
		case list == "technicians" && strings.HasPrefix(other.Name, first+" "):
			same = fmt.Sprintf("if %s is the same person, write id: %s in place of id: %s in business.yaml, and change only the name; if not, ", other.Name, id, other.ID)
		}
	}
	aliases := diagnostic.When(len(entry.Aliases) > 0, ", aliases: "+asJSON(entry.Aliases))
	business, _ := os.ReadFile(filepath.Join(b.cfg.ContentDir, source.BusinessFile))
	indent := append(regexp.MustCompile(`(?m)^`+list+`:.*\n(?:\s*(?:#.*)?\n)*( *)- `).FindSubmatch(business), nil, nil)[1]
	return same + fmt.Sprintf("put it back, since older reviews name it; write below %s: in business.yaml: %s- {id: %s, name: %s%s}", list, indent, id, asJSON(entry.Name), aliases)
}

func asJSON(v any) string {
	data, _ := reviewcast.EncodeJSON(v) // types of the contract always encode
	return strings.TrimSpace(string(data))
}

// listOf returns a list of [jobLists], of which only technicians have aliases.
func listOf(b reviewcast.Business, list string) []reviewcast.Technician {
	var lists map[string]json.RawMessage
	var entries []reviewcast.Technician
	_ = json.Unmarshal([]byte(asJSON(b)), &lists)
	_ = json.Unmarshal(lists[list], &entries)
	return entries
}

// missing returns the published reviews that are neither in the content nor in withdrawn.yaml, sorted.
func (p *published) missing(content *source.Content) []string {
	missing := maps.Clone(p.ids)
	for _, r := range source.Published(content.Reviews) {
		delete(missing, r.ID)
	}
	withdrawn := withdrawnIDs(content)
	maps.DeleteFunc(missing, func(id string, _ bool) bool { return withdrawn[strings.ToLower(id)] })
	return slices.Sorted(maps.Keys(missing))
}

// maxVanished is how many are reported one by one, maxGone how many of those that left no trace.
const maxVanished, maxGone = 100, 2

// vanishedProblems returns a problem for each missing review, with where it went as far as the files show it.
func (p *published) vanishedProblems(missing []string, content *source.Content) (problems []diagnostic.Problem) {
	if len(missing) == 0 {
		return nil
	}
	if len(content.Reviews) == 0 && len(missing) > 1 {
		const remedy = "put the files back into this folder, or name the right content folder"
		return []diagnostic.Problem{diagnostic.Position{File: "reviews"}.Error("vanished", fmt.Sprintf("there are no reviews, and all %d that are published would be gone", len(missing)), remedy)}
	}
	kept, fresh := make(map[string]*source.Review, len(content.Reviews)), map[string]*source.Review{}
	for _, r := range content.Reviews {
		kept[strings.ToLower(r.ID)] = r
		if !p.ids[r.ID] && !slices.ContainsFunc(missing[:min(len(missing), maxVanished)], func(id string) bool { return strings.EqualFold(id, r.ID) }) {
			fresh[sayings(&r.Review)] = r
		}
	}
	by := map[string]string{}
	for id, line := range p.reviews {
		var r reviewcast.Review
		if key := strings.ToLower(id); kept[key] == nil && json.Unmarshal([]byte(line), &r) == nil {
			kept[key] = fresh[sayings(&r)]
			by[key] = fmt.Sprintf("(%s, %d of 5 stars, %s) ", r.Author, r.Rating, r.Date)
		}
	}
	strangers := p.strangers(content)
	traced := func(id string) bool { return kept[strings.ToLower(id)] != nil || content.Noted(id).File != "" }
	if gone := slices.DeleteFunc(slices.Clone(missing), traced); len(gone) > maxGone && len(strangers) == 0 {
		problems = append(problems, diagnostic.Position{File: "reviews"}.Error("vanished",
			fmt.Sprintf("%d published reviews are in no file any more: %s", len(gone), strings.Join(gone[:min(len(gone), 6)], ", ")+diagnostic.When(len(gone) > 6, ", …")),
			fmt.Sprintf("a file was probably deleted, moved away or saved over, or this is an older copy of the folder: put the file back from your own copy; if there is none, their words are in the reviews.jsonl that is published; if they are to go, list them in withdrawn.yaml, as - {id: %s, reason: withdrawn, date: %s}", gone[0], content.Today)+neverOnline))
		missing = slices.DeleteFunc(slices.Clone(missing), func(id string) bool { return !traced(id) })
	}
	for _, id := range missing[:min(len(missing), maxVanished)] {
		problem := vanishedProblem(id, kept[strings.ToLower(id)], content, strangers, missing)
		problem.Message = strings.Replace(problem.Message, "is published, but no", by[strings.ToLower(id)]+"is published, but no", 1)
		problems = append(problems, problem)
	}
	if more := len(missing) - maxVanished; more > 0 {
		problems = append(problems, diagnostic.Position{File: source.WithdrawnFile}.Error("vanished", fmt.Sprintf("%d more published reviews are gone", more),
			"when all of them are, it may be the wrong folder, or another --source of an import"))
	}
	return problems
}

// sayings returns what a review keeps when its id is changed.
func sayings(r *reviewcast.Review) string {
	return fmt.Sprint(r.Author, "\x00", r.Date, "\x00", *cmp.Or(r.Text, new(string)), "\x00", r.Rating)
}

// unlisted returns a problem for each published withdrawal that withdrawn.yaml has no more, unless the review is back.
func (p *published) unlisted(content *source.Content) (problems []diagnostic.Problem) {
	listed := withdrawnIDs(content)
	for _, r := range content.Reviews {
		listed[strings.ToLower(r.ID)] = true
	}
	for _, w := range p.withdrawn {
		if !listed[strings.ToLower(w.ID)] {
			problems = append(problems, diagnostic.Position{File: source.WithdrawnFile}.Error("vanished",
				fmt.Sprintf("the withdrawal of %q is published, and withdrawn.yaml doesn't list it any more", w.ID),
				fmt.Sprintf("put it back: - {id: %s, reason: %s, date: %s}", w.ID, w.Reason, w.Date)))
		}
	}
	return problems
}

// neverOnline says what to do about reviews that were built and not uploaded.
const neverOnline = "; if it was never online, build with --previous and the address of your reviews"

// vanishedProblem returns the problem of one review; kept has its id in the files, ignoring case, or is nil; missing has those that are missing, too.
func vanishedProblem(id string, kept *source.Review, content *source.Content, strangers []source.Withdrawal, missing []string) diagnostic.Problem {
	withdraw := fmt.Sprintf("or add to withdrawn.yaml (with the reason legal if its words must disappear everywhere): - {id: %s, reason: withdrawn, date: %s}", id, content.Today)
	if note := content.Noted(id); kept == nil && note.File != "" {
		if note.File == source.WithdrawnFile {
			withdraw = "so that it is withdrawn; or put the review back"
		}
		return note.Error("vanished", fmt.Sprintf("review %q is published, and only a note here, since its lines begin with #", id), "delete these #, "+withdraw)
	}
	if kept == nil {
		at, remedy := diagnostic.Position{File: source.WithdrawnFile}, "put it back under this id, from your own copy of its file or with its words in the reviews.jsonl that is published; "+withdraw+neverOnline
		message := fmt.Sprintf("review %q is published, but no file of reviews/ has it any more", id)
		for _, w := range strangers {
			if len(missing) == 1 && len(strangers) == 1 || diagnostic.NearestID(w.ID, missing) == id {
				at, message = w.At, message+fmt.Sprintf(", and there has never been a review %q", w.ID)
				remedy = fmt.Sprintf("write %s here, or put the review back", id)
			}
		}
		return at.Error("vanished", message, remedy)
	}
	at := content.Position(kept)
	if kept.ID != id {
		return at.Error("vanished", fmt.Sprintf("review %q is published, but its id is written %q now", id, kept.ID),
			fmt.Sprintf("write the id as %s: the published id must stay", id)+diagnostic.When(strings.HasSuffix(at.File, ".csv"), "; in a spreadsheet program, format the column as text first"))
	}
	return at.Error("vanished", fmt.Sprintf("review %q is published, but it has lost its verification", id), "give it its verification back, "+withdraw+", and delete it here"+neverOnline)
}

// renamed returns the problem of a business that has another id than the published one.
func (b *Builder) renamed(previous *published, content *source.Content) []diagnostic.Problem {
	was, is := previous.business().ID, content.Business.ID
	if was == "" || is == "" || was == is || b.cfg.NewBusinessID || slices.Contains(source.ExampleBusinesses, was) {
		return nil
	}
	return []diagnostic.Problem{content.BusinessAt.Error("business-id",
		fmt.Sprintf("the id of the business is %q, and it is published as %q: whoever has copied your reviews will take it for another business", is, was),
		fmt.Sprintf("write id: %s (its name may change); if you do mean to change it, build once with --new-business-id", was))}
}
