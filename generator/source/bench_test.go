package source

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reviewcast/generator/diagnostic"
)

// sampleBusiness is enough of a business.yaml for every sample review.
const sampleBusiness = `id: northside
name: Northside Plumbing
time_zone: Europe/Rome
services:
  - {id: drains, name: Drains, aliases: [drain cleaning]}
  - {id: heating, name: Heating}
technicians:
  - {id: marta-k, name: Marta Kovač, aliases: [Marta, "Kovač"]}
  - {id: luca, name: Luca Bianchi}
service_areas:
  - {id: centre, name: Centre}
`

// sampleText is about 350 bytes.
const sampleText = `The boiler went cold on a Friday night, of course. I rang at seven and %s stood at the door before nine, ` +
	`found the fault (a stuck valve) in ten minutes and explained what she did, step by step. "Won't happen again", she said. ` +
	`The bill was lower than the quote, which I have never seen before; only the parking was a nuisance for everybody. Number %d.`

// sampleJSON is one review as a line of about 700 bytes.
func sampleJSON(i int) string {
	date := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i%2000).Format(time.DateOnly)
	return fmt.Sprintf(`{"id":"g-%06d","author":"Maria K.","rating":%d,"date":%q,"title":"Cold on a Friday","text":%q,"language":"en","source":"google",`+
		`"source_url":"https://example.com/r/%d","owner_reply":{"text":"Thank you, Maria!","date":"2026-01-02"},`+
		`"verification":{"method":"job","verified_on":%q,"reference":"J-%d"},"technicians":["marta-k"],"services":["heating"],"service_areas":["centre"]}`,
		i, 1+i%5, date, fmt.Sprintf(sampleText, "Marta", i), i, date, i)
}

// sampleYAML is the same review as a file of its own.
func sampleYAML(i int) string {
	date := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i%2000).Format(time.DateOnly)
	return fmt.Sprintf(`id: g-%06d
author: Maria K.
rating: %d
date: %s
title: Cold on a Friday
text: |
  %s
language: en
source: google
source_url: https://example.com/r/%d
owner_reply:
  text: Thank you, Maria!
  date: 2026-01-02
verification:
  method: job
  verified_on: %s
  reference: J-%d
technicians: [marta-k]
services: [heating]
service_areas: [centre]
`, i, 1+i%5, date, fmt.Sprintf(sampleText, "Marta", i), i, date, i)
}

// writeOld writes a file whose time is old enough to be trusted.
func writeOld(tb testing.TB, dir, name string, data []byte) {
	tb.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		tb.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		tb.Fatal(err)
	}
}

// mustLoad loads a folder that has no errors.
func mustLoad(tb testing.TB, l *Loader) *Content {
	tb.Helper()
	c, _, problems, err := l.Load(tb.Context(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	for _, p := range problems {
		if p.Severity == diagnostic.Error {
			tb.Fatal(p)
		}
	}
	return c
}

func BenchmarkLoadJSONL(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			writeOld(b, dir, BusinessFile, []byte(sampleBusiness))
			var lines bytes.Buffer
			for i := range n {
				lines.WriteString(sampleJSON(i))
				lines.WriteByte('\n')
			}
			writeOld(b, dir, "reviews/all.jsonl", lines.Bytes())
			b.SetBytes(int64(lines.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if c := mustLoad(b, NewLoader(dir, Config{})); len(c.Reviews) != n {
					b.Fatal(len(c.Reviews))
				}
			}
		})
	}
}

// yamlFolder writes n reviews, each a file of its own, in folders of 100.
func yamlFolder(b *testing.B, n int) (dir string, size int64) {
	dir = b.TempDir()
	writeOld(b, dir, BusinessFile, []byte(sampleBusiness))
	for i := range n {
		data := sampleYAML(i)
		size += int64(len(data))
		writeOld(b, dir, fmt.Sprintf("reviews/%03d/%02d.yaml", i/100, i%100), []byte(data))
	}
	return dir, size
}

func BenchmarkLoadYAMLFiles(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir, size := yamlFolder(b, n)
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if c := mustLoad(b, NewLoader(dir, Config{})); len(c.Reviews) != n {
					b.Fatal(len(c.Reviews))
				}
			}
		})
	}
}

func BenchmarkReloadOneOf10k(b *testing.B) {
	const n = 10_000
	dir, _ := yamlFolder(b, n)
	l := NewLoader(dir, Config{})
	mustLoad(b, l)
	i := 0
	for b.Loop() {
		i++
		b.StopTimer()
		writeOld(b, dir, "reviews/050/50.yaml", []byte(sampleYAML(5050)+fmt.Sprintf("# %d\n", i)))
		b.StartTimer()
		if c := mustLoad(b, l); len(c.Reviews) != n {
			b.Fatal(len(c.Reviews))
		}
	}
}

// BenchmarkReloadOneLine edits one line of a file of 10,000, as somebody who watches
// the folder.
func BenchmarkReloadOneLine(b *testing.B) {
	const n = 10_000
	dir := b.TempDir()
	writeOld(b, dir, BusinessFile, []byte(sampleBusiness))
	lines := make([]string, n)
	for i := range lines {
		lines[i] = sampleJSON(i) + "\n"
	}
	write := func() { writeOld(b, dir, "reviews/all.jsonl", []byte(strings.Join(lines, ""))) }
	write()
	l := NewLoader(dir, Config{})
	mustLoad(b, l)
	names := []string{"reviews/all.jsonl"}
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		lines[n/2] = strings.Replace(sampleJSON(n/2), "Maria K.", fmt.Sprintf("Maria %d", i), 1) + "\n"
		write()
		b.StartTimer()
		c, d, _, err := l.Load(b.Context(), names)
		if err != nil || len(c.Reviews) != n || len(d.Come) != 1 {
			b.Fatal(err)
		}
	}
}

// BenchmarkWalk is the part of every load that no cache spares.
func BenchmarkWalk(b *testing.B) {
	dir, _ := yamlFolder(b, 10_000)
	root, err := os.OpenRoot(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer root.Close()
	for b.Loop() {
		if _, err := walk(root, ""); err != nil {
			b.Fatal(err)
		}
	}
}
