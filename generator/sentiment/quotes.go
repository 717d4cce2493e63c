package sentiment

import (
	"slices"
	"strconv"
	"strings"
)

// The figures of a quote and of its bill decide by themselves whether the price was
// kept: "Estimate said 900, invoice said 1,350". They count for the aspect that
// extends "pricing".
const pricing = "pricing"

// maxApart is how many words a figure may be from the word that says what it is of,
// maxApartBill how many the bill from the quote.
const (
	maxApart     = 7
	maxApartBill = 30
)

// maxCompared is how many pairs of figures are compared in a review. It bounds the
// time for a text of nothing but figures, which would be quadratic.
const maxCompared = 16

// What a figure is of.
const (
	noRole = iota
	isQuote
	isBill
)

// compareFigures looks for a quoted and a billed amount and adds a mention that
// replaces what the words of these sentences say about the price.
func (w *worker) compareFigures(a *Analysis) {
	aspect := slices.IndexFunc(w.v.aspects, func(t Term) bool { return t.Extends == pricing })
	if aspect < 0 || a.Language != english {
		return
	}
	quoted, quotedAt := 0.0, -1
	role, roleAt, pairs := noRole, -1, 0
	for i := range w.tokens {
		t := &w.tokens[i]
		switch t.stem {
		case "quot", "estimat", "quotation":
			role, roleAt = isQuote, i
		case "charg", "bill", "invoic", "paid", "total":
			if t.text != "charger" {
				role, roleAt = isBill, i
			}
		}
		if role == noRole || i-roleAt > maxApart {
			continue
		}
		amount, ok := w.amount(i)
		if !ok {
			continue
		}
		if role == isQuote {
			quoted, quotedAt = amount, i
			continue
		}
		if quotedAt < 0 || i-quotedAt > maxApartBill {
			continue
		}
		m := AspectMention{
			Start: w.tokens[quotedAt].start, End: t.end, Sentence: w.sents[t.sentence], Aspect: int16(aspect),
			Origin: FromTrade, Rule: figures, Polarity: Positive, Score: phraseValence,
		}
		quoteSentence := w.sents[w.tokens[quotedAt].sentence]
		if quoteSentence != m.Sentence {
			m.Start = w.tokens[roleAt].start
		}
		if amount > quoted*1.005 {
			m.Polarity, m.Score = Negative, -phraseValence
		}
		a.Aspects = slices.DeleteFunc(a.Aspects, func(old AspectMention) bool {
			return int(old.Aspect) == aspect && (old.Sentence == m.Sentence || old.Sentence == quoteSentence) && old.Origin != FromEditor
		})
		a.Aspects = append(a.Aspects, m)
		quotedAt = -1
		if pairs++; pairs == maxCompared {
			return
		}
	}
}

// amount returns the amount of money at token i. Years of service, hours and
// single digits are none.
func (w *worker) amount(i int) (float64, bool) {
	t := &w.tokens[i]
	if t.text == "" || !digit(t.text[0]) || w.isMeasure(i) {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(t.text, ",", ""), 64)
	return f, err == nil && f >= 10
}

// isMeasure reports whether the figure at i counts time or things, not money.
func (w *worker) isMeasure(i int) bool {
	if i+1 < len(w.tokens) {
		switch w.tokens[i+1].stem {
		case "hour", "minut", "day", "week", "month", "year", "percent", "am", "pm", "visit", "peopl", "person", "time":
			return true
		}
	}
	return false
}
