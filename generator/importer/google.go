package importer

import (
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast/generator/diagnostic"
)

// Google imports reviews of Google Business Profile: answers of the API's accounts.locations.reviews.list, which
// Takeout and most backup tools write too. These are {"reviews": [...]}, several such answers one after the other, a
// list, or one review per line. It reads
//
//	reviewId, or the end of name    the id
//	reviewer.displayName            the author; isAnonymous makes it Anonymous
//	starRating                      ONE to FIVE, or a number
//	comment                         the text, without Google's translation
//	createTime                      the date, where the business is
//	reviewReply {comment, updateTime}
//
// location, if it is not "", selects the reviews of one location: its number in a review's name,
// accounts/1/locations/2/reviews/3; several have commas between them. cfg.Map is ignored.
func Google(ctx context.Context, r io.Reader, location string, cfg Config) (*Report, error) {
	cfg.Map = map[string]string{
		"id": "reviewId", "author": "reviewer.displayName", "rating": "starRating", "date": "createTime", "text": "comment",
		"owner_reply.text": "reviewReply.comment", "owner_reply.date": "reviewReply.updateTime",
	}
	cfg.RatingScale, cfg.DateLayout = 5, "2006-01-02T15:04:05.999999999Z07:00"
	export, err := begin(ctx, r, &cfg, true)
	if err != nil {
		return nil, err
	}
	return run(ctx, cfg, cfg.googleRows(export, location))
}

// googleRows returns the reviews of each answer. The JSON reader reads an answer as one value, so a page of 50 reviews
// is in memory at once.
func (c Config) googleRows(export text, location string) rowSeq {
	return func(yield func(row, error) bool) {
		number, found := 0, map[string]int{}
		chosen := func(r row) []jsontext.Value {
			reviews := []jsontext.Value{r.value}
			answer := object(r.value)
			if list := answer["reviews"]; list.Kind() == '[' {
				_ = json.Unmarshal(list, &reviews, jsontext.AllowDuplicateNames(true)) // it was parsed
			} else if answer["averageRating"] != nil {
				return nil // an answer without reviews
			}
			return slices.DeleteFunc(reviews, func(v jsontext.Value) bool {
				name, err := textAt(v, "name", false)
				of := ""
				if m := locationForm.FindStringSubmatch(name); m != nil {
					of = m[1]
					found[of]++
				}
				return err == nil && location != "" && !slices.Contains(strings.Split(location, ","), of)
			})
		}
		for r, err := range split(jsonRows(export), chosen) {
			if err == nil {
				number++
				err = c.fillGoogle(&r)
			}
			if !yield(r, err) {
				return
			}
		}
		if len(found) > 1 && location == "" || len(found) > 0 && number == 0 {
			var each []string
			for _, number := range slices.Sorted(maps.Keys(found)) {
				each = append(each, fmt.Sprintf("%s (%s)", number, diagnostic.Plural(found[number], "review")))
			}
			yield(row{}, &UsageError{[]string{fmt.Sprintf("the reviews are of the locations %s; %ssay with --location which number is this business's, or several with commas between them", strings.Join(each, ", "), map[bool]string{true: quote(location) + " is none of them; "}[location != ""])}})
		}
	}
}

var locationForm = regexp.MustCompile(`locations/([^/]+)/`)

// fillGoogle sets the cells of a row.
func (c Config) fillGoogle(r *row) error {
	name, err := textAt(r.value, "name", false)
	if err != nil {
		return r.skip(BadValue, "%s", err)
	}
	if err := c.fill(r); err != nil {
		return err
	}
	reviewer := object(r.value)["reviewer"]
	if reviewer == nil && r.cells[fieldRating] == "" {
		return r.skip(BadValue, "this is no review, it has neither starRating nor reviewer; of Google Takeout, import reviews.json")
	}
	if r.cells[fieldID] == "" {
		r.cells[fieldID] = name[strings.LastIndexByte(name, '/')+1:]
	}
	if r.cells[fieldRating] == "STAR_RATING_UNSPECIFIED" {
		r.cells[fieldRating] = ""
	}
	if hidden := object(reviewer)["isAnonymous"]; string(hidden) == "true" {
		r.cells[fieldAuthor] = ""
	}
	r.cells[fieldText], r.cells[fieldReplyText] = untranslated(r.cells[fieldText]), untranslated(r.cells[fieldReplyText])
	return nil
}

// Google puts its translation before or after the original, always with these words.
var (
	translatedFirst = regexp.MustCompile(`(?s)^\s*\(Translated by Google\).*?\n\s*\(Original\)\s*(.*)$`)
	translatedLast  = regexp.MustCompile(`(?s)^(.*?)\n\s*\(Translated by Google\).*$`)
)

// untranslated returns what the customer wrote.
func untranslated(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if m := translatedFirst.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	if m := translatedLast.FindStringSubmatch(s); m != nil {
		return strings.TrimRight(m[1], "\n")
	}
	if strings.HasPrefix(strings.TrimSpace(s), "(Translated by Google)") {
		return "" // without an original, none of it is the customer's
	}
	return s
}
