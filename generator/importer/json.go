package importer

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxJSONValue is the largest size of one review in a JSON export, in bytes. It stops a value that never ends.
const maxJSONValue = 4 << 20

// JSONL imports a file with one JSON object per line, a JSON array of objects, or an object with one such array. The columns of Config.Map are names
// of members; owner_reply.text=reply.comment is a member of an object inside. Otherwise it is like CSV.
func JSONL(ctx context.Context, r io.Reader, cfg Config) (*Report, error) {
	export, err := begin(ctx, r, &cfg, true)
	if err != nil {
		return nil, err
	}
	rows := jsonRows(export)
	if cfg.Map["rating"] == "" || cfg.Map["date"] == "" {
		if rows, err = cfg.ownMembers(rows); err != nil {
			return nil, err
		}
	}
	report, err := run(ctx, cfg, cfg.known(cfg.filled(rows)))
	if err == nil {
		report.Columns = cfg.columns()
	}
	return report, err
}

// ownMembers completes the map by the members of the first review, and returns all rows.
func (c *Config) ownMembers(rows rowSeq) (rowSeq, error) {
	next, stop := iter.Pull2(rows)
	r, problem, ok := next()
	names := func(v jsontext.Value) []string {
		members := map[string]bool{}
		addMembers(members, "", v)
		return slices.Sorted(maps.Keys(members))
	}
	if ok && problem == nil {
		err := c.ownNames(names(r.value))
		if list := listIn(r.value); err != nil && list != nil {
			err = c.ownNames(names(list[0]))
		}
		if err != nil {
			stop()
			return nil, err
		}
	}
	return func(yield func(row, error) bool) {
		defer stop()
		for ; ok && yield(r, problem); r, problem, ok = next() {
		}
	}, nil
}

// filled sets the cells of rows, and of those in a list in the first one if that is no review.
func (c Config) filled(rows rowSeq) rowSeq {
	return func(yield func(row, error) bool) {
		number := 0
		for r, err := range rows {
			values := []jsontext.Value{r.value}
			if rating, _ := textAt(r.value, c.Map["rating"], false); r.number == 1 && rating == "" {
				if list := listIn(r.value); list != nil {
					values = list
				}
			}
			for _, v := range values {
				number++
				one, problem := row{number: number, value: v}, err
				switch {
				case number > MaxRows:
					problem = ErrTooManyRows
				case err == nil:
					problem = c.fill(&one)
				}
				if !yield(one, problem) {
					return
				}
			}
		}
	}
}

// listIn returns the objects of the only list of objects in an object; nil if there is none.
func listIn(v jsontext.Value) (list []jsontext.Value) {
	var members map[string]jsontext.Value
	if v.Kind() != '{' || json.Unmarshal(v, &members, jsontext.AllowDuplicateNames(true)) != nil {
		return nil
	}
	for _, member := range members {
		var items []jsontext.Value
		if member.Kind() != '[' || json.Unmarshal(member, &items, jsontext.AllowDuplicateNames(true)) != nil || len(items) == 0 || items[0].Kind() != '{' {
			continue
		} else if list != nil {
			return nil
		}
		list = items
	}
	return list
}

// fill sets the cells of a row from the mapped members. The error is a *Skip.
func (c Config) fill(r *row) error {
	if len(r.value) > maxJSONValue {
		return r.skip(TextTooLong, "the review has more than %d bytes", maxJSONValue)
	}
	for _, f := range mapped {
		path := strings.TrimSpace(c.Map[f.String()])
		if path == "" {
			continue
		}
		s, err := textAt(r.value, path, fieldTechnicians <= f && f <= fieldServiceAreas)
		if err != nil {
			return r.skip(BadValue, "%s: %s", f, err)
		}
		r.cells[f] = s
	}
	return nil
}

// known ends an export with an error if no review has the member of its rating or date, or none has that of another field,
// and there is one with a like name, or one that usually has that field. (Members may be left out where they would be empty, such as replies.)
func (c Config) known(rows rowSeq) rowSeq {
	return func(yield func(row, error) bool) {
		wanted, members := maps.Clone(c.Map), map[string]bool{}
		for r, err := range rows {
			maps.DeleteFunc(wanted, func(name, _ string) bool { return r.cells[slices.Index(fieldNames[:], name)] != "" })
			if len(wanted) > 0 && len(members) < maxListed {
				addMembers(members, "", r.value)
			}
			if !yield(r, err) {
				return
			}
		}
		list := slices.Sorted(maps.Keys(members))
		given := slices.Collect(maps.Values(c.Map))
		free := slices.DeleteFunc(slices.Clone(list), func(path string) bool { return slices.Contains(given, path) })
		maps.DeleteFunc(wanted, func(name, path string) bool {
			return members[strings.TrimSpace(path)] || name != "rating" && name != "date" && didYouMean(path, free) == "" && !slices.ContainsFunc(free, func(path string) bool { return fieldOf(path) == name })
		})
		if _, err := bind(wanted, list); err != nil && len(list) > 0 {
			yield(row{}, err)
		}
	}
}

// addMembers adds the names of the members of an object, as paths.
func addMembers(to map[string]bool, prefix string, v jsontext.Value) {
	var members map[string]jsontext.Value
	if v.Kind() != '{' || strings.Count(prefix, ".") > 3 || json.Unmarshal(v, &members, jsontext.AllowDuplicateNames(true)) != nil {
		return
	}
	for name, value := range members {
		to[prefix+name] = true
		addMembers(to, prefix+name+".", value)
	}
}

// jsonRows reads objects, one after the other or in an array.
func jsonRows(export text) rowSeq {
	return func(yield func(row, error) bool) {
		inArray, number := false, 1
		d := jsontext.NewDecoder(bufio.NewReader(export), jsontext.AllowDuplicateNames(true))
		broken := func(err error) error {
			switch {
			case errors.Is(err, ErrTooLarge) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
				return fmt.Errorf("read export: %w", err)
			case errors.Is(err, io.ErrUnexpectedEOF):
				return errors.New("read export: the file ends in the middle of a review; download it again")
			case strings.ContainsAny(err.Error(), "“”„‟"):
				return errors.New("read export: a word processor has changed the straight quotation marks of this file; download it again, and import it as it is")
			}
			if rest := strings.TrimLeft(string(d.UnreadBuffer()), ", \t\r\n"); number > 1 && strings.HasPrefix(rest, "]") {
				return fmt.Errorf("read export: there is a comma too many behind review %d, before the ]; delete it", number-1)
			}
			return fmt.Errorf("read export: byte %d: %w; expected JSON: one object per line, or an array of objects", d.InputOffset(), cause(err))
		}
		for {
			r := row{number: number}
			kind := d.PeekKind()
			if kind == '[' && !inArray && number == 1 || kind == ']' && inArray {
				if _, err := d.ReadToken(); err != nil {
					yield(r, broken(err))
					return
				}
				inArray = !inArray
				continue
			}
			v, err := d.ReadValue()
			switch {
			case err == io.EOF && !inArray:
				return
			case err != nil:
				err = broken(err)
			case number > MaxRows:
				err = ErrTooManyRows
			case kind != '{':
				err = r.skip(BadValue, "not a JSON object")
			default:
				r.value = v
			}
			if !yield(r, err) {
				return
			}
			number++
		}
	}
}

// textAt returns a member by its path as a cell; "" if it is absent or null. The texts of a list, where there may be
// one, are joined by semicolons.
func textAt(v jsontext.Value, path string, list bool) (string, error) {
	for name := range strings.SplitSeq(path, ".") {
		var err error
		if v, err = memberOf(v, name); err != nil || v == nil {
			return "", err
		}
	}
	var texts []string
	if list && v.Kind() == '[' && json.Unmarshal(v, &texts) == nil {
		return strings.Join(texts, ";"), nil
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
	kind := cmp.Or(map[jsontext.Kind]string{'{': "an object", '[': "a list"}[v.Kind()], "true or false")
	return "", fmt.Errorf("%s is %s; it must be a text or a number", quote(path), kind)
}

// memberOf returns a member of an object; nil if there is none.
func memberOf(v jsontext.Value, name string) (jsontext.Value, error) {
	if v.Kind() != '{' {
		return nil, nil
	}
	var members map[string]jsontext.Value
	err := json.Unmarshal(v, &members, jsontext.AllowDuplicateNames(true))
	return members[name], err
}
