package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxJSONValue is the most bytes of one review of a JSON export. It stops a value
// that never ends.
const maxJSONValue = 4 << 20

// JSONL imports a file with a JSON object a line, or a JSON array of objects. What
// Config.Map calls a column is a member's name; owner_reply.text=reply.comment
// reaches into an object within. Otherwise it is as CSV.
func JSONL(ctx context.Context, r io.Reader, cfg Config) (*Report, error) {
	cfg, err := cfg.check()
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"rating", "date"} {
		if cfg.Map[name] == "" {
			return nil, &UsageError{[]string{fmt.Sprintf("no member is given for %s; add %s=MEMBER to --map", name, name)}}
		}
	}
	export, err := decode(ctx, r, cfg)
	if err != nil {
		return nil, err
	}
	return run(ctx, cfg, jsonRows(export, maxJSONValue, func(v jsontext.Value, r *row) error {
		for f := range field(len(fieldNames)) {
			path := strings.TrimSpace(cfg.Map[f.String()])
			if path == "" {
				continue
			}
			s, err := textAt(v, path)
			if err != nil {
				return r.skip(BadValue, "%s: %s", f, err)
			}
			r.cells[f] = s
		}
		return nil
	}))
}

// jsonRows reads objects, one after the other or in one array, and has each
// filled into a row; one of more than limit bytes is skipped. The error of fill is
// a *Skip.
func jsonRows(export text, limit int, fill func(jsontext.Value, *row) error) rowSeq {
	return func(yield func(row, error) bool) {
		d := jsontext.NewDecoder(bufio.NewReader(export), jsontext.AllowDuplicateNames(true))
		broken := func(err error) error {
			if errors.Is(err, ErrTooLarge) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("read export: %w", err)
			}
			return fmt.Errorf("read export: byte %d: %w; it should be JSON, an object a line or an array of them", d.InputOffset(), cause(err))
		}
		inArray := false
		for number := 1; ; {
			r := row{number: number}
			switch kind := d.PeekKind(); {
			case kind == '[' && !inArray && number == 1:
				inArray = true
				_, _ = d.ReadToken() // peeked at
				continue
			case kind == ']' && inArray:
				if _, err := d.ReadToken(); err != nil {
					yield(r, broken(err))
					return
				}
				inArray = false
				continue
			}
			v, err := d.ReadValue()
			if err == io.EOF && !inArray {
				return
			}
			if err != nil {
				yield(r, broken(err))
				return
			}
			if number > MaxRows {
				yield(r, ErrTooManyRows)
				return
			}
			number++
			switch {
			case v.Kind() != '{':
				err = r.skip(BadValue, "it is no JSON object")
			case len(v) > limit:
				err = r.skip(TextTooLong, "the review has more than %d bytes", limit)
			default:
				err = fill(v, &r)
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// textAt finds a member by its path and gives it as a cell would hold it: ""
// when it isn't there or null.
func textAt(v jsontext.Value, path string) (string, error) {
	for name := range strings.SplitSeq(path, ".") {
		var err error
		if v, err = memberOf(v, name); err != nil || v == nil {
			return "", err
		}
	}
	switch v.Kind() {
	case '"':
		b, err := jsontext.AppendUnquote(nil, v)
		return string(b), err
	case '0':
		return string(v), nil
	case 'n':
		return "", nil
	}
	return "", fmt.Errorf("%s is %s where words or a number belong", quote(path), kindName(v.Kind()))
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "true or false"
}

// memberOf finds a member of an object; nil when there is none.
func memberOf(v jsontext.Value, name string) (jsontext.Value, error) {
	if v.Kind() != '{' {
		return nil, nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() != '}' {
		t, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		found := t.String() == name
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		if found {
			return value.Clone(), nil
		}
	}
	return nil, nil
}
