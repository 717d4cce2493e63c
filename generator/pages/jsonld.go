package pages

import (
	"cmp"
	"maps"

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
			"reviewRating": thing("Rating", object{"ratingValue": r.Rating})})
		if r.Language != s.Dataset.Business.Language {
			l["inLanguage"] = r.Language
		}
		if r.Title != nil {
			l["name"] = *r.Title
		}
		if r.Text != nil {
			l["reviewBody"] = *r.Text
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
