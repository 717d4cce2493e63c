package generator

import "golang.org/x/sys/unix"

// exchange swaps two names in one step: renamex_np with RENAME_SWAP, on APFS.
func exchange(a, b string) error {
	return swapError(unix.RenamexNp(a, b, unix.RENAME_SWAP))
}
