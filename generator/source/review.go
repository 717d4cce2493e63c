package source

import (
	"fmt"
	"slices"
	"strings"

	"reviewcast"
	"reviewcast/generator/diagnostic"
	"reviewcast/generator/syntax"
)

// The fields of a review.
const (
	reviewID = iota
	reviewAuthor
	reviewRating
	reviewDate
	reviewTitle
	reviewText
	reviewLanguage
	reviewSource
	reviewSourceURL
	reviewAvatar
	reviewReply
	reviewVerification
	reviewTechnicians
	reviewServices
	reviewAreas
)

const (
	replyText = iota
	replyDate
)

const (
	verificationMethod = iota
	verificationOn
	verificationReference
)

var (
	reviewSchema = newSchema("the review", "", "id", "author", "rating", "date", "title", "text", "language", "source", "source_url",
		"author_avatar_url", "owner_reply", "verification", "technicians", "services", "service_areas")
	replySchema        = newSchema("owner_reply", "owner_reply.", "text", "date")
	verificationSchema = newSchema("verification", "verification.", "method", "verified_on", "reference")
)

func init() {
	reviewSchema.also = map[string]string{
		"stars": "rating", "score": "rating", "name": "author", "reviewer": "author", "customer": "author", "comment": "text", "body": "text",
		"review": "text", "content": "text", "headline": "title", "subject": "title", "lang": "language", "reply": "owner_reply",
		"response": "owner_reply", "verified": "verification", "url": "source_url", "link": "source_url", "avatar": "author_avatar_url",
		"areas": "service_areas", "area": "service_areas", "technician": "technicians", "service": "services", "platform": "source",
	}
}

var requiredFields = []int{reviewID, reviewAuthor, reviewRating, reviewDate}

// refLists are the fields that refer to entries of business.yaml.
var refLists = [...]struct {
	field int    // of a review
	name  string // of the field, there and in business.yaml
	one   string // what one of them is
}{
	{reviewTechnicians, "technicians", "technician"},
	{reviewServices, "services", "service"},
	{reviewAreas, "service_areas", "service area"},
}

// review decodes one review into w. One that has problems is kept, since its id
// matters to other files.
func (d *decoder) review(n *syntax.Node, w *record) {
	r, ok := d.fields(n, reviewSchema)
	if !ok {
		return
	}
	w.start = placeOf(n)
	r.required(requiredFields...)
	w.ID = r.id(reviewID)
	w.id = r.placeOf(reviewID)
	w.Author, _ = r.nonBlank(reviewAuthor)
	w.Rating = r.stars(reviewRating)
	w.Date = r.date(reviewDate)
	w.date = r.placeOf(reviewDate)
	w.Title = r.optional(reviewTitle)
	w.Text = r.optional(reviewText)
	w.Language = r.language(reviewLanguage)
	w.Source = r.source()
	w.SourceURL = pointer(r.url(reviewSourceURL))
	w.AuthorAvatarURL = pointer(r.url(reviewAvatar))
	if n := r.value(reviewReply); n != nil {
		w.OwnerReply = d.reply(n, w)
	}
	w.Hidden = Unverified
	if n := r.value(reviewVerification); n != nil {
		d.verification(n, w)
	}
	d.job(&r, w)
}

func pointer(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// placeOf returns the place of a field's value, or of the mapping if it has none.
func (r *fields) placeOf(f int) place {
	if n := r.value(f); n != nil {
		return placeOf(n)
	}
	return placeOf(r.node)
}

// source reads where the review was posted.
func (r *fields) source() string {
	s, ok := r.nonBlank(reviewSource)
	if !ok {
		return "direct"
	}
	n := r.value(reviewSource)
	if lower := strings.ToLower(s); lower != s {
		r.Add(diagnostic.Warning, n.Line, n.Col, "source-case", fmt.Sprintf("source %s has capital letters and counts as a different source from %s", diagnostic.Quote(s), diagnostic.Quote(lower)), "write "+lower)
	}
	if strings.ContainsAny(s, "\n\t") {
		r.Add(diagnostic.Error, n.Line, n.Col, "bad-value", "source has more than one line", "write one word, such as google")
	}
	return r.word(s)
}

// reply reads the owner's reply.
func (d *decoder) reply(n *syntax.Node, w *record) *reviewcast.OwnerReply {
	r, ok := d.fields(n, replySchema)
	if !ok {
		return nil
	}
	r.required(replyText, replyDate)
	var reply reviewcast.OwnerReply
	reply.Text, _ = r.nonBlank(replyText)
	reply.Date = r.date(replyDate)
	w.replyDate = r.placeOf(replyDate)
	if reply.Date != "" && w.Date != "" && reply.Date < w.Date {
		d.Add(diagnostic.Warning, int(w.replyDate.Line), int(w.replyDate.Col), "reply-before-review",
			fmt.Sprintf("the reply (%s) is older than the review (%s)", reply.Date, w.Date), "check both dates")
	}
	return &reply
}

// verification reads how the business knows the author.
func (d *decoder) verification(n *syntax.Node, w *record) {
	r, ok := d.fields(n, verificationSchema)
	if !ok {
		return
	}
	r.required(verificationMethod)
	w.Verification.Method = r.choice(verificationMethod, reviewcast.VerificationMethods)
	w.Verification.VerifiedOn = r.date(verificationOn)
	if r.value(verificationOn) == nil {
		w.Verification.VerifiedOn = w.Date
	} else {
		w.verifiedOn = r.placeOf(verificationOn)
	}
	w.Reference, _ = r.text(verificationReference)
	w.Verified, w.Hidden = true, ""
}

// job reads the job record. Its ids are checked against business.yaml when all files
// have been read.
func (d *decoder) job(r *fields, w *record) {
	ids := [len(refLists)][]string{}
	for i, l := range refLists {
		ids[i] = []string{}
		items := r.items(l.field)
		for j := range items {
			n := &items[j]
			s, ok := d.item(n, l.name)
			if !ok {
				continue
			}
			s = d.word(s)
			ids[i] = append(ids[i], s)
			w.refs = append(w.refs, ref{value: s, list: uint8(i), at: placeOf(n)})
		}
		slices.Sort(ids[i])
		ids[i] = slices.Compact(ids[i])
	}
	w.Job = reviewcast.Mentions{Technicians: ids[0], Services: ids[1], ServiceAreas: ids[2]}
}
