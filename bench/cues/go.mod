module reviewcast/bench/cues

go 1.26.0

replace reviewcast => ../..

require reviewcast v0.0.0

require (
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/kljensen/snowball v0.10.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	gonum.org/v1/gonum v0.17.0
)
