package snapshot

import (
	"bytes"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// coding is a content coding in which the generator may have written a file.
type coding struct {
	name   string // in Content-Encoding
	suffix string // of the encoded file
	decode func(io.Reader) (io.ReadCloser, error)
}

// codings are the codings that OpenFiles looks for, best compression first.
var codings = []coding{
	{"br", ".br", func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(brotli.NewReader(r)), nil }},
	{"zstd", ".zst", func(r io.Reader) (io.ReadCloser, error) {
		// RFC 9659: browsers refuse windows over 8 MiB.
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}},
	{"gzip", ".gz", func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
}

// errOtherBytes is returned for an encoded variant of another file or version.
var errOtherBytes = errors.New("the decoded bytes differ from the file")

// check returns an error unless encoded decodes to want. A decompression bomb costs no more than the file.
func (c coding) check(encoded, want []byte) error {
	r, err := c.decode(bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	defer r.Close()
	got, err := io.ReadAll(io.LimitReader(r, int64(len(want))+1))
	if err == nil && !bytes.Equal(got, want) {
		err = errOtherBytes
	}
	return err
}
