package corpus

import "reviewcast"

// Query is one search of the mix.
type Query struct {
	Name string
	reviewcast.Query
}

// Queries are the searches that benchmarks use with the reviews of this corpus: names
// and numbers of few texts, phrases of many texts, one to three characters, single
// and combined filters, and the worst case, a phrase whose trigrams are in nearly
// every text.
var Queries = []Query{
	{"rare word", reviewcast.Query{Text: "Rémy, Oregon"}},
	{"part number", reviewcast.Query{Text: "wi-4821"}},
	{"street", reviewcast.Query{Text: "worthmere lane"}},
	{"absent", reviewcast.Query{Text: "xylophone"}},
	{"two rare words", reviewcast.Query{Text: "crawl space. we live on mer"}},
	{"common phrase", reviewcast.Query{Text: "on time"}},
	{"commoner phrase", reviewcast.Query{Text: "the technician"}},
	{"common ending", reviewcast.Query{Text: "ing "}},
	{"1 letter", reviewcast.Query{Text: "e"}},
	{"1 space", reviewcast.Query{Text: " "}},
	{"2 letters", reviewcast.Query{Text: "er"}},
	{"3 letters", reviewcast.Query{Text: "the"}},
	{"4 letters", reviewcast.Query{Text: " the"}},
	{"no filter", reviewcast.Query{}},
	{"stars", reviewcast.Query{Rating: 2}},
	{"at least 4 stars", reviewcast.Query{MinRating: 4}},
	{"technician", reviewcast.Query{Technician: "dana"}},
	{"month", reviewcast.Query{Since: "2026-03-01", Until: "2026-03-31"}},
	{"everything", reviewcast.Query{Text: "on time", MinRating: 4, Since: "2025-01-01", Technician: "marcus", Service: "Leak Repair"}},
	{"200 code points", reviewcast.Query{Text: "the water pressure is better than it has ever been. we have used them for years and they have never let us down. the water pressure is better than it has ever been. we have used them for years and th"}},
}
