package source

import (
	"io/fs"
	"syscall"
)

// statusOf takes what the system told of a file. The time of change is that of the
// file or of what is known of it: nobody can set it back.
func statusOf(info fs.FileInfo) status {
	s := status{size: info.Size(), modified: info.ModTime().UnixNano(), info: info}
	s.changed = s.modified
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s.changed = sys.Ctim.Nano()
		s.device, s.inode, s.info = uint64(sys.Dev), sys.Ino, nil //nolint:unconvert // it is smaller on some machines
	}
	return s
}
