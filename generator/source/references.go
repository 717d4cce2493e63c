package source

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/sentiment"
)

// complete returns the review of a record with what the small files say about it.
func (s *surroundings) complete(rec *record) *Review {
	r := rec.Review
	r.rec = rec
	r.Language = cmp.Or(r.Language, s.content.Site.Language)
	if w, ok := s.withdrawn[strings.ToLower(r.ID)]; ok {
		r.Hidden = w.Reason
	}
	r.Published = r.Hidden == ""
	return &r
}

// check reports dates in the future and ids that business.yaml doesn't list. The places are relative to the record.
func (s *surroundings) check(w *record, p *diagnostic.List) {
	s.future("date", w.Date, w.date, p)
	if w.OwnerReply != nil {
		s.future("owner_reply.date", w.OwnerReply.Date, w.replyDate, p)
	}
	s.future("verification.verified_on", w.Verification.VerifiedOn, w.verifiedOn, p)
	listed := s.withdrawn[strings.ToLower(w.ID)]
	newer := diagnostic.When(listed.Date != "" && w.Date > listed.Date, "this one was written after that: if it is another review, give it an id of its own; if not, ")
	switch {
	case listed.Reason == Legal && (w.Title != nil || w.Text != nil || w.OwnerReply != nil):
		p.Add(diagnostic.Error, int(w.id.Line), int(w.id.Col), "legal-text", fmt.Sprintf("the words of the review %s are still here, and %s:%d withdraws it for legal reasons", diagnostic.Quote(w.ID), listed.At.File, listed.At.Line),
			newer+"delete the review from this file; its entry in "+WithdrawnFile+" is enough")
	case listed.Reason == Withdrawn && (w.Text != nil || newer != ""):
		p.Add(diagnostic.Warning, int(w.id.Line), int(w.id.Col), "withdrawn-text", fmt.Sprintf("%s:%d withdraws the review %s, so it is not published", listed.At.File, listed.At.Line, diagnostic.Quote(w.ID)),
			newer+"delete it here, or its entry in "+WithdrawnFile+" if it shall be published")
	}
	lost := func(r ref) bool {
		known := s.content.known[r.list]
		return known != nil && !known.partial && !known.ids[r.value]
	}
	if i := slices.IndexFunc(w.refs, lost); i >= 0 && w.Review.Source == "example" {
		p.Add(diagnostic.Error, int(w.start.Line), int(w.start.Col), "example", fmt.Sprintf("review %q is a made-up example of init, and names %s, which business.yaml doesn't have any more", w.ID, diagnostic.Quote(w.refs[i].value)),
			ExampleRemedy)
		return
	}
	for i := range w.refs {
		r := &w.refs[i]
		switch known := s.content.known[r.list]; {
		case r.text:
			noList(r, cmp.Or(known, &names{}), p)
		case known != nil && !known.ids[r.value]:
			s.unknown(r, known, p)
		}
	}
}

// future reports a date after today, if it has a place.
func (s *surroundings) future(what string, d reviewcast.Date, at place, p *diagnostic.List) {
	if d > s.content.Today && at != (place{}) {
		remedy := fmt.Sprintf("today is %s; correct the year, the month or the day", s.content.Today) +
			diagnostic.When(p.File == WithdrawnFile, "; a withdrawal counts at once: to plan one, add it on that day")
		p.Add(diagnostic.Error, int(at.Line), int(at.Col), "future-date", fmt.Sprintf("%s %s is in the future", what, d), remedy)
	}
}

// maxListed is how many known ids a message lists.
const maxListed = 6

// goneRemedy is part of the suggestion for an id that is not there.
const goneRemedy = ", also if it was deleted (then with its aliases): older reviews name it"

// unknown reports an id that is not in business.yaml, and which one was probably meant.
func (s *surroundings) unknown(r *ref, known *names, p *diagnostic.List) {
	list := &refLists[r.list]
	message := fmt.Sprintf("%s is not a %s in business.yaml", diagnostic.Quote(r.value), list.one)
	suggestion := "add it there under " + list.name +
		diagnostic.When(reviewcast.ValidID(r.value), fmt.Sprintf(", as - {id: %s, name: …} with the name in place of …", r.value))
	ids := slices.Sorted(maps.Keys(known.ids))
	if len(ids) == 0 || len(ids) > maxListed {
		ids = []string{"a known id"}
	}
	suggestion += goneRemedy
	code := "unknown-" + strings.ReplaceAll(list.one, " ", "-")
	if id, ok := known.byName[strings.ToLower(r.value)]; ok && id != "" {
		message = fmt.Sprintf("%s is the name of a %s, not its id", diagnostic.Quote(r.value), list.one)
		suggestion = fmt.Sprintf("write %s", id)
	} else if ok {
		message = fmt.Sprintf("%s is the name of more than one %s", diagnostic.Quote(r.value), list.one)
		suggestion = "write the id of the one that is meant"
	} else if i := slices.IndexFunc(s.content.known[:], func(k *names) bool { return k != nil && k.ids[r.value] }); i >= 0 {
		other := refLists[i]
		message = fmt.Sprintf("%s is a %s, and no %s", diagnostic.Quote(r.value), other.one, list.one)
		suggestion = fmt.Sprintf("delete it here, and write it into the list %s of the review: %[1]s: [%s]", other.name, r.value)
	} else if c := &s.content; slices.ContainsFunc(slices.Concat(c.Problems, c.Aspects), func(t sentiment.Term) bool { return t.ID == r.value }) || slices.Contains(ShippedAspects, r.value) {
		suggestion = "it is the id of a problem or an aspect, which reviews don't list: delete it here, since both are found in the texts; if it is to be a " + list.one + ", too, " + suggestion
	} else if several := known.listed(r.value); len(several) > 1 && (strings.ContainsAny(r.value, ";,") || !slices.ContainsFunc(several, func(id string) bool { return !known.ids[id] })) {
		message = fmt.Sprintf("%s is one text, not several ids", diagnostic.Quote(r.value))
		if suggestion = fmt.Sprintf("write each by itself: %s: [%s]", list.name, strings.Join(several, ", ")); formatOf(p.File) == "csv" {
			suggestion = "separate them by semicolons: " + strings.Join(several, ";")
		}
	} else if known.partial {
		return // the entry that couldn't be read may be it
	} else if id := known.meant(r.value); id != "" {
		if suggestion = fmt.Sprintf("did you mean %q? If not, ", id) + suggestion; !reviewcast.ValidID(r.value) || diagnostic.Squash(id) == diagnostic.Squash(r.value) {
			suggestion = fmt.Sprintf("did you mean %q?", id)
		}
	} else if suggestion += "; if another is meant, write " + strings.Join(ids, " or "); diagnostic.Nothing(r.value) {
		suggestion = "delete it: where there is none, nothing is written"
	}
	p.Add(diagnostic.Error, int(r.at.Line), int(r.at.Col), code, message, suggestion)
}

// noList reports a text where a list of ids belongs.
func noList(r *ref, known *names, p *diagnostic.List) {
	list, suggestion := refLists[r.list].name, "delete this line"
	if !diagnostic.Nothing(r.value) {
		ids := known.listed(r.value)
		foreign := slices.ContainsFunc(ids, func(id string) bool { return !known.ids[id] })
		suggestion = fmt.Sprintf("write %s: [%s]", list, strings.Join(ids, ", ")) + diagnostic.When(foreign, ", with the ids of business.yaml")
	}
	p.Add(diagnostic.Error, int(r.at.Line), int(r.at.Col), "wrong-type", fmt.Sprintf("%s is the text %s; it must be a list", list, diagnostic.Quote(r.value)), suggestion)
}

// between matches what people write between two names.
var between = regexp.MustCompile(`(?i) *[,;/&+•·|\n] *| (?:` + strings.Join(diagnostic.Words(wordsFile, "and"), "|") + `) `)

// listed returns the ids of what a text lists, and the words that name nothing as they are.
func (k *names) listed(text string) (ids []string) {
	words := between.Split(text, -1)
	if len(words) < 2 || slices.ContainsFunc(words, func(word string) bool { return k.meant(word) == "" }) {
		if id := k.meant(text); id != "" {
			return []string{id}
		}
		words = strings.Split(separators.Replace(text), ",")
	}
	if spaced := strings.Fields(text); len(words) == 1 && !slices.ContainsFunc(spaced, func(word string) bool { return !k.ids[word] }) {
		words = spaced
	}
	for _, word := range words {
		if word = strings.TrimSpace(word); word != "" && !slices.Contains(ids, cmp.Or(k.meant(word), word)) {
			ids = append(ids, cmp.Or(k.meant(word), word))
		}
	}
	return ids
}

// citations reports what the small files cite and is not published, and notes that may have the words of a review that
// was withdrawn for legal reasons. If not all reviews could be read, an unknown one may be among those.
func (s *surroundings) citations(x *index, at places, complete bool) (problems []diagnostic.Problem) {
	for _, c := range at.noted() {
		if s.withdrawn[strings.ToLower(c.id)].Reason == Legal {
			problems = append(problems, c.at.Warning("legal-text", fmt.Sprintf("a note has the review %s, which %s withdraws for legal reasons", diagnostic.Quote(c.id), WithdrawnFile), "delete all lines of this note; the entry in "+WithdrawnFile+" is enough"))
		}
	}
	for _, c := range s.content.noted {
		if r := x.first(c.id, at); r != nil && r.Published {
			problems = append(problems, c.at.Warning("note", fmt.Sprintf("the # makes this entry a note, so the review %s is not withdrawn", diagnostic.Quote(c.id)), "delete the # of each of its lines; or the entry, if the review shall stay"))
		}
	}
	for _, c := range s.cited {
		if c.remedy != "" {
			for word := range strings.SplitSeq(separators.Replace(c.id), ",") {
				word = strings.TrimSpace(word)
				c.remedy = strings.Replace(c.remedy, word, cmp.Or(x.meant(word, at), word), 1)
			}
			problems = append(problems, c.at.Error("wrong-type", fmt.Sprintf("%s is the text %s; it must be a list", c.what, diagnostic.Quote(c.id)), c.remedy))
			continue
		}
		r, p := c.find(x, at, complete)
		if p != nil {
			p.Suggestion = cmp.Or(p.Suggestion, diagnostic.Pick(c.quote == "", "write the id of a published review, or delete this one",
				"delete the whole pull_quote, its line and both of its fields; or write the id of another review here, and words of that review as text"))
			problems = append(problems, *p)
		} else if r != nil && (r.Text == nil || !strings.Contains(*r.Text, c.quote)) && c.quote != "" && !(r.Text == nil && r.rec.wrong("text")) {
			suggestion := diagnostic.Pick(r.Text == nil, "the review has no text; choose another",
				"copy part of its text exactly, with the spaces, line breaks and quotation marks that it has there")
			if part := likePart(*cmp.Or(r.Text, new(string)), c.quote); part != "" {
				suggestion = fmt.Sprintf("write text: %q, as it stands below line %d of %s; or copy another part of it exactly", part, at.line(r), r.rec.file)
			}
			place := c.words
			has := func(r *Review) bool { return r.Published && r.Text != nil && strings.Contains(*r.Text, c.quote) }
			if i := slices.IndexFunc(x.order, has); i >= 0 {
				place, suggestion = c.at, fmt.Sprintf("write review_id: %s, whose text has it; or %s", x.order[i].ID, suggestion)
			}
			problems = append(problems, place.Error("bad-quote", "pull_quote.text is not part of the text of "+c.id, suggestion))
		}
	}
	return problems
}

// likePart returns the sentences of a text, as many as a quote has, that have most of its words; "" for none with more
// than half of them.
func likePart(text, quote string) (part string) {
	sentences, words := forms("sentences").FindAllString(text, -1), strings.Fields(quote)
	if plain := strings.ToLower(strings.TrimRight(quote, ".!?…")); len(plain) > 0 && len(strings.ToLower(text)) == len(text) {
		if at := strings.Index(strings.ToLower(text), plain); at >= 0 {
			return text[at : at+len(plain)]
		}
	}
	most, n := len(words)/2, len(forms("sentences").FindAllString(quote, -1))
	for i := range max(0, len(sentences)-n+1) {
		like := strings.TrimSpace(strings.Join(sentences[i:i+n], ""))
		has := strings.Fields(like)
		missing := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(has, word) })
		if same := len(words) - len(missing); same > most && strings.Contains(text, like) {
			most, part = same, like
		}
	}
	return part
}

// addressed returns the id at the end of the address of a review, or of the name of its file.
func addressed(s string) string {
	s = strings.TrimRight(s, "/")
	return strings.TrimSuffix(s[strings.LastIndexAny(s, "#/")+1:], ".yaml")
}

// wrong reports whether an error of the review names a word: a field of it, or an id.
func (r *record) wrong(word string) bool {
	return r.problems != nil && slices.ContainsFunc(r.problems.All(), func(p diagnostic.Problem) bool {
		return p.Severity == diagnostic.Error && slices.Contains(p.Words(), word)
	})
}

// find returns the published review that is cited, or what is wrong with the citation.
func (c *citation) find(x *index, at places, complete bool) (*Review, *diagnostic.Problem) {
	r, named := x.first(c.id, at), func(r *Review) bool { return r.rec.wrong(c.id) }
	code, why, suggestion := "unpublished-review", "", ""
	switch _, gone := x.around.withdrawn[strings.ToLower(c.id)]; {
	case gone:
		why = "is withdrawn"
	case !complete && (r == nil || r.Hidden == Unverified), r != nil && r.Hidden == Unverified && r.rec.wrong("verification"), r == nil && slices.ContainsFunc(x.order, named):
		return nil, nil // it may be there once an error of the reviews is corrected
	case r == nil && x.first(addressed(c.id), at) != nil:
		return nil, new(c.at.Error("unknown-review", diagnostic.Quote(c.id)+" is an address or a file, and no id of a review", "write "+addressed(c.id)))
	case r == nil:
		code, why = "unknown-review", "does not exist"
		if id := x.meant(c.id, at, *cmp.Or(c.list, new([]string))...); id != "" {
			suggestion = fmt.Sprintf("did you mean %q?", id)
		}
		if ids := strings.FieldsFunc(c.id, func(r rune) bool { return strings.ContainsRune(" ;,/+|", r) }); len(ids) > 1 && !slices.ContainsFunc(ids, func(id string) bool { return x.first(id, at) == nil }) {
			suggestion = "it is one text, without a comma between the ids: write " + strings.Join(ids, ", ")
		}
	case r.ID != c.id:
		code, why, suggestion = "unknown-review", "does not exist", "write "+r.ID
	case r.Hidden == Unverified:
		why, suggestion = "has no verification", fmt.Sprintf("give the review in line %d of %s a verification, such as verification: {method: job}, or cite another", at.line(r), r.rec.file)
	default:
		return r, nil
	}
	return nil, new(c.at.Error(code, fmt.Sprintf("%s refers to the review %s, which %s", c.what, diagnostic.Quote(c.id), why), suggestion))
}
