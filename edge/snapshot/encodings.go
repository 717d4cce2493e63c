package snapshot

import (
	"bytes"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// coding is a content coding that the generator may have written beside a file.
type coding struct {
	name   string // in Content-Encoding
	suffix string // of the encoded file
	decode func(io.Reader) (io.ReadCloser, error)
}

// codings are those that are looked for, best compression first.
var codings = []coding{
	{"br", ".br", func(r io.Reader) (io.ReadCloser, error) { return io.NopCloser(brotli.NewReader(r)), nil }},
	{"zstd", ".zst", func(r io.Reader) (io.ReadCloser, error) {
		// RFC 9659: a browser refuses windows over 8 MiB, so a frame that needs one is
		// of no use here.
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}},
	{"gzip", ".gz", func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) }},
}

// errOtherBytes is an encoded variant's fault that no decoder sees.
var errOtherBytes = errors.New("it decodes to other bytes than the file's")

// check tells whether encoded decodes to exactly want. It compares as it decodes,
// so that a bomb costs no more than the file.
func (c coding) check(encoded, want []byte) error {
	r, err := c.decode(bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	defer r.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		if !bytes.HasPrefix(want, buf[:n]) {
			return errOtherBytes
		}
		want = want[n:]
		switch {
		case err == io.EOF && len(want) == 0:
			return nil
		case err == io.EOF:
			return errOtherBytes
		case err != nil:
			return err
		}
	}
}
