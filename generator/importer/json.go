package importer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"reviewcast/generator/diagnostic"
)

// JSONL imports a file with one JSON object per line, a JSON array of objects, or an object with one such array. The
// columns of Config.Map are names of members; owner_reply.text=reply.comment is a member of an object inside. Otherwise
// it is like CSV.
func JSONL(ctx context.Context, r io.Reader, cfg Config) (*Report, error) {
	export, err := begin(ctx, r, &cfg, true)
	if err != nil {
		return nil, err
	}
	rows := split(jsonRows(export), cfg.reviewsIn)
	if cfg.Map["rating"] == "" || cfg.Map["date"] == "" {
		if rows, err = cfg.ownMembers(rows); err != nil {
			return nil, err
		}
	}
	report, err := run(ctx, cfg, cfg.filled(rows))
	if err == nil {
		report.Columns = cfg.columns()
	}
	return report, err
}

// split returns a row for each of the reviews in the rows of a file, numbered anew.
func split(rows rowSeq, reviews func(row) []jsontext.Value) rowSeq {
	return func(yield func(row, error) bool) {
		number := 0
		for r, err := range rows {
			values := []jsontext.Value{nil}
			if err == nil {
				values = reviews(r)
			}
			for _, v := range values {
				number++
				if number > MaxRows {
					err = ErrTooManyRows
				}
				if !yield(row{number: number, value: v}, err) {
					return
				}
			}
		}
	}
}

// reviewsIn returns the objects of a list in the first row if that is no review, and otherwise the row.
func (c Config) reviewsIn(r row) []jsontext.Value {
	if r.number == 1 {
		members := membersOf(r.value)
		columns, _, _ := choose(Platforms["own"], members)
		maps.Copy(columns, c.Map)
		isReview := slices.Contains(members, columns["rating"]) && slices.Contains(members, columns["date"])
		if list := listIn(r.value); list != nil && !isReview {
			return list
		}
	}
	return []jsontext.Value{r.value}
}

// listIn returns the objects of the only list of objects in an object; nil if there is none.
func listIn(v jsontext.Value) (list []jsontext.Value) {
	for _, member := range object(v) {
		var items []jsontext.Value
		_ = json.Unmarshal(member, &items, jsontext.AllowDuplicateNames(true)) // none of what is no list
		if len(items) == 0 || items[0].Kind() != '{' {
			continue
		}
		if list != nil {
			return nil
		}
		list = items
	}
	return list
}

// ownMembers completes the map by the members of the first review, and returns all rows.
func (c *Config) ownMembers(rows rowSeq) (rowSeq, error) {
	next, stop := iter.Pull2(rows)
	r, problem, ok := next()
	if ok && problem == nil {
		members := membersOf(r.value)
		values := slices.DeleteFunc(slices.Clone(members), func(name string) bool {
			return slices.ContainsFunc(members, func(m string) bool { return strings.HasPrefix(m, name+".") })
		})
		cells := slices.Clone(values)
		for i, name := range values {
			cells[i], _ = textAt(r.value, name, false)
		}
		if err := c.ownNames(values, [][]string{cells}); err != nil {
			stop()
			return nil, err
		}
	}
	return func(yield func(row, error) bool) {
		defer stop()
		for ; ok && yield(r, problem); r, problem, ok = next() {
		}
	}, nil
}

// fill sets the cells of a row from the mapped members. The error is a *Skip.
func (c Config) fill(r *row) error {
	for _, f := range mapped {
		path := strings.TrimSpace(c.Map[f.String()])
		if path == "" {
			continue
		}
		s, err := textAt(r.value, path, fieldTechnicians <= f && f <= fieldServiceAreas)
		if err != nil {
			return r.skip(BadValue, "%s: %s", f, err)
		}
		r.cells[f] = s
	}
	members, used := object(r.value), slices.Collect(maps.Values(c.Map))
	r.names = slices.Sorted(maps.Keys(members))
	for _, name := range r.names {
		cell := cmp.Or(textOf(members[name]), string(members[name]))
		if r.all = append(r.all, cell); !slices.Contains(used, name) && unshown(name, cell) {
			return r.skip(Unshown, "%s is %s, so it is left out; to import it all the same, take %[1]s out of it", quote(name), quote(cell))
		}
	}
	return nil
}

// filled sets the cells of rows. It ends an export with an error if no review has the member of its rating or date, or
// none has that of another field, and there is one with a like name, or one that usually has that field. (Members may
// be left out where they would be empty, such as replies.)
func (c Config) filled(rows rowSeq) rowSeq {
	return func(yield func(row, error) bool) {
		wanted, members := maps.Clone(c.Map), map[string]bool{}
		for r, err := range rows {
			if err == nil {
				err = c.fill(&r)
			}
			maps.DeleteFunc(wanted, func(name, _ string) bool { return r.cells[slices.Index(fieldNames[:], name)] != "" })
			if len(wanted) > 0 && len(members) < maxListed {
				addMembers(members, "", r.value)
			}
			if !yield(r, err) {
				return
			}
		}
		list := slices.Sorted(maps.Keys(members))
		given := slices.Collect(maps.Values(c.Map))
		free := slices.DeleteFunc(slices.Clone(list), func(path string) bool { return slices.Contains(given, path) })
		maps.DeleteFunc(wanted, func(name, path string) bool {
			return members[strings.TrimSpace(path)] || name != "rating" && name != "date" && didYouMean(path, free) == "" && !slices.ContainsFunc(free, func(path string) bool { return fieldOf(path) == name })
		})
		if _, err := bind(wanted, list); err != nil && len(list) > 0 {
			yield(row{}, err)
		}
	}
}

// jsonRows reads objects, one after the other or in an array.
func jsonRows(export text) rowSeq {
	return func(yield func(row, error) bool) {
		inArray, number, read := false, 1, lines(0)
		d := jsontext.NewDecoder(io.TeeReader(export, &read), jsontext.AllowDuplicateNames(true))
		broken := func(err error) error {
			unread := string(d.UnreadBuffer())
			next := strings.TrimLeft(unread, ", \t\r\n")
			switch {
			case errors.Is(err, ErrTooLarge) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
				return fmt.Errorf("read export: %w", err)
			case errors.Is(err, io.ErrUnexpectedEOF):
				return errors.New("read export: the file ends in the middle of a review; download it again")
			}
			what, _, _ := strings.Cut(cause(err).Error(), " after offset")
			what = cmp.Or(said(jsonWords, what), what+"; expected JSON: one object per line, or an array of objects")
			if p, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
				next = unread[min(max(0, p.ByteOffset-d.InputOffset()), int64(len(unread))):]
			}
			return fmt.Errorf("read export: line %d: %s", int(read)+1-strings.Count(next, "\n"), what)
		}
		for {
			r := row{number: number}
			kind := d.PeekKind()
			if kind == '[' && !inArray && number == 1 || kind == ']' && inArray {
				if _, err := d.ReadToken(); err != nil {
					yield(r, broken(err))
					return
				}
				inArray = !inArray
				continue
			}
			v, err := d.ReadValue()
			switch {
			case err == io.EOF && !inArray:
				return
			case err != nil:
				err = broken(err)
			case kind != '{':
				err = r.skip(BadValue, "not a JSON object")
			default:
				r.value = v
			}
			if !yield(r, err) {
				return
			}
			number++
		}
	}
}

// lines counts the line ends that are written to it.
type lines int

func (l *lines) Write(p []byte) (int, error) {
	*l += lines(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}

// Google imports reviews of Google Business Profile: answers of the API's accounts.locations.reviews.list, which
// Takeout and most backup tools write too. These are {"reviews": [...]}, several such answers one after the other, a
// list, or one review per line.
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
		number, found, first := 0, map[string]int{}, map[string]string{}
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
				if m := forms("locationForm").FindStringSubmatch(name); m != nil {
					of = m[1]
					found[of]++
					one := row{value: v}
					_ = c.fillGoogle(&one) // what is wrong with it is said later
					first[of] = cmp.Or(first[of], strings.TrimSuffix(strings.TrimSuffix(fmt.Sprintf(", such as %s: %s", quote(one.cells[fieldAuthor]), quote(one.cells[fieldText])), `: ""`), `, such as ""`))
				}
				return err == nil && location != "" && !slices.ContainsFunc(strings.FieldsFunc(location, func(r rune) bool { return r == ',' || r == ' ' }), func(one string) bool { return one[strings.LastIndexByte(one, '/')+1:] == of })
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
				each = append(each, fmt.Sprintf("%s (%s%s)", number, diagnostic.Plural(found[number], "review"), first[number]))
			}
			yield(row{}, usageError(messages["locations"], strings.Join(each, ", "), diagnostic.When(location != "", quote(location)+" is none of them; "), slices.Min(slices.Collect(maps.Keys(found)))))
		}
	}
}

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
		return r.skip(BadValue, "%s", messages["no review of Google"])
	}
	r.cells[fieldID] = cmp.Or(r.cells[fieldID], name[strings.LastIndexByte(name, '/')+1:])
	r.cells[fieldRating] = strings.ReplaceAll(r.cells[fieldRating], "STAR_RATING_UNSPECIFIED", "")
	if hidden := object(reviewer)["isAnonymous"]; string(hidden) == "true" {
		r.cells[fieldAuthor] = ""
	}
	r.cells[fieldText], r.cells[fieldReplyText] = untranslated(r.cells[fieldText]), untranslated(r.cells[fieldReplyText])
	return nil
}

// untranslated returns what the customer wrote.
func untranslated(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if m := forms("translatedFirst").FindStringSubmatch(s); m != nil {
		return m[1]
	}
	if m := forms("translatedLast").FindStringSubmatch(s); m != nil {
		return strings.TrimRight(m[1], "\n")
	}
	// Without an original, none of it is the customer's.
	return diagnostic.When(!strings.HasPrefix(strings.TrimSpace(s), "(Translated by Google)"), s)
}
