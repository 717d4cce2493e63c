package pages

import (
	"bytes"
	"strings"

	"reviewcast"
)

// jsonl is the dataset as one review a line.
func (s *Site) jsonl() ([]byte, error) {
	if len(s.ReviewLines) == 0 {
		return []byte{}, nil
	}
	return append(bytes.Join(s.ReviewLines, []byte("\n")), '\n'), nil
}

// columns are those of the CSV export: the members of a review, flattened.
var columns = []struct {
	name  string
	value func(*reviewcast.Review) string
	words bool // somebody's own words
}{
	{name: "id", value: func(r *reviewcast.Review) string { return r.ID }},
	{name: "author", value: func(r *reviewcast.Review) string { return r.Author }, words: true},
	{name: "author_avatar_url", value: func(r *reviewcast.Review) string { return deref(r.AuthorAvatarURL) }},
	{name: "rating", value: func(r *reviewcast.Review) string { return string(rune('0' + r.Rating)) }},
	{name: "date", value: func(r *reviewcast.Review) string { return string(r.Date) }},
	{name: "title", value: func(r *reviewcast.Review) string { return deref(r.Title) }, words: true},
	{name: "text", value: func(r *reviewcast.Review) string { return deref(r.Text) }, words: true},
	{name: "language", value: func(r *reviewcast.Review) string { return r.Language }},
	{name: "source", value: func(r *reviewcast.Review) string { return r.Source }, words: true},
	{name: "source_url", value: func(r *reviewcast.Review) string { return deref(r.SourceURL) }},
	{name: "owner_reply.text", value: func(r *reviewcast.Review) string { return reply(r).Text }, words: true},
	{name: "owner_reply.date", value: func(r *reviewcast.Review) string { return string(reply(r).Date) }},
	{name: "verified", value: func(r *reviewcast.Review) string { return "true" }},
	{name: "verification.method", value: func(r *reviewcast.Review) string { return r.Verification.Method }},
	{name: "verification.verified_on", value: func(r *reviewcast.Review) string { return string(r.Verification.VerifiedOn) }},
	{name: "mentions.technicians", value: func(r *reviewcast.Review) string { return strings.Join(r.Mentions.Technicians, ";") }},
	{name: "mentions.services", value: func(r *reviewcast.Review) string { return strings.Join(r.Mentions.Services, ";") }},
	{name: "mentions.service_areas", value: func(r *reviewcast.Review) string { return strings.Join(r.Mentions.ServiceAreas, ";") }},
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func reply(r *reviewcast.Review) reviewcast.OwnerReply {
	if r.OwnerReply == nil {
		return reviewcast.OwnerReply{}
	}
	return *r.OwnerReply
}

// csv is one review a record, with the columns' names first (RFC 4180, UTF-8 without a mark). Words that a
// spreadsheet would execute (= + - @) have an apostrophe before them.
func (s *Site) csv() ([]byte, error) {
	var b bytes.Buffer
	row := make([]string, len(columns))
	for i, c := range columns {
		row[i] = c.name
	}
	b.WriteString(strings.Join(row, ",") + "\r\n")
	for _, r := range s.reviews {
		for i, c := range columns {
			v := c.value(r.Review)
			if c.words && v != "" && strings.IndexByte("=+-@\t\r", v[0]) >= 0 {
				v = "'" + v
			}
			if strings.ContainsAny(v, ",\"\r\n") || strings.TrimSpace(v) != v {
				v = `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
			}
			row[i] = v
		}
		b.WriteString(strings.Join(row, ",") + "\r\n")
	}
	return b.Bytes(), nil
}
