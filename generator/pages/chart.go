package pages

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"reviewcast"
)

// point is the figure of one quarter with its 95 % interval.
type point struct {
	quarter          quarter
	count            int
	value, low, high float64
}

// quarters makes a point for each quarter, oldest first, of n reviews, newest first.
func quarters(n int, at func(i int) *reviewcast.Review, of func(t tally, from, to int) (value, low, high float64)) []point {
	var points []point
	for to := n; to > 0; {
		from, quarter := to, quarterOf(at(to-1).Date)
		var t tally
		for ; from > 0 && quarterOf(at(from-1).Date) == quarter; from-- {
			t.add(at(from - 1))
		}
		value, low, high := of(t, from, to)
		points = append(points, point{quarter, t.Count, value, low, high})
		to = from
	}
	return points
}

// few is how many reviews a quarter needs for its figure to say something: the point of one with fewer is small,
// no line joins it, and no interval is given.
const few = 5

// meanInterval is the mean of a quarter's stars. For its interval, one review with the fewest stars and one with the most
// are added, as A. Agresti and B. Caffo do for shares: equal ratings would leave no room for others.
func meanInterval(t tally, _, _ int) (mean, low, high float64) {
	mean = float64(t.stars) / float64(t.Count)
	t.add(&reviewcast.Review{Rating: reviewcast.MinRating})
	t.add(&reviewcast.Review{Rating: reviewcast.MaxRating})
	n, centre := float64(t.Count), float64(t.stars)/float64(t.Count)
	margin := reviewcast.Z95 * math.Sqrt((float64(t.squares)/n-centre*centre)/(n-1))
	return mean, max(reviewcast.MinRating, centre-margin), min(reviewcast.MaxRating, centre+margin)
}

// chart is a line by quarter within its intervals, drawn on 100 by 100 and stretched by the page.
type chart struct {
	Title, Label, Unit, Note string
	Top, Bottom, First, Last string
	Grid                     []string
	Bands, Lines             []string // points of one drawing for each run of quarters without a gap
	Points                   []chartPoint
}

// chartPoint is a quarter as a point of the drawing and as a row of the table.
type chartPoint struct {
	At, Quarter, Value, Interval string
	Count                        int
	Few                          bool
}

// scale is what the axis of a chart says.
type scale struct {
	title, unit string
	low, high   float64
	format      func(float64) string
}

// The scales of stars and of positive shares are whole, so that small changes look small.
func (l *locale) starScale() scale {
	return scale{l.text("Mean stars by quarter"), l.text("mean stars"), reviewcast.MinRating, reviewcast.MaxRating, l.fixed}
}

func (l *locale) shareScale() scale {
	return scale{l.text("Positive share by quarter"), l.text("positive"), 0, 1, func(share float64) string { return l.percent(100 * share) }}
}

// quarter writes a quarter: Q1 2026.
func (l *locale) quarter(q quarter) string {
	return l.text("(quarter)", strconv.Itoa(int(q)/4), strconv.Itoa(int(q)%4+1))
}

// newChart draws points, oldest first; nil for fewer than two, which show no course.
func (l *locale) newChart(s scale, points []point) *chart {
	if len(points) < 2 {
		return nil
	}
	first, last := points[0], points[len(points)-1]
	c := &chart{Title: s.title, Unit: s.unit, First: l.quarter(first.quarter), Last: l.quarter(last.quarter)}
	whole := l.decimal + "00"
	c.Top, c.Bottom = strings.TrimSuffix(s.format(s.high), whole), strings.TrimSuffix(s.format(s.low), whole)
	c.Label = l.text("%s from %s (%s, %s) to %s (%s, %s)", s.title, c.First, s.format(first.value), l.plural(first.count, "review"),
		c.Last, s.format(last.value), l.plural(last.count, "review"))
	span := float64(max(1, last.quarter-first.quarter))
	x := func(p point) string { return units(2 + 96*float64(p.quarter-first.quarter)/span) }
	y := func(v float64) string { return units(98 - 96*(v-s.low)/(s.high-s.low)) }
	c.Grid = []string{y(s.low), y((s.low + s.high) / 2), y(s.high)}
	var run []point
	flush := func() {
		var line, above, below []string
		for i, p := range run {
			line = append(line, x(p)+","+y(p.value))
			above = append(above, x(p)+","+y(p.high))
			below = append(below, x(run[len(run)-1-i])+","+y(run[len(run)-1-i].low))
		}
		if len(run) > 1 {
			c.Lines = append(c.Lines, strings.Join(line, " "))
			c.Bands = append(c.Bands, strings.Join(append(above, below...), " "))
		}
		run = nil
	}
	least, most := first.count, first.count
	for _, p := range points {
		least, most = min(least, p.count), max(most, p.count)
		if len(run) > 0 && (p.count < few || run[len(run)-1].quarter+1 != p.quarter) {
			flush()
		}
		interval := l.text("too few")
		if p.count >= few {
			run = append(run, p)
			interval = l.text("%s to %s", s.format(p.low), s.format(p.high))
		}
		c.Points = append(c.Points, chartPoint{"M" + x(p) + " " + y(p.value) + "h0", l.quarter(p.quarter), s.format(p.value), interval, p.count, p.count < few})
	}
	flush()
	c.Note = l.text("%s to %s a quarter.", l.grouped(least), l.plural(most, "review"))
	return c
}

// units writes a length in a drawing.
func units(v float64) string { return fmt.Sprintf("%.4g", v) }

// bar is one line of the distribution of stars. Width of 100 is filled.
type bar struct {
	Stars, Count int
	Width        string
}

// Spread is the distribution of stars, the most stars first; none without reviews.
func (t tally) Spread() []bar {
	if t.Count == 0 {
		return nil
	}
	var list []bar
	for stars := reviewcast.MaxRating; stars >= reviewcast.MinRating; stars-- {
		list = append(list, bar{stars, t.spread[stars], units(100 * float64(t.spread[stars]) / float64(t.Count))})
	}
	return list
}

// balance is a diverging bar: negative left of the middle, positive right, in per cent of the whole.
type balance struct{ NegativeX, NegativeW, Width string }

func newBalance(c reviewcast.SentimentCounts) balance {
	whole := c.PositiveCount + c.NegativeCount + c.NeutralCount + c.MixedCount
	share := func(n int) float64 { return 100 * float64(n) / float64(max(whole, 1)) }
	return balance{units(100 - share(c.NegativeCount)), units(share(c.NegativeCount)), units(share(c.PositiveCount))}
}
