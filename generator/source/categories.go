package source

import (
	_ "embed"

	"reviewcast/generator/diagnostic"
)

//go:embed words.txt
var wordsFile string

func meanings(section string) map[string]string { return diagnostic.Meanings(wordsFile, section) }

var languages, countries, timeZones, dayWords = meanings("languages"), meanings("countries"), meanings("time zones"), meanings("days and times")

// Categories are schema.org's LocalBusiness and the types below it, as of version 29, and
// VeterinaryCare, which businesses use although it is below MedicalOrganization.
var Categories = diagnostic.Words(wordsFile, "categories")
