package main

// classes are the polarities that are scored, in the order of the matrix.
var classes = [3]string{"positive", "negative", "neutral"}

func classOf(polarity string) (int, bool) {
	for i, c := range classes {
		if c == polarity {
			return i, true
		}
	}
	return 0, false
}

// confusion counts predictions by gold class.
type confusion struct {
	n      int
	count  [3][3]int // gold, predicted
	signed int       // positive and negative ones whose sign the score has
}

func (m *confusion) add(gold int, predicted string, score float64) {
	p, _ := classOf(predicted)
	m.n++
	m.count[gold][p]++
	if gold != 2 && (score >= 0) == (gold == 0) {
		m.signed++
	}
}

func (m *confusion) total(gold int) int {
	return m.count[gold][0] + m.count[gold][1] + m.count[gold][2]
}

func (m *confusion) accuracy() float64 {
	return ratio(m.count[0][0]+m.count[1][1]+m.count[2][2], m.n)
}

// macroF1 is the plain mean of the three classes' F1.
func (m *confusion) macroF1() float64 {
	sum := 0.0
	for c := range classes {
		predicted := m.count[0][c] + m.count[1][c] + m.count[2][c]
		sum += ratio(2*m.count[c][c], m.total(c)+predicted)
	}
	return sum / float64(len(classes))
}

func (m *confusion) twoClass() float64 { return ratio(m.signed, m.total(0)+m.total(1)) }

func (m *confusion) strict() float64 {
	return ratio(m.count[0][0]+m.count[1][1], m.total(0)+m.total(1))
}
