//go:build !linux && !darwin

package source

import (
	"io/fs"
	"time"
)

// changeTime is the time of modification, where nothing better is told.
func changeTime(info fs.FileInfo) time.Time { return info.ModTime() }
