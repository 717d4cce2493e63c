package render

import (
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"reviewcast"
)

// changePaths are the operations of what versions changed.
func changePaths() map[string]pathItem {
	sequence := parameter{Name: "sequence", In: "path", Required: true, Description: "The sequence of a version from `changes_from` on.",
		Schema: &jsonschema.Schema{Type: "integer", Minimum: new(float64)}, Example: exampleChange.Sequence}
	gone := "Versions older than `changes_from`, and those that held a text that was erased, are 404: then the dataset is fetched whole."
	change := get(numbered(file("getChange", tagChanges, "What a version changed",
		"What one version did to the version before it, whose sequence is `previous`. "+gone,
		plain, json200("The change.", "Change", exampleChange)), sequence))
	patch := get(numbered(file("getInsightsPatch", tagChanges, "What a version changed in the insights",
		"The operations that make /insights.json of a version out of that of the version before. "+gone,
		plain, json200("The patch.", "Patch", examplePatch)), sequence))
	return map[string]pathItem{
		reviewcast.PathLatestChange: get(file("getLatestChange", tagChanges, "What the newest version changed",
			"The newest change document: what pollers ask for. It is a WebSub topic. Walk back by `previous` to the version that you have, then apply forward; when you don't meet it by `changes_from`, fetch the dataset whole.",
			topic, json200("The newest change.", "Change", exampleChange))),
		reviewcast.PathChanges + "{sequence}.json":          change,
		reviewcast.PathChanges + "{sequence}/insights.json": patch,
		reviewcast.PathVersions: get(file("getVersions", tagChanges, "Every version ever published",
			"One line for each version, oldest first: its sequence, a space, and the sha256 of its change document. The file is only ever appended to: who noted its size and hash can check that prefix for ever.",
			plain, response{Description: "The versions.", Content: map[string]mediaType{
				"text/plain": {Schema: text, Example: reviewcast.VersionLine{Sequence: exampleChange.Sequence, SHA256: exampleChange.SetSHA256}.String()},
			}})),
		reviewcast.PathWithdrawn: get(file("getWithdrawn", tagChanges, "Reviews that were withdrawn",
			"Id, reason and date of every review that is no longer published; never its text.",
			plain, json200("The withdrawals.", "Withdrawals", exampleWithdrawals))),
	}
}

func numbered(op *operation, p parameter) *operation {
	op.Parameters = append([]parameter{p}, op.Parameters...)
	op.Responses["404"] = shared("404")
	return op
}

// opSchema is [reviewcast.Op] as it is published.
var opSchema = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
	{Type: "array", MinItems: jsonschema.Ptr(2), MaxItems: jsonschema.Ptr(2), Items: &jsonschema.Schema{Type: "integer", Minimum: new(float64)},
		Description: "copies the lines from the first number, counted from 0, up to, not including, the second, of the old file"},
	{Type: "string", Description: "one new line, without its newline"},
}}

// The examples are made up: a description is rendered before its version is known.
var (
	exampleHash   = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	exampleBefore = int64(1780304400)
	exampleMean   = 5.0
	exampleMonth  = "2026-03"
	exampleChange = reviewcast.Change{
		Version: 1, Sequence: exampleBefore + 86400, Previous: &exampleBefore, PreviousSHA256: &exampleHash, ChangesFrom: exampleBefore, SetSHA256: exampleHash,
		LastModified: time.Unix(exampleBefore+86400, 0).UTC(),
		Reviews: reviewcast.ReviewChanges{Added: []string{"r-2"}, Changed: []string{},
			Withdrawn: []reviewcast.WithdrawnReview{{ID: "r-1", Reason: reviewcast.ReasonWithdrawn}}},
		ReviewCount: 1, IDsSHA256: exampleHash,
		AggregateRating: reviewcast.AggregateRating{RatingValue: &exampleMean, RatingCount: 1, TextCount: 1, BestRating: reviewcast.MaxRating,
			WorstRating: reviewcast.MinRating, Distribution: reviewcast.Distribution{Five: 1}},
		Files: []reviewcast.FileChange{{Path: reviewcast.PathReviews, From: exampleHash, To: exampleHash, Size: 2048,
			Ops: []reviewcast.Op{{Start: 0, End: 1}, {Line: `{"id":"r-2","author":"Maria K.","rating":5}`}, {Start: 2, End: 3}}}},
	}
	examplePatch       = reviewcast.Patch{Path: reviewcast.PathInsights, From: exampleHash, To: exampleHash, Ops: []reviewcast.Op{{Start: 0, End: 12}, {Line: `"r-2":{"sentiment":"positive","score":1,"aspects":{}}`}}}
	exampleWithdrawals = reviewcast.Withdrawals{Version: 1, Withdrawn: []reviewcast.Withdrawal{{ID: "r-1", Reason: reviewcast.ReasonWithdrawn, Date: "2026-05-31", Month: &exampleMonth}}}
)
