package syntax

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"reviewcast/generator/diagnostic"
)

// The parser often stops much later than the mistake, at the first character that fits nothing. So common mistakes are
// corrected near that place, and a correction that lets the parser get further is what is reported. The rest of the
// file is read with it, so that one mistake hides no other.

const (
	// maxRepairs is how many mistakes of a piece of YAML are corrected.
	maxRepairs = 20
	// maxMended is how large such a piece may be, in bytes.
	maxMended = 64 << 10
	// trialBytes is how much is parsed to try corrections in one file. It stops a file of mistakes from taking minutes.
	trialBytes = 2 << 20
)

type repair struct {
	at, col             int // of the mistake; at is an index of lines
	lines               []string
	message, suggestion string
}

// mend corrects mistakes until the rest can be parsed, and reports each. It returns what could be parsed and the error
// that is left.
func (y *yamlText) mend(documents []*yaml.Node, err error) ([]*yaml.Node, error) {
	for range maxRepairs {
		e, ok := errors.AsType[*yaml.LoadError](err)
		if !ok || y.Full() || len(y.data) > maxMended || strings.Contains(e.Message, "exceeded max depth") {
			break
		}
		r, found, next, ok := y.tryRepairs(e)
		if !ok {
			break
		}
		y.Add(diagnostic.Error, r.at+1+y.before, r.col, "yaml-syntax", r.message, r.suggestion)
		y.data, documents, err = strings.Join(r.lines, "\n"), found, next
	}
	return documents, err
}

// tryRepairs returns the first correction with which the parser gets further.
func (y *yamlText) tryRepairs(e *yaml.LoadError) (r repair, documents []*yaml.Node, err error, ok bool) {
	stopped := stoppedAt(e)
	lines := strings.Split(strings.ReplaceAll(y.data, "\r\n", "\n"), "\n")
	near := nearLines(lines, stopped-1)
	for _, fix := range []func([]string, int) (repair, bool){
		y.plainSpaces, y.letters, y.on(forms("braceForm"), 2, closeBrace), y.belowBar, y.indentation, y.on(forms("bulletForm"), 0, bullets), y.notes,
		y.on(forms("fieldForm"), 3, y.missingSpace), y.on(forms("bareForm"), 3, y.missingColon), y.on(forms("fieldForm"), 3, y.missingHyphen),
		listInText, y.on(forms("fieldForm"), 0, y.deeperItem), y.valueAbove, y.on(forms("textForm"), 2, y.blockWords), y.on(forms("textForm"), 2, y.firstField),
		y.on(forms("textForm"), 0, y.quoteText), y.on(forms("textForm"), 0, y.closeText), y.on(forms("fieldForm"), 3, y.indentField), y.indentText, y.quoteLines,
	} {
		for _, at := range near {
			r, ok := fix(lines, at)
			if !ok || *y.budget < len(y.data) {
				continue
			}
			*y.budget -= len(y.data)
			documents, err := parse(strings.Join(r.lines, "\n"))
			if next, ok := errors.AsType[*yaml.LoadError](err); err == nil || ok && stoppedAt(next) > max(stopped, r.at+1) {
				return r, documents, err, true
			}
		}
	}
	return repair{}, nil, nil, false
}

// on has a correction try the lines of a form. The group with a name, if it is not 0, must be empty or a field.
func (y *yamlText) on(form *regexp.Regexp, name int, fix func(lines []string, at int, m []string) (repair, bool),
) func([]string, int) (repair, bool) {
	return func(lines []string, at int) (repair, bool) {
		m := form.FindStringSubmatch(lines[at])
		if m == nil || name > 0 && m[name] != "" && !y.Is(m[name]) {
			return repair{}, false
		}
		return fix(lines, at, m)
	}
}

func (y *yamlText) isField(line string) bool {
	f := forms("fieldForm").FindStringSubmatch(line)
	return f != nil && y.Is(f[3])
}

// stoppedAt returns the line of a syntax error: of a quoted text, where it begins.
func stoppedAt(e *yaml.LoadError) int {
	if strings.Contains(e.ContextMsg, "quoted scalar") && e.ContextMark.Line > 0 {
		return e.ContextMark.Line
	}
	return e.Mark.Line
}

// nearLines returns the index of a line and of the two before it that are not blank, and of one above them with a quote that
// it doesn't close, or with :| at its end.
func nearLines(lines []string, at int) []int {
	var near []int
	for i := min(at, len(lines)-1); i >= 0 && len(near) < 4; i-- {
		if words := strings.TrimSpace(lines[i]); words != "" && words[0] != '#' && (len(near) < 3 || strings.Count(words, `"`)%2 == 1 || strings.HasSuffix(words, ":|")) {
			near = append(near, i)
		}
	}
	return near
}

// replace is the correction of one line. The suggestion ends with the line to paste.
func replace(lines []string, at, byteCol int, line, message, advice string) (repair, bool) {
	changed := slices.Clone(lines)
	changed[at] = line
	return repair{at, utf8.RuneCountInString(lines[at][:byteCol]) + 1, changed, message, advice + pasted(line)}, line != lines[at]
}

// pasted returns the remedy to write a line. Of a long one, which a message can't repeat, it is how the line begins and ends.
func pasted(line string) string {
	if line = strings.ToValidUTF8(line, ""); len(line) <= diagnostic.MaxPasted {
		return "write: " + line
	}
	begin, end := line[:diagnostic.MaxPasted/2], line[len(line)-diagnostic.MaxPasted/4:]
	return fmt.Sprintf("the line must begin: %s …, and end: … %s", strings.ToValidUTF8(begin, ""), strings.ToValidUTF8(end, ""))
}

// odd are the characters that look like a space or like nothing, or like a colon.
var odd = strings.NewReplacer("\u00A0", " ", "\u2007", " ", "\u202F", " ", "\u3000", " ", "\u2003", " ", "\u2002", " ", "\u2009", " ",
	"\u200B", "", "\u200E", "", "\u200F", "", "\u202A", "", "\u202C", "", "\u2060", "", "\u2068", "", "\u2069", "", "\uFEFF", "", "\u00AD", "", "：", ": ")

// PlainSpaces returns a text with plain spaces and colons, and the first character that is not plain; 0 for none.
func PlainSpaces(s string) (plain string, first rune) {
	plain = odd.Replace(s)
	for _, c := range s {
		if odd.Replace(string(c)) != string(c) {
			return plain, c
		}
	}
	return plain, 0
}

// NameOdd returns what such a character is, for messages.
func NameOdd(c rune) string {
	kind := diagnostic.Pick(odd.Replace(string(c)) == "", "an invisible character", "a non-breaking or wide space")
	return fmt.Sprintf("%s (U+%04X)", diagnostic.Pick(c == '：', "a full-width colon", kind), c)
}

// plainSpaces is a line with spaces that YAML doesn't know, and all others like it: they were copied together.
func (y *yamlText) plainSpaces(lines []string, at int) (repair, bool) {
	plain, first := PlainSpaces(lines[at])
	if first == 0 {
		return repair{}, false
	}
	if name, rest, ok := strings.Cut(plain, ":"); ok && y.Is(strings.TrimLeft(name, "- ")) && rest != "" {
		plain = name + ": " + strings.TrimLeft(rest, " ")
	}
	changed, others := slices.Clone(lines), ""
	for i, line := range lines {
		if changed[i] = forms("spacesForm").ReplaceAllStringFunc(line, odd.Replace); i != at && changed[i] != line {
			others = cmp.Or(others, fmt.Sprintf("type the spaces of each line from line %d on again; ", 1+y.before+min(i, at)))
		}
	}
	r, ok := replace(lines, at, strings.IndexRune(lines[at], first), plain, NameOdd(first)+" stands where YAML needs a plain character", others)
	changed[at] = plain
	r.lines = changed
	return r, ok
}

func bullets(lines []string, at int, m []string) (repair, bool) {
	// The fields below stay aligned.
	line := m[1] + "-" + strings.Repeat(" ", utf8.RuneCountInString(m[2])-1+len(m[3])) + m[4]
	if m[4] == "" {
		line = "---"
	} else if (m[2] == "--" || m[2][0] <= '9' && m[2][0] >= '0') && at+1 < len(lines) && !strings.HasPrefix(lines[at+1], m[1]+"   ") {
		line = m[1] + "- " + m[4]
	}
	made := diagnostic.When(m[2][0] > '9' || m[2][0] == '*', "; word processors make it of one")
	return replace(lines, at, len(m[1]), line, m[2]+" is not a hyphen"+made, "")
}

// notes makes notes of lines that other programs take for some, and of a heading.
func (y *yamlText) notes(lines []string, at int) (repair, bool) {
	m := forms("noteForm").FindStringSubmatch(lines[at])
	bare := forms("bareForm").FindStringSubmatch(lines[at])
	switch first := len(nearLines(lines, at)) == 1; {
	case first && strings.Trim(lines[at], " []{}") == "":
		changed := slices.Clone(lines)
		changed[at] = ""
		return repair{at, 1, changed, strings.TrimSpace(lines[at]) + " says that there is nothing, and something is below it", "delete this line"}, true
	case m == nil && (!first || strings.ContainsAny(lines[at], ":[{") || strings.HasPrefix(lines[at], "-") || bare != nil && y.Is(bare[3])):
		return repair{}, false
	case m == nil:
		return replace(lines, at, 0, "# "+lines[at], "this line is neither a field nor a note", "delete it, or begin a note with #; ")
	case m[1] == "===":
		return replace(lines, at, 0, "---", "reviews are not separated by ===", "")
	}
	return replace(lines, at, 0, "# "+strings.TrimSpace(lines[at]), "a note does not begin with "+strings.TrimSpace(m[1]), "delete it, or begin it with #; ")
}

// MissingSpace returns the corrected beginning of a text that would be a field with a
// space after its colon; "" for any other text.
func MissingSpace(text string, isField func(name string) bool) string {
	first, _, _ := strings.Cut(text, "\n")
	if m := forms("fieldForm").FindStringSubmatch(first); m != nil && isField(m[3]) && m[4] != "" && m[4][0] != ' ' {
		return m[3] + ": " + FirstWord(m[4])
	}
	return ""
}

// FirstWord returns the text before the first space, escaped for a message.
func FirstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.Trim(strconv.Quote(word), `"`)
}

func (y *yamlText) missingSpace(lines []string, at int, m []string) (repair, bool) {
	colon := len(m[1]) + len(m[2]) + len(m[3]) + 1
	if m[2] == "-" {
		r, ok := replace(lines, at, len(m[1])+1, m[1]+"- "+m[3]+": "+strings.TrimSpace(m[4]),
			fmt.Sprintf("missing space between the hyphen and %q", m[3]), "align the fields below with this one; ")
		for i := at + 1; i < len(lines) && strings.HasPrefix(lines[i], m[1]+" "); i++ {
			if !strings.HasPrefix(lines[i], m[1]+"  ") {
				r.lines[i] = " " + lines[i]
			}
		}
		return r, ok
	}
	if m[4] == "" || m[4][0] == ' ' {
		return repair{}, false
	}
	return replace(lines, at, colon, m[1]+m[2]+m[3]+": "+m[4], fmt.Sprintf("missing space after %q", m[3]+":"), "")
}

// missingColon is a field with another sign for its colon, or none. A block of such fields is one mistake.
func (y *yamlText) missingColon(lines []string, at int, m []string) (repair, bool) {
	changed, sign, first, alike := slices.Clone(lines), strings.TrimSpace(m[4]), at, 0
	for i := at; i >= 0 && sign != ""; i-- {
		f := forms("bareForm").FindStringSubmatch(lines[i])
		if f == nil || !y.Is(f[3]) || strings.TrimSpace(f[4]) != sign {
			break
		}
		changed[i], first, alike = f[1]+f[2]+f[3]+": "+f[5], i, alike+1
	}
	advice := ""
	changed[first] = lines[first]
	if m = forms("bareForm").FindStringSubmatch(lines[first]); alike > 1 {
		advice = fmt.Sprintf("write a colon and a space in place of each %s, down to line %d; ", sign, at+1+y.before)
	}
	name := m[1] + m[2] + m[3]
	return replace(changed, first, len(name), strings.TrimRight(name+": "+m[5], " "), fmt.Sprintf("missing colon after %q", m[3]), advice)
}

// valueAbove is a field that has a value and, on the next lines, a list or fields.
func (y *yamlText) valueAbove(lines []string, at int) (repair, bool) {
	near := nearLines(lines, at)
	if len(near) < 2 {
		return repair{}, false
	}
	above := near[1]
	m, below := forms("fieldForm").FindStringSubmatch(lines[above]), strings.TrimLeft(lines[at], " ")
	if m == nil || strings.TrimSpace(m[4]) == "" {
		return repair{}, false
	}
	what := "a list"
	if child := forms("fieldForm").FindStringSubmatch(lines[at]); child != nil && child[2] == "" {
		if what = "fields"; !y.Within(m[3], child[3]) {
			return repair{}, false
		}
	} else if !strings.HasPrefix(below, "- ") {
		return repair{}, false
	}
	name := m[1] + m[2] + m[3] + ":"
	return replace(lines, above, len(name)+1, name, fmt.Sprintf("%q has the value %s and %s below it", m[3], strings.TrimSpace(m[4]), what), "delete the value, or move it below; ")
}
