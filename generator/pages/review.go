package pages

import (
	"bytes"
	"fmt"
	"html/template"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"reviewcast"
)

// review is a review for templates.
type review struct {
	*reviewcast.Review
	s *Site
}

// Path is where the review is read.
func (r review) Path() string { return reviewcast.ReviewPath(r.ID, r.Date) }

// Name is the author's name, or the word of the language for none.
func (r review) Name() string { return r.s.value("author", r.Author) }

// Heading is the review's title, or a sentence of ours without one.
func (r review) Heading() string {
	if r.Title != nil {
		return *r.Title
	}
	return r.s.text("%s from %s", r.s.plural(r.Rating, "star"), r.Name())
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

// prose escapes what stands between tags, where quotation marks mean nothing. Reviews and quotes are written by hand:
// templates would take most of the time of a build.
var prose = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\x00", "\uFFFD").Replace

// Article writes the review for a page. Only the page of its month anchors it.
func (r review) Article(anchored bool) template.HTML {
	heading, id, address := "h3", "", r.Path()
	if anchored {
		heading, id, address = "h2", ` id="`+r.ID+`"`, "#"+r.ID
	}
	source := prose(r.s.value("source", r.Source))
	if u := deref(r.SourceURL); strings.HasPrefix(u, "https://") || strings.HasPrefix(u, "http://") {
		source = `<a href="` + template.HTMLEscapeString(u) + `" rel="nofollow">` + source + `</a>`
	}
	var b strings.Builder
	b.WriteString("<article" + id + ">\n")
	if r.Title != nil {
		fmt.Fprintf(&b, "<%s%s>%s</%[1]s>\n", heading, r.s.lang(r.Language), prose(*r.Title))
	}
	fmt.Fprintf(&b, `<p class="by"><b class="s%d">%s</b> <bdi>%s</bdi>, <a href="%s">%s</a> <small>%s, %s</small></p>`+"\n", r.Rating, r.s.html("%s of 5 stars", r.Rating),
		prose(r.Name()), address, r.s.longDay(r.Date), source, r.s.html("verified by %s", r.s.name(r.Verification.Method)))
	if r.Text != nil {
		b.WriteString(`<p class="words"` + r.s.lang(r.Language) + `>` + prose(*r.Text) + "</p>\n")
	}
	if about := r.about(); about != nil {
		b.WriteString(`<p class="about">`)
		for _, n := range about {
			b.WriteString(`<a href="` + n.Path() + `">` + prose(n.Name) + "</a> ")
		}
		b.WriteString("</p>\n")
	}
	if reply := r.OwnerReply; reply != nil {
		fmt.Fprintf(&b, `<div class="reply"><p class="quiet">%s</p><p class="words"%s>%s</p></div>`+"\n",
			r.s.html("Reply from the business, %s", r.s.longDay(reply.Date)), r.s.lang(r.s.Channel.Language), prose(reply.Text))
	}
	b.WriteString("</article>\n")
	return template.HTML(b.String())
}

// The social card: the picture that others show beside a link to a page.
const (
	cardWidth, cardHeight = 1200, 630
	cardMargin            = 80
)

var (
	cardGround = color.RGBA{0xfb, 0xfa, 0xf8, 0xff}
	cardInk    = color.RGBA{0x1f, 0x23, 0x28, 0xff}
	cardQuiet  = color.RGBA{0x5c, 0x61, 0x68, 0xff}
	cardStar   = color.RGBA{0xd9, 0x8a, 0x1f, 0xff}
	cardTrack  = color.RGBA{0xe3, 0xdf, 0xd8, 0xff}
)

// card draws the business's name, the mean and the number of reviews.
func (s *Site) card() ([]byte, error) {
	regular, _ := opentype.Parse(goregular.TTF) // both are embedded
	bold, _ := opentype.Parse(gobold.TTF)
	c := image.NewRGBA(image.Rect(0, 0, cardWidth, cardHeight))
	draw.Draw(c, c.Bounds(), image.NewUniform(cardGround), image.Point{}, draw.Src)
	draw.Draw(c, image.Rect(0, cardHeight-16, cardWidth, cardHeight), image.NewUniform(cardStar), image.Point{}, draw.Src)
	name := s.Dataset.Business.Name
	if strings.ContainsFunc(name, func(r rune) bool { i, err := bold.GlyphIndex(nil, r); return err != nil || i == 0 }) { // a script that the Go fonts don't have
		name = hostOf(s.Channel.BaseURL)
	}
	drawLine(c, bold, 68, 170, cardInk, name)
	drawLine(c, regular, 36, 235, cardQuiet, s.text("Verified customer reviews"))
	if v := s.Dataset.AggregateRating.RatingValue; v != nil {
		drawLine(c, bold, 170, 470, cardInk, s.mean(v))
		for i := range reviewcast.MaxRating {
			drawStar(c, 480+i*110, 412, 48, *v-float64(i))
		}
		drawLine(c, regular, 36, 545, cardQuiet, s.plural(len(s.reviews), "verified review"))
	}
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, c)
	return b.Bytes(), err
}

// drawLine writes a line, smaller when it would be too wide.
func drawLine(c *image.RGBA, f *opentype.Font, size, y float64, ink color.Color, s string) {
	s = strings.ReplaceAll(s, "\u202f", "\u00a0") // the fonts have no narrow space
	for ; size > 12; size *= 0.9 {
		face, _ := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone}) // it has no error to report
		d := font.Drawer{Dst: c, Src: image.NewUniform(ink), Face: face, Dot: fixed.P(cardMargin, int(y))}
		if d.MeasureString(s).Ceil() <= cardWidth-2*cardMargin {
			d.DrawString(s)
			return
		}
	}
}

// drawStar draws a star with its centre at x and y, filled from the left by a share.
func drawStar(c *image.RGBA, x, y, radius int, share float64) {
	shape := vector.NewRasterizer(2*radius, 2*radius)
	for i := range 10 {
		r := float64(radius)
		if i%2 == 1 {
			r *= 0.42
		}
		angle := math.Pi * (float64(i)/5 - 0.5)
		px, py := float32(float64(radius)+r*math.Cos(angle)), float32(float64(radius)+r*math.Sin(angle))
		if i == 0 {
			shape.MoveTo(px, py)
		} else {
			shape.LineTo(px, py)
		}
	}
	shape.ClosePath()
	mask := image.NewAlpha(shape.Bounds())
	shape.Draw(mask, mask.Rect, image.Opaque, image.Point{})
	box := mask.Rect.Add(image.Pt(x-radius, y-radius))
	draw.DrawMask(c, box, image.NewUniform(cardTrack), image.Point{}, mask, image.Point{}, draw.Over)
	box.Max.X = box.Min.X + int(float64(2*radius)*min(max(share, 0), 1))
	draw.DrawMask(c, box, image.NewUniform(cardStar), image.Point{}, mask, image.Point{}, draw.Over)
}
