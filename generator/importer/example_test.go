package importer_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"reviewcast/generator/importer"
)

func ExampleCSV() {
	content, err := os.MkdirTemp("", "content")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(content)

	export := strings.NewReader(`Nr,Stars,Day,Customer,Review
17,10,31/01/2026,Maria Kowalska,"Came at nine, as said."
18,7,02/02/2026,,
19,eight,03/02/2026,Tom Berg,Late.
`)
	columns, err := importer.ParseMap("id=Nr,rating=Stars,date=Day,author=Customer,text=Review")
	if err != nil {
		panic(err)
	}
	report, err := importer.CSV(context.Background(), export, importer.Config{
		ContentDir: content, Source: "shop", Verification: "platform",
		Map: columns, RatingScale: 10, Round: "nearest", DateLayout: "02/01/2006",
	})
	if err != nil {
		panic(err)
	}
	if err := report.Print(os.Stdout, false, 0); err != nil {
		panic(err)
	}
	written, err := os.ReadFile(filepath.Join(content, report.File))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", written)
	// Output:
	// reviews/import-shop.jsonl: 2 added, 0 updated, 0 unchanged, 1 skipped of 3 rows
	// columns: --map "rating=Stars,date=Day,text=Review,author=Customer,id=Nr"
	// 1 review by Anonymous, because the author is empty or is no name
	// 1 row skipped: rating is not a number above zero
	//   row 4 (line 4) "19": rating "eight" is not a number; write how many stars it stands for in its place (Find and Replace of entire cells in that column does all at once), or map another column to rating; a row without stars can't be imported
	// {"id":"shop-18","author":"Anonymous","rating":4,"date":"2026-02-02","source":"shop","verification":{"method":"platform"}}
	// {"id":"shop-17","author":"Maria K.","rating":5,"date":"2026-01-31","text":"Came at nine, as said.","source":"shop","verification":{"method":"platform"}}
}
