package pages

import (
	"reviewcast"
	"reviewcast/generator/render"
)

// The fixed words that the golden files are made of: a small business with the
// characters that formats stumble over, and one without any review.

var sampleChannel = render.Channel{
	BaseURL:     "https://reviews.example.com",
	Title:       "Pipes & Co: reviews",
	FeedTitle:   "Pipes & Co: newest reviews",
	Description: "What customers of Pipes & Co say, word for word.",
	Language:    "en",
	Links:       []struct{ Text, URL string }{{Text: "Imprint", URL: "https://pipes.example.com/imprint"}},
	Author:      render.Author{Name: "Pipes & Co", URL: "https://pipes.example.com/", Email: "office@pipes.example.com"},
}

func sampleBusiness() reviewcast.Business {
	return reviewcast.Business{
		ID: "pipes", Name: "Pipes & Co", LegalName: "Pipes & Company GmbH",
		Description: "Plumbers on both banks of the river <since 1987>.",
		Category:    "Plumber", URL: "https://pipes.example.com/", Telephone: "+1-202-555-0143", Email: "office@pipes.example.com",
		Address:  reviewcast.Address{StreetAddress: "1 Nowhere Quay", AddressLocality: "Trier", AddressRegion: "RP", PostalCode: "54290", AddressCountry: "DE"},
		Geo:      &reviewcast.Geo{Latitude: 49.75, Longitude: 6.64},
		Hours:    []string{"Mo-Fr 07:30-18:00"},
		TimeZone: "Europe/Berlin", Language: "en",
		Services:     []reviewcast.Named{{ID: "drains", Name: "Drains & sewers"}, {ID: "water-heater", Name: "Water heaters"}},
		Technicians:  []reviewcast.Technician{{ID: "marcus", Name: "Marcus Weber", Aliases: []string{"Marcus"}}, {ID: "jana", Name: "Jana Öz"}},
		ServiceAreas: []reviewcast.Named{{ID: "trier", Name: "Trier"}},
	}
}

func sampleDataset() *reviewcast.Dataset {
	verified := func(on reviewcast.Date) reviewcast.Verification {
		return reviewcast.Verification{Method: "job", VerifiedOn: on}
	}
	return &reviewcast.Dataset{
		Version: 1, License: "CC-BY-4.0", Business: sampleBusiness(), ReviewCount: 4,
		AggregateRating: reviewcast.AggregateRating{
			RatingValue: new(3.75), RatingCount: 4, TextCount: 3, BestRating: 5, WorstRating: 1,
			Distribution: reviewcast.Distribution{Five: 2, Four: 1, One: 1},
		},
		Unpublished: reviewcast.Unpublished{Unverified: 2, Legal: 1},
		Reviews: []reviewcast.Review{{
			ID: "r-4", Author: "Maria K.", Rating: 5, Date: "2026-03-14",
			Title:    new("On time & <b>friendly</b>"),
			Text:     new("Marcus came on time.\n\n\tHe wrote \"<3 & done\" ]]> on the bill 😀.\nIt works."),
			Language: "en", Source: "google", SourceURL: new("https://maps.example.com/r?a=1&b=2"), Verified: true, Verification: verified("2026-03-15"),
			AuthorAvatarURL: new("https://maps.example.com/maria.png"),
			Mentions:        reviewcast.Mentions{Technicians: []string{"marcus"}, Services: []string{"drains", "water-heater"}, ServiceAreas: []string{"trier"}},
		}, {
			ID: "r-3", Author: "Søren Ö.", Rating: 4, Date: "2026-03-01", Language: "da", Source: "direct", Verified: true, Verification: verified("2026-03-01"),
		}, {
			ID: "r-2", Author: "Zoë", Rating: 1, Date: "2026-01-31",
			Text:     new("  „Zu spät“, und \u202eteuer\u202c\u200b.  \n"),
			Language: "de", Source: "direct", Verified: true, Verification: verified("2026-01-31"),
			OwnerReply: &reviewcast.OwnerReply{Text: "We are sorry & have called you.", Date: "2026-03-20"},
			Mentions:   reviewcast.Mentions{Services: []string{"water-heater"}},
		}, {
			ID: "r-1", Author: "A. <N.>", Rating: 5, Date: "2025-12-24", Title: new("Merry"), Text: new("Good."),
			Language: "en", Source: "direct", Verified: true, Verification: verified("2025-12-24"),
		}},
	}
}

func emptyDataset() *reviewcast.Dataset {
	return &reviewcast.Dataset{
		Version: 1, License: "all-rights-reserved",
		Business:        reviewcast.Business{ID: "new", Name: "New & Small", Category: "LocalBusiness", URL: "https://reviews.example.com/", TimeZone: "UTC", Language: "en"},
		AggregateRating: reviewcast.AggregateRating{BestRating: 5, WorstRating: 1},
	}
}

func sampleInsights() *reviewcast.Insights {
	return &reviewcast.Insights{
		Version: 1, Method: reviewcast.Method{Name: "stars", Version: "1"}, ReviewCount: 4,
		DateRange:        reviewcast.DateRange{Earliest: new(reviewcast.Date("2025-12-24")), Latest: new(reviewcast.Date("2026-03-14"))},
		OverallSentiment: reviewcast.OverallSentiment{Score: 0.5, PositivePct: 75, NegativePct: 25},
		Aspects: []reviewcast.Aspect{{
			ID: "punctuality", Label: "Punctuality", MentionCount: 2,
			SentimentCounts: reviewcast.SentimentCounts{PositiveCount: 1, NegativeCount: 1},
			PositivePct:     50, Confidence: reviewcast.Confidence{Low: 0.09, High: 0.91, Level: "low"}, AverageRating: new(3.0),
			TopPhrases: []string{"on time"}, ExampleReviewIDs: []string{"r-4", "r-2"},
			Evidence: []reviewcast.Evidence{{ReviewID: "r-4", Start: 0, End: 20, Quote: "Marcus came on time.", Polarity: reviewcast.Positive, Source: "trade"}},
			Trend:    reviewcast.Trend{Direction: "insufficient_data", WindowDays: 90},
		}, {ID: "pricing", Label: "Pricing", Confidence: reviewcast.Confidence{High: 1, Level: "none"}, Trend: reviewcast.Trend{Direction: "insufficient_data", WindowDays: 90}}},
		Entities: reviewcast.Entities{
			Technicians: []reviewcast.Entity{{ID: "marcus", Name: "Marcus Weber", MentionCount: 2, ReviewCount: 1, FromJob: 1, FromText: 1,
				AverageRating: new(5.0), SentimentCounts: reviewcast.SentimentCounts{PositiveCount: 1}, LastMentioned: new(reviewcast.Date("2026-03-14")), ExampleReviewIDs: []string{"r-4"},
				Trend:    reviewcast.Trend{Direction: "insufficient_data", WindowDays: 90},
				Quarters: []reviewcast.Quarter{{Quarter: "2026-Q1", ReviewCount: 1, AverageRating: new(5.0), Votes: []reviewcast.AspectVotes{{ID: "punctuality", SentimentCounts: reviewcast.SentimentCounts{PositiveCount: 1}}}}}},
				{ID: "jana", Name: "Jana Öz", Trend: reviewcast.Trend{Direction: "insufficient_data", WindowDays: 90}}},
			Services: []reviewcast.Entity{{ID: "water-heater", Name: "Water heaters", MentionCount: 2, ReviewCount: 2, FromJob: 2, AverageRating: new(3.0), Trend: reviewcast.Trend{Direction: "insufficient_data", WindowDays: 90}}},
		},
		Topics: []reviewcast.Topic{{ID: "on-time", Label: "on time", MentionCount: 1, Share: 0.33, AverageRating: new(5.0), Trend: reviewcast.Trend{Direction: "insufficient_data", WindowDays: 90}}},
		Temporal: reviewcast.Temporal{
			Monthly: []reviewcast.Month{
				{Month: "2025-12", ReviewCount: 1, AverageRating: new(5.0)}, {Month: "2026-01", ReviewCount: 1, AverageRating: new(1.0)},
				{Month: "2026-02"}, {Month: "2026-03", ReviewCount: 2, AverageRating: new(4.5)}},
			Trend: reviewcast.Trend{Direction: "insufficient_data", WindowDays: 90},
		},
		PerReview: map[string]reviewcast.ReviewInsight{
			"r-4": {Sentiment: reviewcast.Positive, Score: 0.8, Aspects: map[string]reviewcast.Polarity{"punctuality": reviewcast.Positive, "drama": reviewcast.Neutral}, Source: "text_and_stars"},
			"r-3": {Sentiment: reviewcast.Positive, Score: 0.5, Source: "stars"}, "r-2": {Sentiment: reviewcast.Negative, Score: -0.7, Source: "stars"},
			"r-1": {Sentiment: reviewcast.Positive, Score: 0.6, Source: "text_and_stars"},
		},
		FAQ:       []reviewcast.FAQ{{Question: "Do you come on Sundays?", Answer: "No.\nBut on Saturdays.", EvidenceReviewIDs: []string{"r-4"}}},
		Summary:   new("Customers praise punctuality.\n\nOne was <not> happy."),
		PullQuote: &reviewcast.PullQuote{ReviewID: "r-4", Text: "Marcus came on time."},
	}
}

func emptyInsights() *reviewcast.Insights {
	return &reviewcast.Insights{Version: 1, Method: reviewcast.Method{Name: "stars", Version: "1"},
		Temporal: reviewcast.Temporal{Trend: reviewcast.Trend{Direction: "insufficient_data", WindowDays: 90}}}
}
