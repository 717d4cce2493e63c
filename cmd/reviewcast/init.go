package main

import (
	"fmt"
	"path/filepath"

	"reviewcast/generator/schema"
	"reviewcast/generator/starter"
)

type initCmd struct {
	Dir   string `arg:"" help:"The folder to create; it may exist if it is empty."`
	Empty bool   `help:"Leave out the example business and reviews: each field is a comment to fill in."`
}

func (c *initCmd) Help() string {
	return `Example:
  reviewcast init content
  reviewcast dev --content content`
}

// Run creates the folder and prints the next step.
func (c *initCmd) Run(std streams) error {
	files, err := createContent(c.Dir, c.Empty)
	if err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintf(std.out, "  %s\n", f)
	}
	fmt.Fprintf(std.out, "%d files in %s. To see them in a browser, run:\n  reviewcast dev --content %s\n", len(files), c.Dir, c.Dir)
	return nil
}

// createContent writes a content folder to start from and returns its files.
func createContent(dir string, empty bool) ([]string, error) {
	write := starter.Write
	if empty {
		write = starter.WriteEmpty
	}
	files, err := write(dir)
	if err != nil {
		return nil, err
	}
	_, err = writeSchemas(filepath.Join(dir, schema.Folder))
	return files, err
}
