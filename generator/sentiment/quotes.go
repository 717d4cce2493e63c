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

// compareFigures looks for a quoted and then a billed amount, and adds a mention
// that replaces what the words of these sentences say about the price.
func (w *worker) compareFigures(a *Analysis) {
	aspect := slices.IndexFunc(w.v.aspects, func(t Term) bool { return t.Extends == pricing })
	if aspect < 0 || a.Language != english {
		return
	}
	quote := w.figure(0, len(w.tokens), "quot", "estimat", "quotation")
	bill := w.figure(quote+1, min(len(w.tokens), quote+maxApartBill), "charg", "bill", "invoic", "paid", "total")
	if quote < 0 || bill < 0 {
		return
	}
	sentences := [2]Span{w.sents[w.tokens[quote].sentence], w.sents[w.tokens[bill].sentence]}
	m := AspectMention{
		Start: w.tokens[quote].start, End: w.tokens[bill].end, Sentence: sentences[1], Aspect: int16(aspect),
		Origin: FromTrade, Rule: figures, Polarity: Positive, Score: phraseValence,
	}
	if sentences[0] != sentences[1] {
		m.Start = sentences[0].Start // so that a reader sees both amounts
	}
	if w.amount(bill) > w.amount(quote)*1.005 {
		m.Polarity, m.Score = Negative, -phraseValence
	}
	a.Aspects = slices.DeleteFunc(a.Aspects, func(old AspectMention) bool {
		return old.Aspect == m.Aspect && slices.Contains(sentences[:], old.Sentence) && old.Origin != FromEditor
	})
	a.Aspects = append(a.Aspects, m)
}

// figure returns the first token from lo to hi that is an amount of money soon
// after one of the stems, and -1 when there is none.
func (w *worker) figure(lo, hi int, stems ...string) int {
	named := -maxApart - 1
	for i := lo; i < hi; i++ {
		if slices.Contains(stems, w.tokens[i].stem) {
			named = i
		}
		if i-named <= maxApart && w.amount(i) > 0 {
			return i
		}
	}
	return -1
}

// amount returns the amount of money at token i, 0 when there is none. Years of
// service, hours and single digits are none.
func (w *worker) amount(i int) float64 {
	if i+1 < len(w.tokens) {
		switch w.tokens[i+1].stem {
		case "hour", "minut", "day", "week", "month", "year", "percent", "am", "pm", "visit", "peopl", "person", "time":
			return 0
		}
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(w.tokens[i].text, ",", ""), 64)
	if err != nil || f < 10 {
		return 0
	}
	return f
}
