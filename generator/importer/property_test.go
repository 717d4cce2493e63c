package importer

import (
	"bytes"
	"encoding/csv"
	"flag"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"reviewcast"
)

// imported runs an export through everything but the disk.
func imported(t interface{ Fatal(...any) }, cfg Config, export []byte, old *files) (*Report, *files, error) {
	text, err := decode(tctx, bytes.NewReader(export), cfg, false)
	if err != nil {
		return nil, nil, err
	}
	table, err := openTable(text, &cfg)
	if err != nil {
		return nil, nil, err
	}
	next := reread(t, old)
	report, err := merge(cfg, table.rows(), next)
	if err != nil {
		return nil, nil, err
	}
	if report.Rows != report.Added+report.Updated+report.Unchanged+len(report.Skipped) {
		t.Fatal("rows don't add up", *report)
	}
	return report, next, nil
}

func noFiles() *files {
	return &files{source: "shop", memory: &memory{Reviews: map[string]entry{}}}
}

// reread is what the next import finds on the disk.
func reread(t interface{ Fatal(...any) }, f *files) *files {
	next := &files{source: f.source}
	next.data, next.remembered = f.encode()
	var err error
	if next.records, err = parseRecords(next.data); err != nil {
		t.Fatal(err)
	}
	if next.memory, err = parseMemory(next.remembered); err != nil {
		t.Fatal(err)
	}
	return next
}

// checkPublishable holds every line against the contract.
func checkPublishable(t interface{ Fatal(...any) }, f *files) {
	data, _ := f.encode()
	seen := map[string]bool{}
	var before reviewcast.Review
	for line := range bytes.Lines(data) {
		var r reviewcast.Review
		if err := json.Unmarshal(line, &r, json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(err, string(line))
		}
		texts := r.Author
		for _, s := range []*string{r.Title, r.Text} {
			if s != nil {
				texts += *s
				if strings.TrimSpace(*s) == "" {
					t.Fatal("blank text", string(line))
				}
			}
		}
		if r.OwnerReply != nil {
			texts += r.OwnerReply.Text
			if !r.OwnerReply.Date.Valid() || strings.TrimSpace(r.OwnerReply.Text) == "" {
				t.Fatal("bad reply", string(line))
			}
		}
		at, _ := reviewcast.BadRune(texts)
		switch {
		case !reviewcast.ValidID(r.ID), seen[strings.ToLower(r.ID)]:
			t.Fatal("bad id", string(line))
		case r.Rating < reviewcast.MinRating, r.Rating > reviewcast.MaxRating, !r.Date.Valid(), at >= 0, strings.TrimSpace(r.Author) == "":
			t.Fatal("not publishable", string(line))
		case before.ID != "" && (before.Date < r.Date || before.Date == r.Date && before.ID >= r.ID):
			t.Fatal("not newest first", string(line))
		}
		seen[strings.ToLower(r.ID)] = true
		before = r
	}
}

// sheet draws an export whose rows never contradict each other: reviews that are
// told apart by the given columns, where a blank cell is as good as an empty one, some
// of them twice.
func sheet(t *rapid.T, ids bool) [][]string {
	read := func(cells []string) string {
		var b strings.Builder
		for _, cell := range cells {
			if strings.TrimSpace(cell) != "" {
				b.WriteString(cell)
			}
			b.WriteByte(0)
		}
		return b.String()
	}
	short := rapid.StringOfN(rapid.RuneFrom([]rune("aAbB1-_./ é\"\n,<\u202e")), 0, 4, -1)
	rows := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) []string {
		row := []string{"", "", fmt.Sprintf("2026-01-%02d", rapid.IntRange(1, 3).Draw(t, "day")), short.Draw(t, "who"), short.Draw(t, "title"), short.Draw(t, "words"), "", ""}
		if ids {
			row[0] = rapid.StringMatching(`[aAbB1./-]{1,3}|[aA]{60,70}`).Draw(t, "id")
		}
		row[1] = fmt.Sprint(1 + len(read(row))%5) // a function of the rest
		return row
	}), 0, 12, func(row []string) string {
		if ids {
			return row[0]
		}
		return read(row[2:6])
	}).Draw(t, "rows")
	for _, i := range rapid.SliceOfN(rapid.IntRange(0, 1000), 0, 3).Draw(t, "twice") {
		if len(rows) > 0 {
			rows = append(rows, rows[i%len(rows)])
		}
	}
	return rows
}

func spread(rows [][]string) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(strings.Split(strings.TrimSpace(header), ","))
	_ = w.WriteAll(rows)
	return b.Bytes()
}

// For any export: what is written is publishable, the order of rows plays no part,
// importing again changes nothing, and importing it in two parts comes to the same
// ids but for those that differ by case only.
func TestImportProperties(t *testing.T) {
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue { // .ci/run makes many more
		if err := checks.Value.Set("25"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = checks.Value.Set(checks.DefValue) })
	}
	for _, ids := range []bool{true, false} {
		t.Run(fmt.Sprintf("ids=%t", ids), func(t *testing.T) {
			d := newDesk(t)
			if !ids {
				d.without("id")
			}
			cfg, err := d.cfg.check()
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				rows := sheet(t, ids)
				_, whole, err := imported(t, cfg, spread(rows), noFiles())
				if err != nil {
					t.Fatal(err)
				}
				checkPublishable(t, whole)
				stands := reread(t, whole)

				shuffled := slices.Clone(rows)
				rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed"))).Shuffle(len(rows), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
				_, other, err := imported(t, cfg, spread(shuffled), noFiles())
				if err != nil || !stands.holds(other.encode()) {
					t.Fatal("the order of rows changed the files", err)
				}

				report, again, err := imported(t, cfg, spread(shuffled), stands)
				if err != nil || !stands.holds(again.encode()) || report.Added+report.Updated+len(report.Kept)+len(report.Vanished) > 0 {
					t.Fatal("importing again changed something", err, report)
				}

				cut := rapid.IntRange(0, len(rows)).Draw(t, "cut")
				_, half, err := imported(t, cfg, spread(rows[:cut]), noFiles())
				if err != nil {
					t.Fatal(err)
				}
				stood := reread(t, half)
				_, both, err := imported(t, cfg, spread(rows), stood)
				if err != nil {
					t.Fatal(err)
				}
				checkPublishable(t, both)
				if len(both.records) != len(whole.records) {
					t.Fatal("parts came to", len(both.records), "the whole to", len(whole.records))
				}
				for key, e := range stood.memory.Reviews {
					if both.memory.Reviews[key].ID != e.ID {
						t.Fatal("an id changed", e.ID, both.memory.Reviews[key].ID)
					}
				}
			})
		})
	}
}

// Reader and writer of both files are inverses.
func TestFilesRoundTrip(t *testing.T) {
	d := newDesk(t)
	d.load(header + rowA + rowB + rowC)
	records, err := parseRecords([]byte(d.data()))
	if err != nil {
		t.Fatal(err)
	}
	memory, err := parseMemory([]byte(d.file(".import-shop.json")))
	if err != nil {
		t.Fatal(err)
	}
	data, remembered := (&files{records: records, memory: memory}).encode()
	wantEqual(t, "data", string(data), d.data())
	wantEqual(t, "memory", string(remembered), d.file(".import-shop.json"))
}
