package source

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime is when the file or what is known of it last changed. Nobody can
// set it back, unlike the time of modification.
func changeTime(info fs.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctimespec.Unix())
	}
	return info.ModTime()
}
