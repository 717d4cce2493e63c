//go:build !linux && !darwin

package source

import "io/fs"

// statusOf takes what the system told of a file. Nothing better than the time of
// modification is to be had here.
func statusOf(info fs.FileInfo) status {
	t := info.ModTime().UnixNano()
	return status{size: info.Size(), modified: t, changed: t, info: info}
}
