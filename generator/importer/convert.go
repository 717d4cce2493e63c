package importer

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

// review is a row that can be published: its members as they are written, and its key.
type review struct {
	number, line int
	skipped      bool
	key          string  // of keyOf, or of keysOfContent
	nameless     string  // the key without the author; "" if the export has an id
	external     string  // the export's own id, "" when it has none
	author       string  // as in the export
	turned       bool    // the column of the author has surnames first
	rating       float64 // as in the export
	values       values
	no           [][2]string // columns that are not imported, and what they have for no
	hidden       string      // the column that says that the author wants no name; "" for none
}

// converter converts rows to reviews by the rules of one import.
type converter struct {
	Config
	// says reports which members this import has. What it does not have stays as it is in a file that is updated: a
	// second export without titles must not delete them.
	says [len(memberNames)]bool
	// zoned reports that dates are instants, which are converted to Location's calendar; utc, that their times are in UTC.
	zoned, utc bool
	// plain is the layout of dates that [diagnostic.PlainDate] has written.
	plain string
	// iso reports that dates are YYYY-MM-DD; then they may have a time.
	iso bool
	// croatian reports that the names of the columns are Croatian; surnameFirst, that surnames go before first names.
	croatian, surnameFirst bool
	knownBy                []string // what identifies reviews
	turned                 int      // names that had the surname first
	// dated counts the dates with the layout; layouts are those that all others have.
	dated               int
	layouts             []string
	absent, early, late int // dates that don't exist in the layout, and all with a day up to 12, and without one
	written             map[dateForm]datesAlike
	countries           bool // a language was a country
	// rated counts the ratings, best is the best of them or their scales.
	rated int
	best  float64
	// over counts the ratings over the scale, scale is what it then seems to be.
	over  int
	scale float64
	// overSince is the day of the first of them.
	overSince string
}

func newConverter(cfg Config, knownBy []string) *converter {
	c := &converter{Config: cfg, knownBy: knownBy, layouts: knownLayouts, written: map[dateForm]datesAlike{}, iso: cfg.DateLayout == time.DateOnly || cfg.DateLayout == layoutOf("YYYY-MM-DD")}
	c.croatian = forms("croatian").MatchString(c.columns())
	c.surnameFirst = cfg.AuthorNames != "full" && forms("surnameFirst").MatchString(cfg.Map["author"])
	for f := range c.says {
		c.says[f] = cfg.Map[fieldNames[f]] != ""
	}
	c.says[fieldSource] = true
	c.says[fieldLanguage] = c.says[fieldLanguage] || cfg.Language != ""
	c.says[fieldVerification] = c.says[fieldVerification] || cfg.Verification != ""
	c.utc = cfg.Location != nil && strings.HasSuffix(cfg.Map[fieldDate.String()], "(UTC)")
	c.zoned = cfg.Location != nil && (c.utc && strings.Contains(cfg.DateLayout, "15") || strings.Contains(cfg.DateLayout, "-07") || strings.Contains(cfg.DateLayout, "Z07"))
	if c.plain = diagnostic.PlainDate(cfg.DateLayout); c.iso { // a year that comes first has one meaning
		c.plain = "2006-1-2"
	}
	return c
}

// convert checks a row and returns its review, or the first reason to skip it. The review then has a key all the same
// if the export has ids, so that the caller knows which one was meant.
func (c *converter) convert(r *row) (*review, *Skip) {
	v := &review{number: r.number, line: r.line}
	for f := range r.cells {
		r.cells[f] = strings.ReplaceAll(r.cells[f], "\r\n", "\n")
	}
	r.cells[fieldAuthor] = forms("behindName").ReplaceAllString(r.cells[fieldAuthor], "")
	if slices.Contains(c.knownBy, fieldID.String()) {
		v.external = strings.TrimSpace(r.cells[fieldID])
		if forms("rounded").MatchString(v.external) {
			return v, r.skip(NoID, messages["rounded id"], quote(v.external))
		}
		if v.external == "" {
			return v, r.skip(NoID, "id is empty; fill it in, or leave id out of --map to identify reviews by their content")
		}
		v.key = keyOf("id", v.external)
	}
	if undated, blank := isBlank(r.cells[fieldDate]), isBlank(r.cells[fieldText]); undated || blank {
		sum := slices.ContainsFunc([]field{fieldAuthor, fieldDate, fieldText}, func(f field) bool { return forms("sumForm").MatchString(r.cells[f]) })
		if sum || undated && blank {
			return v, r.skip(NoReview, "the row seems to have totals or a heading, and is no review; delete it")
		}
	}
	for _, step := range []func(*row, *review) *Skip{c.text, c.stars, c.day, c.language, sourceURL, c.reply, c.verification, c.job} {
		if skip := step(r, v); skip != nil {
			return v, skip
		}
	}
	v.values[fieldTitle] = unlessBlank(r.cells[fieldTitle])
	text := r.cells[fieldText]
	if strings.Contains(text, " Google)") {
		text = cmp.Or(untranslated(text), text)
	}
	v.values[fieldText] = unlessBlank(text)
	v.values[fieldSource] = asJSON(c.Source)
	v.author = r.cells[fieldAuthor]
	author := diagnostic.Pick(c.surnameFirst, forms("lastWord").ReplaceAllString(strings.TrimSpace(v.author), "$2 $1"), v.author)
	if v.turned = author != v.author; v.turned || c.AuthorNames != "full" && strings.Contains(author, ",") && !strings.HasPrefix(author, diagnostic.SurnameLast(author)) {
		c.turned++
	}
	v.values[fieldAuthor] = asJSON(publishedAuthor(author, c.AuthorNames == "full"))
	if v.key == "" {
		v.key, v.nameless = keysOfContent(r, strings.Trim(string(v.values[fieldDate]), `"`), c.knownBy)
	}
	return v, nil
}

// text refuses text that cannot be published verbatim.
func (c *converter) text(r *row, _ *review) *Skip {
	var mixed []string
	for _, f := range []field{fieldAuthor, fieldTitle, fieldText, fieldReplyText, fieldReference} {
		cell := r.cells[f]
		if garbled, meant := diagnostic.Mojibake(cell); garbled != "" {
			mixed = append(mixed, fmt.Sprintf("%s has %s where %s was meant", f, quote(garbled), quote(meant)))
			continue
		}
		if at, bad := reviewcast.BadRune(cell); at >= 0 {
			return r.skip(BadCharacter, "character %d of %s is U+%04X, which can't be published; remove it from the export",
				utf8.RuneCountInString(cell[:at])+1, f, bad)
		}
		limit := diagnostic.Pick(f == fieldAuthor, MaxAuthor, reviewcast.MaxTextLength)
		if shown := strings.TrimSpace(cell); forms("cellError").MatchString(shown) {
			return r.skip(CellError, "%s %s %s", f, quote(cell), said(textWords, shown))
		}
		if n := utf8.RuneCountInString(cell); n > limit {
			return r.skip(TextTooLong, "%s has %d characters, at most %d can be published; shorten it in the export", f, n, limit)
		}
	}
	if mixed == nil {
		return nil
	}
	return r.skip(Garbled, "%s: %s", strings.Join(mixed, ", "), c.garbled())
}

func (c Config) garbled() string {
	return diagnostic.Pick(c.Encoding != "" && c.Encoding != "utf-8", "the export is in UTF-8; import it without --encoding", "a program read the table in a wrong encoding before; export it again, and import that file without opening it in another program, or write what was meant in its place in the whole table (Find and Replace)")
}

// stars converts a rating to 1 to 5. A rating over the scale means that the row has another scale than configured, and
// which one is not guessed.
func (c *converter) stars(r *row, v *review) *Skip {
	cell := strings.TrimSpace(r.cells[fieldRating])
	if cell == "" {
		answer := "; if it is your own answer to a review, write it into the row of that review, in columns named reply and reply date, and delete this row"
		return r.skip(NoRating, "rating is empty, and a review needs one; write it into the cell, or delete the row%s", diagnostic.When(c.isAnswer(r), answer))
	}
	value, scale, ok := diagnostic.ParseRating(cell)
	switch {
	case !ok && isDay(cell):
		return r.skip(BadRating, messages["rating is a date"], quote(cell), c.with("rating", c.Map["date"], "date", c.Map["rating"]))
	case !ok:
		for _, f := range []field{fieldAuthor, fieldDate, fieldText} {
			if value, _, rated := diagnostic.ParseRating(r.cells[f]); rated && value <= c.RatingScale {
				return r.skip(BadRating, messages["rating in another cell"], quote(cell), quote(r.cells[f]), quote(c.Map[f.String()]))
			}
		}
		return r.skip(BadRating, "rating %s %s", quote(cell), said(ratingWords, diagnostic.EnglishMonths(cell)))
	case scale != 0 && scale != c.RatingScale:
		return c.overScale(r, scale, "rating %s has a scale of %g, not of %g", quote(cell), scale, c.RatingScale)
	case value <= 0:
		return r.skip(BadRating, messages["rating is zero"], quote(cell), c.RatingScale/reviewcast.MaxRating, reviewcast.MaxRating)
	case value > c.RatingScale:
		for _, scale := range []float64{6, 10, 20, 50, 100} {
			if value <= scale && scale >= c.scale && (scale != 50 || math.Mod(value, 10) == 0) { // Tripadvisor has 10 to 50
				return c.overScale(r, scale, "rating %s is over the scale of %g; correct it or, if all are out of %g", cell, c.RatingScale, scale)
			}
		}
		return r.skip(OverScale, "rating %s is over the scale of %g; correct it or set another --rating-scale", quote(cell), c.RatingScale)
	}
	v.rating, c.rated, c.best = value, c.rated+1, max(c.best, value, scale)
	// Multiplied first, divided last: 7*5/10 is exactly 3.5, 7/10*5 need not be.
	stars := value * reviewcast.MaxRating / c.RatingScale
	switch {
	case c.Round == "nearest":
		stars = math.Floor(stars + 0.5)
	case c.Round == "down":
		stars = math.Floor(stars)
	case stars != math.Trunc(stars):
		return r.skip(BetweenStars, "rating %s is %.3g stars, and a review has whole ones; import such rows with --round nearest or --round down", quote(cell), stars)
	}
	v.values[fieldRating] = jsontext.Value(strconv.Itoa(max(reviewcast.MinRating, int(stars))))
	return nil
}

// isAnswer reports whether a row seems to be an answer of the business.
func (c *converter) isAnswer(r *row) bool {
	author, business := diagnostic.Squash(r.cells[fieldAuthor]), diagnostic.Squash(c.Business)
	own := len(author) > 3 && (strings.Contains(business, author) || business != "" && strings.Contains(author, business))
	return own || forms("ownerName").MatchString(r.cells[fieldAuthor]) || forms("ownerStart").MatchString(r.cells[fieldText])
}

// andRound offers --round for ratings between two stars, and a scale of 10 for one of 6, such as that of dice.
func (c *converter) andRound(scale float64) string {
	return diagnostic.When(scale == 6, " (or 10, if customers could give 10)") + diagnostic.When(c.Round == "" && scale != 50, ", and with --round nearest or down for ratings between two stars")
}

// overScale skips a row that seems to have another scale.
func (c *converter) overScale(r *row, scale float64, format string, args ...any) *Skip {
	c.over, c.scale = c.over+1, max(c.scale, scale)
	if day, _, err := c.parse(strings.TrimSpace(r.cells[fieldDate])); err == nil && (c.overSince == "" || day.Format(time.DateOnly) < c.overSince) {
		c.overSince = day.Format(time.DateOnly)
	}
	some := diagnostic.When(strings.Contains(format, "has a scale"), "; if only some rows have it, put them into a file of their own")
	return r.skip(OverScale, format+": import with --rating-scale %g%s%s", append(args, scale, c.andRound(scale), some)...)
}

func (c *converter) day(r *row, v *review) *Skip {
	c.countDate(strings.TrimSpace(r.cells[fieldDate]))
	date, skip := c.date(r, fieldDate)
	v.values[fieldDate] = asJSON(string(date))
	return skip
}

func (c *converter) language(r *row, v *review) *Skip {
	cell := cmp.Or(strings.TrimSpace(r.cells[fieldLanguage]), c.Language)
	if cell == "" {
		return nil
	}
	tag, err := languageOf(cell)
	ukrainian := cell == "UK" && forms("cyrillic").MatchString(r.cells[fieldText])
	if spoken, is := spokenIn(cell, c.countries); is && !ukrainian {
		c.countries = c.countries || err != nil
		return r.skip(BadLanguage, messages["language is a country"], quote(cell), spoken, c.with("language", ""))
	}
	if err != nil {
		return r.skip(BadLanguage, "language %s is not known; in the export, %s", quote(cell), nameLanguage)
	}
	v.values[fieldLanguage] = asJSON(tag.String())
	return nil
}

func sourceURL(r *row, v *review) *Skip {
	cell := strings.TrimSpace(r.cells[fieldSourceURL])
	if cell == "" {
		return nil
	}
	u, err := url.Parse(cell)
	at, _ := reviewcast.BadRune(cell)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || at >= 0 {
		return r.skip(BadSourceURL, "source_url %s is not an http(s) address with a host; correct it, or leave source_url out of --map", quote(cell))
	}
	v.values[fieldSourceURL] = asJSON(cell)
	return nil
}

// reply reads the owner's reply; a date without text is no reply.
func (c *converter) reply(r *row, v *review) *Skip {
	words := unlessBlank(r.cells[fieldReplyText])
	if words == nil {
		return nil
	}
	date, skip := c.date(r, fieldReplyDate)
	if skip != nil {
		return skip
	}
	v.values[fieldReplyText] = jsontext.Value(`{"text":` + string(words) + `,"date":"` + string(date) + `"}`)
	return nil
}

// verification reads how the customer was verified, which is the same for all rows unless a column says it.
func (c *converter) verification(r *row, v *review) *Skip {
	method := c.Verification
	if c.Map[fieldVerification.String()] != "" {
		cell := diagnostic.Squash(r.cells[fieldVerification])
		switch sure := slices.Contains(yes, cell) || forms("numberForm").MatchString(strings.TrimSpace(r.cells[fieldVerification])); {
		case slices.Contains(reviewcast.VerificationMethods, cell):
			method = cell
		case strings.Trim(cell, "–—/") == "" || slices.Contains(no, cell) || slices.Contains(unverified, cell):
			return nil
		case sure && method == "":
			return r.skip(BadVerification, messages["verified somehow"], quote(r.cells[fieldVerification]), diagnostic.Join(reviewcast.VerificationMethods, "or"))
		case !sure:
			return r.skip(BadVerification, messages["no verification"], quote(r.cells[fieldVerification]), strings.Join(reviewcast.VerificationMethods, ", "))
		}
	}
	if method != "" {
		v.values[fieldVerification] = asJSON(verified{method, strings.TrimSpace(r.cells[fieldReference])})
	}
	return nil
}

// verified is a verification as it is written; its reference, such as the number of an invoice, is never published.
type verified struct {
	Method    string `json:"method"`
	Reference string `json:"reference,omitempty"`
}

// job reads the technicians, services and areas, by their ids, names or aliases.
func (c *converter) job(r *row, v *review) *Skip {
	for _, f := range []field{fieldTechnicians, fieldServices, fieldServiceAreas} {
		cell := strings.TrimSpace(r.cells[f])
		if cell == "" {
			continue
		}
		ids, unknown := []string{}, cell
		for _, separator := range []string{"\n", ";", ",", "&", "/", "+", " - ", " and ", " und ", " och ", " og ", " ja ", " oraz ", " és ", " și ", " et ", " puis ", " then ", " e ", " y ", " en ", " i "} {
			found, one := c.ids(f, strings.Split(cell, separator))
			if one != cell {
				ids, unknown = found, one
			}
			if unknown == "" {
				break
			}
		}
		if unknown != "" {
			known := c.Names(f.String())
			whole := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return !strings.HasPrefix(strings.ToLower(name), strings.ToLower(unknown)+" ") })
			if several, _ := c.ids(f, whole); len(several) > 1 {
				return r.skip(UnknownName, messages["name of several"], f, quote(unknown), diagnostic.Join(whole, "or"), several[0])
			}
			near := cmp.Or(diagnostic.Nearest(unknown, known), append(whole, "")[0])
			correct := diagnostic.When(near != "", fmt.Sprintf("did you mean %s? If so, write that into the cell; otherwise ", quote(near)))
			return r.skip(UnknownName, messages["unknown name"], f, quote(unknown), correct, f)
		}
		v.values[f] = asJSON(ids)
	}
	return nil
}

// ids returns the ids of names, and the first one that is not known.
func (c *converter) ids(f field, names []string) (ids []string, unknown string) {
	for _, name := range names {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		id, ok := c.Lookup(f.String(), name)
		if !ok {
			return nil, name
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, ""
}

// unlessBlank returns nil for white space only, and otherwise every character of s.
func unlessBlank(s string) jsontext.Value {
	if isBlank(s) {
		return nil
	}
	return asJSON(s)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
