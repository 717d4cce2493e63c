//go:build !linux && !darwin

package source

import "io/fs"

// statusOf returns the status of a file. This system has no time of change.
func statusOf(info fs.FileInfo) status {
	t := info.ModTime().UnixNano()
	return status{size: info.Size(), modified: t, changed: t, info: info}
}
