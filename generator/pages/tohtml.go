package pages

import "strings"

// markdownToHTML renders the Markdown that our documentation is written in:
// headings, paragraphs, lists, tables, blocks of code, and in a line `code`,
// **strong** and [links](address). It isn't for anybody else's text.
func markdownToHTML(w *writer, source string) {
	lines := strings.Split(source, "\n")
	for i := 0; i < len(lines); {
		line := lines[i]
		switch {
		case strings.TrimSpace(line) == "":
			i++
		case strings.HasPrefix(line, "```"):
			i = codeBlock(w, lines, i+1)
		case strings.HasPrefix(line, "#"):
			heading(w, line)
			i++
		case strings.HasPrefix(line, "| "):
			i = table(w, lines, i)
		case strings.HasPrefix(line, "- "):
			w.html("<ul>\n")
			for ; i < len(lines) && strings.HasPrefix(lines[i], "- "); i++ {
				w.html("<li>")
				w.inlineHTML(lines[i][2:])
				w.html("</li>\n")
			}
			w.html("</ul>\n")
		default:
			w.html("<p>")
			for first := true; i < len(lines) && paragraphLine(lines[i]); i++ {
				if !first {
					w.html(" ")
				}
				first = false
				w.inlineHTML(lines[i])
			}
			w.html("</p>\n")
		}
	}
}

// paragraphLine reports whether a line continues a paragraph.
func paragraphLine(line string) bool {
	return strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "#") &&
		!strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "- ")
}

func codeBlock(w *writer, lines []string, i int) int {
	w.html(`<pre tabindex="0"><code>`)
	for ; i < len(lines) && lines[i] != "```"; i++ {
		w.text(lines[i])
		w.html("\n")
	}
	w.html("</code></pre>\n")
	return i + 1
}

func heading(w *writer, line string) {
	text := strings.TrimLeft(line, "#")
	level := string(rune('0' + len(line) - len(text)))
	text = strings.TrimSpace(text)
	w.html("<h", level, ` id="_`, slug(text), `">`)
	w.inlineHTML(text)
	w.html("</h", level, ">\n")
}

// slug is the anchor of a heading: its letters and digits in lower case.
func slug(text string) string {
	return strings.Trim(strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-"), "-")
}

func table(w *writer, lines []string, i int) int {
	w.html("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table class=\"reference\">\n")
	for row := 0; i < len(lines) && strings.HasPrefix(lines[i], "| "); i, row = i+1, row+1 {
		if row == 1 {
			continue // the line between the head and the body
		}
		tag := "td"
		if row == 0 {
			tag = "th"
			w.html("<thead>")
		}
		w.html("<tr>")
		line := strings.ReplaceAll(strings.Trim(lines[i], "| "), "\\|", "\x00")
		for c := range strings.SplitSeq(line, " | ") {
			w.html("<", tag, ">")
			w.inlineHTML(strings.ReplaceAll(strings.Trim(c, " |"), "\x00", "|"))
			w.html("</", tag, ">")
		}
		w.html("</tr>")
		if row == 0 {
			w.html("</thead>\n<tbody>")
		}
		w.html("\n")
	}
	w.html("</tbody></table></div>\n")
	return i
}

// inlineHTML renders what may be within a line.
func (w *writer) inlineHTML(s string) {
	for s != "" {
		at := strings.IndexAny(s, "`*[")
		if at < 0 {
			break
		}
		w.text(s[:at])
		s = s[at:]
		if strings.HasPrefix(s, "`") {
			if code, rest, ok := strings.Cut(s[1:], "`"); ok {
				w.html("<code>")
				w.text(code)
				w.html("</code>")
				s = rest
				continue
			}
		}
		if strings.HasPrefix(s, "**") {
			if strong, rest, ok := strings.Cut(s[2:], "**"); ok {
				w.html("<strong>")
				w.text(strong)
				w.html("</strong>")
				s = rest
				continue
			}
		}
		if text, rest, ok := strings.Cut(strings.TrimPrefix(s, "["), "]("); ok && s[0] == '[' && !strings.ContainsAny(text, "[]") {
			if address, after, ok := strings.Cut(rest, ")"); ok {
				w.html(`<a href="`)
				w.text(address)
				w.html(`">`)
				w.inlineHTML(text)
				w.html("</a>")
				s = after
				continue
			}
		}
		w.text(s[:1])
		s = s[1:]
	}
	w.text(s)
}
