package corpus

import (
	_ "embed"
	"slices"

	"reviewcast"
	"reviewcast/generator/diagnostic"
)

var technicians = []reviewcast.Technician{
	{ID: "marcus", Name: "Marcus Webb", Aliases: []string{"Marc"}},
	{ID: "elena", Name: "Elena Petrova", Aliases: []string{"Lena"}},
	{ID: "jose", Name: "José Álvarez", Aliases: []string{"Pepe"}},
	{ID: "dana-k", Name: "Dana Kim", Aliases: []string{}},
	{ID: "dana-r", Name: "Dana Ruiz", Aliases: []string{"DR"}},
	{ID: "tobias", Name: "Tobias Groß", Aliases: []string{"Toby"}},
	{ID: "priya", Name: "Priya Nair", Aliases: []string{}},
	{ID: "sam", Name: "Samuel O’Connor", Aliases: []string{"Sam"}},
}

var services = []reviewcast.Named{
	{ID: "drain-cleaning", Name: "Drain Cleaning"},
	{ID: "water-heater", Name: "Water Heater Replacement"},
	{ID: "leak-repair", Name: "Leak Repair"},
	{ID: "boiler-service", Name: "Boiler Service"},
	{ID: "bathroom", Name: "Bathroom Remodel"},
	{ID: "sump-pump", Name: "Sump Pump Installation"},
	{ID: "repiping", Name: "Repiping"},
}

var areas = []reviewcast.Named{
	{ID: "fairhaven", Name: "Fairhaven"}, {ID: "north-bay", Name: "North Bay"}, {ID: "old-town", Name: "Old Town"},
	{ID: "river-bend", Name: "River Bend"}, {ID: "lakeside", Name: "Lakeside"}, {ID: "st-remy", Name: "Saint-Rémy"},
}

//go:embed words.txt
var wordsFile string

var (
	firstNames = diagnostic.Words(wordsFile, "first names")
	weekdays   = diagnostic.Words(wordsFile, "weekdays")
	syllables  = diagnostic.Words(wordsFile, "syllables")
	titles     = diagnostic.Rows(wordsFile, "titles") // by rating
	praise     = slices.Concat(diagnostic.Rows(wordsFile, "praise")...)
	mixed      = slices.Concat(diagnostic.Rows(wordsFile, "mixed")...)
	blame      = slices.Concat(diagnostic.Rows(wordsFile, "blame")...)
	facts      = slices.Concat(diagnostic.Rows(wordsFile, "facts")...)
	replies    = slices.Concat(diagnostic.Rows(wordsFile, "replies")...)
)
