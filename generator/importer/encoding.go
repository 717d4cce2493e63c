package importer

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// encodings are the values of Config.Encoding. Nil is UTF-8, which isn't decoded
// but checked cell by cell, where a message can say the line.
var encodings = map[string]encoding.Encoding{
	"":             nil,
	"utf-8":        nil,
	"utf-16le":     unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	"utf-16be":     unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	"windows-1252": charmap.Windows1252,
	"macintosh":    charmap.Macintosh,
}

// marks are the byte order marks. They overrule Config.Encoding, since no text
// begins with one by chance.
var marks = []struct {
	bytes    string
	encoding string
}{
	{"\xEF\xBB\xBF", "utf-8"},
	{"\xFF\xFE", "utf-16le"},
	{"\xFE\xFF", "utf-16be"},
}

// text is an export as UTF-8.
type text struct {
	io.Reader
	// lossy tells that U+FFFD stands for something that couldn't be decoded, and
	// isn't the customer's own character.
	lossy bool
}

// decode turns an export into UTF-8 without a byte order mark, as far as its
// encoding is known; bytes that aren't UTF-8 are left for the reader to find.
func decode(ctx context.Context, r io.Reader, cfg Config) (text, error) {
	in := bufio.NewReaderSize(&meter{ctx: ctx, r: r}, 64<<10)
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return text{}, fmt.Errorf("read export: %w", err)
	}
	name, marked := cfg.Encoding, false
	for _, m := range marks {
		if bytes.HasPrefix(head, []byte(m.bytes)) {
			_, _ = in.Discard(len(m.bytes)) // they have been peeked at
			name, marked = m.encoding, true
			break
		}
	}
	enc := encodings[name]
	if enc == nil {
		if i := bytes.IndexByte(head, 0); !marked && i >= 0 {
			guess := "utf-16le"
			if i == 0 {
				guess = "utf-16be"
			}
			return text{}, &UsageError{[]string{fmt.Sprintf("the export looks like UTF-16 without a byte order mark; say so with --encoding %s", guess)}}
		}
		return text{Reader: in}, nil
	}
	return text{Reader: transform.NewReader(in, enc.NewDecoder()), lossy: true}, nil
}

// meter counts what is read of an export, stops at MaxExport and when the context
// ends.
type meter struct {
	ctx  context.Context
	r    io.Reader
	done int64
}

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.r.Read(p)
	m.done += int64(n)
	if m.done > MaxExport {
		return 0, ErrTooLarge
	}
	return n, err
}
