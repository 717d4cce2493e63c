package pages

import (
	"strings"

	"reviewcast"
)

// stars draws stars: ★★★★☆.
func stars(n int) string {
	return strings.Repeat("★", n) + strings.Repeat("☆", reviewcast.MaxRating-n)
}

// article writes a review with a heading of the given level ("h2"). Its id is the
// review's anchor on the page of its month; elsewhere there is none, as a page must
// not have an id twice.
func (s *site) article(w *writer, r *review, level string, anchored bool) {
	w.html("<article")
	if anchored {
		w.html(` id="`, r.ID, `"`)
	}
	w.html(">\n")
	if r.Title != nil {
		w.html("<", level)
		w.language(r.Language)
		w.html(">")
		w.text(*r.Title)
		w.html("</", level, ">\n")
	}
	s.byline(w, r, anchored)
	if r.Text != nil {
		w.html(`<p class="words"`)
		w.language(r.Language)
		w.html(">")
		w.text(*r.Text)
		w.html("</p>\n")
	}
	s.mentions(w, r)
	if reply := r.OwnerReply; reply != nil {
		w.html(`<div class="reply"><p class="quiet">Reply from the business, <time datetime="`, string(reply.Date), `">`, longDay(reply.Date), `</time></p><p class="words">`)
		w.text(reply.Text)
		w.html("</p></div>\n")
	}
	w.html("</article>\n")
}

// byline says who gave how many stars, when and where, and how it was verified.
func (s *site) byline(w *writer, r *review, anchored bool) {
	address := r.path()
	if anchored {
		address = "#" + r.ID
	}
	w.html(`<p class="by"><span class="stars" role="img" aria-label="`)
	w.int(r.Rating)
	w.html(` of 5 stars">`, stars(r.Rating), `</span> <bdi>`)
	w.text(r.Author)
	w.html(`</bdi>, <a href="`, address, `"><time datetime="`, string(r.Date), `">`, longDay(r.Date), `</time></a> <small>`)
	if r.SourceURL != nil {
		w.html(`<a href="`)
		w.url(*r.SourceURL)
		w.html(`" rel="nofollow">`)
		w.text(r.Source)
		w.html(`</a>`)
	} else {
		w.text(r.Source)
	}
	w.html(`, verified by `)
	w.text(methodWords(r.Verification.Method))
	w.html("</small></p>\n")
}

// mentions links to whom and what the review is about.
func (s *site) mentions(w *writer, r *review) {
	first := true
	s.eachMention(r, func(path, name string) {
		if first {
			w.html(`<p class="about">`)
			first = false
		}
		w.html(`<a href="`, path, `">`)
		w.text(name)
		w.html("</a> ")
	})
	if !first {
		w.html("</p>\n")
	}
}

// mentioned are ids of subjects of one kind.
type mentioned struct {
	base string
	ids  []string
}

// about are the technicians, services and areas of a review.
func (r *review) about() [3]mentioned {
	return [3]mentioned{
		{reviewcast.PathTechnicians, r.Mentions.Technicians},
		{reviewcast.PathServices, r.Mentions.Services},
		{reviewcast.PathAreas, r.Mentions.ServiceAreas},
	}
}

// eachMention calls f with the page and the name of each technician, service and area
// of a review.
func (s *site) eachMention(r *review, f func(path, name string)) {
	for _, list := range r.about() {
		for _, id := range list.ids {
			path := list.base + id + "/"
			if name, known := s.names[path]; known {
				f(path, name)
			}
		}
	}
}

// language sets the language of customers' words where it isn't the page's.
func (w *writer) language(tag string) {
	if tag != "en" {
		w.html(` lang="`)
		w.text(tag)
		w.html(`"`)
	}
}

// articleMarkdown writes a review into a twin.
func (s *site) articleMarkdown(w *writer, r *review) {
	w.html("## ")
	w.inline(r.title())
	w.html("\n\n")
	w.int(r.Rating)
	w.html("/5, ")
	w.inline(r.Author)
	w.html(", ", string(r.Date), ", ")
	w.inline(r.Source)
	w.html(", [", r.ID, "](", r.path(), ")\n")
	if r.Text != nil {
		w.html("\n> ")
		w.markdown(*r.Text, "> ")
		w.html("\n")
	}
	if reply := r.OwnerReply; reply != nil {
		w.html("\nReply, ", string(reply.Date), ":\n\n> ")
		w.markdown(reply.Text, "> ")
		w.html("\n")
	}
	w.html("\n")
}

// title is the review's title, or a sentence of ours without one.
func (r *review) title() string {
	if r.Title != nil {
		return *r.Title
	}
	return plural(r.Rating, "star") + " from " + r.Author
}

// quote is a sentence of a review, as lists of evidence show it.
type quote struct {
	review   *review
	text     string // "" for a review without a text
	short    string // for the twin
	polarity reviewcast.Polarity
}

// Sizes of a quote in a list: what is around its words, and the most of a text that
// stands in for a sentence.
const (
	quoteFrame       = 150
	maxBeginning     = 160
	maxTwinBeginning = 80
)

// item writes a quote into a list.
func (w *writer) item(q *quote) {
	r := q.review
	w.html(`<li><a href="`, r.path(), `"><time datetime="`, string(r.Date), `">`, shortDay(r.Date), `</time>, <bdi>`)
	w.text(r.Author)
	w.html(`</bdi></a> <span class="of5">`)
	w.int(r.Rating)
	w.html(`/5</span>`)
	if q.text != "" {
		w.html(` <q`)
		w.language(r.Language)
		w.html(">")
		w.text(q.text)
		w.html(`</q>`)
	}
	if r.OwnerReply != nil {
		w.html(` <span class="quiet">with a reply</span>`)
	}
	w.html("</li>\n")
}

// itemMarkdown writes a quote into a list of a twin.
func (w *writer) itemMarkdown(q *quote) {
	w.html("- [", string(q.review.Date), "](", q.review.path(), ") ")
	w.int(q.review.Rating)
	w.html("/5")
	if q.text != "" {
		w.html(" “")
		w.inline(q.short)
		w.html("”")
	}
	w.html("\n")
}
