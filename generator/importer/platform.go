package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// Shape is a header that a platform or a common tool writes.
type Shape struct {
	// Columns has for each field the names that its column has had; case,
	// spaces and hyphens are ignored. The first that the header has is used.
	Columns map[string][]string
	// Layout is the layout of its dates; "" is 2006-01-02.
	Layout string
}

// Platforms are the exports that `import` knows by name. The first shape whose rating
// and date are in the header is used. Columns that are not listed
// (a reference number, tags, the reviewer's e-mail) are never read.
//
// Neither platform documents its columns publicly. These were found in November 2026
// in public programs that write or read such files:
//
//   - Trustpilot's Business Portal: a script that rebuilds the portal's file from the
//     API writes "Review Id", "Review Created (UTC)", "Review Username", "Review
//     Title", "Review Content", "Review Stars", "Company Response", "Company Reply Date
//     (UTC)" and "Review Language"; five programs that read the file have the same
//     names about the review, and one of 2026 has "Review ID" and "Business Reply Date
//     (UTC)". The name of the reply's text beside the latter is inferred.
//   - Trustpilot's API: the members of a review, flattened with dots.
//   - Yelp offers businesses no download that we could find. Its Open Dataset has
//     review_id, stars, date and text, and no author. Its API gives an excerpt of each
//     text, which isn't what the customer wrote; therefore it isn't among the shapes.
//   - Lists that people keep by hand have Reviewer, Rating, Review and Date, with dates
//     in any layout: it isn't guessed.
var Platforms = map[string][]Shape{
	"trustpilot": {
		shape("2006-01-02 15:04:05", `id=Review Id|author=Review Username|title=Review Title|text=Review Content|rating=Review Stars|date=Review Created (UTC)
			|source_url=Review URL|language=Review Language|owner_reply.text=Company Response,Company Reply,Business Response,Business Reply
			|owner_reply.date=Company Reply Date (UTC),Business Reply Date (UTC)`),
		shape("2006-01-02T15:04:05Z07:00", `id=id|author=consumer.displayName|title=title|text=text|rating=stars|date=createdAt|language=language
			|owner_reply.text=companyReply.text|owner_reply.date=companyReply.createdAt`),
	},
	"yelp": {
		shape("2006-01-02 15:04:05", "id=review_id|author=user_name|text=text|rating=stars|date=date|source_url=url"),
		shape("", "id=Review ID|author=Reviewer|text=Review|rating=Rating|date=Date|source_url=Review URL"),
	},
}

// own is an export without a map: the names of the fields, or what people call them.
var own = []Shape{shape("", `rating=rating,stars,star rating,review rating,score,overall rating,bewertung,sterne,note,valutazione,voto,puntuación
	|date=date,review date,date posted,posted on,created,created at,timestamp,submit date (utc),submitted at,zeitstempel,datum,horodateur,data,fecha,marca temporal|text=text,comment,comments,review,review text,review content,content,body,feedback,kommentar,rezension,commentaire,avis,commento,recensione,comentario
	|title=title,review title,headline,subject,titel,titre,titolo,título|author=author,author name,name,reviewer,reviewer name,customer,customer name,user,user name,kunde,auteur,nom,autore,nome,cliente,nombre
	|id=id,review id|source_url=source_url,review url,review link|language=language,lang,sprache,langue,lingua,idioma
	|owner_reply.text=owner_reply.text,owner_reply,reply,owner reply,reply text,response,owner response,antwort,réponse,risposta,respuesta
	|owner_reply.date=owner_reply.date,reply date,owner reply date,response date,owner response date
	|verification.method=verification.method|technicians=technicians|services=services|service_areas=service_areas`)}

// shape reads a table of fields and the names of their columns.
func shape(layout, table string) Shape {
	s := Shape{Columns: map[string][]string{}, Layout: layout}
	for part := range strings.SplitSeq(table, "|") {
		name, columns, _ := strings.Cut(strings.TrimSpace(part), "=")
		s.Columns[name] = strings.Split(columns, ",")
	}
	return s
}

// useShape completes the configuration by the header of a platform's export.
func (c *Config) useShape(header []string) error {
	columns, layout, ok := choose(Platforms[c.Platform], header)
	if !ok && (c.Map["rating"] == "" || c.Map["date"] == "") {
		return unknownHeader(fmt.Sprintf("the export has none of the shapes of %s that are known", c.Platform), header)
	}
	maps.Copy(columns, c.Map)
	c.Map = columns
	c.DateLayout = cmp.Or(c.DateLayout, layout, time.DateOnly)
	return nil
}

// ownNames is for an export whose columns have the names of the fields, or similar ones.
func (c *Config) ownNames(header []string) error {
	columns, _, ok := choose(own, header)
	if !ok {
		return unknownHeader("the export has no columns rating and date", header)
	}
	given := slices.Collect(maps.Values(c.Map))
	maps.DeleteFunc(columns, func(_, column string) bool { return slices.Contains(given, column) })
	maps.Copy(columns, c.Map)
	c.Map = columns
	return nil
}

func unknownHeader(problem string, header []string) error {
	problem += fmt.Sprintf("; its columns are %s: say with --map which holds what, at least rating=COLUMN,date=COLUMN", quoteAll(header))
	if slices.ContainsFunc(header, func(cell string) bool { return reviewcast.Date(cell).Valid() }) {
		problem = fmt.Sprintf("the first row, %s, is a review and not the names of the columns; add a row above it, such as rating,date,text,author", quoteAll(header))
	}
	for name, shapes := range Platforms {
		if _, _, ok := choose(shapes[:1], header); ok {
			problem = fmt.Sprintf("the columns are those of an export of %s; import it with `reviewcast import %s`", name, name)
		}
	}
	if filled := slices.DeleteFunc(slices.Clone(header), func(cell string) bool { return cell == "" }); len(filled) == 1 && len(header) > 1 {
		problem = fmt.Sprintf("the first row, %s, does not name the columns; delete the rows above the one that does", quote(filled[0]))
	}
	return &UsageError{[]string{problem}}
}

// choose finds the shape of a header: the map, without the columns that the export
// leaves out, and the date layout. ok is false if no shape has both a rating and a
// date; then the map is empty.
func choose(shapes []Shape, header []string) (columns map[string]string, layout string, ok bool) {
	for _, shape := range shapes {
		columns = map[string]string{}
		for field, names := range shape.Columns {
			for _, name := range names {
				if i := slices.IndexFunc(header, func(h string) bool { return diagnostic.Squash(h) == diagnostic.Squash(name) }); i >= 0 {
					columns[field] = header[i]
					break
				}
			}
		}
		if columns["rating"] == "" || columns["date"] == "" {
			continue
		}
		if columns["owner_reply.text"] == "" || columns["owner_reply.date"] == "" {
			delete(columns, "owner_reply.text")
			delete(columns, "owner_reply.date")
		}
		return columns, shape.Layout, true
	}
	return map[string]string{}, "", false
}
