package pages

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"image/png"
	"strings"
	"testing"

	"reviewcast"
)

// TestCSV reads the export back with another program's reader: a record for each
// review, every text as written but for what a spreadsheet would execute.
func TestCSV(t *testing.T) {
	c := sampleContent()
	c.Dataset.Reviews[0].Author = "=HYPERLINK(\"x\")"
	c.Dataset.Reviews[1].Text = new(" padded, \"quoted\"\nand two lines ")
	files := renderAll(t, c)
	records, err := csv.NewReader(bytes.NewReader(files[reviewcast.PathCSV])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 1+len(c.Dataset.Reviews) || strings.Join(records[0], ",") != columns {
		t.Fatalf("%d records of %d fields", len(records), len(records[0]))
	}
	at := map[string]int{}
	for i, name := range records[0] {
		at[name] = i
	}
	for i := range c.Dataset.Reviews {
		r, record := &c.Dataset.Reviews[i], records[i+1]
		want := map[string]string{"id": r.ID, "text": deref(r.Text), "title": deref(r.Title), "date": string(r.Date), "language": r.Language,
			"owner_reply.text": cmp.Or(r.OwnerReply, &reviewcast.OwnerReply{}).Text, "mentions.services": strings.Join(r.Mentions.Services, ";"), "author": r.Author}
		if i == 0 {
			want["author"] = "'" + r.Author
		}
		for name, value := range want {
			if record[at[name]] != value {
				t.Errorf("%s of %s is %q, want %q", name, r.ID, record[at[name]], value)
			}
		}
	}
}

// TestJSONL: each line is a review of the dataset.
func TestJSONL(t *testing.T) {
	c := sampleContent()
	lines := bytes.Split(bytes.TrimSuffix(renderOnce(t, "sample")[reviewcast.PathJSONL], []byte("\n")), []byte("\n"))
	if len(lines) != len(c.Dataset.Reviews) {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines {
		var r reviewcast.Review
		if err := json.Unmarshal(line, &r); err != nil || r.ID != c.Dataset.Reviews[i].ID {
			t.Errorf("line %d is review %s: %v", i, r.ID, err)
		}
	}
}

// TestJSONLD: every page's data parses and is complete by its types.
func TestJSONLD(t *testing.T) {
	required := map[string][]string{
		"Plumber": {"name", "url"}, "LocalBusiness": {"name", "url"}, "Review": {"@id", "author", "datePublished", "reviewRating"},
		"Rating": {"ratingValue"}, "AggregateRating": {"ratingValue", "ratingCount", "bestRating"}, "Person": {"name"},
		"Dataset": {"name", "description", "distribution", "url", "isAccessibleForFree"}, "DataDownload": {"contentUrl", "encodingFormat"},
		"PostalAddress": {"addressLocality"}, "GeoCoordinates": {"latitude", "longitude"}, "Organization": {"name"},
	}
	counts := map[string]int{}
	var check func(where string, v any)
	check = func(where string, v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				check(where, e)
			}
		case map[string]any:
			if kind, ok := v["@type"].(string); ok {
				counts[kind]++
				for _, name := range required[kind] {
					if v[name] == nil || v[name] == "" {
						t.Errorf("%s: %s without %s", where, kind, name)
					}
				}
				if required[kind] == nil {
					t.Errorf("%s: unknown type %s", where, kind)
				}
			}
			for _, e := range v {
				check(where, e)
			}
		}
	}
	for _, name := range []string{"sample", "empty"} {
		for p, body := range renderOnce(t, name) {
			_, rest, ok := strings.Cut(string(body), `<script type="application/ld+json">`)
			if !ok || !strings.HasSuffix(p, ".html") {
				continue
			}
			data, _, _ := strings.Cut(rest, "</script>")
			var v any
			if err := json.Unmarshal([]byte(data), &v); err != nil {
				t.Errorf("%s %s: %v", name, p, err)
			}
			check(name+" "+p, v)
		}
	}
	if counts["Review"] != 4 || counts["AggregateRating"] != 1 || counts["Dataset"] < 4 {
		t.Errorf("types: %v", counts)
	}
}

// TestMachineFiles: the files that crawlers look for parse and name what exists.
func TestMachineFiles(t *testing.T) {
	c, files := sampleContent(), renderOnce(t, "sample")
	var sitemap struct {
		URLs []struct{ Loc, LastMod string } `xml:"url"`
	}
	if err := xml.Unmarshal(files[pathSitemap], &sitemap); err != nil {
		t.Fatal(err)
	}
	pages := 0
	for p, body := range files {
		if strings.HasSuffix(p, "index.html") { // but for what no review is about
			about := !bytes.Contains(body, []byte("No review mentions")) && !bytes.Contains(body, []byte("No review names"))
			if about {
				pages++
			}
			if about != bytes.Contains(files[pathSitemap], []byte("<loc>"+c.Channel.BaseURL+strings.TrimSuffix(p, "index.html")+"</loc>")) {
				t.Errorf("the sitemap has %s: %t", p, !about)
			}
		}
	}
	if len(sitemap.URLs) != pages {
		t.Errorf("the sitemap has %d pages of %d", len(sitemap.URLs), pages)
	}
	if !bytes.Contains(files[pathRobots], []byte("Sitemap: "+c.Channel.BaseURL+pathSitemap)) {
		t.Errorf("robots.txt: %s", files[pathRobots])
	}
	var catalog struct{ Linkset []map[string]any }
	if err := json.Unmarshal(files[pathCatalog], &catalog); err != nil || len(catalog.Linkset) != 2 {
		t.Errorf("catalog %s: %v", files[pathCatalog], err)
	}
	card, err := png.DecodeConfig(bytes.NewReader(files[pathCard]))
	if err != nil || card.Width != cardWidth || card.Height != cardHeight {
		t.Errorf("card: %v, %v", card, err)
	}
	if len(files[pathLLMs]) > 4<<10 {
		t.Errorf("llms.txt has %d bytes", len(files[pathLLMs]))
	}
}
