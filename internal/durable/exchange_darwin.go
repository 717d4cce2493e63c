package durable

import "golang.org/x/sys/unix"

// exchange swaps two directories in one step: renamex_np with RENAME_SWAP, on APFS.
func exchange(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
