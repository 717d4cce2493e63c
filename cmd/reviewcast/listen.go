package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
)

// listen opens the address that a flag gives.
func listen(ctx context.Context, flag, addr string) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, listenError(ctx, flag, addr, err)
	}
	return l, nil
}

// wsaAddrInUse is the EADDRINUSE of Windows, which package syscall does not map.
const wsaAddrInUse = syscall.Errno(10048)

// listenError explains why an address cannot be opened and names one that can.
func listenError(ctx context.Context, flag, addr string, err error) error {
	host, port, splitErr := net.SplitHostPort(addr)
	usage := func(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }
	switch {
	case splitErr != nil && isPort(addr):
		return usage("%s: %q is a port without a host; write %s localhost:%s", flag, addr, flag, addr)
	case splitErr != nil && !strings.Contains(addr, ":"):
		return usage("%s: %q is a host without a port; write %s %s:8080", flag, addr, flag, addr)
	case splitErr != nil:
		return usage("%s: %q is not of the form HOST:PORT; write one such as %s localhost:8080", flag, addr, flag)
	case !isPort(port):
		return usage("%s: %q is not a port; write a number up to 65535, such as %s %s", flag, port, flag, net.JoinHostPort(host, "8080"))
	case errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, wsaAddrInUse):
		const message = "%s: address already in use, perhaps by another reviewcast; stop that one"
		if free := nextFree(ctx, host, port); free != "" {
			return fmt.Errorf(message+", or take the next free port: %s %s", addr, flag, free)
		}
		return fmt.Errorf(message+", or choose another port with %s", addr, flag)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("port %s is for administrators only; choose one from 1024 on, such as %s %s", port, flag, net.JoinHostPort(host, "8080"))
	}
	return fmt.Errorf("%w; choose an address of this machine, such as %s localhost:8080", err, flag)
}

func isPort(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}

// maxTries is how many ports after the one in use are tried.
const maxTries = 20

// nextFree returns the next address with the same host whose port is free; "" when
// there is none near.
func nextFree(ctx context.Context, host, port string) string {
	first, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return ""
	}
	var lc net.ListenConfig
	for n := first + 1; n <= min(first+maxTries, 1<<16-1); n++ {
		addr := net.JoinHostPort(host, strconv.FormatUint(n, 10))
		if l, err := lc.Listen(ctx, "tcp", addr); err == nil {
			l.Close()
			return addr
		}
	}
	return ""
}

// localURL returns the base URL of a listener. An address that means every interface
// is reached as localhost.
func localURL(addr net.Addr) string {
	host, port, _ := net.SplitHostPort(addr.String()) // a listener's has both
	if ip := net.ParseIP(host); ip.IsUnspecified() || ip.IsLoopback() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
