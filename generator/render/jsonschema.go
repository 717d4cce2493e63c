package render

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// schemaDocument is a JSON Schema of a whole file.
type schemaDocument struct {
	Schema string                    `json:"$schema"`
	ID     string                    `json:"$id"`
	Title  string                    `json:"title"`
	Ref    string                    `json:"$ref"`
	Defs   map[string]jsontext.Value `json:"$defs"`
}

var schemaRef = regexp.MustCompile(`"#/components/schemas/([A-Za-z]+)"`)

// JSONSchema renders the JSON Schema (draft 2020-12) of a file, with the types that it needs.
func JSONSchema(baseURL, path, name string) ([]byte, error) {
	all, err := sharedSchemas()
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", path, err)
	}
	d := schemaDocument{"https://json-schema.org/draft/2020-12/schema", baseURL + path, name, "#/$defs/" + name, map[string]jsontext.Value{}}
	for todo := []string{name}; len(todo) > 0; todo = todo[1:] {
		if _, done := d.Defs[todo[0]]; done {
			continue
		}
		b := all[todo[0]]
		for _, m := range schemaRef.FindAllSubmatch(b, -1) {
			todo = append(todo, string(m[1]))
		}
		d.Defs[todo[0]] = jsontext.Value(strings.ReplaceAll(string(b), "#/components/schemas/", "#/$defs/"))
	}
	body, err := marshal(&d)
	return rendered(path, body, err)
}
