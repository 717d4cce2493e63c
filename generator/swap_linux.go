package generator

import "golang.org/x/sys/unix"

// exchange swaps two names in one step: renameat2 with RENAME_EXCHANGE, since
// Linux 3.15. Some network file systems don't have it, and a mount point can't
// be renamed.
func exchange(a, b string) error {
	return swapError(unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE))
}
