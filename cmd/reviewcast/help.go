package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// maxHelpColumns limits the lines of a help text: longer ones are hard to read.
const maxHelpColumns = 100

var helpOptions = kong.HelpOptions{Compact: true, WrapUpperBound: maxHelpColumns, ValueFormatter: helpOf}

// operators is the group of flags that only --help-all shows.
const operators = "operators"

// printHelp prints the help of a command without the flags for operators.
func printHelp(options kong.HelpOptions, c *kong.Context) error {
	hidden := 0
	if n := c.Selected(); n != nil {
		for _, f := range n.Flags {
			if f.Group != nil && f.Group.Key == operators && !f.Hidden {
				f.Hidden = true
				hidden++
				defer func() { f.Hidden = false }()
			}
		}
	}
	if err := kong.DefaultHelpPrinter(options, c); err != nil {
		return err
	}
	if hidden > 0 {
		_, err := fmt.Fprintf(c.Stdout, "\n--help-all shows %d more flags, for operators.\n", hidden)
		return err
	}
	return nil
}

// helpAllFlag prints the help with all flags.
type helpAllFlag bool

// BeforeReset prints when the parser finds the flag, as kong's own --help does.
func (helpAllFlag) BeforeReset(c *kong.Context) error {
	if err := kong.DefaultHelpPrinter(helpOptions, c); err != nil {
		return err
	}
	c.Exit(0)
	return nil
}

// helpOf returns the help of a flag with its default at the end.
func helpOf(v *kong.Value) string {
	if !v.HasDefault || v.Default == "" || v.IsBool() {
		return v.Help
	}
	return strings.TrimSuffix(v.Help, ".") + " (default: " + v.Default + ")."
}
