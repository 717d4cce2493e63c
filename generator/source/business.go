package source

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// The fields of business.yaml.
const (
	businessID = iota
	businessName
	businessLegalName
	businessDescription
	businessCategory
	businessURL
	businessTelephone
	businessEmail
	businessAddress
	businessGeo
	businessHours
	businessTimeZone
	businessLanguage
	businessSameAs
	businessLogo
	businessServices
	businessTechnicians
	businessAreas
)

var (
	businessSchema = newSchema("the business", "", "id", "name", "legal_name", "description", "category", "url", "telephone", "email", "address",
		"geo", "hours", "time_zone", "language", "same_as", "logo", "services", "technicians", "service_areas")
	addressSchema = newSchema("address", "address.", "street_address", "address_locality", "address_region", "postal_code", "address_country")
	geoSchema     = newSchema("geo", "geo.", "latitude", "longitude")
	namedSchemas  = [len(refLists)]*schema{
		newSchema("the technician", "", "id", "name", "aliases"),
		newSchema("the service", "", "id", "name", "aliases"),
		newSchema("the service area", "", "id", "name", "aliases"),
	}
)

func init() {
	businessSchema.also = map[string]string{"phone": "telephone", "tel": "telephone", "mail": "email", "website": "url", "type": "category",
		"openinghours": "hours", "lang": "language", "areas": "service_areas", "areasserved": "service_areas", "staff": "technicians",
		"employees": "technicians", "coordinates": "geo", "location": "geo", "sameas": "same_as"}
	addressSchema.also = map[string]string{"street": "street_address", "city": "address_locality", "town": "address_locality", "locality": "address_locality",
		"region": "address_region", "state": "address_region", "zip": "postal_code", "postcode": "postal_code", "country": "address_country"}
	geoSchema.also = map[string]string{"lat": "latitude", "lng": "longitude", "lon": "longitude", "long": "longitude"}
}

// Patterns of business.yaml.
const (
	CategoryPattern = `^[A-Z][A-Za-z]+$`
	CountryPattern  = `^[A-Z]{2}$`
)

var (
	categoryForm = regexp.MustCompile(CategoryPattern)
	countryForm  = regexp.MustCompile(CountryPattern)
	// hoursForm is the text form of schema.org/openingHours: days, then times.
	hoursForm = regexp.MustCompile(`^D(-D)?(,D(-D)?)*( T-T(,T-T)*)?$`)
	dayForm   = regexp.MustCompile(`\b(Mo|Tu|We|Th|Fr|Sa|Su)\b`)
	clockForm = regexp.MustCompile(`\b([01][0-9]|2[0-3]):[0-5][0-9]\b|\b24:00\b`)
)

// business reads business.yaml.
func (d *decoder) business(n *syntax.Node, s *surroundings) {
	if n.Kind == syntax.Null {
		n = &syntax.Node{Kind: syntax.Mapping, Line: n.Line, Col: n.Col}
	}
	r, ok := d.fields(n, businessSchema)
	if !ok {
		return
	}
	b := &s.content.Business
	r.required(businessID, businessName)
	b.ID = r.id(businessID)
	b.Name, _ = r.nonBlank(businessName)
	b.LegalName, _ = r.nonBlank(businessLegalName)
	b.Description, _ = r.text(businessDescription)
	b.Category = r.match(businessCategory, categoryForm, "write a schema.org type, such as Plumber or LocalBusiness")
	b.URL = r.url(businessURL)
	b.Telephone, _ = r.nonBlank(businessTelephone)
	b.Email = r.email(businessEmail)
	if n := r.value(businessAddress); n != nil {
		d.address(n, &b.Address)
	}
	if n := r.value(businessGeo); n != nil {
		if g, ok := d.fields(n, geoSchema); ok {
			g.required(0, 1)
			b.Geo = &reviewcast.Geo{Latitude: g.float(0, -90, 90), Longitude: g.float(1, -180, 180)}
		}
	}
	b.Hours = d.hours(&r)
	b.TimeZone = r.timeZone(businessTimeZone)
	b.Language = r.language(businessLanguage)
	b.SameAs = []string{}
	items := r.items(businessSameAs)
	for i := range items {
		if s := d.webAddress(&items[i], "an item of same_as"); s != "" {
			b.SameAs = append(b.SameAs, s)
		}
	}
	b.Logo = r.url(businessLogo)
	d.listed(&r, s)
}

// listed reads the technicians, services and areas.
func (d *decoder) listed(r *fields, s *surroundings) {
	b := &s.content.Business
	b.Technicians, b.Services, b.ServiceAreas = []reviewcast.Technician{}, []reviewcast.Named{}, []reviewcast.Named{}
	for i, field := range []int{businessTechnicians, businessServices, businessAreas} {
		known := newNames()
		s.known[i] = known
		items := r.items(field)
		for j := range items {
			n := &items[j]
			one, ok := d.fields(n, namedSchemas[i])
			if !ok {
				known.partial = true
				continue
			}
			one.required(0, 1)
			id := one.id(0)
			name, _ := one.nonBlank(1)
			aliases := one.texts(2)
			if id == "" {
				known.partial = true
				continue
			}
			if at, again := known.add(id, name, aliases, one.placeOf(0)); again {
				p := one.placeOf(0)
				d.Add(diagnostic.Error, int(p.Line), int(p.Col), "duplicate-id", fmt.Sprintf("a second %s has the id %s", refLists[i].one, diagnostic.Quote(id)),
					fmt.Sprintf("the first is on line %d; give each its own; upper and lower case are the same", at.Line))
			}
			switch field {
			case businessTechnicians:
				b.Technicians = append(b.Technicians, reviewcast.Technician{ID: id, Name: name, Aliases: aliases})
			case businessServices:
				b.Services = append(b.Services, reviewcast.Named{ID: id, Name: name})
				s.content.ServiceAliases[id] = aliases
			case businessAreas:
				b.ServiceAreas = append(b.ServiceAreas, reviewcast.Named{ID: id, Name: name})
				s.content.AreaAliases[id] = aliases
			}
		}
		if v := r.value(field); v != nil && v.Kind != syntax.List {
			known.partial = true
		}
	}
}

// address reads the postal address.
func (d *decoder) address(n *syntax.Node, a *reviewcast.Address) {
	r, ok := d.fields(n, addressSchema)
	if !ok {
		return
	}
	a.StreetAddress, _ = r.text(0)
	a.AddressLocality, _ = r.text(1)
	a.AddressRegion, _ = r.text(2)
	a.PostalCode, _ = r.text(3)
	a.AddressCountry = r.match(4, countryForm, "write the two capital letters of ISO 3166, such as IT or CA")
}

// hours reads the opening hours. They are published as written; a form that programs
// do not understand is a Warning.
func (d *decoder) hours(r *fields) []string {
	items := r.items(businessHours)
	hours := make([]string, 0, len(items))
	for i := range items {
		s, ok := d.item(&items[i], "hours")
		if !ok {
			continue
		}
		hours = append(hours, s)
		if shape := clockForm.ReplaceAllString(dayForm.ReplaceAllString(s, "D"), "T"); !hoursForm.MatchString(shape) {
			d.Add(diagnostic.Warning, items[i].Line, items[i].Col, "bad-hours", fmt.Sprintf("the hours %s are not in schema.org's form", diagnostic.Quote(s)), "write them as Mo-Fr 08:00-18:00")
		}
	}
	return hours
}

// timeZone reads the name of a time zone.
func (r *fields) timeZone(f int) string {
	s, ok := r.nonBlank(f)
	if !ok {
		return ""
	}
	// "Local" is the time zone of the machine; the output must not depend on it.
	if _, err := time.LoadLocation(s); err != nil || s == "Local" {
		n := r.value(f)
		r.Add(diagnostic.Error, n.Line, n.Col, "bad-time-zone", fmt.Sprintf("%s %s is not a time zone", r.name(f), diagnostic.Quote(s)), "write an IANA name, such as Europe/Rome or America/Montreal")
		return ""
	}
	return s
}

// match reads a text that must match a pattern.
func (r *fields) match(f int, form *regexp.Regexp, suggestion string) string {
	s, ok := r.text(f)
	if !ok {
		return ""
	}
	if !form.MatchString(s) {
		n := r.value(f)
		if form == countryForm && form.MatchString(strings.ToUpper(s)) {
			suggestion = "write " + strings.ToUpper(s)
		}
		r.Add(diagnostic.Error, n.Line, n.Col, "bad-value", fmt.Sprintf("%s is %s", r.name(f), diagnostic.Quote(s)), suggestion)
		return ""
	}
	return s
}

// names are the technicians, services or areas in business.yaml.
type names struct {
	ids    map[string]bool
	lower  map[string]place  // ids without case
	byName map[string]string // id by name or alias, without case; "" for several
	all    []string          // ids, names and aliases, for suggestions
	// partial reports that an entry could not be read: an unknown id may be its.
	partial bool
}

func newNames() *names {
	return &names{ids: map[string]bool{}, lower: map[string]place{}, byName: map[string]string{}}
}

// add adds one of them. again reports whether the id was already there, at first.
func (k *names) add(id, name string, aliases []string, at place) (first place, again bool) {
	lower := strings.ToLower(id)
	first, again = k.lower[lower]
	if !again {
		k.lower[lower] = at
	}
	k.ids[id] = true
	k.all = append(k.all, id)
	for _, s := range append([]string{name}, aliases...) {
		if s == "" {
			continue
		}
		key := strings.ToLower(s)
		if other, taken := k.byName[key]; taken && other != id {
			k.byName[key] = "" // nobody in particular
		} else {
			k.byName[key] = id
		}
		k.all = append(k.all, s)
	}
	return first, again
}
