package source

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

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

// fieldsInLine matches an id with other fields behind it.
var fieldsInLine = regexp.MustCompile(`^([^,;]+)[,;] *(?:author|rating|date|title|text) *:`)

// review decodes one review into w. One that has problems is kept, since its id matters to other files.
func (d *decoder) review(n *syntax.Node, w *record) {
	r, ok := d.fields(n, reviewSchema)
	if !ok {
		return
	}
	w.start = placeOf(n)
	if v := r.value("id"); v != nil && fieldsInLine.MatchString(v.Text) {
		d.fail(v, "bad-id", "several fields are on one line", "write each on a line of its own, without the commas between them, all indented like the first: id: "+fieldsInLine.FindStringSubmatch(v.Text)[1])
		return
	}
	absent := func(f string) bool { return r.found[reviewSchema.index[f]] == nil && d.absent == nil }
	switch {
	case len(n.Entries) == 1 && isField(n.Entries[0].Key.Text) && d.absent == nil:
		d.fail(n, "missing-field", "the review has no field but "+n.Entries[0].Key.Text, "a review has at least "+diagnostic.Join(requiredFields, "and")+"; lines that begin with # are notes and don't count")
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
	w.Language = r.language("language")
	w.Source = r.source()
	w.SourceURL = pointer(r.url("source_url"))
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
	r.job(w)
}

// pointer returns an optional text; a blank one is none.
func pointer(s string) *string {
	if blank(s) {
		return nil
	}
	return &s
}

// addressForm matches a web address, and the name in it.
var addressForm = regexp.MustCompile(`^(?:https?://|www\.)(?:(?:www|maps|g)\.)?([a-z0-9-]*)`)

// source reads where the review was posted.
func (r *fields) source() string {
	s := r.nonBlank("source")
	if s == "" {
		return "direct"
	}
	switch lower := strings.ToLower(s); {
	case addressForm.MatchString(lower):
		r.warn("source", "source-case", "source is an address", fmt.Sprintf("write the name of the platform, such as %s, and the address in source_url", cmp.Or(addressForm.FindStringSubmatch(lower)[1], "google")))
	case lower != diagnostic.Platform(lower):
		r.warn("source", "source-case", fmt.Sprintf("source %s counts as a different source from %s", diagnostic.Quote(s), diagnostic.Platform(lower)), "write "+diagnostic.Platform(lower))
	case lower != s:
		r.warn("source", "source-case", fmt.Sprintf("source %s has capital letters and counts as a different source from %s", diagnostic.Quote(s), diagnostic.Quote(lower)), "write "+strings.ReplaceAll(lower, " ", "-"))
	}
	if strings.ContainsAny(s, "\n\t") {
		r.fail(r.value("source"), "bad-value", "source has more than one line", "write one word, such as google")
	}
	return s
}

// reply reads the owner's reply.
func (r *fields) reply(w *record) *reviewcast.OwnerReply {
	r.required("text", "date")
	reply := &reviewcast.OwnerReply{Text: r.nonBlank("text"), Date: r.date("date")}
	w.replyDate = r.placeOf("date")
	if reply.Date != "" && w.Date != "" && reply.Date < w.Date {
		r.warn("date", "reply-before-review",
			fmt.Sprintf("the reply (%s) is older than the review (%s)", reply.Date, w.Date), "check both dates")
	}
	return reply
}

// halfYear is how long before a review its verification may be without a warning.
const halfYear = 183 * 24 * time.Hour

// MethodsExplained says which method of verification is meant for what.
const MethodsExplained = "job if you found their job, invitation if you invited them to write, receipt if they showed a receipt or an invoice, platform if the platform verified them"

// verification reads how the business knows the author.
func (r *fields) verification(w *record) {
	r.required("method")
	if s, n, _ := r.given("method"); n != nil {
		if method, number, ok := strings.Cut(s, " "); ok && slices.Contains(reviewcast.VerificationMethods, method) {
			r.fail(n, "bad-value", "verification.method has more than the method", fmt.Sprintf("write method: %s, and on a line of its own below it reference: %q", method, number))
			return
		}
	}
	w.Verification.Method = r.choice("method", reviewcast.VerificationMethods, "write "+MethodsExplained)
	w.Verification.VerifiedOn = w.Date
	if r.value("verified_on") != nil {
		w.Verification.VerifiedOn, w.verifiedOn = r.date("verified_on"), r.placeOf("verified_on")
		if day := w.Verification.VerifiedOn; day != "" && w.Date != "" && w.Date.Noon().Sub(day.Noon()) > halfYear {
			r.warn("verified_on", "early-verification", fmt.Sprintf("the verification (%s) is long before the review (%s)", day, w.Date), "check the year of both dates")
		}
	}
	w.Reference = r.text("reference")
	w.Verified, w.Hidden = true, ""
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
