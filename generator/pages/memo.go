package pages

import (
	"hash/maphash"
	"html/template"

	"reviewcast"
	"reviewcast/generator/render"
)

// Memo remembers the files of the last [Render], so that the next one makes only
// what shows something else. Its owner passes it to one Render at a time. The zero
// value is empty.
type Memo struct {
	seed      maphash.Seed
	made      map[string]remembered
	months    map[string]remembered // rows of the CSV export, by month
	templates *template.Template    // of theme
	theme     uint64
}

type remembered struct {
	key   uint64
	files []render.Artifact
	rows  []byte
}

// do makes the files of a job, unless they are remembered.
func (m *Memo) do(j *job) ([]render.Artifact, error) {
	if m != nil && j.key != 0 {
		if r, ok := m.made[j.path]; ok && r.key == j.key {
			return r.files, nil
		}
	}
	return j.make()
}

// keep remembers exactly these files: what is no longer published is forgotten.
func (m *Memo) keep(jobs []job, made [][]render.Artifact) {
	if m == nil {
		return
	}
	m.made = make(map[string]remembered, len(jobs))
	for i, j := range jobs {
		if j.key != 0 {
			m.made[j.path] = remembered{key: j.key, files: made[i]}
		}
	}
}

// month is what is remembered of a month's records in the CSV export. One job at a time
// reads and changes it.
func (m *Memo) month(name string) remembered {
	if m == nil {
		return remembered{}
	}
	return m.months[name]
}

// key sums up what a page shows.
type key struct{ maphash.Hash }

// key begins a key with what every page shows.
func (s *site) key() *key {
	k := &key{}
	k.SetSeed(s.seed)
	maphash.WriteComparable(&k.Hash, s.frame)
	return k
}

func (k *key) string(list ...string) *key {
	for _, v := range list {
		maphash.WriteComparable(&k.Hash, v)
	}
	return k
}

func (k *key) sums(list ...uint64) {
	for _, v := range list {
		maphash.WriteComparable(&k.Hash, v)
	}
}

func (k *key) withdrawals(list []reviewcast.Withdrawal) *key {
	for _, w := range list {
		k.string(w.ID, w.Reason, string(w.Date))
	}
	return k
}

// value is the finished key. 0 is taken.
func (k *key) value() uint64 { return max(1, k.Sum64()) }
