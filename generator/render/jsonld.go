package render

import (
	"cmp"
	"strings"

	"reviewcast"
)

// localBusiness is the business in schema.org's terms, as search engines read it
// from the page.
type localBusiness struct {
	Context         string           `json:"@context"`
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
	ReviewCount int     `json:"reviewCount,omitempty"` // those with a text, as schema.org means it; 0 is invalid there
	BestRating  int     `json:"bestRating"`
	WorstRating int     `json:"worstRating"`
}

func newLocalBusiness(c Channel, d *reviewcast.Dataset) localBusiness {
	b := d.Business
	l := localBusiness{
		Context:      "https://schema.org",
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

// licence gives the SPDX identifier and the address of a dataset's licence, each
// as far as it is known: the editors write the one or the other.
func licence(s string) (spdx, address string) {
	switch {
	case strings.HasPrefix(s, "https://"), strings.HasPrefix(s, "http://"):
		return "", s
	case s == "" || strings.ContainsAny(s, " \t\n") || s == "all-rights-reserved":
		return "", ""
	}
	return s, "https://spdx.org/licenses/" + s + ".html"
}
