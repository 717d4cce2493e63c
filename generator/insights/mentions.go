package insights

import (
	"iter"
	"unicode/utf8"
)

// aspects reads the text: its phrases, then sentence by sentence what is felt.
func (w *worker) aspects(stars int, a *analysis) {
	w.dilution = min(dilution*float32(max(w.withWords()-1, 0)), maxDilution)
	for s := range w.sentences(w.match(a.english), a.english) {
		a.loudness = loudness(a.loudness, w.heard)
		begin := len(a.mentions)
		if len(s.hits) > 0 {
			w.sentence(s, stars, a)
		}
		if a.english {
			w.overhear(s, stars, begin, a)
		}
		if len(a.mentions) > begin && w.warnsOff(s.lo, s.hi) {
			for i := range a.mentions[begin:] {
				if m := &a.mentions[begin+i]; m.polarity == positive || m.rule == supposed {
					m.polarity, m.rule = negative, warnedOff
				}
			}
		}
	}
	w.compare(a)
}

// withWords counts the sentences that have a word: a line of signs is none.
func (w *worker) withWords() (n int) {
	last := int32(-1)
	for i := range w.tokens {
		t := &w.tokens[i]
		if r, _ := utf8.DecodeRuneInString(t.text); t.sentence != last && wordRune(r) {
			n, last = n+1, t.sentence
		}
	}
	return n
}

// sentence turns the phrases of one sentence into mentions.
func (w *worker) sentence(s passage, stars int, a *analysis) {
	question, where := w.asks(s.lo, s.hi), w.sents[w.tokens[s.lo].sentence]
	settled := map[int16]bool(nil)
	for pass := range 2 { // phrases settle an aspect; then its bare names are weighed
		for _, h := range s.hits {
			for _, e := range w.v.entries[h.m.payload-1] {
				if e.aspect < 0 || e.meaning == ignores || !a.english && e.origin != FromEditor {
					continue
				}
				said := e.meaning == praises || e.meaning == blames || e.meaning == states
				if said != (pass == 0) {
					continue
				}
				m := mention{
					start: w.tokens[h.m.first()].start, end: w.tokens[h.m.last()].end, sentence: where,
					aspect: int16(e.aspect), entry: h.m.payload, origin: byTrade,
				}
				if e.origin == FromEditor {
					m.origin = byEditor
				}
				if said {
					if e.meaning != states {
						m.polarity, m.rule = w.say(e, h.m)
					}
					if question && m.polarity != neutral {
						m.polarity, m.rule = neutral, asQuestion
					}
					m.score = [...]float32{0, phraseValence, -phraseValence}[m.polarity]
					if settled == nil {
						settled = map[int16]bool{}
					}
					settled[m.aspect] = true
				} else {
					if settled[m.aspect] {
						continue
					}
					sum := w.weigh(e, h.m)
					m.score, m.origin, m.polarity = float32(sum), byLexicon, feelingOf(sum)
					switch {
					case question:
						m.polarity, m.rule = neutral, asQuestion
					case m.polarity == positive && w.condition(h.m.first()) == wished:
						m.polarity, m.rule = negative, wished
					case m.polarity == neutral && len(w.heard) == 0 && stars != 3 && e.meaning == names && stars > 0:
						m.origin, m.rule, m.polarity = byStars, unsaid, negative
						if stars > 3 {
							m.polarity = positive
						}
					}
					if e.meaning == maybe && m.polarity == neutral {
						continue
					}
				}
				a.mentions = append(a.mentions, m)
			}
		}
	}
}

// weigh asks the lexicon rule what is felt about a term. The phrases of other
// aspects speak of those. A word that is an aspect only sometimes ("people") hears
// no more than its own clause.
func (w *worker) weigh(e entry, m match) float64 {
	w.near = w.near[:0]
	for _, v := range within(w.heard, m.first(), m.last()) {
		if v.aspect != anyAspect && v.aspect != e.aspect ||
			e.meaning == maybe && w.tokens[v.at].clause != w.tokens[m.first()].clause {
			continue
		}
		w.near = append(w.near, v)
	}
	return felt(w.tokens, w.near, m.first(), m.last())
}

// asks tells whether a sentence is a question that is open: not "how can they
// charge so much?", which is an answer.
func (w *worker) asks(lo, hi int) bool {
	if w.tokens[hi-1].shape&asked == 0 {
		return false
	}
	switch w.tokens[lo].text {
	case "how", "why", "what", "who", "where", "when", "seriously", "really":
		return false
	}
	return true
}

// warnsOff finds "look elsewhere" and its like.
func (w *worker) warnsOff(lo, hi int) bool {
	for i := lo + 1; i < hi; i++ {
		if w.tokens[i].text == "elsewhere" {
			switch w.tokens[i-1].text {
			case "look", "go", "try", "call", "shop", "stay", "somewhere", "looking":
				return true
			}
		}
	}
	return false
}

// passage is a sentence of a text: its tokens, and the phrases in it.
type passage struct {
	lo, hi int
	hits   []hit
}

// sentences cuts the tokens by sentence, and leaves in w.heard what praises and
// blames in each.
func (w *worker) sentences(hits []hit, english bool) iter.Seq[passage] {
	return func(yield func(passage) bool) {
		next, extra := 0, 0
		for lo := 0; lo < len(w.tokens); {
			hi := lo + 1
			for hi < len(w.tokens) && w.tokens[hi].sentence == w.tokens[lo].sentence {
				hi++
			}
			from := next
			for next < len(hits) && hits[next].m.first() < hi {
				next++
			}
			w.heard = w.heard[:0]
			if english {
				w.heard = voices(w.tokens, lo, hi, w.spoken, w.heard)
			}
			for extra < len(w.extra) && w.extra[extra].at < hi {
				w.heard = append(w.heard, w.extra[extra])
				extra++
			}
			inOrder(w.heard)
			if !yield(passage{lo, hi, hits[from:next]}) {
				return
			}
			lo = hi
		}
	}
}
