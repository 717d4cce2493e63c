package source

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// quickFolder is an open folder that is listed and read by the system's own calls:
// four for each small file, where package os makes eight. It follows no links and
// gives up at whatever isn't an ordinary file or goes wrong; the caller then takes
// the long way, which knows what to say.
type quickFolder struct {
	*os.File
	fd int
}

// openQuickly opens a folder below a root; ok is false where it can't.
func openQuickly(root *os.Root, name string) (_ *quickFolder, ok bool) {
	f, err := root.Open(name)
	if err != nil {
		return nil, false
	}
	return &quickFolder{f, int(f.Fd())}, true
}

// list gives what is in the folder, sorted by name; ok is false when the file
// system doesn't tell folders from files here.
func (q *quickFolder) list() (entries []listed, ok bool) {
	buf := make([]byte, 64<<10)
	for {
		n, err := unix.ReadDirent(q.fd, buf)
		if err != nil {
			return nil, false
		}
		if n <= 0 {
			break
		}
		// struct linux_dirent64: inode 8 bytes, offset 8, length 2, type 1, name.
		for rest := buf[:n]; len(rest) > 19; {
			length := int(binary.NativeEndian.Uint16(rest[16:]))
			if length < 19 || length > len(rest) {
				return nil, false
			}
			name, _, _ := bytes.Cut(rest[19:length], []byte{0})
			typ, known := direntType[rest[18]]
			rest = rest[length:]
			if string(name) == "." || string(name) == ".." {
				continue
			}
			if !known {
				return nil, false
			}
			entries = append(entries, listed{name: string(name), typ: typ})
		}
	}
	slices.SortFunc(entries, func(a, b listed) int { return strings.Compare(a.name, b.name) })
	return entries, true
}

// direntType are the types that decide how a walk goes on. Whatever else there is
// (pipes, devices) has to be looked at anyway.
var direntType = map[byte]fs.FileMode{unix.DT_REG: 0, unix.DT_DIR: fs.ModeDir, unix.DT_LNK: fs.ModeSymlink, unix.DT_FIFO: fs.ModeNamedPipe, unix.DT_SOCK: fs.ModeSocket}

// status tells the state of an ordinary file.
func (q *quickFolder) status(name string) (_ status, ok bool) {
	var sys unix.Stat_t
	if err := unix.Fstatat(q.fd, name, &sys, unix.AT_SYMLINK_NOFOLLOW); err != nil || sys.Mode&unix.S_IFMT != unix.S_IFREG {
		return status{}, false
	}
	return systemStatus(&sys), true
}

func systemStatus(sys *unix.Stat_t) status {
	return status{size: sys.Size, modified: sys.Mtim.Nano(), changed: sys.Ctim.Nano(), device: uint64(sys.Dev), inode: sys.Ino} //nolint:unconvert // Dev is smaller on some machines
}

// read reads an ordinary file of at most limit bytes into buf, which may be
// replaced by a larger one. The state is that of before the bytes were read, so
// that a change in between shows.
func (q *quickFolder) read(name string, buf []byte, limit int64) (data []byte, s status, ok bool) {
	// No pipe is waited for that comes in the file's place.
	fd, err := unix.Openat(q.fd, name, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return buf, s, false
	}
	defer unix.Close(fd)
	var sys unix.Stat_t
	if err := unix.Fstat(fd, &sys); err != nil || sys.Mode&unix.S_IFMT != unix.S_IFREG || sys.Size > limit {
		return buf, s, false
	}
	// One byte more than the file has, so that one call shows its end.
	buf = slices.Grow(buf[:0], int(sys.Size)+1)
	for buf = buf[:0]; ; {
		n, err := unix.Read(fd, buf[len(buf):cap(buf)])
		if err != nil {
			return buf, s, false
		}
		full := n == cap(buf)-len(buf)
		buf = buf[:len(buf)+max(n, 0)]
		if !full {
			return buf, systemStatus(&sys), true
		}
		if int64(len(buf)) > limit {
			return buf, s, false
		}
		buf = slices.Grow(buf, 4096)
	}
}
