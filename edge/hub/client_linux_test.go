package hub

import (
	"net"
	"net/netip"
	"syscall"
	"testing"
)

// The send buffer of a connection is capped: many slow readers of a large topic don't fill
// the kernel's memory.
func TestSendBuffer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dial := guardedDialer(newGuard([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}))
	conn, err := dial(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var size int
	if ctlErr := raw.Control(func(fd uintptr) { size, err = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF) }); ctlErr != nil || err != nil {
		t.Fatal(ctlErr, err)
	}
	if size > 2*sendBuffer { // Linux doubles it
		t.Errorf("%d bytes, want %d", size, 2*sendBuffer)
	}
}
