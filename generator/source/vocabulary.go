package source

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/sentiment"
	"reviewcast/generator/syntax"
)

var (
	vocabularySchema = newSchema("the vocabulary", "", "", "aspects problems pull_quote ignore topics claims")
	aspectSchema     = newSchema("the aspect", "", "{id: %i, label: %t, terms: [%t]}", "id label terms positive negative neutral extends")
	problemSchema    = newSchema("the problem", "", "{id: %i, label: %t, terms: [%t]}", "id label terms")
	quoteSchema      = newSchema("pull_quote", "pull_quote.", "{review_id: ID, text: %t}", "review_id text")
	faqSchema        = newSchema("the question", "", "{question: %t, answer: …}", "question answer evidence_review_ids evidence_aspects claims")
	topicsSchema     = newSchema("topics", "topics.", "{pin: [%t]}", "pin hide rename merge")
	claimSchema      = newSchema("the claim", "", "{aspect: punctuality, positive_pct: 90}", "aspect positive_pct mention_count average_rating review_count")
	withdrawnSchema  = newSchema("the withdrawal", "", "{id: %t, reason: withdrawn, date: YYYY-MM-DD}", "id reason date month")
)

// ShippedAspects are the ids that an aspect may extend.
var ShippedAspects = diagnostic.Words(wordsFile, "aspects")

// minAspects is how many aspects a list has at least that stands in place of all others on purpose.
const minAspects = 3

// vocabulary reads insights.yaml.
func (d *decoder) vocabulary(n *syntax.Node, s *surroundings) {
	r, ok := d.fields(n, vocabularySchema)
	if !ok {
		return
	}
	c := &s.content
	c.Aspects = r.terms("aspects", aspectSchema, "id", "label")
	if n := len(c.Aspects); 0 < n && n < minAspects && !slices.ContainsFunc(c.Aspects, func(t sentiment.Term) bool { return t.Extends != "" || slices.Contains(ShippedAspects, t.ID) }) {
		lines := ""
		for _, id := range ShippedAspects {
			lines += fmt.Sprintf(" - {id: %s, label: %s%s, extends: %[1]s}", id, strings.ToUpper(id[:1]), strings.ReplaceAll(id[1:], "_", " "))
		}
		r.warn("aspects", "bad-value", "the aspects listed here stand in place of those of reviewcast, "+diagnostic.Join(ShippedAspects, "and")+", which have no pages then",
			"if they are to be beside these, list them below it, too, each on a line:"+lines)
	}
	c.Problems = r.terms("problems", problemSchema, "id", "label", "terms")
	c.Ignore = r.texts("ignore")
	if t, ok := r.inner("topics", topicsSchema); ok {
		t.topics(&c.Topics)
	}
	c.Claims = append(c.Claims, r.claims()...)
	if q, ok := r.inner("pull_quote", quoteSchema); ok {
		q.required("review_id", "text")
		if id, text := q.text("review_id"), q.nonBlank("text"); id != "" && text != "" {
			c.PullQuote = &reviewcast.PullQuote{ReviewID: id, Text: text}
			at, words := d.position(q.placeOf("review_id")), d.position(q.placeOf("text"))
			s.cited = append(s.cited, citation{id: id, what: q.name("review_id"), at: at, quote: text, words: words})
		}
	}
}

// terms reads aspects or problems; nil if the field is absent.
func (r *fields) terms(field string, s *schema, required ...string) []sentiment.Term {
	if r.value(field) == nil {
		return nil
	}
	terms, seen := []sentiment.Term{}, map[string]int32{}
	for _, n := range joined(r.items(field), s, r.List) {
		t, ok := r.fields(&n, s)
		if !ok {
			continue
		}
		t.required(required...)
		term := sentiment.Term{ID: t.id(), Label: t.nonBlank("label"), Terms: t.texts("terms")}
		if s == aspectSchema {
			term.Positive, term.Negative, term.Neutral = t.texts("positive"), t.texts("negative"), t.texts("neutral")
			for i := 0; i < len(term.Negative) && len(term.Negative) == len(t.value("negative").Items); i++ {
				if n := t.value("negative").Items[i]; slices.Contains(term.Positive, n.Text) {
					t.Add(diagnostic.Warning, n.Line, n.Col, "bad-value", fmt.Sprintf("%s is in positive, too, and counts as that", diagnostic.Quote(n.Text)), "delete it from one of the two lists")
				}
			}
			term.Extends = t.choice("extends", ShippedAspects, "choose one of them")
		}
		r.twice(seen, term.ID, t.placeOf("id"), "a second entry has the id %s")
		if v := t.value("terms"); v != nil && v.Kind == syntax.List && len(v.Items) == 0 {
			r.fail(v, "missing-field", "terms is an empty list", "name at least one word or phrase")
		}
		if i := slices.IndexFunc(terms, func(other sentiment.Term) bool { return len(term.Terms) > 0 && slices.Equal(other.Terms, term.Terms) }); i >= 0 {
			t.warn("terms", "shared-name", term.ID+" has the same terms as "+terms[i].ID+", so that each review with one of them counts for both", "write its own terms, or delete one of the two")
		}
		terms = append(terms, term)
	}
	return terms
}

// topics reads the editors' rules for topics.
func (r *fields) topics(t *sentiment.TopicRules) {
	t.Pin, t.Hide = r.texts("pin"), r.texts("hide")
	t.Rename, t.Merge = map[string]string{}, map[string][]string{}
	for _, e := range r.entriesOf("rename", "{furnace filter: Filters}") {
		if to, ok := r.plainText(&e.Value, "a label of topics.rename"); ok {
			t.Rename[e.Key.Text] = to
		}
	}
	for _, e := range r.entriesOf("merge", "{Hot water: [water heater, hot water tank]}") {
		key, v := e.Key.Text, &e.Value
		if v.Kind != syntax.List {
			r.fail(v, "wrong-type", fmt.Sprintf("the phrases of %s are %s; they must be a list", diagnostic.Quote(key), v.Describe()), fmt.Sprintf("write %s: [%s]", key, v.Text))
		}
		for i := range v.Items {
			if phrase, ok := r.plainText(&v.Items[i], "a phrase of topics.merge"); ok {
				t.Merge[key] = append(t.Merge[key], phrase)
			}
		}
	}
}

// entriesOf returns the fields of a field that has any.
func (r *fields) entriesOf(f, example string) []syntax.Entry {
	n := r.value(f)
	if n == nil {
		return nil
	}
	if n.Kind != syntax.Mapping {
		r.fail(n, "wrong-type", fmt.Sprintf("%s is %s; it must have fields", r.name(f), n.Describe()), fmt.Sprintf("in place of all its lines, write %s: %s", f, example))
	}
	return n.Entries
}

// claims reads the numbers that the editors rely on. They are checked when the reviews have been counted.
func (r *fields) claims() []Claim {
	var out []Claim
	for _, n := range r.items("claims") {
		c, ok := r.fields(&n, claimSchema)
		if !ok {
			continue
		}
		aspect, before := c.text("aspect"), len(out)
		for _, measure := range claimSchema.names[1:] {
			if c.value(measure) != nil {
				out = append(out, Claim{Aspect: aspect, Measure: measure, Value: c.float(measure, 0, 1e9), At: r.position(c.placeOf(measure))})
			}
		}
		if len(out) == before {
			out = append(out, Claim{Aspect: aspect, At: r.position(placeOf(&n))})
		}
	}
	return out
}

// faq reads faq.yaml.
func (d *decoder) faq(n *syntax.Node, s *surroundings) {
	c, asked := &s.content, map[string]int{}
	for _, n := range d.entries(n, "questions", faqSchema) {
		r, ok := d.fields(&n, faqSchema)
		if !ok {
			continue
		}
		if v := r.value("question"); v != nil && v.Kind == syntax.Text && !n.Has("answer") && strings.Contains(v.Text, "? ") {
			question, answer, _ := strings.Cut(v.Text, "? ")
			d.fail(v, "missing-field", "the answer is a part of the question", fmt.Sprintf("write it on a line of its own: answer: %s", strconv.Quote(strings.TrimPrefix(answer, "answer: "))))
			c.FAQ = append(c.FAQ, reviewcast.FAQ{Question: question + "?", Answer: answer})
			continue
		}
		if only := len(n.Entries) == 1 && (r.meant == 0 || strings.HasSuffix(n.Entries[0].Key.Text, "?")) && !n.Has("question") && !n.Has("answer"); only {
			continue // a heading, or a question and its answer, which is reported
		}
		r.required("question", "answer")
		q := &reviewcast.FAQ{EvidenceReviewIDs: []string{}, EvidenceAspects: []string{}, Question: r.nonBlank("question"), Answer: r.nonBlank("answer")}
		const cites = "evidence_review_ids"
		if v := r.value(cites); v != nil && v.Kind == syntax.Text {
			s.cited = append(s.cited, citation{id: v.Text, what: cites, at: d.position(placeOf(v)), remedy: r.listOf(cites, v)})
		} else {
			for n, id := range r.itemsOf(cites) {
				q.EvidenceReviewIDs = append(q.EvidenceReviewIDs, id)
				s.cited = append(s.cited, citation{id: id, what: cites, at: d.position(placeOf(n)), list: &q.EvidenceReviewIDs})
			}
		}
		for n, id := range r.itemsOf("evidence_aspects") {
			q.EvidenceAspects = append(q.EvidenceAspects, id)
			c.Claims = append(c.Claims, Claim{Aspect: id, At: d.position(placeOf(n))})
		}
		c.Claims = append(c.Claims, r.claims()...)
		for _, no := range notInSummary {
			form := regexp.MustCompile(no[0])
			if found := form.FindString(q.Answer); found != "" && (no[1] == "link" || no[1] == "picture") {
				r.warn("answer", no[1], strings.Replace(no[2], "the summary", "an answer", 1), form.ReplaceAllString(found, no[3]))
			}
		}
		if line := asked[q.Question]; line > 0 && q.Question != "" {
			r.warn("question", "same-question", fmt.Sprintf("this question is asked on line %d, too", line), "delete one of them, or put both answers into one; or write the question that this answer is to")
		}
		asked[q.Question] = cmp.Or(asked[q.Question], n.Line)
		if slices.ContainsFunc(c.FAQ, func(f reviewcast.FAQ) bool {
			return f.Answer == q.Answer && f.Question != q.Question && strings.Count(f.Answer, " ") > 4
		}) {
			r.warn("answer", "same-question", "another question has the same answer", "write its own, unless one answer fits both")
		}
		c.FAQ = append(c.FAQ, *q)
	}
}

// withdrawals reads withdrawn.yaml.
func (d *decoder) withdrawals(n *syntax.Node, s *surroundings) {
	seen := map[string]int32{}
	for _, n := range d.entries(n, "withdrawals", withdrawnSchema) {
		if n.Has("author") && (n.Has("rating") || n.Has("text")) {
			id := n.Entries[max(0, slices.IndexFunc(n.Entries, func(e syntax.Entry) bool { return e.Key.Text == "id" }))].Value.Text
			d.fail(&n, "unknown-field", "a whole review stands here; a withdrawal has no more than id, reason and date",
				fmt.Sprintf("write in its place: - {id: %s, reason: withdrawn, date: %s}; if it is a new one, move it to the end of a file in the folder reviews", id, s.content.Today))
			s.withdrawn[strings.ToLower(id)] = Withdrawal{ID: id, Reason: Withdrawn, At: d.position(placeOf(&n))}
			continue
		}
		if w, ok := d.onOneLine(&n, s.content.Today); ok {
			s.withdrawn[strings.ToLower(w.ID)] = w
			s.content.Withdrawn = append(s.content.Withdrawn, w)
			continue
		}
		r, ok := d.fields(&n, withdrawnSchema)
		if !ok {
			continue
		}
		r.required("id", "reason", "date")
		w := Withdrawal{ID: r.id(), Date: r.date("date"), Month: r.month("month"), At: d.position(r.placeOf("id"))}
		w.ID = cmp.Or(w.ID, cmp.Or(r.value("id"), &syntax.Node{}).Text) // what a wrong one stands for is known with what is published
		w.Reason = Hidden(r.choice("reason", []string{string(Withdrawn), string(Legal)},
			"write legal if the law requires that its text disappears everywhere (privacy, a court), or else withdrawn, also for a review that is here twice"))
		r.twice(seen, w.ID, r.placeOf("id"), "%s is withdrawn a second time")
		if _, again := s.withdrawn[strings.ToLower(w.ID)]; !again {
			s.withdrawn[strings.ToLower(w.ID)] = w
		}
		s.future("date", w.Date, r.placeOf("date"), d.List)
		s.content.Withdrawn = append(s.content.Withdrawn, w)
	}
}

// onOneLine reports a withdrawal without fields of its own, and returns what it means; ok is false for any other.
func (d *decoder) onOneLine(n *syntax.Node, today reviewcast.Date) (w Withdrawal, ok bool) {
	line := n.Text
	if e := n.Entries; len(e) == 1 && e[0].Value.Kind < syntax.List && withdrawnSchema.meant(e[0].Key.Text) == "" {
		line = e[0].Key.Text + ": " + e[0].Value.Text
	} else if len(e) == 1 && forms("fieldsInLine").MatchString(e[0].Value.Text) {
		line = e[0].Value.Text
	}
	m := forms("oneLine").FindStringSubmatch(line)
	if m == nil || !strings.ContainsFunc(m[1], unicode.IsLetter) {
		return w, false
	}
	legal := strings.Contains(strings.ToLower(m[2]), string(Legal))
	w = Withdrawal{ID: m[1], Reason: Hidden(diagnostic.Pick(legal, string(Legal), string(Withdrawn))), Date: today, At: d.position(placeOf(n))}
	if day := reviewcast.Date(m[2][max(0, len(m[2])-len(today)):]); day.Valid() {
		w.Date = day
	}
	open := diagnostic.When(!legal && !strings.Contains(m[2], string(Withdrawn)), ", with the reason legal if the law requires that its text disappears everywhere")
	d.fail(n, "bad-id", fmt.Sprintf("the withdrawal is the text %s; it must have fields", diagnostic.Quote(line)), fmt.Sprintf("write in place of this line%s: - {id: %s, reason: %s, date: %s}", open, w.ID, w.Reason, w.Date))
	return w, true
}

// entries returns the items of a file that is one list.
func (d *decoder) entries(n *syntax.Node, of string, s *schema) []syntax.Node {
	if n.Kind == syntax.List || n.Kind == syntax.Null || n.Kind == syntax.Refused {
		return joined(n.Items, s, d.List)
	}
	suggestion := "write for each: - " + s.written("…")
	if n.Kind == syntax.Mapping && len(n.Entries) > 0 {
		e := n.Entries[0]
		switch first := cmp.Or(s.also[diagnostic.Squash(e.Key.Text)], e.Key.Text); {
		case slices.Contains(s.names, first):
			suggestion = fmt.Sprintf("begin each with a hyphen, and indent its other fields below it by two spaces: - %s: %s; the fields are %s", first, e.Value.Text, strings.Join(s.names, ", "))
		case e.Value.Kind == syntax.List:
			suggestion = fmt.Sprintf("delete the line %s: and begin with the hyphens", e.Key.Text)
		default:
			suggestion = "write - " + s.written(e.Key.Text)
		}
	}
	d.fail(n, "wrong-type", fmt.Sprintf("the file is %s; it must be a list of %s", n.Describe(), of), suggestion)
	return nil
}

func (d *decoder) position(p place) diagnostic.Position {
	return diagnostic.Position{File: d.File, Line: int(p.Line), Col: int(p.Col)}
}
