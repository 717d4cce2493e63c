package importer

import (
	"context"
	"strings"
	"testing"
)

// tctx is for tests that no context can end.
var tctx = context.Background()

// Whatever bytes an export is made of, it is refused whole or every line that
// comes of it is publishable, and importing it again changes nothing.
func FuzzCSV(f *testing.F) {
	f.Add([]byte(header+rowA+rowB+rowC), "", 5.0)
	f.Add([]byte(header+strings.Repeat(rowA, 2)+"a1,9,,\n\"x\"y,,,,,,,\n\""), "", 5.0)
	f.Add([]byte(header+"A,10,2026-01-01,a@b.c,\r\n,\x00,,\na,7.5,2026-01-01,\"Z\n,\",,,,\n"), "windows-1252", 10.0)
	f.Add([]byte("\xff\xfei\x00d\x00"), "", 100.0)
	f.Fuzz(func(t *testing.T, export []byte, encoding string, scale float64) {
		for _, ids := range []bool{true, false} {
			cfg := shop()
			if cfg.Encoding, cfg.RatingScale = encoding, scale; !ids {
				delete(cfg.Map, "id")
			}
			cfg, err := cfg.check()
			if err != nil {
				return
			}
			_, first, err := imported(t, cfg, export, noFiles())
			if err != nil {
				continue
			}
			checkPublishable(t, first)
			stands := reread(t, first)
			report, second, err := imported(t, cfg, export, stands)
			if err != nil || !stands.holds(second.encode()) || report.Added+report.Updated > 0 {
				t.Fatal("importing again changed something", err, report)
			}
		}
	})
}

// Whatever stands in the files of an earlier import, reading them ends in an error
// or in records that are written and read again as the same.
func FuzzFiles(f *testing.F) {
	f.Add([]byte(written), []byte(`{"version":1,"known_by":["id"],"reviews":{"k":{"id":"shop-a1","wrote":{"text":"00"}}}}`))
	f.Add([]byte("{\"id\":\"a\",\"x\":{\"y\":[1e999,null]}}\r\n"), []byte(`{"version":1}`))
	f.Fuzz(func(t *testing.T, data, remembered []byte) {
		records, err := parseRecords(data)
		if err != nil {
			return
		}
		memory, err := parseMemory(remembered)
		if err != nil {
			return
		}
		whole := &files{records: records, memory: memory}
		stands := reread(t, whole)
		if !stands.holds(reread(t, stands).encode()) {
			t.Fatal("reading and writing changed the files")
		}
		cfg, err := shop().check()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := whole.identify(cfg); err != nil {
			return
		}
		if _, _, err := imported(t, cfg, []byte(header+rowA+rowB+rowC), stands); err != nil {
			t.Fatal(err)
		}
	})
}
