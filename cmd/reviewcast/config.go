package main

import (
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"reviewcast/edge/hub/store"
)

// edgeEnvironment names an environment variable for every flag of edge, such as
// REVIEWCAST_RATE_SEARCH, so that a service can be configured without a command line.
func edgeEnvironment(k *kong.Kong) error {
	for _, command := range k.Model.Children {
		if command.Name != "edge" {
			continue
		}
		for _, f := range command.Flags {
			if f.Name != "print-config" && len(f.Envs) == 0 {
				f.Envs = []string{"REVIEWCAST_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))}
				f.Tag.Envs = f.Envs
			}
		}
	}
	return nil
}

// printConfig prints the flags of the selected command with their values, without
// passwords, and where each is from.
func printConfig(std streams, k *kong.Context) {
	given := map[*kong.Flag]bool{}
	for _, p := range k.Path {
		if p.Flag != nil {
			given[p.Flag] = true
		}
	}
	for _, f := range k.Selected().Flags {
		if f.Name == "print-config" {
			continue
		}
		source := "default"
		for _, env := range f.Envs {
			if _, set := os.LookupEnv(env); set {
				source = env
			}
		}
		if given[f] {
			source = "flag"
		}
		value := withoutPassword(valueOf(f))
		if strings.HasSuffix(f.Name, "-secret") && value != "" {
			value = "xxxxx"
		}
		fmt.Fprintf(std.out, "--%s=%s\t(%s)\n", f.Name, value, source)
	}
}

func valueOf(f *kong.Flag) string {
	value := fmt.Sprint(f.Target.Interface())
	if f.IsSlice() {
		value = strings.Join(strings.Fields(strings.Trim(value, "[]")), ",")
	}
	return value
}

// withoutPassword removes the user of an address and, from a database's, its settings.
func withoutPassword(value string) string {
	if store.IsPostgres(value) {
		return stateSource(value)
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		return u.Redacted()
	}
	return value
}
