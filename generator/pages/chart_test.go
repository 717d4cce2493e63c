package pages

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"reviewcast"
)

// customers are shares of customers by stars, the fewest first.
var customers = []struct {
	name   string
	shares [reviewcast.MaxRating]int
}{
	{"lounges", [...]int{172, 519, 545, 620, 403}}, // Skytrax, whose ratings from 6 to 10 are halved
	{"nearly only 5", [...]int{1, 0, 1, 8, 90}},
	{"J-shape", [...]int{15, 4, 4, 12, 65}},
}

// TestMeanInterval: of 95 % intervals, at least 94 % contain the mean of all customers, and each that of its reviews.
// With -v it writes the table of docs/pages.md.
func TestMeanInterval(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var table strings.Builder
	for _, c := range customers {
		var ratings []reviewcast.Review
		for i, n := range c.shares {
			for range n {
				ratings = append(ratings, reviewcast.Review{Rating: i + 1})
			}
		}
		var all tally
		for i := range ratings {
			all.add(&ratings[i])
		}
		mean := float64(all.stars) / float64(all.Count)
		for _, n := range []int{5, 8, 15, 30, 100} {
			const runs = 10_000
			held, width, plainHeld, plainWidth := 0, 0.0, 0, 0.0
			for range runs {
				var drawn tally
				for range n {
					drawn.add(&ratings[random.IntN(len(ratings))])
				}
				of, low, high := meanInterval(drawn, 0, 0)
				if of < low || of > high || low < reviewcast.MinRating || high > reviewcast.MaxRating {
					t.Fatalf("%d reviews: %v isn't from %v to %v", n, of, low, high)
				}
				if width += high - low; low <= mean && mean <= high {
					held++
				}
				low, high = plainInterval(drawn)
				if plainWidth += high - low; low <= mean && mean <= high {
					plainHeld++
				}
			}
			if held < runs*94/100 {
				t.Errorf("%s, %d reviews: %d of %d intervals hold", c.name, n, held, runs)
			}
			fmt.Fprintf(&table, "| %s | %d | %.1f %% | %.1f %% | %.2f | %.2f |\n", c.name, n, 100*float64(plainHeld)/runs, 100*float64(held)/runs, plainWidth/runs, width/runs)
		}
	}
	t.Log("\n" + table.String())
}

// plainInterval is the interval without added reviews, for comparison.
func plainInterval(t tally) (low, high float64) {
	n := float64(t.Count)
	mean := float64(t.stars) / n
	margin := reviewcast.Z95 * math.Sqrt(max(0, float64(t.squares)/n-mean*mean)/(n-1))
	return max(reviewcast.MinRating, mean-margin), min(reviewcast.MaxRating, mean+margin)
}
