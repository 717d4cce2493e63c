// Package client is made by oapi-codegen from the API description; its test asks an edge.
package client

import (
	"context"
	"net/http"
	"os"
	"testing"
)

// TestClient asks the edge at $EDGE: search, since, the dataset, a 304 and a 404.
func TestClient(t *testing.T) {
	c, err := NewClientWithResponses(os.Getenv("EDGE"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	all, err := c.GetReviewsWithResponse(ctx, nil)
	if err != nil || all.JSON200 == nil || len(all.JSON200.Reviews) == 0 {
		t.Fatal(err, all)
	}
	newest := all.JSON200.Reviews[0]
	rating, limit := 5, 3
	found, err := c.SearchReviewsWithResponse(ctx, &SearchReviewsParams{Rating: &rating, Limit: &limit})
	if err != nil || found.JSON200 == nil || found.JSON200.Returned != limit || found.JSON200.Reviews[0].Rating != rating {
		t.Fatal(err, found)
	}
	since, err := c.GetReviewsSinceWithResponse(ctx, newest.Date, nil)
	if err != nil || since.JSON200 == nil || since.JSON200.Reviews[0].Id != newest.Id {
		t.Fatal(err, since)
	}
	etag := all.HTTPResponse.Header.Get("ETag")
	same, err := c.GetReviewsWithResponse(ctx, &GetReviewsParams{IfNoneMatch: &etag})
	if err != nil || same.StatusCode() != http.StatusNotModified {
		t.Fatal(err, same)
	}
	missing, err := c.GetChangeWithResponse(ctx, 1, nil)
	if err != nil || missing.JSON404 == nil || missing.JSON404.Title != "Not Found" {
		t.Fatal(err, missing)
	}
}
