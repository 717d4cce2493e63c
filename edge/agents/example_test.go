package agents_test

import (
	"fmt"

	"reviewcast/edge/agents"
)

func ExampleRegistryName() {
	fmt.Println(agents.RegistryName("https://reviews.example.com"))
	// Output: com.example.reviews/reviewcast
}
