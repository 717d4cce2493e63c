package pages

import (
	"fmt"
	"html/template"
	"strings"

	"reviewcast"
)

// review is a review for templates.
type review struct {
	*reviewcast.Review
	s *Site
}

// Path is where the review is read.
func (r review) Path() string { return reviewcast.ReviewPath(r.ID, r.Date) }

// Heading is the review's title, or a sentence of ours without one.
func (r review) Heading() string {
	if r.Title != nil {
		return *r.Title
	}
	return plural(r.Rating, "star") + " from " + r.Author
}

// about are the review's technicians, services and areas: the kinds behind the aspects.
func (r review) about() (list []*subject) {
	for i, ids := range [][]string{r.Mentions.Technicians, r.Mentions.Services, r.Mentions.ServiceAreas} {
		for _, id := range ids {
			if n := r.s.named[kinds[1+i].base+id+"/"]; n != nil {
				list = append(list, n)
			}
		}
	}
	return list
}

// Reviews and quotes are written by hand: templates would take most of the time of a build. escape is for attributes,
// and prose for what stands between tags, where quotation marks mean nothing.
var (
	escape = template.HTMLEscapeString
	prose  = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\x00", "\uFFFD").Replace
)

// lang is the attribute of words in another language than ours.
func lang(language string) string {
	if language == "en" {
		return ""
	}
	return ` lang="` + escape(language) + `"`
}

// Article writes the review for a page. Only the page of its month anchors it.
func (r review) Article(anchored bool) template.HTML {
	heading, id, address := "h3", "", r.Path()
	if anchored {
		heading, id, address = "h2", ` id="`+r.ID+`"`, "#"+r.ID
	}
	source := prose(r.Source)
	if u := deref(r.SourceURL); strings.HasPrefix(u, "https://") || strings.HasPrefix(u, "http://") {
		source = `<a href="` + escape(u) + `" rel="nofollow">` + source + `</a>`
	}
	var b strings.Builder
	b.WriteString("<article" + id + ">\n")
	if r.Title != nil {
		fmt.Fprintf(&b, "<%s%s>%s</%[1]s>\n", heading, lang(r.Language), prose(*r.Title))
	}
	fmt.Fprintf(&b, `<p class="by"><b class="s%d">%[1]d of 5 stars</b> <bdi>%s</bdi>, <a href="%s">%s</a> <small>%s, verified by %s</small></p>`+"\n",
		r.Rating, prose(r.Author), address, longDay(r.Date), source, prose(methodWords(r.Verification.Method)))
	if r.Text != nil {
		b.WriteString(`<p class="words"` + lang(r.Language) + `>` + prose(*r.Text) + "</p>\n")
	}
	if about := r.about(); about != nil {
		b.WriteString(`<p class="about">`)
		for _, n := range about {
			b.WriteString(`<a href="` + n.Path() + `">` + prose(n.Name) + "</a> ")
		}
		b.WriteString("</p>\n")
	}
	if reply := r.OwnerReply; reply != nil {
		fmt.Fprintf(&b, `<div class="reply"><p class="quiet">Reply from the business, %s</p><p class="words">%s</p></div>`+"\n",
			longDay(reply.Date), prose(reply.Text))
	}
	b.WriteString("</article>\n")
	return template.HTML(b.String())
}
