package source

import (
	"fmt"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

var (
	vocabularySchema = newSchema("the vocabulary", "", "aspects", "problems", "pull_quote", "ignore", "topics", "claims")
	aspectSchema     = newSchema("the aspect", "", "id", "label", "terms", "positive", "negative", "neutral", "extends")
	problemSchema    = newSchema("the problem", "", "id", "label", "terms")
	quoteSchema      = newSchema("pull_quote", "pull_quote.", "review_id", "text")
	faqSchema        = newSchema("the question", "", "question", "answer", "evidence_review_ids", "evidence_aspects", "claims")
	topicsSchema     = newSchema("topics", "topics.", "pin", "hide", "rename", "merge")
	claimSchema      = newSchema("the claim", "", "aspect", "positive_pct", "mention_count", "average_rating", "review_count")
	withdrawnSchema  = newSchema("the withdrawal", "", "id", "reason", "date", "month")
)

func init() {
	faqSchema.also = map[string]string{"q": "question", "a": "answer", "evidence": "evidence_review_ids", "reviews": "evidence_review_ids"}
}

// ShippedAspects are the ids that an aspect may extend.
var ShippedAspects = []string{"punctuality", "pricing", "communication", "workmanship", "cleanliness", "professionalism",
	"technical_knowledge", "responsiveness", "scheduling", "value", "warranty"}

// vocabulary reads insights.yaml.
func (d *decoder) vocabulary(n *syntax.Node, s *surroundings) {
	if n.Kind == syntax.Null {
		return
	}
	r, ok := d.fields(n, vocabularySchema)
	if !ok {
		return
	}
	v := &s.content.Vocabulary
	v.Aspects = d.terms(&r, 0, aspectSchema)
	v.Problems = d.terms(&r, 1, problemSchema)
	v.Ignore = d.optionalTexts(&r, 3)
	d.topics(&r, 4, &v.Topics)
	v.Claims = append(v.Claims, d.claims(&r, 5)...)
	if n := r.value(2); n != nil {
		if q, ok := d.fields(n, quoteSchema); ok {
			q.required(0, 1)
			id, _ := q.text(0)
			text, _ := q.nonBlank(1)
			if id != "" && text != "" {
				v.PullQuote = &reviewcast.PullQuote{ReviewID: id, Text: text}
				s.quote = &citation{id: id, what: q.name(0), at: d.position(q.placeOf(0)), words: d.position(q.placeOf(1))}
			}
		}
	}
}

// terms reads aspects or problems; nil if the field is absent.
func (d *decoder) terms(r *fields, field int, s *schema) []Term {
	if r.value(field) == nil {
		return nil
	}
	items := r.items(field)
	terms := make([]Term, 0, len(items))
	seen := make(map[string]int)
	for i := range items {
		t, ok := d.fields(&items[i], s)
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
			d.Add(diagnostic.Error, int(at.Line), int(at.Col), "duplicate-id", fmt.Sprintf("a second entry has the id %s", diagnostic.Quote(term.ID)),
				fmt.Sprintf("the first is on line %d; give each its own; upper and lower case are the same", line))
		} else {
			seen[strings.ToLower(term.ID)] = int(at.Line)
		}
		if v := t.value(2); v != nil && v.Kind == syntax.List && len(v.Items) == 0 {
			d.Add(diagnostic.Error, v.Line, v.Col, "missing-field", "terms is an empty list", "name at least one word or phrase")
		}
		terms = append(terms, term)
	}
	return terms
}

// optionalTexts reads a list of texts; nil if the field is absent.
func (d *decoder) optionalTexts(r *fields, field int) []string {
	if r.value(field) == nil {
		return nil
	}
	return r.texts(field)
}

// topics reads the editors' rules for topics.
func (d *decoder) topics(r *fields, field int, t *Topics) {
	n := r.value(field)
	if n == nil {
		return
	}
	q, ok := d.fields(n, topicsSchema)
	if !ok {
		return
	}
	t.Pin, t.Hide = d.optionalTexts(&q, 0), d.optionalTexts(&q, 1)
	if n := q.value(2); n != nil && d.isMapping(n, "topics.rename", "topics.rename: {furnace filter: Filters}") {
		t.Rename = map[string]string{}
		for i := range n.Entries {
			if to, ok := d.plainText(&n.Entries[i].Value, "a label of topics.rename"); ok {
				t.Rename[n.Entries[i].Key.Text] = to
			}
		}
	}
	if n := q.value(3); n != nil && d.isMapping(n, "topics.merge", "topics.merge: {Hot water: [water heater, hot water tank]}") {
		t.Merge = map[string][]string{}
		for i := range n.Entries {
			v := &n.Entries[i].Value
			if v.Kind != syntax.List {
				d.Add(diagnostic.Error, v.Line, v.Col, "wrong-type", fmt.Sprintf("the phrases of %s are %s; they must be a list", diagnostic.Quote(n.Entries[i].Key.Text), v.Describe()), "write [water heater, hot water tank]")
				continue
			}
			for j := range v.Items {
				if phrase, ok := d.plainText(&v.Items[j], "a phrase of topics.merge"); ok {
					t.Merge[n.Entries[i].Key.Text] = append(t.Merge[n.Entries[i].Key.Text], phrase)
				}
			}
		}
	}
}

func (d *decoder) isMapping(n *syntax.Node, name, example string) bool {
	if n.Kind == syntax.Mapping {
		return true
	}
	d.Add(diagnostic.Error, n.Line, n.Col, "wrong-type", fmt.Sprintf("%s is %s; it must have fields", name, n.Describe()), "write "+example)
	return false
}

// claims reads the numbers that the editors rely on. They are checked when the
// reviews have been counted.
func (d *decoder) claims(r *fields, field int) []Claim {
	var out []Claim
	for _, n := range r.items(field) {
		c, ok := d.fields(&n, claimSchema)
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
			out = append(out, Claim{Aspect: aspect, At: d.position(placeOf(&n))})
		}
	}
	return out
}

// maxClaim is the largest number in a claim.
const maxClaim = 1e9

// faq reads faq.yaml.
func (d *decoder) faq(n *syntax.Node, s *surroundings) {
	for i := range d.entries(n, "questions") {
		r, ok := d.fields(&n.Items[i], faqSchema)
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
				s.evidence = append(s.evidence, citation{id: id, what: r.name(2), at: d.position(placeOf(&items[j]))})
			}
		}
		q.EvidenceAspects = append([]string{}, d.optionalTexts(&r, 3)...)
		for j, id := range q.EvidenceAspects {
			s.content.Vocabulary.Claims = append(s.content.Vocabulary.Claims, Claim{Aspect: id, At: d.position(placeOf(&r.value(3).Items[j]))})
		}
		s.content.Vocabulary.Claims = append(s.content.Vocabulary.Claims, d.claims(&r, 4)...)
		s.content.FAQ = append(s.content.FAQ, q)
	}
}

// withdrawals reads withdrawn.yaml.
func (d *decoder) withdrawals(n *syntax.Node, s *surroundings) {
	seen := make(map[string]int)
	for i := range d.entries(n, "withdrawals") {
		r, ok := d.fields(&n.Items[i], withdrawnSchema)
		if !ok {
			continue
		}
		r.required(0, 1, 2)
		w := Withdrawal{ID: r.id(0), Reason: Hidden(r.choice(1, []string{string(Withdrawn), string(Legal)})), Date: r.date(2), Month: r.month(3), At: d.position(placeOf(&n.Items[i]))}
		at := r.placeOf(0)
		if line, again := seen[strings.ToLower(w.ID)]; again && w.ID != "" {
			d.Add(diagnostic.Error, int(at.Line), int(at.Col), "duplicate-id", fmt.Sprintf("%s is withdrawn a second time", diagnostic.Quote(w.ID)), fmt.Sprintf("the first is on line %d; keep one of them", line))
		} else {
			seen[strings.ToLower(w.ID)] = int(at.Line)
			s.withdrawn[strings.ToLower(w.ID)] = w.Reason
		}
		s.future("date", w.Date, r.placeOf(2), d.List)
		s.content.Withdrawn = append(s.content.Withdrawn, w)
	}
}

// entries returns the items of a file that is one list.
func (d *decoder) entries(n *syntax.Node, of string) []syntax.Node {
	if n.Kind != syntax.List && n.Kind != syntax.Null && n.Kind != syntax.Refused {
		d.Add(diagnostic.Error, n.Line, n.Col, "wrong-type", fmt.Sprintf("the file is %s; it must be a list of %s", n.Describe(), of), "begin each with a hyphen (-)")
	}
	return n.Items
}

func (d *decoder) position(p place) diagnostic.Position {
	return diagnostic.Position{File: d.File, Line: int(p.Line), Col: int(p.Col)}
}
