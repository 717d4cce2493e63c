package source

import (
	"io/fs"
	"syscall"
)

// statusOf returns the status of a file. The time of change is that of the inode,
// which nobody can set back.
func statusOf(info fs.FileInfo) status {
	s := status{size: info.Size(), modified: info.ModTime().UnixNano(), info: info}
	s.changed = s.modified
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.changed = sys.Ctim.Nano()
		s.device, s.inode, s.info = uint64(sys.Dev), sys.Ino, nil //nolint:unconvert // it is smaller on some machines
	}
	return s
}
