package source

// earlier are the records of the last state of a file. Each is taken once, since a
// record is in one place only.
type earlier struct {
	records []placed
	taken   []bool
	next    int            // the record after the last one that near found
	index   map[uint64]int // by key; built by far
}

func newEarlier(records []placed) *earlier {
	e := &earlier{records: records, taken: make([]bool, len(records))}
	for i, r := range records {
		// One whose problems aren't all listed has to be read again.
		e.taken[i] = r.problems != nil && !r.problems.Complete()
	}
	return e
}

// window is how many records near looks at: some may have been removed.
const window = 4

// near takes the record with a key that follows the last one that it took, as most
// do; nil if another one follows.
func (e *earlier) near(key uint64) *record {
	for i := e.next; i < min(e.next+window, len(e.records)); i++ {
		if e.records[i].key == key && !e.taken[i] {
			e.taken[i], e.next = true, i+1
			return e.records[i].record
		}
	}
	return nil
}

// far takes the record with a key wherever it is; nil if there is none. It is slow
// when it is first called.
func (e *earlier) far(key uint64) *record {
	if e.index == nil {
		e.index = make(map[uint64]int)
		for i, r := range e.records {
			if !e.taken[i] {
				e.index[r.key] = i
			}
		}
	}
	i, ok := e.index[key]
	if !ok || e.taken[i] {
		return nil
	}
	e.taken[i] = true
	return e.records[i].record
}
