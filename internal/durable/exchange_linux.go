package durable

import "golang.org/x/sys/unix"

// exchange swaps two directories in one step: renameat2 with RENAME_EXCHANGE, since Linux 3.15. Some network file
// systems do not support it, and a mount point cannot be renamed.
func exchange(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
