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
