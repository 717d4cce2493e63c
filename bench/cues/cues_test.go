package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reviewcast/generator/sentiment"
)

// few are sentences from which two aspects can be learnt.
const few = `punctuality+ | The fitter rang the bell at nine sharp.
punctuality+ | He rang the bell at eight sharp, as agreed.
punctuality- | Nobody rang the bell until noon.
punctuality- | They rang the bell at noon, hours behind.
cleanliness+ pricing- | The hall gleamed afterwards. The invoice made us gasp.
cleanliness+ | The kitchen gleamed.
cleanliness- | Footprints through the kitchen.
pricing- | An invoice that made me gasp.
pricing+ | The invoice was a relief.
none | We live by the sea.
`

func TestFit(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "few.txt")
	write(t, file, few)
	reader := sentiment.NewCueReader()
	items, err := readItems(reader, []string{file})
	if err != nil {
		t.Fatal(err)
	}
	o := settings
	o.seldom, o.least = 1, 0.05
	m := train(items, o)
	for i := range items {
		got := m.predict(&items[i], limits{enough: -0.5, plainly: -0.5})
		for a, id := range aspects {
			want, _ := items[i].has(a)
			if got[a] != want {
				t.Errorf("%s: %s is %q, want %q", items[i].text, id, got[a], want)
			}
		}
	}
	var a, b bytes.Buffer
	if err := m.write(&a, reader.Name); err != nil {
		t.Fatal(err)
	}
	if err := train(items, o).write(&b, reader.Name); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two fits to the same sentences differ")
	}
	if !strings.Contains(a.String(), "\ngleam\t") {
		t.Errorf("the table has no gleam:\n%s", &a)
	}
	if err := compare(a.Bytes(), b.Bytes(), o.least); err != nil {
		t.Error(err)
	}
	other := strings.Replace(b.String(), "\ngleam\t", "\ngleam\tspeed 0.9, ", 1)
	if err := compare(a.Bytes(), []byte(other), o.least); err == nil || !strings.Contains(err.Error(), "gleam / speed is 0.9") {
		t.Errorf("another table is taken for the same: %v", err)
	}
}

func TestBadSentences(t *testing.T) {
	for line, want := range map[string]string{
		"punctuality+ On time.":      "few.txt:2: want labels, a bar and a text",
		"punctual+ | On time.":       `few.txt:2: "punctual+" is no label`,
		" | On time.":                "few.txt:2: no labels",
		"punctuality | On time.":     `few.txt:2: "punctuality" is no label`,
		"none pricing+ | On time.":   `few.txt:2: "none" is no label`,
		"pricing+ pricing- | A sum.": "few.txt:2: pricing twice",
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "few.txt"), "none | Hello.\n"+line+"\n")
		err := run(io.Discard, []string{"-sentences", dir, "-table", filepath.Join(dir, "table")})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "table")); err == nil {
			t.Errorf("%s: a table was written", line)
		}
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
