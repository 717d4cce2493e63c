package source_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"reviewcast/generator/source"
)

func ExampleLoader_Load() {
	dir, err := os.MkdirTemp("", "content")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"business.yaml": "id: northside\nname: Northside Plumbing\n",
		"reviews/a.yaml": `id: a
author: Maria K.
rating: 5
date: 2026-03-14
text: |
  At the door before nine.
verification: {method: job}
`,
		"reviews/more.csv": "id,author,rating,date\nb,Ana,4,2026-03-15\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}

	loader := source.NewLoader(dir, source.Config{Today: "2026-11-21"})
	content, _, problems, err := loader.Load(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(problems), "problems")
	for _, r := range content.Reviews {
		fmt.Printf("%s %s: %d stars, published: %v\n", r.Date, r.ID, r.Rating, r.Published)
	}

	// A slip of the pen, and the next load.
	if err := os.WriteFile(filepath.Join(dir, "reviews", "more.csv"), []byte("id,author,ratnig,date\nb,Ana,4,2026-13-15\n"), 0o644); err != nil {
		log.Fatal(err)
	}
	_, _, problems, err = loader.Load(context.Background(), nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// 0 problems
	// 2026-03-15 b: 4 stars, published: false
	// 2026-03-14 a: 5 stars, published: true
	// reviews/more.csv:1:11: unknown column "ratnig"; did you mean "rating"?
	// reviews/more.csv:2:9: date 2026-13-15 does not exist; correct the month or the day
}
