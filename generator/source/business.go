package source

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/language"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

var (
	businessSchema = newSchema("the business", "", "", `id name legal_name description category url telephone email address geo hours
		time_zone language same_as logo services technicians service_areas`)
	addressSchema = newSchema("address", "address.", "{street_address: …, address_locality: …, postal_code: …, address_country: …}",
		"street_address address_locality address_region postal_code address_country")
	geoSchema    = newSchema("geo", "geo.", "{latitude: 45.65, longitude: 9.19}", "latitude longitude")
	namedSchemas = [len(refLists)]*schema{}
)

func init() {
	businessSchema.items = map[string]*schema{}
	for i, l := range refLists {
		namedSchemas[i] = newSchema("the "+l.one, "", "{id: %i, name: %t}", "id name aliases")
		businessSchema.items[l.name] = namedSchemas[i]
	}
}

// CountryPattern is the form of a country in business.yaml.
const CountryPattern = `^[A-Z]{2}$`

var (
	countryForm = regexp.MustCompile(CountryPattern)
	// hoursForm is the text form of schema.org/openingHours: days, then times.
	hoursForm = regexp.MustCompile(`^D(-D)?(,D(-D)?)*( T-T(,T-T)*)?$`)
	dayForm   = regexp.MustCompile(`\b(Mo|Tu|We|Th|Fr|Sa|Su)\b`)
	clockForm = regexp.MustCompile(`\b([01][0-9]|2[0-3]):[0-5][0-9]\b|\b24:00\b`)
)

// ExampleBusinesses are the businesses that `reviewcast init` writes, the second with --empty.
var ExampleBusinesses = []string{"willow-street-home-services", "my-business"}

// business reads business.yaml.
func (d *decoder) business(n *syntax.Node, s *surroundings) {
	if n.Kind == syntax.Null {
		d.fail(n, "missing-field", "there is nothing in the file", "put back a copy of it; for a new business, write at least its id and its name")
		return
	}
	r, ok := d.fields(n, businessSchema)
	if !ok {
		return
	}
	b := &s.content.Business
	r.required("id", "name")
	b.ID = r.id()
	b.Name = r.nonBlank("name")
	b.LegalName = r.nonBlank("legal_name")
	b.Description = r.text("description")
	b.Category = r.category("category")
	b.URL = r.url("url")
	b.Telephone = r.nonBlank("telephone")
	if wrong, remedy := wrongTelephone(b.Telephone); wrong != "" {
		at := r.placeOf("telephone")
		d.Add(diagnostic.Warning, int(at.Line), int(at.Col), "two-numbers", fmt.Sprintf("telephone %s %s", diagnostic.Quote(b.Telephone), wrong), remedy)
	}
	b.Email = r.email("email")
	if a, ok := r.inner("address", addressSchema); ok {
		b.Address = reviewcast.Address{StreetAddress: a.text("street_address"), AddressLocality: a.text("address_locality"),
			AddressRegion: a.text("address_region"), PostalCode: a.text("postal_code"), AddressCountry: a.country("address_country")}
		if street, code, town := b.Address.StreetAddress, b.Address.PostalCode, b.Address.AddressLocality; code != "" && strings.Contains(street, code) || town != "" && strings.Contains(street, ", "+town) {
			at := a.placeOf("street_address")
			d.Add(diagnostic.Warning, int(at.Line), int(at.Col), "bad-value", "address.street_address has the town or the postal code, too, so that they are shown twice", "write only the street and the number")
		}
	}
	if g, ok := r.inner("geo", geoSchema); ok {
		g.required("latitude", "longitude")
		b.Geo = &reviewcast.Geo{Latitude: g.float("latitude", -90, 90), Longitude: g.float("longitude", -180, 180)}
	}
	b.Hours = d.hours(&r)
	b.TimeZone = r.timeZone("time_zone", b.Address.AddressCountry)
	b.Language = r.language("language")
	b.SameAs = []string{}
	for _, n := range r.items("same_as") {
		if s := d.webAddress(&n, "an item of same_as"); s != "" {
			b.SameAs = append(b.SameAs, s)
		}
	}
	b.Logo = r.url("logo")
	b.Technicians, b.Services, b.ServiceAreas = []reviewcast.Technician{}, []reviewcast.Named{}, []reviewcast.Named{}
	for i := range refLists {
		r.listed(i, s)
	}
}

// wrongTelephone returns what is wrong with a telephone number, and what to write; "" if nothing is.
func wrongTelephone(s string) (wrong, remedy string) {
	digits := strings.NewReplacer("O", "0", "o", "0", "I", "1", "l", "1").Replace(s)
	switch {
	case strings.ContainsAny(s, ",;|") || strings.Count(s, "/") == 1 && len(s) > 18 || strings.Contains(s, " or "):
		return "is more than one number", "write one, which telephones can dial"
	case digits != s && !strings.ContainsFunc(digits, unicode.IsLetter): // not 1-800-PLUMBER
		return "has a letter in place of a digit", "write " + digits
	}
	return "", ""
}

// listed reads the technicians, services or areas.
func (r *fields) listed(list int, s *surroundings) {
	b, field := &s.content.Business, refLists[list].name
	known := &names{ids: map[string]bool{}, byName: map[string]string{}}
	s.content.known[list] = known
	seen := map[string]int32{}
	for _, n := range joined(r.items(field), namedSchemas[list], r.List) {
		one, ok := r.fields(&n, namedSchemas[list])
		if !ok {
			known.partial = true
			continue
		}
		one.required("id", "name")
		id, name, aliases := one.id(), one.nonBlank("name"), append([]string{}, one.texts("aliases")...)
		if id == "" {
			known.partial = true
			continue
		}
		r.twice(seen, id, one.placeOf("id"), "a second "+refLists[list].one+" has the id %s")
		if shared := known.add(id, name, aliases); shared != "" {
			effect, remedy := "counts for both", "leave it out of the aliases of one of them"
			if field == "technicians" {
				effect, remedy = "is credited to neither", remedy+", or list the technicians of such reviews"
			}
			at := one.placeOf("id")
			r.Add(diagnostic.Warning, int(at.Line), int(at.Col), "shared-name", fmt.Sprintf("%s is a name of another %s, too, so a review that names %[1]s %[3]s", diagnostic.Quote(shared), refLists[list].one, effect), remedy)
		}
		switch field {
		case "technicians":
			b.Technicians = append(b.Technicians, reviewcast.Technician{ID: id, Name: name, Aliases: aliases})
		case "services":
			b.Services = append(b.Services, reviewcast.Named{ID: id, Name: name})
			s.content.ServiceAliases[id] = aliases
		default:
			b.ServiceAreas = append(b.ServiceAreas, reviewcast.Named{ID: id, Name: name})
			s.content.AreaAliases[id] = aliases
		}
	}
	if v := r.value(field); v != nil && v.Kind != syntax.List {
		known.partial = true
	}
}

// category reads a type of schema.org.
func (r *fields) category(f string) string {
	s := r.text(f)
	if s == "" || slices.Contains(Categories, s) {
		return s
	}
	meant := diagnostic.Nearest(s[strings.LastIndexByte(s, '/')+1:], Categories)
	suggestion := "choose a type of schema.org's LocalBusiness, such as Plumber, or write LocalBusiness"
	if meant != "" {
		suggestion = "write category: " + meant
	}
	r.fail(r.value(f), "bad-value", fmt.Sprintf("%s is %s, which is no type of business of schema.org", r.name(f), diagnostic.Quote(s)), suggestion)
	return ""
}

// country reads a code of ISO 3166.
func (r *fields) country(f string) string {
	s := r.text(f)
	region, err := language.ParseRegion(s)
	code := region.Canonicalize().String()
	known := err == nil && region.IsCountry() && countryForm.MatchString(code)
	if s == "" || known && code == s {
		return s
	}
	suggestion := "write the two capital letters of ISO 3166, such as GB, IT or CA"
	if named := countries[diagnostic.Squash(s)]; named != "" || known {
		suggestion = "write " + cmp.Or(named, code)
	}
	r.fail(r.value(f), "bad-value", fmt.Sprintf("%s %s is not a country code", r.name(f), diagnostic.Quote(s)), suggestion)
	return ""
}

// knownHours reports whether programs understand opening hours.
func knownHours(s string) bool {
	return hoursForm.MatchString(clockForm.ReplaceAllString(dayForm.ReplaceAllString(s, "D"), "T"))
}

// hours reads the opening hours. They are published as written; a form that programs do not understand is a Warning.
func (d *decoder) hours(r *fields) []string {
	hours := []string{}
	var open []string
	for n, s := range r.itemsOf("hours") {
		hours = append(hours, s)
		warn := func(what, remedy string) {
			d.Add(diagnostic.Warning, n.Line, n.Col, "bad-hours", fmt.Sprintf("the hours %s %s", diagnostic.Quote(s), what), remedy)
		}
		switch {
		case !knownHours(s):
			suggestion := "write a line for each group of days and each span, such as Mo-Fr 08:00-12:00, with the days Mo Tu We Th Fr Sa Su, and leave out days when you are closed"
			if meant, rest := meantHours(s); len(meant) > 0 {
				suggestion = "write " + strings.Join(meant, ", and on a line of its own ") + rest
			}
			warn("are not in schema.org's form", suggestion)
		case workday.MatchString(s):
			warn("end in the morning of the next day", "write "+plainHours(s)+" if they end in the afternoon")
		default:
			spans := spansOf(s)
			for _, span := range spans {
				if i := slices.IndexFunc(open, func(other string) bool { return overlaps(span, other) }); i >= 0 {
					warn("overlap with "+open[i]+" of another line", "write each day and time once")
					break
				}
			}
			open = append(open, spans...)
		}
	}
	return hours
}

// spansOf returns the days and times of opening hours one by one, such as "Mo 08:00-12:00".
func spansOf(s string) (spans []string) {
	const weekdays = "MoTuWeThFrSaSu"
	days, times, _ := strings.Cut(s, " ")
	for group := range strings.SplitSeq(days, ",") {
		from, to, _ := strings.Cut(group, "-")
		for day := strings.Index(weekdays, from); ; day = (day + 2) % len(weekdays) {
			for span := range strings.SplitSeq(cmp.Or(times, "00:00-24:00"), ",") {
				spans = append(spans, weekdays[day:day+2]+" "+span)
			}
			if weekdays[day:day+2] == cmp.Or(to, from) {
				break
			}
		}
	}
	return spans
}

// overlaps reports whether two spans are open at the same time.
func overlaps(a, b string) bool {
	end := func(span string) string {
		return span[:3] + max(span[9:], map[bool]string{true: "24:00"}[span[9:] < span[3:8]])
	}
	return a[:3] == b[:3] && a[:8] < end(b) && b[:8] < end(a)
}

// betweenHours matches what people write between the hours of several days, daysOnly days whose times follow.
var (
	betweenHours = regexp.MustCompile(` *[,;/\n] *`)
	daysOnly     = regexp.MustCompile(`^[A-Z][a-z](-[A-Z][a-z])?(,[A-Z][a-z](-[A-Z][a-z])?)*$`)
)

// meantHours returns the hours that a text means in schema.org's form, each of its days and times, and a remark on
// what it can't be written for.
func meantHours(s string) (meant []string, rest string) {
	plain := plainHours(s)
	if knownHours(plain) {
		return []string{plain}, ""
	}
	var parts, others []string
	for _, part := range betweenHours.Split(plain, -1) {
		last := len(parts) - 1
		if last >= 0 && part != "" && (daysOnly.MatchString(parts[last]) || part[0] <= '9') {
			parts[last] += "," + part
		} else {
			parts = append(parts, part)
		}
	}
	for _, part := range parts {
		if knownHours(part) {
			meant = append(meant, part)
		} else if part != "" {
			others = append(others, part)
		}
	}
	if len(others) > 0 {
		rest = fmt.Sprintf("; there is no form for %s: leave it out", diagnostic.Quote(strings.Join(others, ", ")))
	}
	return meant, rest
}

var (
	letterWords = regexp.MustCompile(`\pL+`)
	timeWords   = regexp.MustCompile(`(?i)\b([0-9]{1,2})(?:(?:[:.]| ?h ?)([0-9]{2})| ?h| ?Uhr)? ?(am|pm)?\b`)
	dashes      = regexp.MustCompile(` ?[-–—] ?`)
	commas      = regexp.MustCompile(` ?, ?`)
	// workday matches hours such as 09:00-05:00, which end in the afternoon.
	workday = regexp.MustCompile(`\b(0[5-9]|1[0-2]):([0-9]{2})-0([1-7]):`)
)

// plainHours writes hours such as "Mon – Fri 8am to 6pm" in schema.org's form.
func plainHours(s string) string {
	s = letterWords.ReplaceAllStringFunc(strings.NewReplacer(": ", " ", "24/7", "Mo-Su 00:00-23:59").Replace(s), func(word string) string {
		if meant, ok := dayWords[strings.ToLower(word)]; ok {
			return meant
		}
		return word
	})
	s = commas.ReplaceAllString(dashes.ReplaceAllString(strings.Join(strings.Fields(s), " "), "-"), ",")
	halves := false
	s = timeWords.ReplaceAllStringFunc(s, func(clock string) string {
		m := timeWords.FindStringSubmatch(clock)
		halves = halves || m[3] != ""
		hour, _ := strconv.Atoi(m[1])
		if half := strings.ToLower(m[3]); half == "pm" && hour < 12 {
			hour += 12
		} else if half == "am" && hour == 12 {
			hour = 0
		}
		return fmt.Sprintf("%02d:%02s", hour, cmp.Or(m[2], "00"))
	})
	if m := workday.FindStringSubmatch(s); m != nil && !halves {
		s = strings.Replace(s, m[0], fmt.Sprintf("%s:%s-1%c:", m[1], m[2], m[3][0]+2), 1)
	}
	return s
}

// offset matches a time zone given as its distance from UTC.
var offset = regexp.MustCompile(`(?i)^(?:UTC|GMT)? ?([+−-]) ?0?([0-9]{1,2})(?::?(?:00|(30)))?$`)

// timeZone reads the name of a time zone of a country, which may be unknown.
func (r *fields) timeZone(f, country string) string {
	s := r.nonBlank(f)
	// "Local" is the time zone of the machine; the output must not depend on it.
	if _, err := time.LoadLocation(s); err != nil || s == "Local" {
		suggestion := diagnostic.DidYouMean(s, slices.Sorted(maps.Values(timeZones)), "write an IANA name, such as Europe/Rome or America/Toronto")
		for name, code := range countries {
			if zone := timeZones[name]; code == country && zone != "" {
				suggestion = "write " + zone + ", where the business is"
			}
		}
		if zone := timeZones[diagnostic.Squash(s)]; zone != "" {
			suggestion = "write " + zone
		} else if m := offset.FindStringSubmatch(s); m != nil {
			suggestion = "write the name of a city, so that summer time is known, such as " + cmp.Or(timeZones[strings.Replace(m[1], "−", "-", 1)+m[2]+m[3]], "Europe/Rome")
		}
		for _, area := range strings.Fields("Pacific Atlantic Africa Asia Australia America Europe") {
			if zone, err := time.LoadLocation(area + "/" + strings.ReplaceAll(strings.Split(s, ",")[0], " ", "_")); err == nil && s != "" && !strings.Contains(s, "/") {
				suggestion = "write " + zone.String()
			}
		}
		r.fail(r.value(f), "bad-time-zone", fmt.Sprintf("%s %s is not a time zone", r.name(f), diagnostic.Quote(s)), suggestion)
		return ""
	}
	return s
}

// names are the technicians, services or areas in business.yaml.
type names struct {
	ids    map[string]bool
	byName map[string]string // id by name or alias, without case; "" for several
	all    []string          // ids, names and aliases, for suggestions
	// partial reports that an entry could not be read: an unknown id may be its.
	partial bool
}

// meant returns the id of what a word names, perhaps misspelt, or begins the name of; "" for nothing, and for several.
func (k *names) meant(word string) string {
	if id, ok := k.byName[strings.ToLower(word)]; ok {
		return id
	}
	near := diagnostic.Nearest(word, k.all)
	for i := 0; i < len(k.all) && !k.ids[near] && k.byName[strings.ToLower(near)] == ""; i++ {
		if strings.HasPrefix(strings.ToLower(k.all[i]), strings.ToLower(word)+" ") {
			near = k.all[i]
		}
	}
	if k.ids[near] {
		return near
	}
	return k.byName[strings.ToLower(near)]
}

// add adds an entry, and returns a name that another one has, too.
func (k *names) add(id, name string, aliases []string) (shared string) {
	k.ids[id] = true
	k.all = append(k.all, id)
	for _, s := range append([]string{name}, aliases...) {
		if s == "" {
			continue
		}
		key := strings.ToLower(s)
		if other, taken := k.byName[key]; taken && other != id {
			k.byName[key], shared = "", s // nobody in particular
		} else {
			k.byName[key] = id
		}
		k.all = append(k.all, s)
	}
	return shared
}

//go:embed words.txt
var wordsFile string

func meanings(section string) map[string]string { return diagnostic.Meanings(wordsFile, section) }

var languages, countries, timeZones, dayWords = meanings("languages"), meanings("countries"), meanings("time zones"), meanings("days and times")

// Categories are schema.org's LocalBusiness and the types below it, as of version 29, and
// VeterinaryCare, which businesses use although it is below MedicalOrganization.
var Categories = diagnostic.Words(wordsFile, "categories")
