package reviewcast

import "math"

// Insights is /insights.json: what the reviews say, counted. Every number is a
// function of the published reviews and the editors' vocabulary, nothing else.
type Insights struct {
	Version          int                      `json:"version" jsonschema:"version of this format, always 1"`
	Method           Method                   `json:"method"`
	ReviewCount      int                      `json:"review_count"`
	DateRange        DateRange                `json:"date_range"`
	OverallSentiment OverallSentiment         `json:"overall_sentiment"`
	Aspects          []Aspect                 `json:"aspects" jsonschema:"every aspect of the vocabulary, those never mentioned included"`
	Entities         Entities                 `json:"entities"`
	Topics           []Topic                  `json:"topics"`
	Temporal         Temporal                 `json:"temporal"`
	PerReview        map[string]ReviewInsight `json:"per_review" jsonschema:"what was found in each review, by review id"`
	FAQ              []FAQ                    `json:"faq"`
	Summary          *string                  `json:"summary" jsonschema:"the editors' summary in Markdown; null when there is none"`
	PullQuote        *PullQuote               `json:"pull_quote"`
}

// Method is how the sentiment was computed, so that anybody can do it again.
type Method struct {
	Name          string   `json:"name"`
	Version       string   `json:"version"`
	LexiconSHA256 *string  `json:"lexicon_sha256" jsonschema:"hash of the word lists; null when the method uses none"`
	Languages     []string `json:"languages" jsonschema:"languages of the shipped phrases; opinion words are known in English only, and in other languages only names and the editors' own phrases are found"`
	AnalysedCount int      `json:"analysed_count" jsonschema:"reviews with a text in one of the languages"`
	Measured      Measured `json:"measured" jsonschema:"how well the method reads real reviews that people have labelled"`
}

// Measured is the accuracy of the method on labelled reviews. A vote is right when its aspect and its polarity are.
type Measured struct {
	Precision float64 `json:"precision" jsonschema:"share of the votes that are right, 0 to 1"`
	Recall    float64 `json:"recall" jsonschema:"share of the labels that are found, 0 to 1"`
	Reviews   int     `json:"reviews"`
	Labels    int     `json:"labels"`
	On        string  `json:"on" jsonschema:"whose reviews they are: the figures may differ for this business"`
}

// DateRange is the dates of the oldest and the newest review; both are null when there is none.
type DateRange struct {
	Earliest *Date `json:"earliest"`
	Latest   *Date `json:"latest"`
}

// OverallSentiment sums the reviews up. Percentages have one decimal; mixed reviews are the rest to 100.
type OverallSentiment struct {
	Score       float64 `json:"score" jsonschema:"-1 (negative) to 1 (positive)"`
	PositivePct float64 `json:"positive_pct"`
	NeutralPct  float64 `json:"neutral_pct"`
	NegativePct float64 `json:"negative_pct"`
}

// Polarity is what a customer feels about something.
type Polarity string

// The polarities. A review is mixed about an aspect that it both praises and blames.
const (
	Positive Polarity = "positive"
	Neutral  Polarity = "neutral"
	Negative Polarity = "negative"
	Mixed    Polarity = "mixed"
)

// SentimentCounts counts reviews by polarity.
type SentimentCounts struct {
	PositiveCount int `json:"positive_count"`
	NeutralCount  int `json:"neutral_count"`
	NegativeCount int `json:"negative_count"`
	MixedCount    int `json:"mixed_count"`
}

// Add counts one more review.
func (c *SentimentCounts) Add(p Polarity) {
	switch p {
	case Positive:
		c.PositiveCount++
	case Neutral:
		c.NeutralCount++
	case Negative:
		c.NegativeCount++
	case Mixed:
		c.MixedCount++
	}
}

// Aspect is one thing that customers judge: punctuality, pricing.
type Aspect struct {
	ID           string `json:"id"`
	Label        string `json:"label"`
	MentionCount int    `json:"mention_count" jsonschema:"reviews that judge it: each has one vote"`
	SentimentCounts
	PossibleCount    int        `json:"possible_count" jsonschema:"reviews with weak signs only, which count nowhere else"`
	PositivePct      float64    `json:"positive_pct"`
	Score            float64    `json:"score" jsonschema:"-1 (negative) to 1 (positive)"`
	Confidence       Confidence `json:"confidence"`
	AverageRating    *float64   `json:"average_rating" jsonschema:"mean stars of the reviews that mention it; null when none does"`
	TopPhrases       []string   `json:"top_phrases"`
	ExampleReviewIDs []string   `json:"example_review_ids"`
	Evidence         []Evidence `json:"evidence" jsonschema:"the surest sentences, at most 3 praising, 3 criticizing and 1 neutral; the aspect's page and get_aspect_sentiment have all reviews"`

	NotMentionedPct      float64       `json:"not_mentioned_pct" jsonschema:"share of the reviews with text that don't mention it"`
	AverageRatingWithout *float64      `json:"average_rating_without" jsonschema:"mean stars of the reviews with text that don't mention it; null when all do"`
	Monthly              []AspectMonth `json:"monthly" jsonschema:"the months in which it was mentioned, in order"`
	Trend                Trend         `json:"trend" jsonschema:"change of the score, -1 to 1, from the 90 days before to the newest 90"`
}

// AspectMonth is what one month's reviews say of an aspect.
type AspectMonth struct {
	Month        string  `json:"month" jsonschema:"YYYY-MM"`
	MentionCount int     `json:"mention_count"`
	Score        float64 `json:"score"`
}

// Confidence is Wilson's 95 % interval of the positive share, widened by Method.Measured's errors.
type Confidence struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level string  `json:"level" jsonschema:"none, low, medium or high"`
}

// Z95 is the two-sided 95 % quantile of the normal distribution.
const Z95 = 1.959963984540054

// Wilson returns the bounds of the 95 % Wilson score interval of k of n (E. B. Wilson, 1927).
func Wilson(k, n float64) (low, high float64) {
	p := k / n
	centre := (p + Z95*Z95/(2*n)) / (1 + Z95*Z95/n)
	half := Z95 / (1 + Z95*Z95/n) * math.Sqrt(p*(1-p)/n+Z95*Z95/(4*n*n))
	return max(0, centre-half), min(1, centre+half)
}

// Evidence is the sentence behind a number. Start and End count Unicode code
// points of the review's text; Quote is exactly that slice.
type Evidence struct {
	ReviewID string   `json:"review_id"`
	Start    int      `json:"start"`
	End      int      `json:"end"`
	Quote    string   `json:"quote"`
	Polarity Polarity `json:"polarity"`
	Source   string   `json:"source" jsonschema:"what decided the polarity: editor (an editor's phrase), trade (a shipped phrase) or lexicon (the opinion words around a term)"`
}

// Entities are the people, services, problems and places that reviews name.
type Entities struct {
	Technicians  []Entity `json:"technicians"`
	Services     []Entity `json:"services"`
	Problems     []Entity `json:"problems"`
	ServiceAreas []Entity `json:"service_areas"`
}

// Entity counts what is said of one person, service, problem or place.
type Entity struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	MentionCount  int      `json:"mention_count" jsonschema:"times named in texts, and once for each job record"`
	ReviewCount   int      `json:"review_count" jsonschema:"reviews that name it, in the job record or the text"`
	FromJob       int      `json:"from_job" jsonschema:"reviews whose job record names it"`
	FromText      int      `json:"from_text" jsonschema:"reviews whose text names it"`
	AverageRating *float64 `json:"average_rating"`
	SentimentCounts
	TopAspects       []string `json:"top_aspects"`
	LastMentioned    *Date    `json:"last_mentioned"`
	ExampleReviewIDs []string `json:"example_review_ids"`

	Trend    Trend     `json:"trend" jsonschema:"change of the share of reviews that name it, from the 90 days before to the newest 90"`
	Quarters []Quarter `json:"quarters" jsonschema:"of a technician: the quarters with a review, in order; empty for others"`
}

// Quarter is what one quarter's reviews that name a technician judge.
type Quarter struct {
	Quarter       string        `json:"quarter" jsonschema:"YYYY-Qn"`
	ReviewCount   int           `json:"review_count"`
	AverageRating *float64      `json:"average_rating"`
	Votes         []AspectVotes `json:"votes" jsonschema:"of each aspect that they judge, by id"`
}

// AspectVotes counts the votes about one aspect.
type AspectVotes struct {
	ID string `json:"id"`
	SentimentCounts
}

// Topic is a phrase that comes up again and again.
type Topic struct {
	ID               string   `json:"id"`
	Label            string   `json:"label"`
	MentionCount     int      `json:"mention_count"`
	Share            float64  `json:"share" jsonschema:"share of the reviews with text, 0 to 1"`
	AverageRating    *float64 `json:"average_rating"`
	ExampleReviewIDs []string `json:"example_review_ids"`
	SentimentCounts

	AverageRatingWithout *float64 `json:"average_rating_without" jsonschema:"mean stars of the reviews with text that don't have it"`
	RecentShare          *float64 `json:"recent_share" jsonschema:"share among the newest 90 days' reviews with text"`
	EarlierShare         *float64 `json:"earlier_share" jsonschema:"share among the older ones; null when there is none"`
	Trend                Trend    `json:"trend" jsonschema:"change of the share, from the 90 days before to the newest 90"`
}

// Temporal shows how the numbers move.
type Temporal struct {
	Monthly []Month `json:"monthly" jsonschema:"every month from the earliest review to the latest, in order"`
	Trend   Trend   `json:"trend"`
}

// Month is one calendar month.
type Month struct {
	Month          string   `json:"month" jsonschema:"YYYY-MM"`
	ReviewCount    int      `json:"review_count"`
	AverageRating  *float64 `json:"average_rating"`
	SentimentScore *float64 `json:"sentiment_score"`
}

// Trend compares the newest window with the one before it, counted back from the
// newest review and never from the clock.
type Trend struct {
	Direction string   `json:"direction" jsonschema:"improving, steady or declining; of a share rising, steady or falling; insufficient_data"`
	Change    *float64 `json:"change" jsonschema:"change of the mean or share; null when there is too little data"`
	// StandardError is that of the change if nothing had changed.
	StandardError *float64 `json:"standard_error" jsonschema:"standard error of the change; a change within 1.96 of it is steady; null when there is too little data"`
	WindowDays    int      `json:"window_days"`
}

// ReviewInsight is what was found in one review.
type ReviewInsight struct {
	Sentiment Polarity            `json:"sentiment"`
	Score     float64             `json:"score"`
	Aspects   map[string]Polarity `json:"aspects"`
	Source    string              `json:"source" jsonschema:"what the sentiment rests on: text_and_stars, or stars when the text is silent, absent or in a language that the lists don't know"`
}

// FAQ is a question that customers ask, answered by the editors, with the reviews that the answer rests on.
type FAQ struct {
	Question          string   `json:"question"`
	Answer            string   `json:"answer"`
	EvidenceReviewIDs []string `json:"evidence_review_ids"`
	EvidenceAspects   []string `json:"evidence_aspects" jsonschema:"aspects whose counts the answer rests on"`
}

// PullQuote is a customer's sentence that the editors picked out, word for word.
type PullQuote struct {
	ReviewID string `json:"review_id"`
	Text     string `json:"text"`
}
