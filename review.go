package reviewcast

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits on what is published.
const (
	MaxIDLength   = 64      // bytes; ids are ASCII
	MaxTextLength = 100_000 // Unicode code points
	MinRating     = 1
	MaxRating     = 5
)

// Dataset is /reviews.json: one business, its aggregate rating, and every
// verified review, newest first (date descending, then id ascending).
type Dataset struct {
	Version         int             `json:"version" jsonschema:"version of this format, always 1"`
	License         string          `json:"license" jsonschema:"licence of the dataset: an SPDX identifier or a URL"`
	Business        Business        `json:"business"`
	AggregateRating AggregateRating `json:"aggregate_rating"`
	ReviewCount     int             `json:"review_count" jsonschema:"number of reviews, the same as rating_count"`
	Unpublished     Unpublished     `json:"unpublished"`
	Reviews         []Review        `json:"reviews" jsonschema:"every verified review, newest first: date descending, then id ascending"`
}

// Business is who the reviews are about.
type Business struct {
	ID           string       `json:"id"`
	Name         string       `json:"name"`
	LegalName    string       `json:"legal_name,omitempty"`
	Description  string       `json:"description"`
	Category     string       `json:"category" jsonschema:"a subtype of schema.org's LocalBusiness"`
	URL          string       `json:"url"`
	Telephone    string       `json:"telephone,omitempty"`
	Email        string       `json:"email,omitempty"`
	Address      Address      `json:"address"`
	Geo          *Geo         `json:"geo,omitempty"`
	Hours        []string     `json:"hours" jsonschema:"opening hours in schema.org's form, such as Mo-Fr 08:00-18:00"`
	TimeZone     string       `json:"time_zone" jsonschema:"IANA time zone of the business's calendar days"`
	Language     string       `json:"language" jsonschema:"BCP 47 tag of the business's language"`
	SameAs       []string     `json:"same_as" jsonschema:"the business's pages elsewhere"`
	Logo         string       `json:"logo,omitempty"`
	Services     []Named      `json:"services"`
	Technicians  []Technician `json:"technicians"`
	ServiceAreas []Named      `json:"service_areas"`
}

// Address is a postal address in schema.org's terms.
type Address struct {
	StreetAddress   string `json:"street_address"`
	AddressLocality string `json:"address_locality"`
	AddressRegion   string `json:"address_region"`
	PostalCode      string `json:"postal_code"`
	AddressCountry  string `json:"address_country" jsonschema:"ISO 3166-1 alpha-2"`
}

// Geo is a place in degrees, WGS 84.
type Geo struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

// Named is a service or a service area.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Technician is one of the people who do the work.
type Technician struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Aliases []string `json:"aliases" jsonschema:"other names that customers use"`
}

// AggregateRating sums up the stars of the published reviews.
type AggregateRating struct {
	RatingValue  *float64     `json:"rating_value" jsonschema:"plain mean of the stars, rounded to two decimals; null when there is no review"`
	RatingCount  int          `json:"rating_count"`
	TextCount    int          `json:"text_count" jsonschema:"how many reviews have a text"`
	BestRating   int          `json:"best_rating"`
	WorstRating  int          `json:"worst_rating"`
	Distribution Distribution `json:"distribution" jsonschema:"number of reviews by stars"`
}

// Aggregate sums up the stars of reviews.
func Aggregate(reviews []Review) AggregateRating {
	a := AggregateRating{RatingCount: len(reviews), BestRating: MaxRating, WorstRating: MinRating}
	d := &a.Distribution
	for i := range reviews {
		if r := &reviews[i]; r.Rating >= MinRating && r.Rating <= MaxRating {
			*[...]*int{&d.One, &d.Two, &d.Three, &d.Four, &d.Five}[r.Rating-1]++
		}
		if reviews[i].Text != nil {
			a.TextCount++
		}
	}
	a.RatingValue = d.Mean()
	return a
}

// Mean is the plain mean of the stars, rounded to two decimals; nil when there are none.
func (d Distribution) Mean() *float64 {
	return Mean(d.One+2*d.Two+3*d.Three+4*d.Four+5*d.Five, d.One+d.Two+d.Three+d.Four+d.Five)
}

// Mean is the Quotient of sum and n with two decimals, nil when n is 0.
func Mean(sum, n int) *float64 {
	if n == 0 {
		return nil
	}
	return new(Quotient(sum, n, 2))
}

// Quotient is a/b rounded to a number of decimals, half away from zero: 87/40 is 2.18 with two, although the
// float64 next to 2.175 is below it. b isn't 0. It never returns -0.
func Quotient(a, b, decimals int) float64 {
	p := math.Pow10(decimals)
	return math.Round(float64(a)*p/float64(b))/p + 0 // -0 + 0 is 0
}

// Stars writes a mean for people; nil is that of no reviews.
func Stars(mean *float64) string {
	if mean == nil {
		return "none"
	}
	return fmt.Sprintf("%.2f", *mean)
}

// Distribution counts reviews by stars.
type Distribution struct {
	Five  int `json:"5"`
	Four  int `json:"4"`
	Three int `json:"3"`
	Two   int `json:"2"`
	One   int `json:"1"`
}

// Unpublished counts the reviews that are left out, by reason.
type Unpublished struct {
	Unverified int `json:"unverified" jsonschema:"reviews without a verification"`
	Withdrawn  int `json:"withdrawn" jsonschema:"reviews withdrawn by their author or the platform"`
	Legal      int `json:"legal" jsonschema:"reviews withdrawn for legal reasons"`
}

// Review is one verified review. Texts are plain text as the customer wrote it, never trimmed or normalised.
type Review struct {
	ID              string       `json:"id" jsonschema:"stable for ever"`
	Author          string       `json:"author"`
	AuthorAvatarURL *string      `json:"author_avatar_url"`
	Rating          int          `json:"rating" jsonschema:"stars, 1 to 5"`
	Date            Date         `json:"date" jsonschema:"calendar date, YYYY-MM-DD"`
	Title           *string      `json:"title"`
	Text            *string      `json:"text" jsonschema:"the customer's words as plain text; null for a rating-only review"`
	Language        string       `json:"language" jsonschema:"BCP 47 tag"`
	Source          string       `json:"source" jsonschema:"where the review was given, such as direct or google"`
	SourceURL       *string      `json:"source_url"`
	OwnerReply      *OwnerReply  `json:"owner_reply"`
	Verified        bool         `json:"verified" jsonschema:"always true: only verified reviews are published"`
	Verification    Verification `json:"verification"`
	Mentions        Mentions     `json:"mentions" jsonschema:"ids of what the job record and the text name"`
}

// Compare orders reviews as they are published: newest date first, then by id.
func Compare(a, b *Review) int { return cmp.Or(cmp.Compare(b.Date, a.Date), cmp.Compare(a.ID, b.ID)) }

// OwnerReply is the business's public answer to a review.
type OwnerReply struct {
	Text string `json:"text"`
	Date Date   `json:"date"`
}

// Verification is how the business knows that the author was a customer. The
// private reference behind it (a job number) is never published.
type Verification struct {
	Method     string `json:"method" jsonschema:"how the business knows that the author was a customer"`
	VerifiedOn Date   `json:"verified_on"`
}

// VerificationMethods are the values of Verification.Method.
var VerificationMethods = []string{"job", "invitation", "receipt", "platform"}

// Mentions are the ids of what the job record or, unambiguously, the text names. Each
// list is sorted and has no duplicates; none is null.
type Mentions struct {
	Technicians  []string `json:"technicians"`
	Services     []string `json:"services"`
	ServiceAreas []string `json:"service_areas"`
}

// Date is a calendar date, YYYY-MM-DD. Dates compare as strings.
type Date string

// Valid reports whether the date is of the form and in the calendar.
func (d Date) Valid() bool { return !d.Noon().IsZero() }

// Noon is the instant that feeds give, 12:00:00Z: no time zone shifts the day. Zero if invalid.
func (d Date) Noon() time.Time {
	t, _ := time.Parse(time.DateTime, string(d)+" 12:00:00")
	return t
}

// Month is the date's month, "2026-03". The date must be valid.
func (d Date) Month() string { return string(d[:len("2006-01")]) }

// ValidID reports whether s can be an id, safe in a URL and a file name: a letter or digit, then letters,
// digits, '.', '_' and '-', at most MaxIDLength bytes.
func ValidID(s string) bool {
	const marks, letters = "._-", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return s != "" && len(s) <= MaxIDLength && strings.Trim(s, letters+marks) == "" && !strings.Contains(marks, s[:1])
}

// BadRune finds the first character of s that no published text may hold: a control character other than tab
// and newline, one that XML can't hold, or a byte that isn't UTF-8 (utf8.RuneError). The offset is in bytes, -1
// when there is none.
func BadRune(s string) (offset int, r rune) {
	for i, r := range s {
		control := unicode.IsControl(r) && r != '\t' && r != '\n'
		invalid := r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError))
		if control || invalid || r == 0xFFFE || r == 0xFFFF {
			return i, r
		}
	}
	return -1, 0
}
