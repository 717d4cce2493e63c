package source

// earlier are the records of the last state of a file, by key. Each is taken once, since
// a record is in one place only.
type earlier map[uint64]*record

func newEarlier(records []placed) earlier {
	e := make(earlier, len(records))
	for _, r := range records {
		// One whose problems aren't all listed has to be read again.
		if r.problems == nil || r.problems.Complete() {
			e[r.key] = r.record
		}
	}
	return e
}

// take takes the record with a key; nil if there is none.
func (e earlier) take(key uint64) *record {
	r := e[key]
	delete(e, key)
	return r
}
