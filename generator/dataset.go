package generator

import (
	"reviewcast"
	"reviewcast/generator/insights"
	"reviewcast/generator/source"
)

// noLicense is what the dataset says when site.yaml names no licence: without
// one, nothing is granted.
const noLicense = "all-rights-reserved"

// dataset puts the published reviews together with what is counted of them.
// Nothing of a source.Review but its published words gets through here.
func dataset(content *source.Content, baseURL string, reviews []insights.Analyzed) *reviewcast.Dataset {
	ds := &reviewcast.Dataset{
		Version:     1,
		License:     content.Site.License,
		Business:    content.Business,
		ReviewCount: len(reviews),
		Unpublished: unpublished(content),
		Reviews:     make([]reviewcast.Review, 0, len(reviews)),
	}
	if ds.License == "" {
		ds.License = noLicense
	}
	if ds.Business.URL == "" {
		ds.Business.URL = baseURL
	}
	agg := reviewcast.AggregateRating{RatingCount: len(reviews), BestRating: reviewcast.MaxRating, WorstRating: reviewcast.MinRating}
	stars := 0
	for _, r := range reviews {
		pub := *r.Review.Review
		pub.Verified = true
		pub.Mentions = r.Mentions
		ds.Reviews = append(ds.Reviews, pub)
		stars += pub.Rating
		if pub.Text != nil {
			agg.TextCount++
		}
		d := &agg.Distribution
		*[]*int{&d.One, &d.Two, &d.Three, &d.Four, &d.Five}[pub.Rating-1]++
	}
	agg.RatingValue = insights.Mean(stars, len(reviews))
	ds.AggregateRating = agg
	return ds
}

// unpublished counts what is left out. A withdrawal counts whether or not the
// review still stands in the editors' files.
func unpublished(content *source.Content) reviewcast.Unpublished {
	var u reviewcast.Unpublished
	for _, r := range content.Reviews {
		if r.Hidden == source.Unverified {
			u.Unverified++
		}
	}
	for _, w := range content.Withdrawn {
		if w.Reason == source.Legal {
			u.Legal++
		} else {
			u.Withdrawn++
		}
	}
	return u
}
