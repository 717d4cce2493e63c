package insights

import (
	"strconv"
	"strings"
)

// The figures of a quote and of its bill say by themselves whether the price held:
// "Estimate said 900, invoice said 1,350". They count for the aspect with the
// shipped id "pricing".
const pricing = "pricing"

// maxApart is how many words a figure may stand from the word that says what it
// is of, and the bill from the quote.
const (
	maxApart     = 7
	maxApartBill = 30
)

// maxCompared is how many pairs of figures a review is read for. It stops a text
// of nothing but figures from costing their square.
const maxCompared = 16

// compare looks for a quoted and a billed amount and settles what is said of the
// price in the sentence of the bill.
func (w *worker) compare(a *analysis) {
	at := -1
	for i, t := range w.v.aspects {
		if t.ID == pricing {
			at = i
		}
	}
	if at < 0 || !a.english {
		return
	}
	quoted, quotedAt := 0.0, -1
	role, roleAt, pairs := 0, -1, 0
	for i := range w.tokens {
		t := &w.tokens[i]
		switch t.stem {
		case "quot", "estim", "quotat":
			role, roleAt = 1, i
		case "charg", "bill", "invoic", "paid", "total":
			if t.text != "charger" {
				role, roleAt = 2, i
			}
		}
		if role == 0 || i-roleAt > maxApart || t.text == "" || !digit(t.text[0]) || w.isMeasure(i) {
			continue
		}
		amount, err := strconv.ParseFloat(strings.ReplaceAll(t.text, ",", ""), 64)
		if err != nil || amount < 10 {
			continue
		}
		if role == 1 {
			quoted, quotedAt = amount, i
			continue
		}
		if quotedAt < 0 || i-quotedAt > maxApartBill {
			continue
		}
		m := mention{
			start: w.tokens[quotedAt].start, end: t.end, sentence: w.sents[t.sentence], aspect: int16(at),
			origin: byTrade, rule: compared, polarity: positive, score: phraseValence, sure: saidFigures,
		}
		if w.tokens[quotedAt].sentence != t.sentence {
			m.start = w.tokens[roleAt].start
		}
		if amount > quoted*1.005 {
			m.polarity, m.score = negative, -phraseValence
		}
		kept := a.mentions[:0]
		for _, old := range a.mentions { // the figures outweigh the words
			if int(old.aspect) != at || old.sentence != m.sentence && old.sentence != w.sents[w.tokens[quotedAt].sentence] || old.origin == byEditor {
				kept = append(kept, old)
			}
		}
		a.mentions = kept
		a.mentions = append(a.mentions, m)
		quotedAt = -1
		if pairs++; pairs == maxCompared {
			return
		}
	}
}

// isMeasure tells whether the figure at i counts time or things and no money.
func (w *worker) isMeasure(i int) bool {
	if i+1 < len(w.tokens) {
		switch w.tokens[i+1].stem {
		case "hour", "minut", "day", "week", "month", "year", "percent", "am", "pm", "visit", "peopl", "time":
			return true
		}
	}
	return false
}
