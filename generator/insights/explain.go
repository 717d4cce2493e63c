package insights

import (
	"cmp"
	"slices"

	"reviewcast"
)

// Explanation shows one review as Compute sees it.
type Explanation struct {
	Review    *reviewcast.Review
	English   bool
	Sentiment reviewcast.Polarity
	Score     float64
	Mentions  []Mention // in the order of title, then text
}

// Mention is one thing found in a review, and why.
type Mention struct {
	Kind string // "aspect", "technician", "service", "problem" or "service_area"
	// ID is the aspect or entity; IDs of all whom an ambiguous name may mean.
	ID  string
	IDs []string
	// Title tells that it stands in the title. Start and End count code points.
	Title      bool
	Start, End int
	Words      string
	// Of an aspect: what is felt, how strongly, and where that comes from.
	Polarity reviewcast.Polarity
	Score    float64
	Origin   Origin
	// Phrase is the pattern that matched, as it stands in the list it comes from.
	Phrase string
	// Cues are the weightiest of its sentence, when they were asked.
	Cues []Hint
	Rule string // one sentence for people
}

// Explain finds a review by id and shows what is found in it. False when there is
// no such review.
func Explain(in Input, id string) (Explanation, bool) {
	i := slices.IndexFunc(in.Reviews, func(r Review) bool { return r.ID == id })
	if i < 0 {
		return Explanation{}, false
	}
	cache := in.Cache
	if cache == nil {
		cache = &Cache{}
	}
	v := cache.vocabulary(in)
	r := found{Review: in.Reviews[i]}
	w := newWorker(v)
	w.hints = map[hintsOf][]Hint{}
	a := w.analyze(r.Review.Review)
	r.analysis = &a
	r.verdict = judge(&r)
	out := Explanation{Review: r.Review.Review, English: a.english, Sentiment: r.verdict.sentiment, Score: r.verdict.score}
	title, body := pointsOf(r.Title), pointsOf(r.Text)
	for _, n := range a.named {
		m := Mention{Kind: n.kind.String(), ID: v.ids[n.kind][n.id], Title: n.title, Rule: n.rule.String()}
		text, points := r.Text, body
		if n.title {
			text, points = r.Title, title
		}
		if n.rule == tooManyBearIt {
			m.ID, m.IDs = "", v.bearers((*text)[n.start:n.end])
		}
		m.Words = (*text)[n.start:n.end]
		m.Start, m.End = points[n.start], points[n.end]
		out.Mentions = append(out.Mentions, m)
	}
	for _, n := range a.mentions {
		m := Mention{
			Kind: "aspect", ID: v.aspects[n.aspect].ID, Words: (*r.Text)[n.start:n.end],
			Polarity: n.polarity.polarity(), Score: round(float64(n.score), 2), Origin: n.origin.public(), Rule: n.rule.String(),
		}
		if n.entry > 0 {
			for _, e := range v.entries[n.entry-1] {
				if e.aspect == int32(n.aspect) {
					m.Phrase = e.pattern
				}
			}
		}
		if n.origin == byCues || n.entry == 0 && n.rule != compared {
			m.Cues = w.hintsFor(n)
		}
		m.Start, m.End = body[n.start], body[n.end]
		out.Mentions = append(out.Mentions, m)
	}
	slices.SortStableFunc(out.Mentions, func(a, b Mention) int {
		if a.Title != b.Title {
			if a.Title {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Kind, b.Kind))
	})
	return out, true
}

// pointsOf gives the code point that begins at each byte of a text.
func pointsOf(text *string) []int {
	if text == nil {
		return nil
	}
	points, n := make([]int, len(*text)+1), 0
	for i := range *text {
		points[i] = n
		n++
	}
	points[len(*text)] = n
	return points
}

func (k kind) String() string {
	return [...]string{area: "service_area", technician: "technician", service: "service", problem: "problem"}[k]
}

func (r nameRule) String() string {
	return [...]string{
		byName: "named as the business's files name it", byFirstName: "the first name of one technician only",
		byCue: "also an ordinary word, but used as a person's name here", byMisspelling: "one letter away from one name only",
		tooManyBearIt: "several bear this name: credited to nobody",
	}[r]
}

func (r rule) String() string {
	return [...]string{
		asSaid: "as it says", denied: "a \"not\" before it turns it around", asQuestion: "asked, not said", supposed: "only supposed (\"if\")",
		wished: "wished for, so it isn't so", warnedOff: "the sentence sends readers elsewhere", compared: "the figures of quote and bill",
		unsaid: "nothing in the sentence is felt, so the stars speak", outweighed: "the words around it outweigh the phrase", plainFact: "its cues say it as a plain fact",
	}[r]
}
