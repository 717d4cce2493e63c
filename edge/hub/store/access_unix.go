//go:build unix

package store

import "syscall"

// writable returns an error unless a file may be written. It also detects read-only file systems and immutable files.
// Opening the file instead would, when it is closed, drop the locks that SQLite holds on it.
func writable(file string) error { return syscall.Access(file, 2) } // W_OK
