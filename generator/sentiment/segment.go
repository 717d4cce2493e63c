package sentiment

import (
	"strings"

	"github.com/clipperhouse/uax29/v2/sentences"
)

// abbreviations end with a point that ends no sentence. UAX 29 leaves them to the application.
var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "st": true, "jr": true, "sr": true, "vs": true,
	"approx": true, "apt": true, "ave": true, "inc": true, "ltd": true, "mt": true, "prof": true,
}

// sentencesOf cuts a text by UAX 29, and joins what it cuts too much: a line that an editor's file broke within a
// sentence, and the point of an abbreviation. Blanks around a sentence belong to none.
func sentencesOf(text string, dst []Span) []Span {
	for it := sentences.FromString(text); it.Next(); {
		said := strings.TrimLeft(it.Value(), blanks)
		start := it.End() - len(said)
		end := start + len(strings.TrimRight(said, blanks))
		if start == end {
			continue
		}
		if n := len(dst); n > 0 && continues(text, dst[n-1], start) {
			dst[n-1].End = int32(end)
			continue
		}
		dst = append(dst, Span{int32(start), int32(end)})
	}
	return dst
}

const blanks = " \n\t"

// continues reports whether the sentence before goes on at byte next.
func continues(text string, before Span, next int) bool {
	said := text[before.Start:before.End]
	between := text[before.End:next]
	switch last := said[len(said)-1]; last {
	case '.':
		word := said[strings.LastIndexAny(said, " \n\t(")+1 : len(said)-1]
		return len(word) <= 6 && !strings.Contains(between, "\n") &&
			(abbreviations[strings.ToLower(word)] || len(word) == 1 && 'A' <= word[0] && word[0] <= 'Z' && word != "I")
	case '!', '?', ':', ';', '"', ')', 0xA6: // the last byte of …
		return false
	}
	// A single line break after words is the file's, not the writer's, if the
	// line was a long one; lists have short lines.
	line := said[strings.LastIndexByte(said, '\n')+1:]
	return strings.Count(between, "\n") == 1 && len(line) >= minWrapped && !strings.ContainsAny(text[next:next+1], "-*•")
}

// minWrapped is the length, in bytes, from which a line is taken to be wrapped.
const minWrapped = 50

// structure numbers the sentences and clauses of the tokens. A clause ends at a comma or a stronger mark, before a word
// of contrast, and before "and" or "so" when a new subject follows.
func structure(tokens []token, sents []Span) {
	s, clause := 0, int32(0)
	for i := range tokens {
		t := &tokens[i]
		for s < len(sents)-1 && t.start >= sents[s].End {
			s++
		}
		t.sentence = int32(s)
		if i > 0 {
			before := &tokens[i-1]
			if t.sentence != before.sentence || t.gap >= comma || t.flags&contrast != 0 ||
				t.flags&joins != 0 && i+1 < len(tokens) && tokens[i+1].flags&subject != 0 {
				clause++
			}
			if t.sentence != before.sentence {
				t.shape |= opensRun
			}
		}
		t.clause = clause
	}
}
