package source

import (
	"fmt"
	"strings"

	"reviewcast"
)

var (
	vocabularySchema = newSchema("the vocabulary", "", "aspects", "problems", "pull_quote", "ignore", "topics", "claims")
	aspectSchema     = newSchema("the aspect", "", "id", "label", "terms", "positive", "negative", "neutral", "extends")
	problemSchema    = newSchema("the problem", "", "id", "label", "terms")
	quoteSchema      = newSchema("pull_quote", "pull_quote.", "review_id", "text")
	faqSchema        = newSchema("the question", "", "question", "answer", "evidence_review_ids", "evidence_aspects", "claims")
	topicsSchema     = newSchema("topics", "topics.", "pin", "hide", "rename", "merge")
	claimSchema      = newSchema("the claim", "", "aspect", "positive_pct", "mention_count", "average_rating", "review_count")
	withdrawnSchema  = newSchema("the withdrawal", "", "id", "reason", "date")
)

func init() {
	faqSchema.also = map[string]string{"q": "question", "a": "answer", "evidence": "evidence_review_ids", "reviews": "evidence_review_ids"}
}

// ShippedAspects are the ids that an aspect may extend.
var ShippedAspects = []string{"punctuality", "pricing", "communication", "workmanship", "cleanliness", "professionalism",
	"technical_knowledge", "responsiveness", "scheduling", "value", "warranty"}

// vocabulary reads insights.yaml.
func (d *decoder) vocabulary(n *node, f *folder) {
	if n.kind == null {
		return
	}
	r, ok := d.record(n, vocabularySchema)
	if !ok {
		return
	}
	v := &f.content.Vocabulary
	v.Aspects = d.terms(&r, 0, aspectSchema)
	v.Problems = d.terms(&r, 1, problemSchema)
	v.Ignore = d.optionalTexts(&r, 3)
	d.topics(&r, 4, &v.Topics)
	v.Claims = append(v.Claims, d.claims(&r, 5)...)
	if n := r.value(2); n != nil {
		if q, ok := d.record(n, quoteSchema); ok {
			q.required(0, 1)
			id, _ := q.text(0)
			text, _ := q.nonBlank(1)
			if id != "" && text != "" {
				v.PullQuote = &reviewcast.PullQuote{ReviewID: id, Text: text}
				f.quote = &citation{id: id, what: q.name(0), at: d.position(q.placeOf(0)), text: d.position(q.placeOf(1))}
			}
		}
	}
}

// terms reads aspects or problems; nil when the field is absent.
func (d *decoder) terms(r *record, field int, s *schema) []Term {
	if r.value(field) == nil {
		return nil
	}
	items := r.items(field)
	terms := make([]Term, 0, len(items))
	seen := make(map[string]int)
	for i := range items {
		t, ok := d.record(&items[i], s)
		if !ok {
			continue
		}
		t.required(0, 1)
		if s == problemSchema {
			t.required(2)
		}
		var term Term
		term.ID = t.id(0)
		term.Label, _ = t.nonBlank(1)
		term.Terms = d.optionalTexts(&t, 2)
		if s == aspectSchema {
			term.Positive, term.Negative, term.Neutral = d.optionalTexts(&t, 3), d.optionalTexts(&t, 4), d.optionalTexts(&t, 5)
			if t.value(6) != nil {
				term.Extends = t.choice(6, ShippedAspects)
			}
		}
		at := t.placeOf(0)
		if line, again := seen[strings.ToLower(term.ID)]; again && term.ID != "" {
			d.add(Error, int(at.line), int(at.col), "duplicate-id", fmt.Sprintf("a second entry has the id %s", echo(term.ID)),
				fmt.Sprintf("the first is in line %d; give each its own, in which capitals don't count", line))
		} else {
			seen[strings.ToLower(term.ID)] = int(at.line)
		}
		if v := t.value(2); v != nil && v.kind == list && len(v.items) == 0 {
			d.add(Error, v.line, v.col, "missing-field", "terms is an empty list", "name at least one word or phrase")
		}
		terms = append(terms, term)
	}
	return terms
}

// optionalTexts reads a list of texts; nil when the field is absent.
func (d *decoder) optionalTexts(r *record, field int) []string {
	if r.value(field) == nil {
		return nil
	}
	return r.texts(field)
}

// topics reads the editors' rules for topics.
func (d *decoder) topics(r *record, field int, t *Topics) {
	n := r.value(field)
	if n == nil {
		return
	}
	q, ok := d.record(n, topicsSchema)
	if !ok {
		return
	}
	t.Pin, t.Hide = d.optionalTexts(&q, 0), d.optionalTexts(&q, 1)
	if n := q.value(2); n != nil && d.isMapping(n, "topics.rename", "topics.rename: {furnace filter: Filters}") {
		t.Rename = map[string]string{}
		for i := range n.entries {
			if to, ok := d.plainText(&n.entries[i].value, "a label of topics.rename"); ok {
				t.Rename[n.entries[i].key.text] = to
			}
		}
	}
	if n := q.value(3); n != nil && d.isMapping(n, "topics.merge", "topics.merge: {Hot water: [water heater, hot water tank]}") {
		t.Merge = map[string][]string{}
		for i := range n.entries {
			v := &n.entries[i].value
			if v.kind != list {
				d.add(Error, v.line, v.col, "wrong-type", fmt.Sprintf("the phrases of %s are %s; they must be a list", echo(n.entries[i].key.text), v.describe()), "write [water heater, hot water tank]")
				continue
			}
			for j := range v.items {
				if phrase, ok := d.plainText(&v.items[j], "a phrase of topics.merge"); ok {
					t.Merge[n.entries[i].key.text] = append(t.Merge[n.entries[i].key.text], phrase)
				}
			}
		}
	}
}

func (d *decoder) isMapping(n *node, name, example string) bool {
	if n.kind == mapping {
		return true
	}
	d.add(Error, n.line, n.col, "wrong-type", fmt.Sprintf("%s is %s; it must have fields", name, n.describe()), "write "+example)
	return false
}

// claims reads the numbers that words rest on. Whether they still hold is known
// once the reviews are counted.
func (d *decoder) claims(r *record, field int) []Claim {
	var out []Claim
	for _, n := range r.items(field) {
		c, ok := d.record(&n, claimSchema)
		if !ok {
			continue
		}
		aspect, _ := c.text(0)
		before := len(out)
		for f := 1; f < len(claimSchema.names); f++ {
			if c.value(f) != nil {
				out = append(out, Claim{Aspect: aspect, Measure: claimSchema.names[f], Value: c.float(f, 0, maxClaim), At: d.position(c.placeOf(f))})
			}
		}
		if len(out) == before {
			out = append(out, Claim{Aspect: aspect, At: d.position(n.place())})
		}
	}
	return out
}

// maxClaim is more reviews than anybody has.
const maxClaim = 1e9

// faq reads faq.yaml.
func (d *decoder) faq(n *node, f *folder) {
	for i := range d.entries(n, "questions") {
		r, ok := d.record(&n.items[i], faqSchema)
		if !ok {
			continue
		}
		r.required(0, 1)
		q := reviewcast.FAQ{EvidenceReviewIDs: []string{}}
		q.Question, _ = r.nonBlank(0)
		q.Answer, _ = r.nonBlank(1)
		items := r.items(2)
		for j := range items {
			if id, ok := d.item(&items[j], r.name(2)); ok {
				q.EvidenceReviewIDs = append(q.EvidenceReviewIDs, id)
				f.evidence = append(f.evidence, citation{id: id, what: r.name(2), at: d.position(items[j].place())})
			}
		}
		q.EvidenceAspects = append([]string{}, d.optionalTexts(&r, 3)...)
		for j, id := range q.EvidenceAspects {
			f.content.Vocabulary.Claims = append(f.content.Vocabulary.Claims, Claim{Aspect: id, At: d.position(r.value(3).items[j].place())})
		}
		f.content.Vocabulary.Claims = append(f.content.Vocabulary.Claims, d.claims(&r, 4)...)
		f.content.FAQ = append(f.content.FAQ, q)
	}
}

// withdrawals reads withdrawn.yaml.
func (d *decoder) withdrawals(n *node, f *folder) {
	seen := make(map[string]int)
	for i := range d.entries(n, "withdrawals") {
		r, ok := d.record(&n.items[i], withdrawnSchema)
		if !ok {
			continue
		}
		r.required(0, 1, 2)
		w := Withdrawal{ID: r.id(0), Reason: Hidden(r.choice(1, []string{string(Withdrawn), string(Legal)})), Date: r.date(2), At: d.position(n.items[i].place())}
		at := r.placeOf(0)
		if line, again := seen[strings.ToLower(w.ID)]; again && w.ID != "" {
			d.add(Error, int(at.line), int(at.col), "duplicate-id", fmt.Sprintf("%s is withdrawn a second time", echo(w.ID)), fmt.Sprintf("the first is in line %d; keep one of them", line))
		} else {
			seen[strings.ToLower(w.ID)] = int(at.line)
			f.withdrawn[strings.ToLower(w.ID)] = w.Reason
		}
		f.withdrawnOn = append(f.withdrawnOn, dated{"date", w.Date, d.position(r.placeOf(2))})
		f.content.Withdrawn = append(f.content.Withdrawn, w)
	}
}

// entries are the items of a file that is one list.
func (d *decoder) entries(n *node, of string) []node {
	if n.kind != list && n.kind != null && n.kind != refused {
		d.add(Error, n.line, n.col, "wrong-type", fmt.Sprintf("the file is %s; it must be a list of %s", n.describe(), of), "begin each with a hyphen (-)")
	}
	return n.items
}

func (d *decoder) position(p place) Position {
	return Position{File: d.file, Line: int(p.line), Col: int(p.col)}
}
