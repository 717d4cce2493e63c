package reviewcast_test

import (
	"testing"

	"reviewcast"
)

// TestQuotient compares with whole numbers: hundredths, half away from zero.
func TestQuotient(t *testing.T) {
	for n := 1; n <= 400; n++ {
		for sum := n; sum <= 5*n; sum++ {
			want := float64((200*sum+n)/(2*n)) / 100
			if got := *reviewcast.Mean(sum, n); got != want {
				t.Fatalf("the mean of %d stars of %d reviews is %v, want %v", sum, n, got, want)
			}
			if got := reviewcast.Quotient(-sum, n, 2); got != -want {
				t.Fatalf("-%d/%d is %v, want %v", sum, n, got, -want)
			}
		}
	}
	if reviewcast.Mean(0, 0) != nil {
		t.Error("there is a mean of no reviews")
	}
}
