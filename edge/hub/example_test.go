package hub_test

import (
	"fmt"
	"time"

	"reviewcast/edge/hub"
	"reviewcast/edge/hub/store"
)

// A subscriber signs a request for the status of its subscription. docs/websub.md has the
// same with openssl.
func ExampleStatusSignature() {
	now := time.Date(2026, 11, 22, 14, 30, 0, 0, time.UTC)
	fmt.Println(hub.StatusSignature(store.ProofKey([]byte("a-long-random-string")), "https://reviews.example.com/feed.xml", "https://you.example/websub?id=7", now))
	// Output: sha256=91f01c8679cb3eeadba4214d57c3ebd547e70b17d53f4098699b193944f10883
}
