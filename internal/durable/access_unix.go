//go:build unix

package durable

import "syscall"

// Access returns why a path can't be used with a mode of access(2). It also detects read-only file systems and immutable
// files.
func Access(path string, mode uint32) error { return syscall.Access(path, mode) }
