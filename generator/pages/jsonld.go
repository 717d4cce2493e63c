package pages

import (
	"cmp"

	"reviewcast"
	"reviewcast/generator/render"
)

// localBusiness is the business in schema.org's terms, as search engines read it
// from the page.
type localBusiness struct {
	Type            string           `json:"@type"`
	ID              string           `json:"@id"`
	Name            string           `json:"name"`
	LegalName       string           `json:"legalName,omitempty"`
	Description     string           `json:"description,omitempty"`
	URL             string           `json:"url"`
	Telephone       string           `json:"telephone,omitempty"`
	Email           string           `json:"email,omitempty"`
	Logo            string           `json:"logo,omitempty"`
	Address         *postalAddress   `json:"address,omitempty"`
	Geo             *geoCoordinates  `json:"geo,omitempty"`
	OpeningHours    []string         `json:"openingHours,omitempty"`
	SameAs          []string         `json:"sameAs,omitempty"`
	AreaServed      []string         `json:"areaServed,omitempty"`
	AggregateRating *aggregateRating `json:"aggregateRating,omitempty"`
	Review          []reviewLD       `json:"review,omitempty"`
}

type postalAddress struct {
	Type            string `json:"@type"`
	StreetAddress   string `json:"streetAddress,omitempty"`
	AddressLocality string `json:"addressLocality,omitempty"`
	AddressRegion   string `json:"addressRegion,omitempty"`
	PostalCode      string `json:"postalCode,omitempty"`
	AddressCountry  string `json:"addressCountry,omitempty"`
}

type geoCoordinates struct {
	Type      string  `json:"@type"`
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

type aggregateRating struct {
	Type        string  `json:"@type"`
	RatingValue float64 `json:"ratingValue"`
	RatingCount int     `json:"ratingCount"`
	ReviewCount int     `json:"reviewCount,omitempty"` // those with a text, as schema.org means it
	BestRating  int     `json:"bestRating"`
	WorstRating int     `json:"worstRating"`
}

func newLocalBusiness(c render.Channel, d *reviewcast.Dataset) localBusiness {
	b := d.Business
	l := localBusiness{
		Type:         cmp.Or(b.Category, "LocalBusiness"),
		ID:           c.BaseURL + "/#business",
		Name:         b.Name,
		LegalName:    b.LegalName,
		Description:  b.Description,
		URL:          cmp.Or(b.URL, c.BaseURL+"/"),
		Telephone:    b.Telephone,
		Email:        b.Email,
		Logo:         b.Logo,
		OpeningHours: b.Hours,
		SameAs:       b.SameAs,
	}
	if a := b.Address; a != (reviewcast.Address{}) {
		l.Address = &postalAddress{"PostalAddress", a.StreetAddress, a.AddressLocality, a.AddressRegion, a.PostalCode, a.AddressCountry}
	}
	if b.Geo != nil {
		l.Geo = &geoCoordinates{"GeoCoordinates", b.Geo.Latitude, b.Geo.Longitude}
	}
	for _, area := range b.ServiceAreas {
		l.AreaServed = append(l.AreaServed, area.Name)
	}
	// A rating of nothing is no rating: the validators refuse one with a count of 0.
	if r := d.AggregateRating; r.RatingValue != nil {
		l.AggregateRating = &aggregateRating{"AggregateRating", *r.RatingValue, r.RatingCount, r.TextCount, r.BestRating, r.WorstRating}
	}
	return l
}

// ratingLD, reviewLD and datasetLD are schema.org's Rating, Review and Dataset. A
// rating is 1 to 5 unless it says otherwise.
type ratingLD struct {
	Type        string `json:"@type"`
	RatingValue int    `json:"ratingValue"`
}

type reviewLD struct {
	Type          string   `json:"@type"`
	ID            string   `json:"@id"` // on the page of its month its fragment will do
	Author        person   `json:"author"`
	DatePublished string   `json:"datePublished"`
	InLanguage    string   `json:"inLanguage,omitempty"`
	Name          string   `json:"name,omitempty"`
	ReviewBody    string   `json:"reviewBody,omitempty"`
	ReviewRating  ratingLD `json:"reviewRating"`
}

type person struct {
	Type string `json:"@type"`
	Name string `json:"name"`
}

type datasetLD struct {
	Type                string         `json:"@type"`
	ID                  string         `json:"@id"`
	Name                string         `json:"name"`
	Description         string         `json:"description"`
	URL                 string         `json:"url"`
	License             string         `json:"license,omitempty"`
	Creator             map[string]any `json:"creator"`
	DateModified        string         `json:"dateModified,omitempty"`
	TemporalCoverage    string         `json:"temporalCoverage,omitempty"`
	IsAccessibleForFree bool           `json:"isAccessibleForFree"`
	Distribution        []download     `json:"distribution"`
}

type download struct {
	Type           string `json:"@type"`
	Name           string `json:"name"`
	EncodingFormat string `json:"encodingFormat"`
	ContentURL     string `json:"contentUrl"`
}

// graph is several things in one document.
type graph struct {
	Context string `json:"@context"`
	Graph   []any  `json:"@graph"`
}

func (s *site) businessID() string { return s.Channel.BaseURL + "/#business" }

// frontLD is the business, with the reviews that the page shows, and the dataset.
func (s *site) frontLD() any {
	b := newLocalBusiness(s.Channel, s.Dataset)
	for i := range min(len(s.reviews), frontReviews) {
		r := &s.reviews[i]
		l := s.reviewLD(r, s.Channel.BaseURL+r.path())
		if r.Title != nil {
			l.Name = *r.Title
		}
		if r.Text != nil {
			l.ReviewBody = *r.Text
		}
		b.Review = append(b.Review, l)
	}
	return graph{"https://schema.org", []any{b, s.datasetLD()}}
}

// reviewsLD are the reviews of a page, without their texts: the page has them, and
// twice they would be most of its size.
func (s *site) reviewsLD(reviews []review) any {
	if len(reviews) == 0 {
		return nil
	}
	b := localBusiness{Type: cmp.Or(s.Dataset.Business.Category, "LocalBusiness"), ID: s.businessID(), Name: s.Dataset.Business.Name}
	b.URL = cmp.Or(s.Dataset.Business.URL, s.Channel.BaseURL+"/")
	for i := range reviews {
		b.Review = append(b.Review, s.reviewLD(&reviews[i], "#"+reviews[i].ID))
	}
	return graph{"https://schema.org", []any{b}}
}

func (s *site) reviewLD(r *review, id string) reviewLD {
	l := reviewLD{Type: "Review", ID: id, Author: person{"Person", r.Author}, DatePublished: string(r.Date),
		ReviewRating: ratingLD{"Rating", r.Rating}}
	if r.Language != s.Dataset.Business.Language {
		l.InLanguage = r.Language
	}
	return l
}

func (s *site) datasetLD() datasetLD {
	base := s.Channel.BaseURL
	l := datasetLD{Type: "Dataset", ID: base + "/#dataset", Name: "Verified customer reviews of " + s.Dataset.Business.Name, URL: base + reviewcast.PathDocs,
		Description: "Every verified customer review of " + s.Dataset.Business.Name + ", with ratings, texts, replies of the business and what was counted in them.",
		Creator:     map[string]any{"@type": "Organization", "@id": s.businessID(), "name": s.Dataset.Business.Name}, DateModified: string(s.modified), IsAccessibleForFree: true}
	_, l.License = render.License(s.Dataset.License)
	if n := len(s.reviews); n > 0 {
		l.TemporalCoverage = string(s.reviews[n-1].Date + "/" + s.reviews[0].Date)
	}
	for _, d := range []download{
		{"", "Reviews as JSON", reviewcast.MediaJSON, reviewcast.PathReviews},
		{"", "Reviews as CSV", "text/csv", reviewcast.PathCSV},
		{"", "Reviews as JSON Lines", reviewcast.MediaJSONL, reviewcast.PathJSONL},
		{"", "Insights as JSON", reviewcast.MediaJSON, reviewcast.PathInsights},
	} {
		d.Type, d.ContentURL = "DataDownload", base+d.ContentURL
		l.Distribution = append(l.Distribution, d)
	}
	return l
}
