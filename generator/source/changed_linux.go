package source

import (
	"io/fs"
	"syscall"
)

// changed returns the time of the last change of the inode, which nobody can set back.
func changed(info fs.FileInfo) int64 {
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		return sys.Ctim.Nano()
	}
	return 0
}
