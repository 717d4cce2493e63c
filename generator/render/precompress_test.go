package render

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"reviewcast"
	"reviewcast/bench/corpus"
)

func decode(t *testing.T, coding string, encoded []byte) []byte {
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
			first := Encode(body, reviewcast.MediaJSON, coding)
			if !bytes.Equal(decode(t, coding, first), body) {
				t.Errorf("%s of %d bytes decodes to something else", coding, len(body))
			}
			if len(first) >= len(body) {
				t.Errorf("%s makes %d bytes of %d", coding, len(first), len(body))
			}
			if !bytes.Equal(first, Encode(body, reviewcast.MediaJSON, coding)) {
				t.Errorf("%s gives other bytes the second time", coding)
			}
		}
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
	if !bytes.Equal(decode(t, Brotli, Encode(large, reviewcast.MediaJSON, Brotli)), large) {
		t.Error("a large body decodes to something else")
	}
}

func TestPrecompress(t *testing.T) {
	artifacts, err := Files(withLines(Content{Channel: sampleChannel, Dataset: sampleDataset(), Insights: sampleInsights()}))
	if err != nil {
		t.Fatal(err)
	}
	artifacts = append(artifacts, Artifact{Path: "/tiny", Body: []byte("{}\n")})
	variants := Precompress(artifacts, []string{Gzip, Zstd})
	for _, a := range artifacts {
		for _, coding := range []string{Gzip, Zstd} {
			encoded, made := variants[a.Path+coding]
			if small := a.Path == "/tiny" || a.Path == "/withdrawn.json"; made == small {
				t.Errorf("%s%s is made: %v; it must be where it saves bytes", a.Path, coding, made)
			} else if made && !bytes.Equal(decode(t, coding, encoded), a.Body) {
				t.Errorf("%s%s decodes to something else", a.Path, coding)
			}
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	d := corpus.Dataset(1000)
	body, err := datasetFile(&d)
	if err != nil {
		b.Fatal(err)
	}
	for _, coding := range Codings {
		b.Run(coding[1:], func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				Encode(body, reviewcast.MediaJSON, coding)
			}
		})
	}
}
