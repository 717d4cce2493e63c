package main

import (
	"runtime"
	"slices"
	"sync"
)

// options are what the fit is told.
type options struct {
	// The three fits' trust in the sentences against the prior: higher is more.
	topicC, toneC, plainC float64
	seldom                int     // cues in fewer items are left out
	own                   float64 // how freely an aspect has a tone of its own
	least                 float64 // weights below are left out of the table
}

// model is what is fitted.
type model struct {
	options
	index  map[uint64]int // place of a cue
	keys   []uint64       // cue of a place
	topics [][]float64    // by aspect; the last of each is the bias, here and below
	// For the tone and for plain facts: first the weights whatever the aspect, then
	// those of each.
	tone, plain []float64
}

// unit is one of an item's: entries by clause.
type unit struct {
	clauses [][]entry
	borders []float64
}

func (m *model) count(items []item) {
	seen := map[uint64]int{}
	for i := range items {
		once := map[uint64]bool{}
		for _, s := range items[i].units {
			for _, c := range s.Cues {
				once[c.Key] = true
			}
		}
		for k := range once {
			seen[k]++
		}
	}
	for k, n := range seen {
		if n >= m.seldom {
			m.keys = append(m.keys, k)
		}
	}
	slices.Sort(m.keys)
	m.index = make(map[uint64]int, len(m.keys))
	for i, k := range m.keys {
		m.index[k] = i
	}
}

// units gives an item as places of cues: each counts once a clause.
func (m *model) units(it *item) (out []unit) {
	for _, u := range it.units {
		c := unit{make([][]entry, len(u.Borders)+1), u.Borders}
		type where struct{ at, clause int }
		once := map[where]bool{}
		for _, s := range u.Cues {
			at, ok := m.index[s.Key]
			if !ok || s.Value == 1 && once[where{at, s.Clause}] {
				continue
			}
			once[where{at, s.Clause}] = true
			c.clauses[s.Clause] = append(c.clauses[s.Clause], entry{at, s.Value})
		}
		out = append(out, c)
	}
	return out
}

func (u *unit) topic() (v vector) {
	for _, c := range u.clauses {
		v = append(v, c...)
	}
	return v
}

// tone gives the vector that tells what is felt about an aspect in a unit.
func (m *model) toneOf(u *unit, aspect int) (v vector) {
	best, most := 0, 0.0
	for i, c := range u.clauses {
		if f := dot(m.topics[aspect], c); i == 0 || f > most {
			best, most = i, f
		}
	}
	add := func(clause int, part float64) {
		for _, e := range u.clauses[clause] {
			v = append(v, entry{e.at, e.value * part}, entry{e.at + (aspect+1)*len(m.keys), e.value * part * m.own})
		}
	}
	add(best, 1)
	for i, part := best+1, 1.0; i < len(u.clauses); i++ {
		part *= u.borders[i-1]
		add(i, part)
	}
	for i, part := best-1, 1.0; i >= 0; i-- {
		part *= u.borders[i]
		add(i, part)
	}
	return v
}

// train fits a model. Which of an item's units speaks of an aspect isn't labelled:
// at first all do, then the one of which the fit believes it most.
func train(items []item, o options) *model {
	m := &model{options: o}
	m.count(items)
	units := make([][]unit, len(items))
	topics := make([][]vector, len(items))
	for i := range items {
		units[i] = m.units(&items[i])
		for k := range units[i] {
			topics[i] = append(topics[i], units[i][k].topic())
		}
	}
	m.topics = make([][]float64, len(aspects))
	where := make([][]int, len(aspects))
	each(len(aspects), func(a int) {
		where[a] = make([]int, len(items))
		var w []float64
		for round := range 3 {
			var ex []example
			for i, xs := range topics {
				_, yes := items[i].has(a)
				switch {
				case yes && round == 0:
					for _, x := range xs {
						ex = append(ex, example{x, true, 1 / float64(len(xs))})
					}
				case yes && len(xs) > 0:
					best := 0
					for k, x := range xs {
						if dot(w, x) > dot(w, xs[best]) {
							best = k
						}
					}
					where[a][i] = best
					ex = append(ex, example{xs[best], true, 1})
				case !yes:
					for _, x := range xs {
						ex = append(ex, example{x, false, 1})
					}
				}
			}
			w = fit(ex, len(m.keys), w, m.topicC)
		}
		m.topics[a] = w
	})
	var tones, plains []example
	for i := range items {
		for _, l := range items[i].labels {
			if len(units[i]) == 0 {
				continue
			}
			x := m.toneOf(&units[i][where[l.aspect][i]], l.aspect)
			if l.polarity != '0' {
				tones = append(tones, example{x, l.polarity == '+', 1})
			}
			plains = append(plains, example{x, l.polarity == '0', 1})
		}
	}
	each(2, func(k int) {
		if k == 0 {
			m.tone = fit(tones, len(m.keys)*(len(aspects)+1), nil, m.toneC)
		} else {
			m.plain = fit(plains, len(m.keys)*(len(aspects)+1), nil, m.plainC)
		}
	})
	return m
}

// prune leaves out what has little weight, as the table does.
func (m *model) prune() {
	for _, ws := range append([][]float64{m.tone, m.plain}, m.topics...) {
		for i := range ws[:len(ws)-1] {
			own := 1.0
			if i >= len(m.keys) {
				own = m.own
			}
			if w := ws[i] * own; w < m.least && w > -m.least {
				ws[i] = 0
			}
		}
	}
}

// limits are the sums from which something is said.
type limits struct{ enough, plainly float64 }

// predict gives what an item says, by aspect: 0 where nothing.
func (m *model) predict(it *item, l limits) []byte {
	out := make([]byte, len(aspects))
	units := m.units(it)
	for a, w := range m.topics {
		best, most := -1, l.enough
		for s := range units {
			if f := dot(w, units[s].topic()) + w[len(m.keys)]; f >= most {
				best, most = s, f
			}
		}
		if best < 0 {
			continue
		}
		x := m.toneOf(&units[best], a)
		switch n := len(m.plain) - 1; {
		case dot(m.plain, x)+m.plain[n] >= l.plainly:
			out[a] = '0'
		case dot(m.tone, x)+m.tone[n] >= 0:
			out[a] = '+'
		default:
			out[a] = '-'
		}
	}
	return out
}

type tally struct{ gold, found, right, told int }

func (t *tally) add(it *item, got []byte) {
	for a := range aspects {
		p, ok := it.has(a)
		if got[a] != 0 {
			t.told++
		}
		if ok {
			t.gold++
			if got[a] != 0 {
				t.found++
			}
			if got[a] == p {
				t.right++
			}
		}
	}
}

// each does n things on all cores.
func each(n int, do func(int)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		wg.Go(func() {
			slots <- struct{}{}
			do(i)
			<-slots
		})
	}
	wg.Wait()
}
