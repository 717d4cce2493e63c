package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// dated is a date that must not lie in the future.
type dated struct {
	what string
	date reviewcast.Date
	at   diagnostic.Position
}

// check joins the files: it fills the content's reviews and notes what is wrong
// between one file and another.
func (f *folder) check(files []file, today reviewcast.Date) {
	total, complete := 0, true
	for i := range files {
		file, before := files[i].last, total
		for _, part := range file.drafts {
			total += len(part)
		}
		complete = complete && !file.incomplete
		f.problems = append(f.problems, file.All()...)
		if before <= MaxReviews && total > MaxReviews {
			f.problems = append(f.problems, diagnostic.Problem{Severity: diagnostic.Error, File: file.File, Code: "too-many-reviews",
				Message: fmt.Sprintf("with this file the folder has more than %d reviews", MaxReviews), Suggestion: "publish them under several businesses"})
		}
	}
	if total > MaxReviews {
		return
	}
	drafts := make([]*draft, 0, total)
	byID := make(map[string]*draft, total)
	for i := range files {
		file := files[i].last
		p := diagnostic.List{File: file.File}
		for _, part := range file.drafts {
			for i := range part {
				w := &part[i]
				f.checkDraft(w, today, &p)
				lower := strings.ToLower(w.ID)
				if first, again := byID[lower]; again {
					duplicate(w, first, &p)
					continue
				}
				byID[lower] = w
				drafts = append(drafts, w)
			}
		}
		for i := range file.nameless {
			w := &file.nameless[i]
			f.checkDraft(w, today, &p)
			f.nameless = append(f.nameless, w)
		}
		f.problems = append(f.problems, p.All()...)
	}
	for _, d := range f.withdrawnOn {
		f.checkDate(d, today)
	}
	f.checkCitations(byID, complete)
	slices.SortFunc(drafts, newestFirst)
	f.content.Reviews = make([]Review, len(drafts))
	for i, w := range drafts {
		f.content.Reviews[i] = f.review(w)
	}
	f.byID, f.order = byID, drafts
}

// newestFirst is the published order.
func newestFirst(a, b *draft) int {
	return cmp.Or(cmp.Compare(b.Date, a.Date), cmp.Compare(a.ID, b.ID))
}

// review completes a draft by what the small files say.
func (f *folder) review(w *draft) Review {
	r := w.Review
	if r.Language == "" {
		r.Language = f.content.Site.Language
	}
	r.Hidden = f.hidden(w)
	r.Published = r.Hidden == ""
	return r
}

// hidden tells why a review isn't published; "" if it is.
func (f *folder) hidden(w *draft) Hidden {
	if len(f.withdrawn) > 0 {
		if reason, ok := f.withdrawn[strings.ToLower(w.ID)]; ok {
			return reason
		}
	}
	return w.Hidden
}

// checkDraft holds one review against the calendar and business.yaml.
func (f *folder) checkDraft(w *draft, today reviewcast.Date, p *diagnostic.List) {
	future(p, "date", w.Date, w.date, today)
	if w.OwnerReply != nil {
		future(p, "owner_reply.date", w.OwnerReply.Date, w.replyDate, today)
	}
	if w.verifiedOn != (place{}) {
		future(p, "verification.verified_on", w.Verification.VerifiedOn, w.verifiedOn, today)
	}
	for i := range w.refs {
		r := &w.refs[i]
		known := f.known[r.list]
		if known == nil || known.ids[r.value] {
			continue
		}
		f.unknown(r, known, p)
	}
}

// future notes a date after today.
func future(p *diagnostic.List, what string, d reviewcast.Date, at place, today reviewcast.Date) {
	if d > today {
		p.Add(diagnostic.Error, int(at.Line), int(at.Col), "future-date", fmt.Sprintf("%s %s is in the future", what, d), fmt.Sprintf("today is %s", today))
	}
}

func (f *folder) checkDate(d dated, today reviewcast.Date) {
	if d.date > today {
		f.problems = append(f.problems, d.at.Error("future-date", fmt.Sprintf("%s %s is in the future", d.what, d.date), fmt.Sprintf("today is %s", today)))
	}
}

// unknown notes an id that business.yaml doesn't list, and tells which was
// probably meant.
func (f *folder) unknown(r *ref, known *names, p *diagnostic.List) {
	list := &refLists[r.list]
	message := fmt.Sprintf("%s is no %s of business.yaml", diagnostic.Quote(r.value), list.one)
	suggestion := fmt.Sprintf("add it there under %s, or write a known id", list.name)
	code := "unknown-" + strings.ReplaceAll(list.one, " ", "-")
	if id, ok := known.byName[strings.ToLower(r.value)]; ok && id != "" {
		message = fmt.Sprintf("%s is the name of a %s, not its id", diagnostic.Quote(r.value), list.one)
		suggestion = fmt.Sprintf("write %s", id)
	} else if ok {
		message = fmt.Sprintf("%s is the name of more than one %s", diagnostic.Quote(r.value), list.one)
		suggestion = "write the id of the one that is meant"
	} else if known.partial {
		return // the entry that couldn't be read may be it
	} else if s := diagnostic.Nearest(r.value, known.all); s != "" {
		suggestion = fmt.Sprintf("did you mean %q?", s)
		if id := known.byName[strings.ToLower(s)]; !known.ids[s] && id != "" {
			suggestion = fmt.Sprintf("did you mean %s (%s)?", id, s)
		}
	}
	p.Add(diagnostic.Error, int(r.at.Line), int(r.at.Col), code, message, suggestion)
}

// duplicate notes an id that two reviews bear.
func duplicate(w, first *draft, p *diagnostic.List) {
	message := fmt.Sprintf("the id %s is taken by the review at %s:%d:%d", diagnostic.Quote(w.ID), first.At.File, first.id.Line, first.id.Col)
	if first.ID != w.ID {
		message += fmt.Sprintf(" (%s; capitals don't count)", first.ID)
	}
	p.Add(diagnostic.Error, int(w.id.Line), int(w.id.Col), "duplicate-id", message, "give each review its own, or delete one of them")
}

// checkCitations looks up the reviews that the small files name. When not all
// reviews could be read, an unknown one may be among those.
func (f *folder) checkCitations(byID map[string]*draft, complete bool) {
	for _, c := range f.evidence {
		f.cited(c, byID, complete)
	}
	if f.quote == nil {
		return
	}
	w := f.cited(*f.quote, byID, complete)
	quote := f.content.Vocabulary.PullQuote
	if w == nil || w.Text != nil && strings.Contains(*w.Text, quote.Text) {
		return
	}
	suggestion := "copy a part of its text, character for character"
	if w.Text == nil {
		suggestion = "the review has no text; choose another"
	} else if strings.Contains(squeeze(*w.Text), squeeze(quote.Text)) {
		suggestion = "blanks, line breaks or quotation marks differ; copy it character for character"
	}
	f.problems = append(f.problems, f.quote.text.Error("bad-quote", fmt.Sprintf("pull_quote.text is no part of the text of %s", quote.ReviewID), suggestion))
}

// squeeze drops what is easily changed when a text is copied.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\n\u00A0'\"‘’“”«»„", r) {
			return -1
		}
		return r
	}, s)
}

// cited finds a published review; nil when there is none.
func (f *folder) cited(c citation, byID map[string]*draft, complete bool) *draft {
	w := byID[strings.ToLower(c.id)]
	why := ""
	switch {
	case w == nil && !complete:
		return nil
	case w == nil:
		f.problems = append(f.problems, c.at.Error("unknown-review", fmt.Sprintf("%s names the review %s, which isn't there", c.what, diagnostic.Quote(c.id)), "write the id of a published review"))
		return nil
	case w.ID != c.id:
		f.problems = append(f.problems, c.at.Error("unknown-review", fmt.Sprintf("%s names the review %s, which isn't there", c.what, diagnostic.Quote(c.id)), "write "+w.ID))
		return nil
	case f.hidden(w) == Unverified:
		why = "has no verification"
	case f.hidden(w) != "":
		why = "is withdrawn"
	default:
		return w
	}
	f.problems = append(f.problems, c.at.Error("unpublished-review", fmt.Sprintf("%s names the review %s, which %s", c.what, diagnostic.Quote(c.id), why), "write the id of a published review"))
	return nil
}
