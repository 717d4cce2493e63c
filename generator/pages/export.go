package pages

import (
	"bytes"
	"cmp"
	"maps"
	"strconv"
	"strings"

	"reviewcast"
	"reviewcast/generator/render"
)

// object is a thing in schema.org's terms.
type object map[string]any

// thing is an object without the members that are not known.
func thing(typeName string, o object) object {
	maps.DeleteFunc(o, func(_ string, v any) bool {
		list, isList := v.([]string)
		return v == nil || v == "" || isList && len(list) == 0
	})
	o["@type"] = typeName
	return o
}

func (s *Site) businessID() string { return s.Channel.BaseURL + "/#business" }

// frontLD is the business, with the reviews that the page shows, and the dataset. The other pages have no words
// for machines beside those for people.
func (s *Site) frontLD() []object {
	var reviews []object
	for _, r := range s.reviews[:min(len(s.reviews), frontReviews)] {
		// A rating is 1 to 5 unless it says otherwise.
		l := thing("Review", object{"@id": s.Channel.BaseURL + r.Path(), "author": thing("Person", object{"name": r.Author}), "datePublished": string(r.Date),
			"name": deref(r.Title), "reviewBody": deref(r.Text), "reviewRating": thing("Rating", object{"ratingValue": r.Rating})})
		if r.Language != s.Dataset.Business.Language {
			l["inLanguage"] = r.Language
		}
		reviews = append(reviews, l)
	}
	b := s.Dataset.Business
	o := object{
		"@id": s.businessID(), "name": b.Name, "url": cmp.Or(b.URL, s.Channel.BaseURL+"/"), "legalName": b.LegalName, "description": b.Description, "telephone": b.Telephone, "email": b.Email, "logo": b.Logo, "openingHours": b.Hours, "sameAs": b.SameAs,
	}
	if a := b.Address; a != (reviewcast.Address{}) {
		o["address"] = thing("PostalAddress", object{"streetAddress": a.StreetAddress, "addressLocality": a.AddressLocality, "addressRegion": a.AddressRegion,
			"postalCode": a.PostalCode, "addressCountry": a.AddressCountry})
	}
	if b.Geo != nil {
		o["geo"] = thing("GeoCoordinates", object{"latitude": b.Geo.Latitude, "longitude": b.Geo.Longitude})
	}
	var areas []string
	for _, area := range b.ServiceAreas {
		areas = append(areas, area.Name)
	}
	o["areaServed"] = areas
	// A rating of nothing is no rating: the validators refuse one with a count of 0.
	if r := s.Dataset.AggregateRating; r.RatingValue != nil {
		rating := thing("AggregateRating", object{"ratingValue": *r.RatingValue, "ratingCount": r.RatingCount, "bestRating": r.BestRating, "worstRating": r.WorstRating})
		if r.TextCount > 0 {
			rating["reviewCount"] = r.TextCount // those with a text, as schema.org means it
		}
		o["aggregateRating"] = rating
	}
	if len(reviews) > 0 {
		o["review"] = reviews
	}
	return []object{thing(cmp.Or(b.Category, "LocalBusiness"), o), s.datasetLD()}
}

func (s *Site) datasetLD() object {
	base, name := s.Channel.BaseURL, s.Dataset.Business.Name
	_, license := render.License(s.Dataset.License)
	coverage := ""
	if n := len(s.reviews); n > 0 {
		coverage = string(s.reviews[n-1].Date + "/" + s.reviews[0].Date)
	}
	download := func(name, mediaType, path string) object {
		return thing("DataDownload", object{"name": name, "encodingFormat": mediaType, "contentUrl": base + path})
	}
	return thing("Dataset", object{"@id": base + "/#dataset", "name": "Verified customer reviews of " + name, "url": base + reviewcast.PathDocs,
		"description": "Every verified customer review of " + name + ", with ratings, texts, replies of the business and what was counted in them.",
		"creator":     thing("Organization", object{"@id": s.businessID(), "name": name}), "dateModified": string(s.modified), "isAccessibleForFree": true,
		"license": license, "temporalCoverage": coverage,
		"distribution": []object{
			download("Reviews as JSON", reviewcast.MediaJSON, reviewcast.PathReviews),
			download("Reviews as CSV", "text/csv", reviewcast.PathCSV),
			download("Reviews as JSON Lines", reviewcast.MediaJSONL, reviewcast.PathJSONL),
			download("Insights as JSON", reviewcast.MediaJSON, reviewcast.PathInsights),
		}})
}

// jsonl is the dataset as one review a line.
func (s *Site) jsonl() ([]byte, error) {
	if len(s.ReviewLines) == 0 {
		return []byte{}, nil
	}
	return append(bytes.Join(s.ReviewLines, []byte("\n")), '\n'), nil
}

// columns are those of the CSV export: the members of a review, flattened.
const columns = "id,author,author_avatar_url,rating,date,title,text,language,source,source_url,owner_reply.text,owner_reply.date,verified," +
	"verification.method,verification.verified_on,mentions.technicians,mentions.services,mentions.service_areas"

// row is a review's values in the order of columns.
func row(r *reviewcast.Review) []string {
	reply := cmp.Or(r.OwnerReply, &reviewcast.OwnerReply{})
	list := func(ids []string) string { return strings.Join(ids, ";") }
	return []string{r.ID, words(r.Author), deref(r.AuthorAvatarURL), strconv.Itoa(r.Rating), string(r.Date), words(deref(r.Title)), words(deref(r.Text)),
		r.Language, words(r.Source), deref(r.SourceURL), words(reply.Text), string(reply.Date), "true",
		r.Verification.Method, string(r.Verification.VerifiedOn), list(r.Mentions.Technicians), list(r.Mentions.Services), list(r.Mentions.ServiceAreas)}
}

func deref(s *string) string { return *cmp.Or(s, new(string)) }

// words are somebody's own. An apostrophe stands before those that a spreadsheet would execute (= + - @).
func words(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0 {
		return "'" + s
	}
	return s
}

// csv is one review a record, with the columns' names first (RFC 4180, UTF-8 without a mark).
func (s *Site) csv() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(columns + "\r\n")
	for _, r := range s.reviews {
		values := row(r.Review)
		for i, v := range values {
			if strings.ContainsAny(v, ",\"\r\n") || strings.TrimSpace(v) != v {
				values[i] = `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
			}
		}
		b.WriteString(strings.Join(values, ",") + "\r\n")
	}
	return b.Bytes(), nil
}
