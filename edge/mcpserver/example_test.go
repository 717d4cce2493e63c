package mcpserver_test

import (
	"fmt"

	"reviewcast/edge/mcpserver"
)

func ExampleRegistryName() {
	fmt.Println(mcpserver.RegistryName("https://reviews.example.com"))
	// Output: com.example.reviews/reviewcast
}
