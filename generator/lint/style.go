package lint

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"reviewcast/generator/diagnostic"
	"reviewcast/generator/source"
)

// Initials shortens an author to "First L."; full reports whether that removes something. A single word, or a name
// that ends in initials, is short already, and so is the name of a firm. Of two people each name is shortened.
func Initials(author string) (short string, full bool) {
	words := strings.Fields(author)
	if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(firms, w) }) {
		return author, false
	}
	i := slices.IndexFunc(words, func(w string) bool { return slices.Contains(joins, w) })
	if i == 1 || i > 1 && !slices.Contains(ofSurnames, words[i]) {
		first := strings.Join(words[:i], " ")
		second, full := Initials(strings.Join(words[i+1:], " "))
		if before, one := Initials(first); one && !strings.Contains(first, ",") { // not "Anna, Ben und Carla Muster"
			first, full = before, true
		}
		return first + " " + words[i] + " " + second, full
	}
	words = strings.Fields(diagnostic.SurnameLast(author))
	if names := slices.DeleteFunc(slices.Clone(words), isTitle); len(names) > 1 {
		words = names
	}
	if len(words) < 2 {
		return author, false
	}
	last := words[len(words)-1]
	r, size := utf8.DecodeRuneInString(last)
	// "K", "K." and words that are not names ("2024", "&") stay.
	if !unicode.IsUpper(r) || strings.TrimRight(last[size:], ".") == "" || strings.ToUpper(last) == last && len(last) <= 3 {
		return author, false
	}
	return words[0] + " " + string(r) + ".", true
}

// forget is what else is to do with personal data once it has been built: it stays in the list of changes.
const forget = "; if it has been built with it, then build once with --forget"

// firstNames are frequent ones that are hardly ever surnames, givenNames also others, vocatives the endings of names that
// are addressed, with those of the names themselves.
var (
	titles     = diagnostic.Words(wordsFile, "titles")
	firstNames = diagnostic.Words(wordsFile, "first names")
	givenNames = slices.Concat(firstNames, diagnostic.Words(wordsFile, "given names"))
	vocatives  = diagnostic.Rows(wordsFile, "vocatives")
	joins      = diagnostic.Words(wordsFile, "joins")     // between the names of a couple
	firms      = diagnostic.Words(wordsFile, "firms")     // in the names of firms
	ofSurnames = []string{"y", "e", "i"}                  // between two surnames: José Ortega y Gasset
	notNames   = diagnostic.Words(wordsFile, "not names") // after a trade, with a capital letter
)

func isTitle(word string) bool {
	return slices.Contains(titles, strings.ToLower(strings.TrimSuffix(word, ".")))
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// newPeople returns the names that need not be reported: every word of them, in lower case.
func newPeople(c *source.Content) map[string]bool {
	known := map[string]bool{}
	add := func(names ...string) {
		for _, w := range wordsOf(strings.ToLower(strings.Join(names, " "))) {
			known[w] = true
		}
	}
	b := &c.Business
	for _, t := range b.Technicians {
		add(t.Name)
		add(t.Aliases...)
	}
	for w := range maps.Clone(known) {
		known[stem(w)] = true // in replies names have cases
	}
	for _, n := range slices.Concat(b.Services, b.ServiceAreas) {
		add(n.Name)
		add(c.ServiceAliases[n.ID]...)
		add(c.AreaAliases[n.ID]...)
	}
	add(b.Name, b.LegalName, b.Address.AddressLocality, b.Address.AddressRegion)
	return known
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' && r != '-' })
}

// unlisted reports a technician whom a text names and who is not in business.yaml.
func (in *inspector) unlisted(at diagnostic.Position, field, text string) {
	trade, seen := named[0], ""
	if !trade.mayBeIn(strings.ToLower(text)) {
		return
	}
	for _, m := range trade.form().FindAllStringSubmatch(text, -1) {
		name := strings.TrimSuffix(strings.TrimSuffix(m[1], "'s"), "’s")
		lower := strings.ToLower(name)
		if in.people[lower] || slices.Contains(notNames, lower) || name == seen || strings.ToUpper(name) == name {
			continue
		}
		seen = name
		in.add(at, m[0], trade.code, fmt.Sprintf(trade.message, field, diagnostic.Quote(name)), trade.remedy)
	}
}

// others reports a technician whom a text greets, which counts as naming them, or who did the job by its words, if the
// review lists others, of whom the title and the text name none.
func (in *inspector) others(r *source.Review, at diagnostic.Position, text string) {
	greeted, job := greetings[0].find(text), r.Job.Technicians
	said := wordsOf(strings.ToLower(*cmp.Or(r.Title, new(string)) + "\n" + *cmp.Or(r.Text, new(string))))
	ids, listed, named := map[string]string{}, 0, false // of technicians by their names; "" of namesakes
	for _, t := range in.content.Business.Technicians {
		words := slices.DeleteFunc(strings.Fields(t.Name), isTitle)
		if slices.Contains(job, t.ID) {
			listed++
			named = named || slices.ContainsFunc(slices.Concat(t.Aliases, words), func(name string) bool { return isNamed(strings.ToLower(name), said) })
		}
		for _, name := range slices.Concat(t.Aliases, words[:min(1, len(words))]) {
			id, taken := ids[name]
			ids[name] = diagnostic.When(!taken || id == t.ID, t.ID)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		before, behind, found := strings.Cut(text, name)
		last, _ := utf8.DecodeLastRuneInString(before)
		greets := slices.Contains(greeted, name) && strings.ContainsAny(behind[:min(len(behind), 1)], ",!:\n")
		did := !named && !unicode.IsLetter(last) && last != '-' && forms("didTheJob").MatchString(behind)
		if id := ids[name]; found && id != "" && listed > 0 && listed == len(job) && !slices.Contains(job, id) && (greets || did) {
			in.add(at, name, "other-name", fmt.Sprintf("the text %s %s, and the technicians of the review are %s", diagnostic.Pick(greets, "greets", "names"), diagnostic.Quote(name), diagnostic.Join(job, "and")),
				fmt.Sprintf("if it is %s, who did the job, write technicians: [%[1]s]; if %[1]s was there, too, add it to them; if it is somebody else, leave it", id)+diagnostic.When(greets, "; if the letter only greets, delete the greeting"))
			return
		}
	}
}

// isNamed reports whether words in lower case have a name, in one of its cases, too.
func isNamed(name string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return strings.HasPrefix(word, stem(name)) && len(word) <= len(name)+len("lle") && (word == name || languageOf[word] == "")
	})
}

// Limits of the digits of a telephone number: E.164 allows 15; fewer than 8 are a price or a year, but in some countries.
const minPhoneDigits, maxPhoneDigits = 8, 15

func (in *inspector) personal(r *source.Review, at diagnostic.Position, field, text string) {
	remedy := "write […] in its place, or ask the customer for another wording, and leave the review out until then"
	switch {
	case field == "author":
		remedy = "write the first name and an initial, or Anonymous"
	case field == "owner_reply.text":
		if remedy = "write the reply without it"; !in.mixed[at.File] {
			in.names(r, at, text)
		}
	case r.SourceURL != nil || r.Verification.Method == "platform" || diagnostic.IsPlatform(r.Source):
		remedy = "write […] in its place, and ask the customer to edit the review where it was posted"
	}
	var seen []string
	head := forms("salutation").FindStringSubmatch(text)
	for _, m := range personalData {
		if country := cmp.Or(in.content.Business.Address.AddressCountry, "ZZ"); m.only != "author" && !strings.Contains(cmp.Or(m.only, country), country) || !m.mayBeIn(text) || slices.Contains([]string{"address-in-text", "vehicle-in-text", "no-phone"}, m.code) && !strings.ContainsAny(text, "0123456789") {
			continue
		}
		if m.code == "name-in-text" && head != nil {
			m.remedy = strings.Replace(m.remedy, ";", fmt.Sprintf(", and the line %q at the beginning;", head[1]), 1)
		}
		for _, found := range m.find(text) {
			known := slices.ContainsFunc(seen, func(other string) bool { return strings.Contains(other, found) }) // by another form
			if d := digits(found); m.code != "no-phone" && !known && !in.harmless(r, field, m, found, d) {
				in.add(at, firstLine(found), m.code, fmt.Sprintf(m.message, field, diagnostic.Quote(found), d[max(0, len(d)-4):]), strings.Replace(m.remedy, "REMEDY", remedy+forget, 1))
			}
			seen = append(seen, found)
		}
	}
}

// harmless reports whether what looks like personal data is none, or is the business's own. d are its digits.
func (in *inspector) harmless(r *source.Review, field string, m remark, found, d string) bool {
	switch names := strings.Fields(found); m.code {
	case "name-in-text", "reply-in-text": // a reply is signed, and a name may be published as the author
		return field == "owner_reply.text" || m.only != "" && (!strings.HasPrefix(r.Author, names[0]+" ") || in.people[strings.ToLower(names[len(names)-1])]) ||
			!slices.ContainsFunc(wordsOf(found), func(word string) bool { return strings.ToLower(word) != word && !strings.Contains(r.Author, word) })
	case "email-in-text":
		return strings.ToLower(found) == in.email
	case "phone-in-text":
		return m.only == "" && len(d) < minPhoneDigits || len(d) > maxPhoneDigits || in.phone != "" && strings.HasSuffix(in.phone, strings.TrimLeft(d, "0"))
	case "address-in-text":
		return strings.Contains(digits(in.street), d) && !slices.ContainsFunc(wordsOf(found), func(word string) bool {
			return strings.ToLower(word) != word && !strings.Contains(in.street, strings.ToLower(stem(word)))
		})
	}
	return false
}

// stem returns the first letters of a name: those that stay in its cases and short forms.
func stem(name string) string { return string([]rune(name)[:min(3, utf8.RuneCountInString(name))]) }

// names reports the surname of the customer in a reply, and a greeting to another customer.
func (in *inspector) names(r *source.Review, at diagnostic.Position, reply string) {
	author, words := strings.Split(r.Author, " "), strings.Fields(reply)
	other := func(name string) bool { // neither the customer's as published, nor of the staff, nor a frequent word
		lower := strings.ToLower(name)
		return !in.people[lower] && !in.people[stem(lower)] && languageOf[lower] == "" && !slices.Contains(notNames, lower) && !slices.ContainsFunc(strings.Fields(strings.ReplaceAll(r.Author, "-", " ")), func(word string) bool {
			return strings.HasPrefix(diagnostic.Unaccented(strings.ToLower(word)), diagnostic.Unaccented(stem(lower)))
		})
	}
	initial := strings.TrimSuffix(author[len(author)-1], ".")
	for i := 1; i < len(words) && in.content.Site.AuthorNames == "initials"; i++ {
		name, before := strings.Trim(words[i], ".,;:!?"), words[i-1]
		called := isTitle(before) || before == author[0] || len(author[0]) > 3 && strings.HasPrefix(before, stem(author[0])) && !strings.ContainsAny(before, ".,;:!?")
		if called && initial != "" && strings.HasPrefix(name, initial) && stem(name) != name && other(name) {
			surnames := cmp.Or(forms("capitals").FindString(strings.Join(words[i:], " ")), name)
			in.add(at, words[i], "name-in-text", fmt.Sprintf("owner_reply.text has the customer's surname %s, and the author is published as %s", diagnostic.Quote(surnames), diagnostic.Quote(r.Author)),
				"write "+initial+". in its place"+forget)
			break
		}
	}
	for _, name := range slices.Compact(slices.Concat(greetings[0].find(reply), greetings[1].find(reply), greetings[2].find(reply))) {
		before, behind, _ := strings.Cut(reply, " "+name)
		greeting := strings.Fields("… " + before)
		titled, own := isTitle(greeting[len(greeting)-1]), strings.HasPrefix(name, initial)
		surname := titled && utf8.RuneCountInString(initial) == 1 && !own && (!strings.HasSuffix(name, ".") || slices.Contains(givenNames, author[0]))
		another := slices.Contains(greetings[0].find(reply), name) && forms("greeted").MatchString(behind) && !own && !strings.Contains(reply, author[0]) &&
			slices.Contains(givenNames, name) && slices.Contains(givenNames, author[0])
		if by := in.called(name, r.Author); ((by != "" || another) && r.Author != "" && !(titled && own) || surname) && other(name) {
			message := fmt.Sprintf(greetings[0].message, diagnostic.Quote(name), diagnostic.Quote(r.Author))
			in.add(at, name, greetings[0].code, message+diagnostic.When(by != "", "; "+diagnostic.Quote(by)+" wrote another review"), greetings[0].remedy)
		}
	}
}

// called returns the author of another review whose first name is the name, or has it as its vocative. That of the
// customer may begin like it.
func (in *inspector) called(name, customer string) string {
	by := in.authors[name]
	for _, endings := range vocatives {
		if stem, is := strings.CutSuffix(name, endings[0]); is && by == "" && !strings.HasPrefix(diagnostic.Unaccented(customer), diagnostic.Unaccented(stem)) {
			by = in.authors[stem+endings[1]]
		}
	}
	return by
}

func digits(s string) string { return forms("noDigits").ReplaceAllString(s, "") }

func (in *inspector) joinedLists() {
	seen := map[string]bool{}
	for _, r := range in.content.Reviews {
		name := in.content.Position(r).File
		if seen[name] || !source.IsYAML(name) {
			continue
		}
		seen[name] = true
		data, _ := in.root.ReadFile(name)
		for _, at := range forms("listForm").FindAllSubmatchIndex(data, -1) {
			line := 1 + bytes.Count(data[:at[2]], []byte("\n"))
			in.add(diagnostic.Position{File: name, Line: line, Col: 1}, string(data[at[2]:at[3]]), "joined-list", "the lines of this list are published as one line",
				"write text: | above the whole text, and indent all of its lines further than that")
		}
	}
}
