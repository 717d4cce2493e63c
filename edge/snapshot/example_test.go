package snapshot_test

import (
	"fmt"

	"reviewcast"
	"reviewcast/edge/snapshot"
)

// A published directory that is in memory: what dev hands over without a disk in
// between.
func ExampleFilesOf() {
	manifest := `{"version":1,"base_url":"https://reviews.example.com","sequence":1,"files":[{
		"path":"/reviews.json","media_type":"application/json","size":208,"last_modified":"2026-07-01T12:00:00Z",
		"sha256":"f5caf6bef4c7730c228b1b639bb5361f3b6e1605b9236b30db792c926203d1b6"}]}`
	reviews := `{"version":1,"review_count":2,"reviews":[
{"id":"b","rating":5,"date":"2026-06-20","title":"On time","text":"Marcus was great."},
{"id":"a","rating":2,"date":"2026-01-05","title":null,"text":"Not ON TIME."}]}`
	f, err := snapshot.FilesOf([]byte(manifest), map[string][]byte{"/reviews.json": []byte(reviews)},
		snapshot.Config{BaseURL: "https://reviews.example.com"})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := f.Index()
	if err != nil {
		fmt.Println(err)
		return
	}
	found := s.Search(reviewcast.Query{Text: "on time", Limit: 1})
	fmt.Printf("%d match; the newest: %s\n", found.Matched, found.Reviews[0])
	fmt.Println("since 2026-06-01:", s.Since("2026-06-01").Matched)
	// Output:
	// 2 match; the newest: {"id":"b","rating":5,"date":"2026-06-20","title":"On time","text":"Marcus was great."}
	// since 2026-06-01: 1
}
