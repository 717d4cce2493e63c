package render

import (
	"unicode/utf8"

	"reviewcast"
)

// Limits of the excerpt: enough to see the form, short enough to read.
const (
	exampleReviews  = 2
	exampleTextSize = 600 // code points
)

// exampleReview is made up, for as long as there is no real one.
var exampleReview = reviewcast.Review{
	ID: "r-2041", Author: "Maria K.", Rating: 5, Date: "2026-03-14",
	Title:    new("On time and tidy"),
	Text:     new("Marcus came on time. He told us the price before he began."),
	Language: "en", Source: "direct", Verified: true,
	Verification: reviewcast.Verification{Method: "job", VerifiedOn: "2026-03-14"},
	OwnerReply:   &reviewcast.OwnerReply{Text: "Thank you, Maria!", Date: "2026-03-16"},
}

// excerpt is a dataset of a few of the newest short reviews, or of a made-up one.
func excerpt(d *reviewcast.Dataset) *reviewcast.Dataset {
	e := *d
	e.Reviews = nil
	for i := range d.Reviews {
		if r := &d.Reviews[i]; r.Text == nil || utf8.RuneCountInString(*r.Text) <= exampleTextSize {
			if e.Reviews = append(e.Reviews, *r); len(e.Reviews) == exampleReviews {
				break
			}
		}
	}
	if len(e.Reviews) == 0 {
		e.Reviews = []reviewcast.Review{exampleReview}
	}
	e.AggregateRating = reviewcast.Aggregate(e.Reviews)
	e.ReviewCount = len(e.Reviews)
	return &e
}
