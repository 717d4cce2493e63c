package importer

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestNotText: what people import instead of a text is named, with what to do.
func TestNotText(t *testing.T) {
	archive := func(names ...string) string {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
			if err != nil {
				t.Fatal(err)
			}
			if name == "mimetype" {
				_, _ = w.Write([]byte("application/vnd.oasis.opendocument.spreadsheet"))
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for export, want := range map[string]string{
		archive("[Content_Types].xml", "xl/workbook.xml"):               "Excel workbook; in Excel choose File, Save As, CSV UTF-8",
		archive("mimetype", "content.xml"):                              "LibreOffice spreadsheet",
		archive("Takeout/Google Business Profile/reviews.json"):         "ZIP archive; unpack it",
		"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1":                              "old Excel workbook",
		"%PDF-1.7\n":                                                    "PDF; export it as CSV",
		`{"type": "FeatureCollection", "features": [{"geometry": {}}]}`: "reviews that you wrote on Google Maps",
	} {
		cfg := Config{ContentDir: t.TempDir(), Source: "shop", Map: map[string]string{"rating": "a", "date": "b"}}
		_, err := CSV(t.Context(), strings.NewReader(export), cfg)
		var usage *UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("CSV of %.20q: %v, want %s", export, err, want)
		}
		_, err = JSONL(t.Context(), strings.NewReader(export), cfg)
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("JSONL of %.20q: %v, want %s", export, err, want)
		}
	}
}

// TestLikelyEncoding: the encoding of an export is recognised by the letters of its language.
func TestLikelyEncoding(t *testing.T) {
	texts := map[string]string{
		"windows-1250": "Kateřina měla snídaně; příště zase. Děkujeme, výborné!",
		"windows-1251": "Очень хороший отель, спасибо",
		"windows-1252": "Très bon séjour, le garçon était gentil",
		"windows-1253": "Πολύ καλό ξενοδοχείο",
		"windows-1254": "Çok güzel, teşekkürler, odası sıcaktı",
		"macintosh":    "Schöne Zimmer, größer als erwartet, früher Bäcker",
	}
	for name, text := range texts {
		raw, err := encodings[name].NewEncoder().String("rating,date,text\n5,2026-01-02,\"" + text + "\"\n")
		if err != nil {
			t.Fatal(err)
		}
		for _, given := range []string{"", "windows-1252", name} {
			d := newDesk(t)
			d.cfg.Map, d.cfg.Encoding = nil, given
			_, err := d.try(raw)
			want := "--encoding " + name
			switch {
			case given == name && err != nil:
				t.Errorf("%s: %v", name, err)
			case given != name && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("%s given as %q: %v", name, given, err)
			}
		}
	}
	for _, text := range []string{"smørrebrød på Café Müller", "Petr Černý war nett", "Señor Muñoz, 20 m², ½ price", "naïve, São Paulo", "Žižka"} {
		raw, err := encodings["windows-1252"].NewEncoder().String("rating,date,text\n5,2026-01-02,\"" + text + "\"\n")
		d := newDesk(t)
		d.cfg.Map, d.cfg.Encoding = nil, "windows-1252"
		if err != nil {
			continue // a letter that windows-1252 has not
		}
		if _, err := d.try(raw); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
