package pages

import (
	"bytes"
	"strings"

	"reviewcast"
)

// jsonl is the dataset as one review a line.
func (s *site) jsonl() ([]byte, error) {
	size := 0
	for i := range s.reviews {
		size += len(s.reviews[i].line) + 1
	}
	b := bytes.NewBuffer(make([]byte, 0, size))
	for i := range s.reviews {
		b.Write(s.reviews[i].line)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
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

// csv is the dataset as RFC 4180 has tables: one review a record, with the names of
// the columns first, in UTF-8 without a byte order mark. Spreadsheets execute cells
// that begin with = + - or @, so that somebody's own words that do have an
// apostrophe before them.
func (s *site) csv() ([]byte, error) {
	var header []byte
	for i, c := range columns {
		if i > 0 {
			header = append(header, ',')
		}
		header = append(header, c.name...)
	}
	parts := [][]byte{append(header, "\r\n"...)}
	made := map[string]remembered{}
	for i := range s.months {
		m := &s.months[i]
		k := &key{}
		k.SetSeed(s.seed)
		for j := range m.reviews {
			k.sums(m.reviews[j].sum)
		}
		r := remembered{key: k.value()}
		if old := s.memo.month(m.name); old.key == r.key {
			r = old
		} else {
			r.rows = m.rows()
		}
		made[m.name] = r
		parts = append(parts, r.rows)
	}
	if s.memo != nil {
		s.memo.months = made
	}
	return bytes.Join(parts, nil), nil
}

// rows are a month's records.
func (m *month) rows() []byte {
	var b []byte
	for i := range m.reviews {
		for j := range columns {
			if j > 0 {
				b = append(b, ',')
			}
			v := columns[j].value(m.reviews[i].Review)
			if columns[j].words && v != "" && strings.IndexByte("=+-@\t\r", v[0]) >= 0 {
				v = "'" + v
			}
			b = appendCell(b, v)
		}
		b = append(b, "\r\n"...)
	}
	return b
}

// appendCell appends a field, in quotation marks where it needs them.
func appendCell(b []byte, v string) []byte {
	if !strings.ContainsAny(v, ",\"\r\n") && strings.TrimSpace(v) == v {
		return append(b, v...)
	}
	b = append(b, '"')
	for i := range len(v) {
		if v[i] == '"' {
			b = append(b, '"')
		}
		b = append(b, v[i])
	}
	return append(b, '"')
}
