package syntax

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"reviewcast/generator/diagnostic"
)

func (y *yamlText) quoteText(lines []string, at int, m []string) (repair, bool) {
	if m[2] != "" && !y.Is(m[2]) && !y.belowField(lines[:at], strings.Index(m[1], m[2])) {
		return repair{}, false
	}
	value, col := strings.TrimRight(m[3], " "), len(m[1])
	message, advice, f := "", "", forms("fieldBehind").FindStringSubmatch(value)
	switch c, _ := utf8.DecodeRuneInString(value); {
	case c == '"' || c == '\'':
		end := strings.IndexRune(value[1:], c)
		switch {
		case end < 0:
			return repair{}, false
		case value[end+1:] == string(c)+",":
			return replace(lines, at, col+end+2, m[1]+value[:end+2], "a comma after a text in quotes", "")
		case end+2 == len(value):
			message = `in double quotes, \ begins a code`
		case c == '\'':
			message, col = "the text in single quotes ends at this apostrophe", col+1+end
		default:
			message, col = "the text in double quotes ends at this quotation mark", col+1+end
		}
	case m[2] == "rating" && strings.Trim(value, "*") == "":
		return replace(lines, at, col, m[1]+strconv.Itoa(len(value)), "a rating is a number", "")
	case c == '{' && strings.Contains(value, ": "):
		return repair{}, false // the mistake is inside
	case c == '@' && m[2] == "author":
		return replace(lines, at, col, m[1]+quoteValue(value), "the author is the name of an account", "write the first name and an initial, or Anonymous; with the name of the account, ")
	case strings.HasPrefix(value, "- "):
		message, advice = "a list can't begin on the line of its field's name", "write each item on a line of its own; if it is text, "
	case strings.ContainsRune("@`%*&!|>{}[]?-,", c):
		message = fmt.Sprintf("a text can't begin with %c without quotes", c)
		if c == '*' && strings.Count(value, "*") > 1 {
			advice = "delete the asterisks, since there are no bold letters here, or "
		}
	case f != nil && (slices.Contains(shortFields, m[2]) || m[2] == "title" && f[2] == "text") && y.Is(f[2]):
		changed, indent := slices.Clone(lines), strings.Index(m[1], m[2])
		changed[at] = m[1] + f[1] + "\n" + strings.Repeat(" ", indent) + f[2] + ": " + f[3]
		return repair{at, utf8.RuneCountInString(m[1]+f[1]) + 1, changed, "two fields are on one line", fmt.Sprintf("write %s: %s on a line of its own below it, as far to the right as %s", f[2], f[3], m[2])}, true
	case strings.Contains(value, ": ") || strings.HasSuffix(value, ":"):
		message, col = "a text with a colon and a space needs quotes", col+strings.IndexByte(value, ':')
		if _, curly := diagnostic.TrimCurlyQuotes(value); curly {
			message, col, advice = "curly quotation marks don't count as quotes, and a text with a colon and a space needs quotes", len(m[1]), "use the straight \" of the keyboard; "
		}
	default:
		return repair{}, false
	}
	return replace(lines, at, col, m[1]+quoteValue(value), message, advice)
}

// belowField reports whether a field begins at a column, so that another one begins there on the next line, perhaps
// with an unknown name.
func (y *yamlText) belowField(above []string, column int) bool {
	for _, line := range slices.Backward(above) {
		if f := forms("fieldForm").FindStringSubmatch(line); f != nil && len(f[1])+len(f[2]) <= column {
			return len(f[1])+len(f[2]) == column && y.Is(f[3])
		}
	}
	return false
}

// blockWords is a text with words after |.
func (y *yamlText) blockWords(lines []string, at int, m []string) (repair, bool) {
	words, ok := strings.CutPrefix(m[3], "| ")
	if m[2] == "" || !ok {
		return repair{}, false
	}
	indent := strings.Index(lines[at], m[2]) + 2
	for _, line := range lines[at+1:] {
		if below := strings.TrimLeft(line, " "); below != "" {
			indent = max(indent, len(line)-len(below))
			break
		}
	}
	changed := slices.Clone(lines)
	changed[at] = strings.TrimSuffix(m[1], " ") + " |\n" + strings.Repeat(" ", indent) + words
	return repair{at, utf8.RuneCountInString(m[1]) + 1, changed, "words after |, which begins a text on the lines below",
		fmt.Sprintf("write %s: | alone on line %d, and these words on a line of their own below it, after %s", m[2], at+1+y.before, spaces(indent))}, true
}

// letters are a question and an answer with letters for the names of their fields.
func (y *yamlText) letters(lines []string, at int) (repair, bool) {
	q := forms("questionForm").FindStringSubmatch(lines[at])
	if y.File != "faq.yaml" || q == nil || at+1 == len(lines) || !forms("answerForm").MatchString(lines[at+1]) {
		return repair{}, false
	}
	changed := slices.Clone(lines)
	changed[at], changed[at+1] = "- question: "+quoteValue(q[1]), "  answer: "+quoteValue(forms("answerForm").FindStringSubmatch(lines[at+1])[1])
	return repair{at, 1, changed, "a question and its answer have letters in place of the names of their fields",
		fmt.Sprintf("write in place of this line: %s, and in place of the next one: %s", changed[at], changed[at+1])}, true
}

// listInText is a text with a list on the lines below it, which are left out.
func listInText(lines []string, at int) (repair, bool) {
	m, last := forms("proseForm").FindStringSubmatchIndex(lines[at]), at
	changed := slices.Clone(lines)
	for ; last+1 < len(lines) && m != nil && forms("listForm").MatchString(lines[last+1]); last++ {
		changed[last+1] = ""
	}
	if last == at {
		return repair{}, false
	}
	changed[at] = lines[at][:m[3]] + `: ""`
	return repair{at, m[3] + 3, changed, fmt.Sprintf("the text of %q has a list below it", lines[at][m[2]:m[3]]),
		fmt.Sprintf("write | alone after the colon, and the text and its list on the lines below, all indented by %s", spaces(m[2]+2))}, true
}

// quoteValue puts a text in quotes, those that it has taken off.
func quoteValue(value string) string {
	value, _ = diagnostic.TrimCurlyQuotes(value)
	if c := value[0]; (c == '"' || c == '\'') && len(value) > 1 && value[len(value)-1] == c {
		value = strings.ReplaceAll(value[1:len(value)-1], `\"`, `"`)
	}
	switch {
	case !strings.ContainsAny(value, `"\`):
		return `"` + value + `"`
	case !strings.Contains(value, "'"):
		return "'" + value + "'"
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// closeBrace closes the fields of a line.
func closeBrace(lines []string, at int, m []string) (repair, bool) {
	return replace(lines, at, len(m[1]), m[1]+strings.TrimRight(m[3], " ,")+"}", "the closing } is missing", "")
}

// closeText closes a quoted text before the next field.
func (y *yamlText) closeText(lines []string, at int, m []string) (repair, bool) {
	if m[3][0] != '"' && m[3][0] != '\'' {
		return repair{}, false
	}
	if forms("apostropheForm").MatchString(m[3]) {
		return replace(lines, at, len(m[1]), m[1]+quoteValue(strings.TrimRight(m[3], " ")), "a text that begins with an apostrophe needs quotes", "")
	}
	last := at
	for i := at + 1; i < len(lines) && !y.isField(lines[i]); i++ {
		if strings.TrimSpace(lines[i]) != "" {
			last = i
		}
	}
	line := strings.TrimRight(lines[last], " “”’") + m[3][:1]
	r, ok := replace(lines, last, 0, line, fmt.Sprintf("the quoted text that begins on line %d is not closed", at+1+y.before), "close the quotes; ")
	if last > at {
		r.suggestion = fmt.Sprintf("close the quotes on line %d; %s", last+1+y.before, pasted(line))
	}
	r.at, r.col = at, utf8.RuneCountInString(m[1])+1
	return r, ok
}

// quoteLines puts a text of several lines in quotes.
func (y *yamlText) quoteLines(lines []string, at int) (repair, bool) {
	if at > 0 && y.isField(lines[at]) {
		at-- // the colon is above
	}
	first := at
	for first > 0 && len(forms("fieldForm").FindString(lines[first])) == 0 || first == at {
		if first--; first < 0 {
			return repair{}, false
		}
	}
	if f := forms("fieldForm").FindStringSubmatch(lines[first]); f != nil && strings.TrimSpace(f[4]) == "" && slices.Contains(longFields, f[3]) {
		changed := slices.Clone(lines)
		changed[first] = strings.TrimRight(lines[first], " ") + " |"
		return repair{first, len(lines[first]) + 1, changed, fmt.Sprintf("the text below has a colon and a space in line %d, so that it begins with a bar", at+1+y.before), pasted(changed[first])}, true
	}
	m := forms("textForm").FindStringSubmatch(lines[first])
	if m == nil || m[2] != "" && !y.Is(m[2]) || strings.ContainsAny(strings.Join(lines[first:at+1], ""), `"\`) || strings.ContainsAny(m[3][:1], "|>'") {
		return repair{}, false
	}
	last := at
	for last+1 < len(lines) && strings.HasPrefix(lines[last+1], " ") && forms("fieldForm").FindString(lines[last+1]) == "" {
		last++
	}
	changed := slices.Clone(lines)
	if blank := func(line string) bool { return strings.TrimSpace(line) == "" }; m[2] != "" && slices.ContainsFunc(lines[first:last], blank) {
		changed[first] = m[1] + "|"
		for i := first + 1; i <= last; i++ {
			changed[i] = "    " + lines[i]
		}
		return repair{first, len(m[1]) + 1, changed, "a text of several paragraphs, one of which has a colon and a space, begins with a bar",
			fmt.Sprintf("write %s: | alone on line %d, and the whole text on the lines below, down to line %d, each indented by %s", m[2], first+1+y.before, last+1+y.before, spaces(strings.Index(m[1], m[2])+2))}, true
	}
	changed[first] = m[1] + `"` + m[3]
	changed[last] += `"`
	return repair{at, max(1, strings.IndexByte(lines[at], ':')+1), changed, "a text of several lines that has a colon and a space, or a # after a space, needs quotes",
		fmt.Sprintf("begin the text with \" and end it on line %d with \"; line %d begins: %s", last+1+y.before, first+1+y.before, changed[first])}, true
}

// shortFields are fields of a review that have one line, longFields those that may have several.
var (
	shortFields = []string{"author", "rating", "date", "language", "source", "source_url"}
	longFields  = []string{"title", "text", "description", "question", "answer"}
)

// belowBar is indentText for the first line below a bar.
func (y *yamlText) belowBar(lines []string, at int) (repair, bool) {
	r, ok := y.indentText(lines, at)
	return r, ok && r.at > 0 && strings.HasSuffix(lines[r.at-1], ": |")
}

// indentText indents the lines of a text that begin at the left.
func (y *yamlText) indentText(lines []string, at int) (repair, bool) {
	first := at
	for first > 0 && !y.isField(lines[first]) {
		first--
	}
	m := forms("fieldForm").FindStringSubmatch(lines[first])
	if first == at || m == nil {
		return repair{}, false
	}
	value, bar := strings.TrimSpace(m[4]), ""
	if value == "" && slices.Contains(longFields, m[3]) {
		value, bar = "|", fmt.Sprintf("write %s: | on line %d; ", m[3], first+1+y.before)
	} else if value == "" {
		return repair{}, false
	}
	indent := strings.Repeat(" ", len(m[1])+len(m[2])+2)
	if strings.ContainsRune("|>", rune(value[0])) && bar == "" { // the first line of a block says where all begin
		for _, line := range lines[first+1 : at+1] {
			if words := strings.TrimLeft(line, " "); words != "" {
				indent = strings.Repeat(" ", max(len(indent), len(line)-len(words)))
				break
			}
		}
	}
	changed, wrong, last := slices.Clone(lines), len(lines), 0
	changed[first] += diagnostic.When(bar != "", " |")
	for i := first + 1; i < len(lines) && !y.isField(lines[i]) && !strings.HasPrefix(lines[i], "---"); i++ {
		if words := strings.TrimLeft(lines[i], " "); words != "" && len(lines[i])-len(words) < len(indent) && (words[0] != '#' || strings.ContainsAny(value[:1], "|>")) {
			changed[i], last, wrong = indent+words, i, min(wrong, i)
		}
	}
	if wrong == len(lines) {
		return repair{}, false
	}
	if above := strings.TrimSpace(lines[wrong-1]); y.File == "faq.yaml" && strings.HasPrefix(above, "#") {
		changed[wrong-1], changed[wrong] = "- question: "+quoteValue(strings.Trim(above, "# ")), "  answer: "+quoteValue(strings.TrimSpace(lines[wrong]))
		return repair{wrong - 1, 1, changed, "a heading, and an answer that is no field", fmt.Sprintf("write in place of this line: %s, and in place of the next one: %s", changed[wrong-1], changed[wrong])}, true
	}
	advice := bar + "indent the lines of a text further than its field; "
	if m[3] == "question" && strings.HasSuffix(m[4], "?") {
		changed[wrong] = strings.Repeat(" ", len(m[1])+len(m[2])) + "answer: " + quoteValue(strings.TrimSpace(lines[wrong]))
		return repair{wrong, 1, changed, `missing "answer:" before the answer`, pasted(changed[wrong])}, true
	}
	if words := strings.TrimSpace(lines[wrong]); words == lines[wrong] && len(m[1])+len(m[2]) > 0 && !slices.Contains(longFields, m[3]) {
		goesOn := diagnostic.When(strings.Contains(strings.TrimSpace(m[4]), " "), fmt.Sprintf("if it goes on from the line above, write there: %s:%s, %s; if not, ", m[3], m[4], words))
		return replace(lines, wrong, 0, "# "+words, "this line is neither a field nor a note", goesOn+"delete it, or begin a note with #; ")
	} else if slices.Contains(shortFields, m[3]) && strings.Contains(words, " ") {
		return y.unnamedText(changed, wrong, last, m, indent), true
	}
	message := fmt.Sprintf("this line of the text of %q is not indented further than its field", m[3])
	if !strings.ContainsRune("|>\"'", rune(value[0])) {
		return repair{wrong, 1, changed, message, fmt.Sprintf("a text of several lines begins with a bar: write %s: | alone on line %d, and the whole text on the lines below, each indented by %s", m[3], first+1+y.before, spaces(len(indent)))}, true
	}
	if last > wrong {
		advice = bar + fmt.Sprintf("indent lines %d to %d further than the field; ", wrong+1+y.before, last+1+y.before)
	}
	if had := len(lines[wrong]) - len(strings.TrimLeft(lines[wrong], " ")); had > len(m[1])+len(m[2]) {
		message = fmt.Sprintf("this line begins after %s, and the first line of the text of %q after %s", spaces(had), m[3], spaces(len(indent)))
		advice = fmt.Sprintf("begin lines %d to %d at the same place; ", first+2+y.before, last+1+y.before)
	}
	return repair{wrong, 1, changed, message, advice + pasted(changed[wrong])}, true
}

// unnamedText makes the text of lines below a field that has one line.
func (y *yamlText) unnamedText(changed []string, first, last int, m []string, indent string) repair {
	words := strings.TrimSpace(changed[first])
	clear(changed[first : last+1])
	changed[first] = strings.Repeat(" ", len(m[1])+len(m[2])) + "text: " + quoteValue(words)
	block := fmt.Sprintf("write text: | on a line of its own above line %d, as far to the right as %s:, and indent lines %[1]d to %[3]d by %[4]s", first+1+y.before, m[3], last+1+y.before, spaces(len(indent)))
	return repair{first, 1, changed, "these words stand without the name of their field", diagnostic.Pick(last > first, block, pasted(changed[first]))}
}
