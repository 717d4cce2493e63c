package source

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// record is one review as its file gives it, not yet checked against other files: its language may be missing and the
// ids of its job unknown. It is never changed.
//
// Its places are relative to its first line, which is line 1: a record that moves to another line is the same record.
// Its file knows where it is.
type record struct {
	Review
	key                                    uint64 // hash of the bytes, or of the nodes, that it was read from
	file                                   string
	start, id, date, replyDate, verifiedOn place
	refs                                   []ref            // in the order of the file
	problems                               *diagnostic.List // its own; nil for none
}

type place struct{ Line, Col int32 }

func placeOf(n *syntax.Node) place { return place{int32(n.Line), int32(n.Col)} }

type ref struct {
	value string
	list  uint8 // an index into refLists
	text  bool  // value is a text where the list belongs
	at    place
}

// seed makes the hashes of one process comparable.
var seed = maphash.MakeSeed()

// parser makes the records of one file. It takes the records of the last state of the file where their keys are the
// same.
type parser struct {
	*decoder // its List collects the problems of the current record
	ctx      context.Context
	salt     uint64             // of the keys: what else the records depend on
	old      map[uint64]*record // by key; without those that were taken, since a record is in one place only
	listed   int                // problems of earlier records
	now      *file              // with the records so far
	problems *diagnostic.List   // of the file
}

// parseYAML reads a file of reviews: a list or one review in each document.
func (p *parser) parseYAML(data []byte) (complete bool) {
	return syntax.ReadYAML(data, fieldNames, true, p.problems, func(n *syntax.Node) {
		switch n.Kind {
		case syntax.Null: // an empty file or document
		case syntax.List:
			for _, n := range joined(n.Items, reviewSchema, p.problems) {
				p.add(&n)
			}
		default:
			p.add(n)
		}
	})
}

// parseCSV reads a file of reviews, one a row.
func (p *parser) parseCSV(data []byte) (complete bool) {
	c := &syntax.CSVReader{List: p.problems, Columns: csvColumns}
	return c.Read(data, func(n *syntax.Node) {
		if p.absent == nil { // the first row: the missing columns are known now, and part of every key
			p.absent = c.Absent
			p.salt = maphash.String(seed, fmt.Sprint(c.Absent))
		}
		p.add(n)
	})
}

// add takes or decodes the record of a node.
func (p *parser) add(n *syntax.Node) {
	line := n.Rebase()
	var h maphash.Hash
	h.SetSeed(seed)
	n.AddTo(&h)
	key := h.Sum64() ^ p.salt
	r := p.old[key]
	delete(p.old, key)
	if r == nil {
		r = p.decode(key, n)
	}
	p.put(r, line)
}

// put puts in a record that begins on a line.
func (p *parser) put(r *record, line int) {
	p.now.records = append(p.now.records, r)
	p.now.lines[r] = line
}

// decode makes the record of a node; nil stands for one that the reader has refused.
func (p *parser) decode(key uint64, n *syntax.Node) *record {
	r := &record{key: key, file: p.File}
	if n != nil {
		p.review(n, r)
	}
	if p.Len() > 0 {
		r.problems = p.List
		// The file lists no more than the first problems.
		p.listed += p.Len()
		p.List = &diagnostic.List{File: p.File, Max: cmp.Or(diagnostic.MaxListed-p.listed, -1)}
	}
	return r
}

var csvColumns = func() syntax.Columns {
	var c syntax.Columns
	for _, name := range reviewSchema.names {
		if g := reviewSchema.group(name); g != nil {
			for _, inner := range g.names {
				c.Names = append(c.Names, g.prefix+inner)
			}
		} else {
			c.Names = append(c.Names, name)
		}
	}
	c.Required = requiredFields
	c.Cells = map[string]string{"verification.method": " Its cells have the method: " + MethodsExplained}
	c.Fits = func(n *syntax.Node) bool {
		d, w := decoder{List: &diagnostic.List{}}, record{}
		d.review(n, &w)
		return d.Len() == 0 && (w.Title == nil || w.Text != nil && len(*w.Text) > len(*w.Title))
	}
	c.DidYouMean = func(name string) string {
		meant := cmp.Or(reviewSchema.also[diagnostic.Squash(name)], strings.TrimSpace(name))
		if g := reviewSchema.group(meant); g != nil {
			meant = g.prefix + g.names[0]
		}
		return diagnostic.Nearest(meant, c.Names)
	}
	return c
}()

var (
	reviewSchema = newSchema("the review", "", "", `id author rating date title text language source source_url author_avatar_url
		owner_reply verification technicians services service_areas`)
	replySchema        = newSchema("owner_reply", "owner_reply.", "{text: %t, date: YYYY-MM-DD}, with the day of the reply in place of YYYY-MM-DD", "text date")
	verificationSchema = newSchema("verification", "verification.", "{method: job}", "method verified_on reference")
)

var requiredFields = []string{"id", "author", "rating", "date"}

// refList is a field that refers to entries of business.yaml.
type refList struct {
	name string // of the field, there and in business.yaml
	one  string // what one of them is

	entry *schema // of one of them in business.yaml
}

var refLists = [...]refList{newRefList("technicians", "technician"), newRefList("services", "service"),
	newRefList("service_areas", "service area")}

func newRefList(name, one string) refList {
	return refList{name, one, newSchema("the "+one, "", "{id: %i, name: %t}", "id name aliases")}
}

// answers are the fields of a reply that stands by itself.
var answers = meanings("replies")

// review decodes one review into w. One that has problems is kept, since its id matters to other files.
func (d *decoder) review(n *syntax.Node, w *record) {
	if i := slices.IndexFunc(n.Entries, func(e syntax.Entry) bool { return answers[diagnostic.Squash(e.Key.Text)] != "" }); i >= 0 && !slices.ContainsFunc(n.Entries, func(e syntax.Entry) bool { return reviewSchema.meant(e.Key.Text) == "rating" }) {
		d.fail(n, "wrong-type", "this is the reply to a review, and no review", fmt.Sprintf("write it in the review %s, below its other fields, as owner_reply: {text: …, date: YYYY-MM-DD}, and delete it here", diagnostic.Quote(n.Entries[i].Value.Text)))
		return
	}
	r, ok := d.fields(n, reviewSchema)
	if !ok {
		return
	}
	w.start = placeOf(n)
	if v := r.value("id"); v != nil && forms("fieldsInLine").MatchString(v.Text) {
		d.fail(v, "bad-id", "several fields are on one line", "write each on a line of its own, without the commas between them, all indented like the first: id: "+forms("fieldsInLine").FindStringSubmatch(v.Text)[1])
		return
	}
	absent := func(f string) bool { return r.found[reviewSchema.index[f]] == nil && d.absent == nil }
	switch {
	case len(n.Entries) == 1 && isField(n.Entries[0].Key.Text) && d.absent == nil:
		only, remedy := n.Entries[0].Key.Text, "a review has at least "+diagnostic.Join(requiredFields, "and")+"; lines that begin with # are notes and don't count"
		if reviewSchema.group(only) != nil && d.strict {
			remedy = "write it into the line of its review, before the } at the end: a comma, and what is between the outer braces here; and delete this line"
		} else if reviewSchema.group(only) != nil {
			remedy = "write it below the other fields of its review, without a hyphen, as far to the right as those, and delete it here"
		}
		d.fail(n, "missing-field", "the review has no field but "+only, remedy)
	case !absent("id") && absent("author") && absent("rating") && absent("date") && r.meant == 0:
		d.fail(n, "missing-field", "the review has no author, no rating and no date", "a new review needs all three; what belongs to a review in another file is written there, below its other fields")
	default:
		r.required(requiredFields...)
	}
	w.ID, w.id = r.id(), r.placeOf("id")
	w.Author = r.nonBlank("author")
	w.Rating = r.stars("rating")
	w.Date, w.date = r.date("date"), r.placeOf("date")
	w.Title = pointer(r.text("title"))
	w.Text = pointer(r.text("text"))
	r.swallowed("text", forms("fieldInText"))
	w.Language = r.language("language", "")
	w.Source = r.source()
	w.SourceURL = pointer(r.url("source_url"))
	if m := forms("platformSite").FindStringSubmatch(strings.ToLower(*cmp.Or(w.SourceURL, new(string)))); m != nil && forms("largePlatform").MatchString(m[1]) && m[1] != w.Source && (w.Source == "direct" || forms("largePlatform").MatchString(w.Source)) {
		r.warn("source_url", "bad-value", fmt.Sprintf("source is %s, and source_url is at %s", w.Source, m[1]), fmt.Sprintf("write source: %s; or delete source_url, if the review was given elsewhere", m[1]))
	}
	w.AuthorAvatarURL = pointer(r.url("author_avatar_url"))
	if reply, ok := r.inner("owner_reply", replySchema); ok {
		w.OwnerReply = reply.reply(w)
	}
	w.Hidden = Unverified
	if v, ok := r.inner("verification", verificationSchema); ok {
		v.verification(w)
	}
	for _, name := range []string{"owner_reply", "verification"} {
		if e := r.found[reviewSchema.index[name]]; e != nil && e.Value.Kind == syntax.Null && e.Value.Text == "" && !d.strict {
			d.Add(diagnostic.Warning, e.Key.Line, e.Key.Col, "blank", name+" is empty", "delete it, or indent its fields below it by two spaces: "+strings.Join(reviewSchema.group(name).names, ", "))
		}
	}
	if day := w.Date; !r.strict && day != "" {
		if other := w.otherYear(); other != nil {
			r.warn("date", "bad-date", fmt.Sprintf("date %s is of another year than %s", day, other[1]), fmt.Sprintf("write date: %s%s if the year is mistyped", other[0], day[4:]))
		}
		if turned := day[:4] + day[7:] + day[4:7]; turned.Valid() && strings.Contains(w.ID, string(turned[:7])) && !strings.Contains(w.ID, string(day[:7])) {
			r.warn("date", "bad-date", fmt.Sprintf("date %s is of another month than %s", day, w.ID), fmt.Sprintf("write date: %s if day and month are exchanged", turned))
		}
	}
	r.job(w)
}

// otherYear returns the year that the names of the review or its file, or a later verification, have, and which one; nil
// if a name has that of the date, or none has one.
func (w *record) otherYear() []string {
	if w.Date == "" || strings.Contains(w.ID+w.file, string(w.Date[:4])) {
		return nil
	}
	for _, m := range forms("dated").FindAllStringSubmatch(fmt.Sprintf("%s\n%s\n%s", w.ID, max(w.Date, w.Verification.VerifiedOn), w.file), -1) {
		year, _ := strconv.Atoi(m[1] + m[3])
		if years := year - w.Date.Noon().Year(); years != 0 && m[2] == string(w.Date[5:7]) || years*years > 1 && m[3] != "" {
			return []string{m[1] + m[3], strings.Trim(m[0], "/.\n")}
		}
	}
	return nil
}

// pointer returns an optional text; a blank one is none.
func pointer(s string) *string {
	if blank(s) {
		return nil
	}
	return &s
}

// source reads where the review was posted.
func (r *fields) source() string {
	s := r.nonBlank("source")
	if s == "" {
		return "direct"
	}
	switch lower := strings.ToLower(s); {
	case forms("addressForm").MatchString(lower):
		r.warn("source", "source-case", "source is an address", fmt.Sprintf("write source: %s, or whatever the platform is called, and on a line of its own source_url: %s",
			cmp.Or(diagnostic.When(forms("googleLink").MatchString(lower), "google"), forms("addressForm").FindStringSubmatch(lower)[1], "google"), diagnostic.When(!strings.HasPrefix(lower, "http"), "https://")+s))
	case lower != diagnostic.Platform(lower):
		r.warn("source", "source-case", fmt.Sprintf("source %s is nearly the name of the platform %s, and counts as a different source", diagnostic.Quote(s), diagnostic.Platform(lower)), "write "+diagnostic.Platform(lower)+" if these are reviews of that platform; a name of your own, such as that of a list, may stay")
	case lower != s:
		name, com := strings.CutSuffix(lower, ".com")
		r.warn("source", "source-case", fmt.Sprintf("source %s has capital letters and counts as a different source from %s", diagnostic.Quote(s), diagnostic.Quote(lower)), "write "+strings.ReplaceAll(lower, " ", "-")+diagnostic.When(com, ", or "+name+" if your other reviews have that"))
	}
	if strings.ContainsAny(s, "\n\t") {
		r.fail(r.value("source"), "bad-value", "source has more than one line", "write one word, such as google")
	}
	return s
}

// reply reads the owner's reply.
func (r *fields) reply(w *record) *reviewcast.OwnerReply {
	if r.swallowed("text", forms("dateInText")) {
		r.meant |= 1 << r.schema.index["date"]
	}
	r.required("text", "date")
	reply := &reviewcast.OwnerReply{Text: r.nonBlank("text"), Date: r.date("date")}
	w.replyDate = r.placeOf("date")
	if reply.Date != "" && w.Date != "" && reply.Date < w.Date && w.otherYear() == nil {
		remedy := "if it answers another review, move it below that one, or delete it if it is there already; if not, correct one of the dates"
		if day := w.Date[:4] + reply.Date[4:]; day.Valid() && day >= w.Date && day.Noon().Sub(w.Date.Noon()) < halfYear {
			remedy = fmt.Sprintf("if the year is mistyped, write date: %s; %s", day, remedy)
		}
		r.warn("date", "reply-before-review", fmt.Sprintf("the reply (%s) is older than the review (%s)", reply.Date, w.Date), remedy)
	}
	return reply
}

// swallowed reports a field that stands inside a text of several lines, since it is indented like them.
func (r *fields) swallowed(text string, form *regexp.Regexp) bool {
	v := r.value(text)
	if v == nil || r.strict {
		return false
	}
	at := form.FindStringIndex(v.Text)
	if at == nil {
		return false
	}
	words := strings.TrimSpace(v.Text[at[0]:at[1]])
	left := max(0, r.node.Col-1-2*strings.Count(words[:1], "-"))
	r.Add(diagnostic.Error, v.Line+1+strings.Count(v.Text[:at[0]], "\n"), 1, "field-in-text", fmt.Sprintf("%s stands inside the text above, since it is indented like it", diagnostic.Quote(words)),
		fmt.Sprintf("write it, and the lines that belong to it, as far to the left as text; write: %s%s", strings.Repeat(" ", left), words))
	return true
}

// MethodsExplained says which method of verification is meant for what.
const MethodsExplained = "job if you found their job, invitation if you invited them to write, receipt if they showed a receipt or an invoice, platform if the platform verified them"

// verification reads how the business knows the author.
func (r *fields) verification(w *record) {
	r.required("method")
	given := cmp.Or(r.value("method"), &syntax.Node{})
	named, number := methods(given), forms("referenceForm").FindString(given.Text)
	brand := func(s string) string { return strings.TrimSuffix(diagnostic.Platform(strings.ToLower(s)), ".com") }
	if diagnostic.IsPlatform(given.Text) && (strings.Contains(given.Text, ".") || brand(given.Text) == brand(w.Source)) {
		named = []string{"platform"} // Booking, not a booking
	}
	if nobody := diagnostic.Platform(strings.ToLower(given.Text)); nobody == "google" || nobody == "facebook" {
		named = []string{"job if you found their job in your books, or invitation or receipt; " + given.Text + " checks nobody"}
	}
	if len(named) > 1 || len(named) == 1 && strings.Contains(given.Text, " ") && (number != "" || strings.Contains(strings.ToLower(given.Text), named[0])) {
		suggestion := diagnostic.Pick(number == "", "one method is enough: write method: "+named[0], fmt.Sprintf("write method: %s, and on a line of its own below it reference: %q", named[0], number))
		r.fail(given, "bad-value", "verification.method has more than the method", suggestion)
		return
	}
	if len(named) == 1 && named[0] == "receipt" {
		named[0] = "receipt if the customer showed it, or job if you found it in your books"
	}
	other := "write " + append(named, MethodsExplained)[0] +
		diagnostic.When(number != "" && number == given.Text && strings.Count(number, "-") < 2 && !strings.ContainsAny(number, "./") && r.value("reference") == nil, fmt.Sprintf("; write the number in a field of its own, reference: %q", number))
	if diagnostic.Nothing(given.Text) {
		other = "delete the whole verification if you don't know that the author was a customer, or write one of them"
	}
	w.Verification.Method = r.choice("method", reviewcast.VerificationMethods, other)
	if w.Verification.Method == "platform" && w.SourceURL == nil && diagnostic.OwnSource(w.Source) {
		r.warn("method", "bad-value", "method platform says that a platform has checked the author, and source "+w.Source+" is none", "write the platform as source, on a line beside rating, such as source: trustpilot; or method: job if you found their job, or invitation, or receipt")
	}
	w.Verification.VerifiedOn = w.Date
	if r.value("verified_on") != nil {
		w.Verification.VerifiedOn, w.verifiedOn = r.date("verified_on"), r.placeOf("verified_on")
		if day := w.Verification.VerifiedOn; day != "" && w.Date != "" && w.Date.Noon().Sub(day.Noon()) > halfYear && w.otherYear() == nil {
			r.warn("verified_on", "early-verification", fmt.Sprintf("the verification (%s) is long before the review (%s)", day, w.Date),
				fmt.Sprintf("if its year is mistyped, write verified_on: %s; if that of the review is, correct its date", w.Date[:4]+day[4:]))
		}
	}
	w.Reference = r.text("reference")
	w.Verified, w.Hidden = true, ""
}

// methods returns the methods of verification that a text or a list names, each once.
func methods(n *syntax.Node) (named []string) {
	text := n.Text
	for _, item := range n.Items {
		text += " " + item.Text
	}
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) }) {
		if word = cmp.Or(methodWords[word], word); slices.Contains(reviewcast.VerificationMethods, word) && !slices.Contains(named, word) {
			named = append(named, word)
		}
	}
	return named
}

// job reads the job record. Its ids are checked against business.yaml when all files have been read.
func (r *fields) job(w *record) {
	ids := [len(refLists)][]string{}
	for i, l := range refLists {
		ids[i] = []string{}
		if n := r.value(l.name); n != nil && !r.strict && n.Kind == syntax.Text && !strings.HasPrefix(n.Text, "-") {
			w.refs = append(w.refs, ref{value: n.Text, list: uint8(i), text: true, at: placeOf(n)})
			continue
		}
		for n, s := range r.itemsOf(l.name) {
			ids[i] = append(ids[i], s)
			w.refs = append(w.refs, ref{value: s, list: uint8(i), at: placeOf(n)})
		}
		slices.Sort(ids[i])
		ids[i] = slices.Compact(ids[i])
	}
	w.Job = reviewcast.Mentions{Technicians: ids[0], Services: ids[1], ServiceAreas: ids[2]}
}
