package pages

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"reviewcast"
	"reviewcast/generator/render"
)

// graph is graph.json without what isn't known. The front page has the business, with the reviews that it shows, and the
// dataset. The other pages have no words for machines beside those for people.
func (s *Site) graph(front bool) any {
	coverage, n := "", len(s.reviews)
	if n > 0 {
		coverage = string(s.reviews[n-1].Date + "/" + s.reviews[0].Date)
	}
	_, license := render.License(s.Dataset.License)
	var b bytes.Buffer
	var graph any
	err := s.twins.ExecuteTemplate(&b, "graph.json", map[string]any{
		"Channel": s.Channel, "Dataset": s.Dataset, "Links": published, "Front": front, "Reviews": s.reviews[:min(n, frontReviews)],
		"Modified": s.modified, "License": license, "Coverage": coverage,
	})
	if err = cmp.Or(err, json.Unmarshal(b.Bytes(), &graph)); err != nil {
		panic(err) // the template is embedded
	}
	return known(graph)
}

// known removes from a JSON value the members that are empty, or have nothing but a type; nil if nothing is left.
func known(v any) any {
	switch v := v.(type) {
	case string:
		if v == "" {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
		for i := range v {
			v[i] = known(v[i])
		}
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, member any) bool { return known(member) == nil })
		if len(v) == 1 {
			return nil
		}
	}
	return v
}

// jsonl is the dataset as one review a line.
func (s *Site) jsonl() ([]byte, error) {
	if len(s.ReviewLines) == 0 {
		return []byte{}, nil
	}
	return append(bytes.Join(s.ReviewLines, []byte("\n")), '\n'), nil
}

// columns are those of the CSV export: the members of a review, flattened.
const columns = "id,author,author_avatar_url,rating,date,title,text,language,source,source_url,owner_reply.text,owner_reply.date,verified," +
	"verification.method,verification.verified_on,mentions.technicians,mentions.services,mentions.service_areas"

// row is a review's values in the order of columns.
func row(r *reviewcast.Review) []string {
	reply := cmp.Or(r.OwnerReply, &reviewcast.OwnerReply{})
	list := func(ids []string) string { return strings.Join(ids, ";") }
	return []string{r.ID, words(r.Author), deref(r.AuthorAvatarURL), strconv.Itoa(r.Rating), string(r.Date), words(deref(r.Title)), words(deref(r.Text)),
		r.Language, words(r.Source), deref(r.SourceURL), words(reply.Text), string(reply.Date), "true",
		r.Verification.Method, string(r.Verification.VerifiedOn), list(r.Mentions.Technicians), list(r.Mentions.Services), list(r.Mentions.ServiceAreas)}
}

func deref(s *string) string { return *cmp.Or(s, new(string)) }

// words are somebody's own. An apostrophe stands before those that a spreadsheet would execute (= + - @).
func words(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r", s[0]) >= 0 {
		return "'" + s
	}
	return s
}

// csv is one review a record, with the columns' names first (RFC 4180, UTF-8 without a mark).
func (s *Site) csv() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(columns + "\r\n")
	for _, r := range s.reviews {
		values := row(r.Review)
		for i, v := range values {
			if strings.ContainsAny(v, ",\"\r\n") || strings.TrimSpace(v) != v {
				values[i] = `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
			}
		}
		b.WriteString(strings.Join(values, ",") + "\r\n")
	}
	return b.Bytes(), nil
}
