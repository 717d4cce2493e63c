package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reviewcast/generator/diagnostic"
)

// Mistakes of indentation, and of the hyphens that go with it.

// indentation is a line that begins with a tab, or with the point that a telephone writes for two spaces.
func (y *yamlText) indentation(lines []string, at int) (repair, bool) {
	words := strings.TrimLeft(lines[at], " \t.")
	indent, what := lines[at][:len(lines[at])-len(words)], "a tab"
	if forms("fieldForm").MatchString(words) && strings.Contains(indent, ".") {
		what = "a point, which telephones write in place of two spaces"
	} else if words == "" || !strings.Contains(indent, "\t") {
		return repair{}, false
	}
	plain := strings.NewReplacer("\t", "  ", ".", " ").Replace(indent)
	if m := forms("fieldForm").FindStringSubmatch(words); m != nil && m[2] == "" && y.Is(m[3]) {
		plain = y.columnOf(lines[:at], m[3], plain)
	} else if near := nearLines(lines, at); m == nil && len(near) > 1 && !forms("fieldForm").MatchString(lines[near[1]]) {
		plain = lines[near[1]][:len(lines[near[1]])-len(strings.TrimLeft(lines[near[1]], " "))] // as in the text above
	}
	return replace(lines, at, strings.IndexAny(indent, "\t."), plain+words, "this line is indented with "+what, "indent with spaces; ")
}

// columnOf returns the spaces before a field: two more than the group has that it is in, or those of the field above;
// other if there is none.
func (y *yamlText) columnOf(above []string, name, other string) string {
	nearest, outer := -1, maxIndent
	for _, line := range slices.Backward(above) {
		f := forms("fieldForm").FindStringSubmatch(line)
		if f == nil || !y.Is(f[3]) {
			continue
		}
		column := len(f[1]) + len(f[2])
		if column < outer && strings.TrimSpace(f[4]) == "" && y.Within(f[3], name) {
			return strings.Repeat(" ", column+2)
		}
		if outer = min(outer, column); nearest < 0 {
			nearest = column
		}
		if f[2] != "" {
			break
		}
	}
	if nearest < 0 {
		return other
	}
	return strings.Repeat(" ", nearest)
}

// missingHyphen is an item without a hyphen where others have it, above the first one that has it, or alone in its file.
func (y *yamlText) missingHyphen(lines []string, at int, m []string) (repair, bool) {
	other := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, m[1]+"- "+m[3]+":") })
	if m[2] != "" { // the item is above this one
		for other = at; at >= 0 && !strings.HasPrefix(lines[at], m[1]+m[3]+":") && !strings.HasPrefix(lines[at], m[1]+"  "+m[3]+":"); {
			at--
		}
	}
	isList := strings.Contains(y.File, "/") || y.File == "faq.yaml" || y.File == "withdrawn.yaml" || at > 0 && strings.HasSuffix(lines[at-1], ":")
	atLeft := func(line string) bool { return line != "" && line[0] != ' ' }
	switch {
	case at < 0, other < 0 && (m[1] != "" || !isList || len(nearLines(lines, at)) > 1 || slices.ContainsFunc(lines[at+1:], atLeft)),
		m[2] == "" && other > at && atLeft(lines[at]) && !isList:
		return repair{}, false
	case other > at && atLeft(lines[at]) && !isList:
		r, ok := replace(lines[:other+1], other, 0, "", "a list begins here, after the fields of "+y.File, "")
		r.suggestion = "move what begins here to the file that it belongs to: a review to one in the folder reviews"
		return r, ok
	}
	changed, advice := slices.Clone(lines), ""
	for i := at + 1; i < len(lines) && (i > at+1 || !strings.HasPrefix(lines[i], m[1]+"  ")); i++ {
		rest, below := strings.CutPrefix(lines[i], m[1])
		if rest != "" && (!below || rest[0] == '-' || strings.HasPrefix(rest, m[3]+":")) {
			break
		}
		changed[i], advice = "  "+lines[i], "indent the fields below it by two spaces; "
	}
	field := strings.TrimLeft(lines[at], " ")
	message := fmt.Sprintf("missing hyphen before %q", m[3]) + diagnostic.When(other >= 0, fmt.Sprintf(", as before the one on line %d", other+1+y.before))
	return replace(changed, at, len(lines[at])-len(field), m[1]+"- "+field, message, advice)
}

// deeperItem is a review or another item that is indented further than those above it.
func (y *yamlText) deeperItem(lines []string, at int, m []string) (repair, bool) {
	if m[1] == "" || m[2] == "" || !slices.ContainsFunc(lines[:at], func(s string) bool { return strings.HasPrefix(s, "- "+m[3]+":") }) {
		return repair{}, false
	}
	changed, advice := slices.Clone(lines), ""
	changed[at] = strings.TrimPrefix(lines[at], m[1])
	aligned := at+1 < len(lines) && len(lines[at+1])-len(strings.TrimLeft(lines[at+1], " ")) == len("- ") // its other fields
	for i := at; i < len(lines) && !aligned && (lines[i] == "" || strings.HasPrefix(lines[i], m[1])); i++ {
		if changed[i] = strings.TrimPrefix(lines[i], m[1]); lines[i] != "" && i > at {
			advice = fmt.Sprintf("delete %s at the beginning of lines %d to %d; ", spaces(len(m[1])), at+1+y.before, i+1+y.before)
		}
	}
	message := fmt.Sprintf("%q begins after %s here, and above it at the left", "- "+m[3], spaces(len(m[1])))
	return repair{at, len(m[1]) + 1, changed, message, advice + pasted(changed[at])}, true
}

// firstField is a group whose first field is on its line, above the others.
func (y *yamlText) firstField(lines []string, at int, m []string) (repair, bool) {
	child, _, ok := strings.Cut(m[3], ": ")
	if !ok || !y.Within(m[2], child) || at+1 == len(lines) {
		return repair{}, false
	}
	name, changed := strings.TrimRight(m[1], " "), slices.Clone(lines)
	indent := len(lines[at+1]) - len(strings.TrimLeft(lines[at+1], " "))
	changed[at] = name + "\n" + strings.Repeat(" ", indent) + m[3]
	return repair{at, len(m[1]) + 1, changed, fmt.Sprintf("the first field of %s is on its line", m[2]),
		fmt.Sprintf("write %s: alone on line %d, and below it, as far to the right as the next field: %s", m[2], at+1+y.before, m[3])}, indent > strings.Index(name, m[2])
}

// nearer reports whether a field without a hyphen begins nearer to an indentation than a column.
func (y *yamlText) nearer(lines []string, indent, column int) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		f := forms("fieldForm").FindStringSubmatch(line)
		return f != nil && y.Is(f[3]) && f[2] == "" && max(len(f[1])-indent, indent-len(f[1])) < max(column-indent, indent-column)
	})
}

// indentField aligns a field with those above it.
func (y *yamlText) indentField(lines []string, at int, m []string) (repair, bool) {
	for i := at - 1; i >= 0; i-- {
		f := forms("fieldForm").FindStringSubmatch(lines[i])
		if f == nil || !y.Is(f[3]) || m[2] != "" && f[2] == "" { // a hyphen belongs below another one
			continue
		}
		column := len(f[1])
		if m[2] == "" {
			column += len(f[2])
		}
		if column == len(m[1]) || y.inGroup(lines, i, column, f[3], m[3]) || m[2] == "" && y.nearer(lines[:i], len(m[1]), column) {
			continue
		}
		changed, advice := slices.Clone(lines), "align both; "
		for j, open := at+1, m[4] == ""; j < len(lines) && len(m[1]) < column; j++ { // its own lines, and fields with the same mistake
			indent := len(lines[j]) - len(strings.TrimLeft(lines[j], " "))
			f := forms("fieldForm").FindStringSubmatch(lines[j])
			if child := forms("fieldForm").FindStringSubmatch(lines[at+1]); f != nil && child != nil && indent == column && y.Within(m[3], child[3]) && y.Is(f[3]) && !y.Within(m[3], f[3]) {
				break // the field after the group, which is right
			}
			if indent == len(m[1]) && f != nil && f[2] == "" && y.Is(f[3]) && f[3] != "id" {
				open = strings.Trim(f[4], " |>") == ""
			} else if indent <= len(m[1]) || !open {
				break
			}
			changed[j] = strings.Repeat(" ", column-len(m[1])) + lines[j]
			advice = fmt.Sprintf("align both, and put as many spaces before the lines below it, down to line %d; ", j+1+y.before)
		}
		return replace(changed, at, len(m[1]), strings.Repeat(" ", column)+strings.TrimLeft(lines[at], " "),
			fmt.Sprintf("this line is indented by %s, but %q above it begins after %s", spaces(len(m[1])), f[3], spaces(column)), advice)
	}
	return repair{}, false
}

// inGroup reports whether a field at a column belongs to a group that has no such field as other.
func (y *yamlText) inGroup(lines []string, at, column int, field, other string) bool {
	for at--; at >= 0; at-- {
		if f := forms("fieldForm").FindStringSubmatch(lines[at]); f != nil && len(f[1])+len(f[2]) < column {
			return y.Within(f[3], field) && !y.Within(f[3], other)
		}
	}
	return false
}

func spaces(n int) string {
	return cmp.Or(map[int]string{0: "no space", 1: "1 space"}[n], fmt.Sprintf("%d spaces", n))
}
