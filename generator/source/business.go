package source

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

var (
	businessSchema = newSchema("the business", "", "", `id name legal_name description category url telephone email address geo hours
		time_zone language same_as logo services technicians service_areas`)
	addressSchema = newSchema("address", "address.", "{street_address: \"…\", address_locality: \"…\", postal_code: \"…\", address_country: GB}, with your own in place of … and GB",
		"street_address address_locality address_region postal_code address_country")
	geoSchema = newSchema("geo", "geo.", "{latitude: 45.65, longitude: 9.19}", "latitude longitude")
)

// extended matches a telephone number with an extension.
var extended = regexp.MustCompile(strings.ReplaceAll(`(?i)^(.*?[0-9])(?:[ ,;/–-]*(?:WORD)[ .:-]*([0-9]{1,5})|[ ,;/–-]+([0-9]{1,5}) *(?:WORD))$`,
	"WORD", strings.Join(diagnostic.Words(wordsFile, "extensions"), "|")))

// ExampleBusinesses are the businesses that `reviewcast init` writes, the second with --empty.
var ExampleBusinesses = []string{"willow-street-home-services", "my-business"}

// ExampleRemedy is what to do with a review whose source is example.
const ExampleRemedy = "if a customer wrote it, write source: direct, or the name of the platform; if it is made up, delete the whole review"

// business reads business.yaml.
func (d *decoder) business(n *syntax.Node, s *surroundings) {
	if n.Kind == syntax.Null {
		d.fail(n, "missing-field", "there is nothing in the file", "put back a copy of it; for a new business, write at least its id and its name")
		return
	}
	if n.Has("base_url") && !n.Has("id") {
		d.fail(n, "wrong-type", "these are the fields of "+SiteFile, "put back "+BusinessFile+" from a copy: it has been overwritten")
		return
	}
	r, ok := d.fields(n, businessSchema)
	if !ok {
		return
	}
	b := &s.content.Business
	r.required("id", "name")
	b.ID, s.content.BusinessAt = r.id(), d.position(r.placeOf("id"))
	b.Name = r.nonBlank("name")
	b.LegalName = r.nonBlank("legal_name")
	b.Description = r.text("description")
	b.Category = r.category("category", s.content.Site.Language)
	b.URL = r.url("url")
	if host := forms("ownHost").ReplaceAllString(b.URL, ""); host != "" && host == forms("ownHost").ReplaceAllString(s.content.Site.BaseURL, "") {
		s.problems = append(s.problems, s.content.BaseURLAt.Warning("same-address", "base_url is also the url in business.yaml: the reviews would replace the front page of your website",
			"write an address that is for the reviews only, such as https://reviews."+host+"; or delete url in business.yaml if you have no other website"))
	}
	b.Email = r.email("email")
	b.Address = r.address()
	b.Telephone = r.telephone(b.Address.AddressCountry)
	if g, ok := r.inner("geo", geoSchema); ok {
		g.required("latitude", "longitude")
		b.Geo = &reviewcast.Geo{Latitude: g.float("latitude", -90, 90), Longitude: g.float("longitude", -180, 180)}
		g.elsewhere(b.Geo, b.Address.AddressCountry)
	}
	b.Hours = d.hours(&r)
	b.TimeZone = r.timeZone("time_zone", b.Address.AddressCountry)
	b.Language = r.language("language", b.Address.AddressCountry)
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
	s.content.known[0].namesakes(b.Technicians)
}

// dialCodes are the codes that telephones abroad dial before a number of a country, and what they leave out of it.
var dialCodes = meanings("dial codes")

// telephone reads the telephone number of a business in a country, which may be unknown.
func (r *fields) telephone(country string) string {
	s := r.nonBlank("telephone")
	digits := strings.NewReplacer("O", "0", "o", "0", "I", "1", "l", "1").Replace(s)
	local := strings.Join(strings.FieldsFunc(s, func(c rune) bool { return c < '0' || c > '9' }), " ")
	code, trunk, _ := strings.Cut(dialCodes[country], " ")
	switch {
	case extended.MatchString(s):
		r.warn("telephone", "two-numbers", fmt.Sprintf("telephone %s has an extension, which would be dialled with the number", diagnostic.Quote(s)), extended.ReplaceAllString(s, `write telephone: "$1", or "$1-$2$3" if that is the number of the extension`))
	case forms("twoNumbers").MatchString(s) || len(forms("numberForm").FindAllString(s, 2)) > 1:
		r.warn("telephone", "two-numbers", fmt.Sprintf("telephone %s is more than one number", diagnostic.Quote(s)), "write one, which telephones can dial")
	case digits != s && !strings.ContainsFunc(digits, unicode.IsLetter): // not 1-800-PLUMBER
		r.warn("telephone", "two-numbers", fmt.Sprintf("telephone %s has a letter in place of a digit", diagnostic.Quote(s)), "write "+digits)
	case strings.ContainsFunc(s, func(c rune) bool { return unicode.In(c, unicode.Ll, unicode.So) }) && forms("numberForm").MatchString(s):
		r.warn("telephone", "two-numbers", fmt.Sprintf("telephone %s has words beside the number", diagnostic.Quote(s)), fmt.Sprintf("write telephone: %q", forms("numberForm").FindString(s)))
	case strings.HasPrefix(s, "+1") && strings.Trim(s, "+-. ()0123456789") == "" && len(strings.ReplaceAll(local, " ", "")) == 10: // with the 1
		r.warn("telephone", "bad-value", fmt.Sprintf("telephone %s has nine digits behind +1, and such numbers have ten", diagnostic.Quote(s)), "correct it")
	case code != "" && len(local) >= 6 && !strings.Contains(s, "+") && !strings.HasPrefix(local, "00") && !strings.HasPrefix(local, code[1:]+" ") && !strings.ContainsFunc(s, unicode.IsLetter):
		r.warn("telephone", "bad-value", fmt.Sprintf("telephone %s has no country, which telephones abroad need", diagnostic.Quote(s)),
			fmt.Sprintf("write it with the country: telephone: %q", code+" "+strings.TrimSpace(strings.TrimPrefix(local, trunk))))
	}
	return s
}

func (r *fields) address() (out reviewcast.Address) {
	if a, ok := r.inner("address", addressSchema); ok {
		out = reviewcast.Address{StreetAddress: a.text("street_address"), AddressLocality: a.text("address_locality"),
			AddressRegion: a.text("address_region"), PostalCode: a.text("postal_code"), AddressCountry: a.country("address_country")}
		if street, code, town := out.StreetAddress, out.PostalCode, out.AddressLocality; code != "" && strings.Contains(street, code) || town != "" && strings.Contains(street, ", "+town) {
			a.warn("street_address", "bad-value", "address.street_address has the town or the postal code, too, so that they are shown twice", "write only the street and the number")
		} else if code, ok := strings.CutSuffix(code, " "+town); ok && town != "" {
			a.warn("postal_code", "bad-value", "address.postal_code has the town, too, so that it is shown twice", fmt.Sprintf("write postal_code: %q", code))
		} else if before, town, ok := strings.Cut(town, " "); ok && code == "" && forms("codeForm").MatchString(before) {
			a.warn("address_locality", "bad-value", "address.address_locality has the postal code in it", fmt.Sprintf("write address_locality: %s, and on a line of its own postal_code: %q", town, before))
		}
	}
	return out
}

// elsewhere warns of a place outside its country that would be inside with its numbers exchanged or with another sign.
func (r *fields) elsewhere(g *reviewcast.Geo, country string) {
	var south, north, west, east float64
	if n, _ := fmt.Sscanf(bounds[country], "%g,%g,%g,%g", &south, &north, &west, &east); n < 4 {
		return
	}
	a, o := g.Latitude, g.Longitude
	for i, p := range [][2]float64{{a, o}, {a, -o}, {o, a}, {-a, o}, {-a, -o}, {o, -a}, {-o, a}, {-o, -a}} {
		if south <= p[0] && p[0] <= north && west <= p[1] && p[1] <= east {
			wrong, right := diagnostic.Pick(p[0] == a, "longitude", "latitude"), diagnostic.Pick(p[0] == a, p[1], p[0])
			remedy := fmt.Sprintf("write %s: %g, if the sign is wrong", wrong, right)
			if p[0] != a && p[1] != o {
				remedy = fmt.Sprintf("write latitude: %g and longitude: %g in their places, if the numbers are exchanged or have wrong signs", p[0], p[1])
			}
			if i > 0 {
				r.warn(wrong, "bad-value", "geo is not in "+country+", the country of the address", remedy)
			}
			return
		}
	}
}

// listed reads the technicians, services or areas.
func (r *fields) listed(list int, s *surroundings) {
	b, field := &s.content.Business, refLists[list].name
	v := r.value(field)
	known := &names{ids: map[string]bool{}, byName: map[string]string{}, partial: v != nil && v.Kind != syntax.List || r.meant&(1<<r.schema.index[field]) != 0}
	s.content.known[list] = known
	seen := map[string]int32{}
	for _, n := range joined(r.items(field), refLists[list].entry, r.List) {
		one, ok := r.fields(&n, refLists[list].entry)
		if !ok {
			known.partial = true
			continue
		}
		one.required("id", "name")
		id, name, aliases := one.id(), one.nonBlank("name"), append([]string{}, one.texts("aliases")...)
		if m := forms("besideForm").FindStringSubmatch(name); m != nil && field == "technicians" {
			one.warn("name", "shared-name", fmt.Sprintf("name %s has more than the name, which is published with it, and is not found in texts that say %s", diagnostic.Quote(name), diagnostic.Quote(m[1])), "write name: "+m[1]+"; another name of theirs belongs under aliases, and somebody else into an entry of their own")
		}
		own := func(alias string) bool {
			return slices.Contains(strings.Fields(strings.ToLower(b.Name)), strings.ToLower(alias))
		}
		if i := slices.IndexFunc(aliases, forms("anybody").MatchString); i >= 0 && field == "technicians" && len(v.Items) > 1 {
			one.warn("aliases", "shared-name", fmt.Sprintf("the alias %s may mean other technicians, too, whose reviews would be credited to this one", diagnostic.Quote(aliases[i])), "leave it out of the aliases, and list the technicians of reviews that say it")
		}
		if i := slices.IndexFunc(aliases, own); i >= 0 && field == "technicians" {
			one.warn("aliases", "shared-name", fmt.Sprintf("the alias %s is a word of the name of the business too, so that reviews that name the business are credited to this technician", diagnostic.Quote(aliases[i])), "leave it out of the aliases")
		}
		if places := strings.Split(separators.Replace(name), ","); field == "service_areas" && len(places) > 2 && len(aliases) == 0 {
			one.warn("name", "shared-name", fmt.Sprintf("name %s looks like several places, and is found as one only", diagnostic.Quote(name)), "write an entry for each, such as - "+one.schema.written(strings.TrimSpace(places[1])))
		}
		if field == "technicians" && misnamed(name, id) {
			one.warn("name", "bad-value", fmt.Sprintf("name %s and id %s differ in a letter", diagnostic.Quote(name), id), "if the name is mistyped, correct it; the id of one that is published must stay")
		}
		if id == "" {
			known.partial = true
			continue
		}
		known.partial = known.partial || slices.ContainsFunc(n.Entries, func(e syntax.Entry) bool { return e.Key.Text == "id" && e.Value.Text != id }) // a hyphen is missing
		r.twice(seen, id, one.placeOf("id"), "a second "+refLists[list].one+" has the id %s")
		known.entries = append(known.entries, &one)
		if shared, others := known.add(id, name, aliases); shared != nil {
			names, both := diagnostic.Join(shared, "or"), diagnostic.Join(append(others, id), "and")
			effect, remedy := "counts for both", fmt.Sprintf("leave %s out of the aliases of one of %s; of two entries for one place or service, delete one", names, both)
			if field == "technicians" {
				effect, remedy = "is credited to neither", fmt.Sprintf("leave %s out of the aliases of %s, and list the technicians of such reviews", names, both)
			}
			one.warn("aliases", "shared-name", fmt.Sprintf("%s is a name of %s, too, so a review that names %[1]s %[3]s", names, diagnostic.Join(others, "and"), effect), remedy)
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
}

// misnamed reports whether a name of several Latin words differs from an id in one of them, and in that by a letter.
func misnamed(name, id string) bool {
	words, others, apart := strings.Split(strings.ToLower(fixID(name)), "-"), strings.Split(strings.ToLower(id), "-"), 0
	for i := 0; i < len(words) && len(words) == len(others); i++ {
		if words[i] != others[i] {
			last, is := strings.CutPrefix(others[i], words[i]) // of the surname, without which it is the form of another language
			lost := is && i == len(words)-1 && len(words[i]) > 3 && len(last) == 1 && !strings.ContainsAny(last, "aeohs")
			apart += diagnostic.Pick(diagnostic.Mistyped(words[i], others[i]) || lost, 1, 2)
		}
	}
	return len(words) > 1 && apart == 1 && !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsDigit(r) || unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) || strings.ContainsRune("äöüåøæœß", unicode.ToLower(r))
	})
}

// namesakes warns of aliases of technicians that are the first name of another one.
func (k *names) namesakes(technicians []reviewcast.Technician) {
	for at, t := range technicians {
		for _, alias := range t.Aliases {
			i := slices.IndexFunc(technicians, func(other reviewcast.Technician) bool {
				return other.ID != t.ID && strings.HasPrefix(strings.ToLower(other.Name), strings.ToLower(alias)+" ") && !slices.Contains(other.Aliases, alias)
			})
			if i >= 0 && k.byName[strings.ToLower(alias)] == t.ID { // nobody else has it
				k.entries[at].warn("aliases", "shared-name", fmt.Sprintf("the alias %s of %s is the first name of %s, too, so that reviews that mean the other one are credited to %[2]s", diagnostic.Quote(alias), t.Name, technicians[i].Name), fmt.Sprintf("leave %s out of the aliases of %s, and list the technicians of such reviews", alias, t.ID))
			}
		}
	}
}

// category reads a type of schema.org.
func (r *fields) category(f, language string) string {
	s := r.text(f)
	if s == "" || slices.Contains(Categories, s) {
		return s
	}
	suggestion := "write LocalBusiness, or a type below it, which https://schema.org/LocalBusiness lists"
	meant := typesOf(s, forms("headFirst").MatchString(language+" "+s))
	if len(meant) > 1 {
		suggestion = fmt.Sprintf("write category: %s, or %s if most customers come for that", meant[0], diagnostic.Join(meant[1:], "or"))
	} else if meant = append(meant, diagnostic.Nearest(s, Categories)); meant[0] != "" {
		suggestion = "write category: " + meant[0]
	}
	r.fail(r.value(f), "bad-value", fmt.Sprintf("%s is %s, which is no type of business of schema.org", r.name(f), diagnostic.Quote(s)), suggestion)
	return ""
}

// typesOf returns the types that the words of a text name, each once, those of many trades only alone, the main one first.
func typesOf(s string, headFirst bool) (types []string) {
	words := strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return !unicode.IsLetter(c) })
	for i, word := range words {
		one := i > 0 && trades[words[i-1]+word] != "" // with the word before, such as law firm
		meant := cmp.Or(trades[strings.Join(words[i:min(len(words), i+2)], "")], trades[word])
		for from := 1; meant == "" && len(word)-from > 4; from++ { // a Familienhotel is a hotel, and cargo no golf
			meant = trades[word[from:]]
		}
		if meant != "" && !one && !slices.Contains(types, meant) {
			types = slices.Insert(types, diagnostic.Pick(headFirst, len(types), 0), meant)
		}
	}
	if one := slices.DeleteFunc(slices.Clone(types), func(t string) bool { return slices.Contains(ofManyTrades, t) }); len(one) > 0 {
		types = one
	}
	return types
}

// country reads a code of ISO 3166.
func (r *fields) country(f string) string {
	s := r.text(f)
	region, err := language.ParseRegion(s)
	code := region.Canonicalize().String()
	known := err == nil && region.IsCountry() && len(code) == 2
	if s == "" || known && code == s {
		return s
	}
	suggestion := "write the two capital letters of ISO 3166, such as GB, IT or CA"
	for _, word := range append([]string{s}, strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("/,;()", r) })...) {
		if named := countries[diagnostic.Squash(word)]; named != "" || known {
			suggestion = "write " + cmp.Or(named, code)
		}
	}
	r.fail(r.value(f), "bad-value", fmt.Sprintf("%s %s is not a country code", r.name(f), diagnostic.Quote(s)), suggestion)
	return ""
}

// names are the technicians, services or areas in business.yaml.
type names struct {
	ids    map[string]bool
	byName map[string]string // id by name or alias, without case; "" for several
	all    []string          // ids, names and aliases, for suggestions
	// entries are those that have an id.
	entries []*fields
	// partial reports that an entry could not be read: an unknown id may be its.
	partial bool
}

// meant returns the id of what a word names, perhaps misspelt, or begins or ends the name of; "" for nothing, and for several.
func (k *names) meant(word string) string {
	if id, ok := k.byName[strings.ToLower(word)]; ok {
		return id
	}
	word = strings.TrimSpace(word[strings.LastIndex(word, ". ")+1:]) // without a title
	near := k.id(diagnostic.Nearest(word, k.all))
	for i := 0; i < len(k.all) && near == ""; i++ {
		if name, part := " "+strings.ToLower(k.all[i])+" ", strings.ToLower(word)+" "; strings.HasPrefix(name, " "+part) || strings.HasSuffix(name, " "+part) {
			near = k.id(k.all[i])
		}
	}
	if near != "" || len(word) < 5 {
		return near
	}
	for _, name := range k.all { // verleih for Skiverleih
		if id := k.id(name); id != near && strings.Contains(strings.ToLower(name), strings.ToLower(word)) {
			if near != "" {
				return ""
			}
			near = id
		}
	}
	return near
}

// id returns the id that is a word, or has it as a name; "" for none.
func (k *names) id(word string) string {
	if k.ids[word] {
		return word
	}
	return k.byName[strings.ToLower(word)]
}

// add adds an entry, and returns the names that others have, too, and the ids of these.
func (k *names) add(id, name string, aliases []string) (shared, others []string) {
	k.ids[id] = true
	k.all = append(k.all, id)
	for _, s := range append([]string{name}, aliases...) {
		if s == "" {
			continue
		}
		key := strings.ToLower(s)
		if other, taken := k.byName[key]; taken && other != id {
			k.byName[key], shared = "", append(shared, diagnostic.Quote(s)) // nobody in particular
			if other = cmp.Or(other, "others"); !slices.Contains(others, other) {
				others = append(others, other)
			}
		} else {
			k.byName[key] = id
		}
		k.all = append(k.all, s)
	}
	return shared, others
}

//go:embed words.txt
var wordsFile string

// forms are the regular expressions of words.txt, which says what each matches.
var forms = diagnostic.Forms(wordsFile, "forms")

// ofManyTrades are types that say little beside another one.
var ofManyTrades = diagnostic.Words(wordsFile, "types of many trades")

// meanings returns a section of words.txt.
func meanings(section string) map[string]string { return diagnostic.Lines(wordsFile, section) }

// What the words of people mean.
var (
	trades      = meanings("trades")
	methodWords = meanings("verification methods")
	fileNames   = meanings("names of files")
	countries   = meanings("countries")
	timeZones   = meanings("time zones")
	zones       = meanings("zones") // of countries and large cities
	dayWords    = meanings("days and times")
	bounds      = meanings("bounds") // of countries
)

// Categories are schema.org's LocalBusiness and the types below it, as of version 29, and
// VeterinaryCare, which businesses use although it is below MedicalOrganization.
var Categories = diagnostic.Words(wordsFile, "categories")
