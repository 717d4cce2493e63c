package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"reviewcast/cmd/reviewcast/terminal"
	"reviewcast/generator/schema"
)

type schemaCmd struct {
	Dir string `help:"The folder to write to." default:"content/.schemas" placeholder:"DIR"`
}

func (c *schemaCmd) Help() string {
	return `Writes a JSON Schema (draft-07) for each kind of content file. A text editor with a YAML
language server (VS Code, Neovim, Zed, IntelliJ) then completes fields and underlines
mistakes while you type, in every file whose first line names its schema:

  # yaml-language-server: $schema=.schemas/business.schema.json
  # yaml-language-server: $schema=../.schemas/review.schema.json   (in reviews/)

Example:
  reviewcast schema --dir my-content/.schemas`
}

// Run writes the schemas; files that are up to date are not touched.
func (c *schemaCmd) Run(std streams) error {
	if parent := filepath.Dir(filepath.Clean(c.Dir)); !isFolder(parent) {
		return usageError{fmt.Errorf("--dir: there is no folder %s here; name yours, as in --dir my-content/%s", parent, schema.Folder)}
	}
	n, err := writeSchemas(c.Dir)
	if err != nil {
		return err
	}
	if n == 0 {
		fmt.Fprintf(std.out, "the schemas in %s are up to date\n", c.Dir)
		return nil
	}
	fmt.Fprintf(std.out, "%s written in %s\n", terminal.Plural(n, "schema"), c.Dir)
	return nil
}

func writeSchemas(dir string) (written int, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, fmt.Errorf("write schemas: %w", err)
	}
	schemas := schema.All()
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		path := filepath.Join(dir, name)
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, schemas[name]) {
			continue
		}
		if err := os.WriteFile(path, schemas[name], 0o644); err != nil {
			return written, fmt.Errorf("write schemas: %w", err)
		}
		written++
	}
	return written, nil
}
