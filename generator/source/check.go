package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reviewcast"
)

// dated is a date that must not lie in the future.
type dated struct {
	what string
	date reviewcast.Date
	at   Position
}

// check joins the files: it fills the content's reviews and notes what is wrong
// between one file and another.
func (f *folder) check(files []*parsed, today reviewcast.Date) {
	total, complete := 0, true
	for _, file := range files {
		total += len(file.drafts)
		complete = complete && !file.incomplete
		if total > MaxReviews {
			f.problems = append(f.problems, Problem{Severity: Error, File: file.file, Code: "too-many-reviews",
				Message: fmt.Sprintf("with this file the folder has more than %d reviews", MaxReviews), Suggestion: "publish them under several businesses"})
			return
		}
	}
	withdrawn := make(map[string]Hidden, len(f.content.Withdrawn))
	for _, w := range f.content.Withdrawn {
		withdrawn[strings.ToLower(w.ID)] = w.Reason
	}
	reviews := make([]Review, 0, total)
	byID := make(map[string]int, total)
	for _, file := range files {
		p := problems{file: file.file}
		for i := range file.drafts {
			w := &file.drafts[i]
			f.checkDraft(w, today, &p)
			lower := strings.ToLower(w.ID)
			if first, again := byID[lower]; again {
				f.duplicate(w, reviews[first], &p)
				continue
			}
			byID[lower] = len(reviews)
			review := w.Review
			if review.Language == "" {
				review.Language = f.content.Site.Language
			}
			if reason, ok := withdrawn[lower]; ok {
				review.Published, review.Hidden = false, reason
			}
			reviews = append(reviews, review)
		}
		f.problems = append(f.problems, file.all()...)
		f.problems = append(f.problems, p.all()...)
	}
	find := func(id string) *Review {
		i, ok := byID[strings.ToLower(id)]
		if !ok || reviews[i].ID != id {
			return nil
		}
		return &reviews[i]
	}
	f.checkCitations(find, complete)
	for _, d := range f.withdrawnOn {
		f.checkDate(d, today)
	}
	slices.SortFunc(reviews, func(a, b Review) int {
		return cmp.Or(cmp.Compare(b.Date, a.Date), cmp.Compare(a.ID, b.ID))
	})
	f.content.Reviews = reviews
}

// checkDraft holds one review against the calendar and business.yaml.
func (f *folder) checkDraft(w *draft, today reviewcast.Date, p *problems) {
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
func future(p *problems, what string, d reviewcast.Date, at place, today reviewcast.Date) {
	if d > today {
		p.add(Error, int(at.line), int(at.col), "future-date", fmt.Sprintf("%s %s is in the future", what, d), fmt.Sprintf("today is %s", today))
	}
}

func (f *folder) checkDate(d dated, today reviewcast.Date) {
	if d.date > today {
		f.problems = append(f.problems, d.at.problem("future-date", fmt.Sprintf("%s %s is in the future", d.what, d.date), fmt.Sprintf("today is %s", today)))
	}
}

// problem is an Error at the position.
func (at Position) problem(code, message, suggestion string) Problem {
	return Problem{Severity: Error, File: at.File, Line: at.Line, Col: at.Col, Code: code, Message: message, Suggestion: suggestion}
}

// unknown notes an id that business.yaml doesn't list, and tells which was
// probably meant.
func (f *folder) unknown(r *ref, known *names, p *problems) {
	list := &refLists[r.list]
	message := fmt.Sprintf("%s is no %s of business.yaml", echo(r.value), list.one)
	suggestion := fmt.Sprintf("add it there under %s, or write a known id", list.name)
	code := "unknown-" + strings.ReplaceAll(list.one, " ", "-")
	if id, ok := known.byName[strings.ToLower(r.value)]; ok && id != "" {
		message = fmt.Sprintf("%s is the name of a %s, not its id", echo(r.value), list.one)
		suggestion = fmt.Sprintf("write %s", id)
	} else if ok {
		message = fmt.Sprintf("%s is the name of more than one %s", echo(r.value), list.one)
		suggestion = "write the id of the one that is meant"
	} else if known.partial {
		return // the entry that couldn't be read may be it
	} else if s := nearest(r.value, known.all); s != "" {
		suggestion = fmt.Sprintf("did you mean %q?", s)
		if id := known.byName[strings.ToLower(s)]; !known.ids[s] && id != "" {
			suggestion = fmt.Sprintf("did you mean %s (%s)?", id, s)
		}
	}
	p.add(Error, int(r.at.line), int(r.at.col), code, message, suggestion)
}

// duplicate notes an id that two reviews bear.
func (f *folder) duplicate(w *draft, first Review, p *problems) {
	message := fmt.Sprintf("the id %s is taken by the review at %s:%d:%d", echo(w.ID), first.At.File, first.At.Line, first.At.Col)
	if first.ID != w.ID {
		message += fmt.Sprintf(" (%s; capitals don't count)", first.ID)
	}
	p.add(Error, int(w.id.line), int(w.id.col), "duplicate-id", message, "give each review its own, or delete one of them")
}

// checkCitations looks up the reviews that the small files name. When not all
// reviews could be read, an unknown one may be among those.
func (f *folder) checkCitations(find func(id string) *Review, complete bool) {
	for _, c := range f.evidence {
		f.cited(c, find, complete)
	}
	if f.quote == nil {
		return
	}
	r := f.cited(*f.quote, find, complete)
	quote := f.content.Vocabulary.PullQuote
	if r == nil || r.Text != nil && strings.Contains(*r.Text, quote.Text) {
		return
	}
	suggestion := "copy a part of its text, character for character"
	if r.Text == nil {
		suggestion = "the review has no text; choose another"
	} else if strings.Contains(squeeze(*r.Text), squeeze(quote.Text)) {
		suggestion = "blanks, line breaks or quotation marks differ; copy it character for character"
	}
	f.problems = append(f.problems, f.quote.text.problem("bad-quote", fmt.Sprintf("pull_quote.text is no part of the review %s", quote.ReviewID), suggestion))
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
func (f *folder) cited(c citation, find func(id string) *Review, complete bool) *Review {
	r := find(c.id)
	switch {
	case r == nil && complete:
		f.problems = append(f.problems, c.at.problem("unknown-review", fmt.Sprintf("%s names the review %s, which isn't there", c.what, echo(c.id)), "write the id of a published review"))
	case r != nil && !r.Published:
		why := "has no verification"
		if r.Hidden != Unverified {
			why = "is withdrawn"
		}
		f.problems = append(f.problems, c.at.problem("unpublished-review", fmt.Sprintf("%s names the review %s, which %s", c.what, echo(c.id), why), "write the id of a published review"))
		return nil
	}
	return r
}
