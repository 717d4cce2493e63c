package render

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"reviewcast"
	"reviewcast/bench/corpus"
)

func decode(t *testing.T, coding Coding, encoded []byte) []byte {
	t.Helper()
	var r io.Reader
	var err error
	switch coding {
	case Gzip:
		r, err = gzip.NewReader(bytes.NewReader(encoded)) // the standard library's, not the encoder's own
	case Brotli:
		r = brotli.NewReader(bytes.NewReader(encoded))
	case Zstd:
		r, err = zstd.NewReader(bytes.NewReader(encoded))
	}
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestEncode: what is encoded decodes to the same bytes, is smaller, and is the
// same each time.
func TestEncode(t *testing.T) {
	for _, n := range []int{0, 30} {
		d := corpus.Dataset(n)
		body, err := datasetFile(&d)
		if err != nil {
			t.Fatal(err)
		}
		for _, coding := range Codings {
			first, err := Encode(body, reviewcast.MediaJSON, coding)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(decode(t, coding, first), body) {
				t.Errorf("%s of %d bytes decodes to something else", coding, len(body))
			}
			if len(first) >= len(body) {
				t.Errorf("%s makes %d bytes of %d", coding, len(first), len(body))
			}
			second, err := Encode(body, reviewcast.MediaJSON, coding)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(first, second) {
				t.Errorf("%s gives other bytes the second time", coding)
			}
		}
	}
	if _, err := Encode(nil, reviewcast.MediaJSON, "compress"); err == nil {
		t.Error("compress is taken")
	}
}

// TestBrotliPace: the larger the body, the less time is spent on each of its bytes,
// and the large window decodes with a reader that wasn't told of it.
func TestBrotliPace(t *testing.T) {
	for size, want := range map[int]int{0: 11, 1 << 20: 11, 1<<20 + 1: 10, 8 << 20: 10, 8<<20 + 1: 9, 1 << 30: 9} {
		if got := brotliOptions(size).Quality; got != want {
			t.Errorf("%d bytes: quality %d, want %d", size, got, want)
		}
	}
	large := bytes.Repeat([]byte("They came on time. "), 8<<20/19+1)
	encoded, err := Encode(large, reviewcast.MediaJSON, Brotli)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(decode(t, Brotli, encoded), large) {
		t.Error("a large body decodes to something else")
	}
}

func TestPrecompress(t *testing.T) {
	artifacts, err := Files(withLines(Content{Channel: sampleChannel, Dataset: sampleDataset(), Insights: sampleInsights()}))
	if err != nil {
		t.Fatal(err)
	}
	artifacts = append(artifacts, Artifact{Path: "/tiny", Body: []byte("{}\n")})
	if err := Precompress(artifacts, Gzip, Zstd); err != nil {
		t.Fatal(err)
	}
	for _, a := range artifacts {
		if a.Path == "/tiny" || a.Path == "/withdrawn.json" {
			if len(a.Encodings) != 0 {
				t.Errorf("%s has variants that save nothing: %v", a.Path, a.Encodings)
			}
			continue
		}
		if len(a.Encodings) != 2 {
			t.Errorf("%s has %d variants", a.Path, len(a.Encodings))
		}
		for coding, encoded := range a.Encodings {
			if coding.Ext() == "" || !bytes.Equal(decode(t, coding, encoded), a.Body) {
				t.Errorf("%s%s decodes to something else", a.Path, coding.Ext())
			}
		}
	}
	if err := Precompress(artifacts, "compress"); err == nil {
		t.Error("compress is taken")
	}
}

func BenchmarkEncode(b *testing.B) {
	d := corpus.Dataset(1000)
	body, err := datasetFile(&d)
	if err != nil {
		b.Fatal(err)
	}
	for _, coding := range Codings {
		b.Run(fmt.Sprint(coding), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				if _, err := Encode(body, reviewcast.MediaJSON, coding); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
