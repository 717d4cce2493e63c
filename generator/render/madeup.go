package render

import (
	"time"

	"reviewcast"
)

// The made-up content of the examples that no excerpt of the real dataset can
// stand for: one review, and what there is to say about it.

var exampleReview = reviewcast.Review{
	ID: "r-2041", Author: "Maria K.", Rating: 5, Date: "2026-03-14",
	Title:    pointer("On time and tidy"),
	Text:     pointer("Marcus came on time. He told us the price before he began."),
	Language: "en", Source: "direct", Verified: true,
	Verification: reviewcast.Verification{Method: "job", VerifiedOn: "2026-03-14"},
	OwnerReply:   &reviewcast.OwnerReply{Text: "Thank you, Maria!", Date: "2026-03-16"},
}

var exampleInsights = reviewcast.Insights{
	Version: 1, Method: reviewcast.Method{Name: "example", Version: "1", Languages: []string{"en"}, AnalysedCount: 1, Measured: reviewcast.Measured{Precision: 0.84, Recall: 0.7, Reviews: 152, Labels: 650, On: "airline lounges"}}, ReviewCount: 1,
	DateRange:        reviewcast.DateRange{Earliest: &exampleReview.Date, Latest: &exampleReview.Date},
	OverallSentiment: reviewcast.OverallSentiment{Score: 0.8, PositivePct: 100},
	Aspects: []reviewcast.Aspect{{
		ID: "punctuality", Label: "Punctuality", MentionCount: 1,
		SentimentCounts: reviewcast.SentimentCounts{PositiveCount: 1}, PositivePct: 100, Score: 1,
		Confidence:    reviewcast.Confidence{Low: 0.21, High: 1, Level: "low"},
		AverageRating: pointer(5.0), TopPhrases: []string{"on time"}, ExampleReviewIDs: []string{exampleReview.ID},
		Evidence: []reviewcast.Evidence{{ReviewID: exampleReview.ID, Start: 0, End: 20, Quote: "Marcus came on time.", Polarity: reviewcast.Positive, Source: "trade"}},
		Monthly:  []reviewcast.AspectMonth{{Month: exampleReview.Date.Month(), MentionCount: 1, Score: 1}},
		Trend:    reviewcast.Trend{Direction: "insufficient_data", WindowDays: 90},
	}},
	Entities: reviewcast.Entities{Technicians: []reviewcast.Entity{{
		ID: "marcus-weber", Name: "Marcus Weber", MentionCount: 2, ReviewCount: 1, FromJob: 1, FromText: 1, AverageRating: pointer(5.0),
		SentimentCounts: reviewcast.SentimentCounts{PositiveCount: 1}, TopAspects: []string{"punctuality"},
		LastMentioned: &exampleReview.Date, ExampleReviewIDs: []string{exampleReview.ID},
	}}},
	Topics: []reviewcast.Topic{{ID: "on-time", Label: "on time", MentionCount: 1, Share: 1, AverageRating: pointer(5.0), RecentShare: pointer(1.0), ExampleReviewIDs: []string{exampleReview.ID}}},
	Temporal: reviewcast.Temporal{
		Monthly: []reviewcast.Month{{Month: exampleReview.Date.Month(), ReviewCount: 1, AverageRating: pointer(5.0), SentimentScore: pointer(0.8)}},
		Trend:   reviewcast.Trend{Direction: "insufficient_data", WindowDays: 90},
	},
	PerReview: map[string]reviewcast.ReviewInsight{
		exampleReview.ID: {Sentiment: reviewcast.Positive, Score: 0.8, Aspects: map[string]reviewcast.Polarity{"punctuality": reviewcast.Positive}, Source: "text_and_stars"},
	},
	FAQ:       []reviewcast.FAQ{{Question: "Do I know the price beforehand?", Answer: "Yes.", EvidenceReviewIDs: []string{exampleReview.ID}}},
	Summary:   pointer("Customers praise that we come **on time**."),
	PullQuote: &reviewcast.PullQuote{ReviewID: exampleReview.ID, Text: "Marcus came on time."},
}

// exampleManifest lists one file. Its time is made up as well: a description that
// carried a clock's would never be the same twice.
func exampleManifest(c Channel) reviewcast.Manifest {
	return reviewcast.Manifest{Version: 1, BaseURL: c.BaseURL, Sequence: 42, Files: []reviewcast.File{{
		Path: reviewcast.PathReviews, MediaType: reviewcast.MediaJSON, Size: 479232,
		SHA256:       "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		LastModified: time.Date(2026, time.March, 14, 12, 0, 0, 0, time.UTC),
	}}}
}

func pointer[T any](v T) *T { return &v }
