package sentiment

import "slices"

// someoneElse reports whether a first name is part of a longer name that the
// business doesn't know: "Frank Sinatra", "St. Grace", "Jack Daniels".
func someoneElse(tokens []token, i, last int) bool {
	if last+1 < len(tokens) {
		n := &tokens[last+1]
		if n.gap == tight && n.shape&capital != 0 && n.shape&allCaps == 0 && n.flags&(pronoun|knownWord|stopword|subject|auxiliary|joins|contrast) == 0 &&
			tokens[last].shape&allCaps == 0 && !titled(tokens, i) && n.valence == 0 && len(n.text) > 1 {
			return true
		}
	}
	if i == 0 || tokens[i].gap != tight {
		return false
	}
	p := &tokens[i-1]
	return p.shape&capital != 0 && p.shape&(allCaps|opensRun) == 0 && p.flags&(nameCue|stopword|subject|pronoun|joins) == 0 && p.valence == 0 && !titled(tokens, i)
}

// titled reports whether the text around begins every word with a capital, as
// titles do, so that capitals distinguish nothing.
func titled(tokens []token, i int) bool {
	upper, all := 0, 0
	for k := max(0, i-4); k < min(len(tokens), i+5); k++ {
		if tokens[k].flags&numeric == 0 && len(tokens[k].text) > 3 && tokens[k].sentence == tokens[i].sentence {
			all++
			if tokens[k].shape&capital != 0 {
				upper++
			}
		}
	}
	return all >= 3 && upper*4 >= all*3
}

// speaksOfPerson reports whether a name that is also a word is used as a person's: a cue precedes it ("our technician
// Will", "thanks to Grace", "a guy named Art"), or a verb of work follows it ("Will fixed it").
func (v *vocabulary) speaksOfPerson(tokens []token, i, last int) bool {
	if tokens[i].shape&allCaps != 0 || titled(tokens, i) {
		return false
	}
	for back := 1; back <= 2 && i-back >= 0; back++ {
		p := &tokens[i-back]
		if tokens[i-back+1].gap != tight {
			break
		}
		if p.flags&nameCue != 0 {
			return true
		}
		if !slices.Contains([]string{"to", "you", "was", "is"}, p.text) {
			break
		}
		if (p.text == "was" || p.text == "is") && i-back > 0 && tokens[i-back-1].text == "name" {
			return true
		}
	}
	if i > 1 && tokens[i-1].text == "for" && tokens[i].gap == tight && (tokens[i-2].text == "ask" || tokens[i-2].text == "asked") {
		return true
	}
	if i > 0 && tokens[i].gap == tight {
		if p := &tokens[i-1]; p.shape&capital != 0 && p.shape&opensRun == 0 || slices.Contains([]string{"the", "a", "in", "at"}, p.text) {
			return false
		}
	}
	next := last + 1
	if next >= len(tokens) || tokens[next].gap != tight || tokens[next].flags&nameVerb == 0 {
		return false
	}
	// "the Bill came to", "May came with"
	return next+1 == len(tokens) || !slices.Contains([]string{"came", "arrived", "went", "got"}, tokens[next].text) ||
		!slices.Contains([]string{"to", "due", "by", "with", "back", "from", "in"}, tokens[next+1].text)
}
