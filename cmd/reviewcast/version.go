package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version overrides the version of the build information:
//
//	go build -ldflags "-X main.version=v1.2.3" ./cmd/reviewcast
var version string

// programVersion describes this build, such as "reviewcast v1.2.3 go1.26.0 linux/amd64".
// The version of a build from a checkout is made of its commit by the go command.
func programVersion() string {
	v := version
	if info, ok := debug.ReadBuildInfo(); v == "" && ok {
		v = info.Main.Version
	}
	if v == "" {
		v = "(devel)"
	}
	return fmt.Sprintf("reviewcast %s %s %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

type versionCmd struct{}

func (c *versionCmd) Help() string {
	return `Example:
  reviewcast version`
}

// Run prints the version.
func (c *versionCmd) Run(std streams) error {
	_, err := fmt.Fprintln(std.out, programVersion())
	return err
}
