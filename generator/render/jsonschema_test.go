package render

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"reviewcast"
)

// TestJSONSchema: both datasets are what their schemas say, and a changed one is not.
func TestJSONSchema(t *testing.T) {
	in := sampleInsights()
	for _, tt := range []struct {
		path, name string
		render     func() ([]byte, error)
		broken     string
	}{
		{reviewcast.PathReviews, "Dataset", func() ([]byte, error) { return datasetFile(sampleDataset()) }, `{"version":1,"reviews":[{"id":"-"}]}`},
		{reviewcast.PathInsights, "Insights", func() ([]byte, error) { return insightsFile(in) }, `{"version":"1"}`},
	} {
		body, err := JSONSchema(sampleChannel.BaseURL, tt.path, tt.name)
		if err != nil {
			t.Fatal(err)
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(body, &s); err != nil {
			t.Fatal(err)
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		data, err := tt.render()
		if err != nil {
			t.Fatal(err)
		}
		for body, valid := range map[string]bool{string(data): true, tt.broken: false} {
			var v any
			if err := json.Unmarshal([]byte(body), &v); err != nil {
				t.Fatal(err)
			}
			if err := resolved.Validate(v); (err == nil) != valid {
				t.Errorf("%s: %v; valid should be %v", tt.path, err, valid)
			}
		}
	}
}
