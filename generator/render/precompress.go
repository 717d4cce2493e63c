package render

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"reviewcast"
)

// Coding is a content coding (RFC 9110, section 8.4.1) by its registered name.
type Coding string

// The codings that files are kept in.
const (
	Gzip   Coding = "gzip"
	Brotli Coding = "br"
	Zstd   Coding = "zstd"
)

// Codings are all of them.
var Codings = []Coding{Gzip, Brotli, Zstd}

// Ext is what a file's name ends with in this coding; "" for an unknown one.
func (c Coding) Ext() string { return map[Coding]string{Gzip: ".gz", Brotli: ".br", Zstd: ".zst"}[c] }

// Encode compresses a body once, at build time. The same body gives the same bytes.
func Encode(body []byte, mediaType string, coding Coding) ([]byte, error) {
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch coding {
	case Gzip:
		w, err = gzip.NewWriterLevel(&b, gzipLevel(mediaType))
	case Brotli:
		w = brotli.NewWriterOptions(&b, brotliOptions(len(body)))
	case Zstd:
		w, err = zstd.NewWriter(&b, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	default:
		err = fmt.Errorf("coding is not one of %v", Codings)
	}
	if err == nil {
		_, werr := w.Write(body)
		err = cmp.Or(werr, w.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("encode as %q: %w", coding, err)
	}
	return b.Bytes(), nil
}

// gzipLevel weighs size against time. Data is asked for again and again: level 9 makes it 9 % smaller, for four
// times the CPU. A set has a hundred times as many pages and exports, and most are hardly ever asked for.
func gzipLevel(mediaType string) int {
	if strings.HasPrefix(mediaType, "text/") || mediaType == reviewcast.MediaJSONL {
		return 6
	}
	return gzip.BestCompression
}

// brotliOptions weighs size against time. Measured per megabyte of reviews on one core: quality 11 takes 2 s,
// 10 takes 0.9 s for 2 % more bytes, 9 takes 0.1 s for 9 % more.
func brotliOptions(size int) brotli.WriterOptions {
	switch {
	case size <= 1<<20:
		return brotli.WriterOptions{Quality: 11}
	case size <= 8<<20:
		return brotli.WriterOptions{Quality: 10}
	}
	return brotli.WriterOptions{Quality: 9, LGWin: 24}
}

// Precompress fills in the Encodings that save bytes, and those of every text: where a set is uploaded over an older one,
// an older variant would stay, with words that have been withdrawn since. It makes two at a time: each holds a window and
// a copy.
func Precompress(artifacts []Artifact, codings ...Coding) error {
	variants, err := Parallel(len(artifacts)*len(codings), 2, func(i int) ([]byte, error) {
		a := &artifacts[i/len(codings)]
		return Encode(a.Body, a.MediaType, codings[i%len(codings)])
	})
	for i := range artifacts {
		artifacts[i].Encodings = map[Coding][]byte{}
		for j, coding := range codings {
			if v := variants[i*len(codings)+j]; len(v) < len(artifacts[i].Body) || strings.HasPrefix(artifacts[i].MediaType, "text/") {
				artifacts[i].Encodings[coding] = v
			}
		}
	}
	return err
}
