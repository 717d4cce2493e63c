package main

import (
	"context"
	"errors"
	"io"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestListenErrors: each address that cannot be opened is answered with one that can.
func TestListenErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, test := range []struct {
		addr, want string
		usage      bool
	}{
		{"9000", `^--listen: "9000" is a port without a host; write --listen localhost:9000$`, true},
		{"localhost", `^--listen: "localhost" is a host without a port; write --listen localhost:8080$`, true},
		{"http://localhost:9000", `^--listen: "http://localhost:9000" is a web address; write --listen localhost:9000$`, true},
		{"localhost:99999", `^--listen: "99999" is not a port; write a number up to 65535, such as --listen localhost:8080$`, true},
		{"unix:/run/reviewcast.sock", `^--listen: "unix:/run/reviewcast.sock" is a Unix socket, which is not supported; .*--listen localhost:8080$`, true},
		{"203.0.113.7:8080", `choose an address of this machine, such as --listen localhost:8080$`, false},
		{taken.Addr().String(), `^127\.0\.0\.1:\d+: address already in use, perhaps by another reviewcast; stop that one, or take the next free port: --listen 127\.0\.0\.1:\d+$`, false},
	} {
		l, err := listen(t.Context(), "--listen", test.addr)
		if err == nil {
			l.Close()
			t.Errorf("%s is opened", test.addr)
			continue
		}
		var usage usageError
		if !regexp.MustCompile(test.want).MatchString(err.Error()) || errors.As(err, &usage) != test.usage {
			t.Errorf("%s: %v, want %s", test.addr, err, test.want)
		}
	}
	// The address that is offered can be pasted.
	_, err = listen(t.Context(), "--listen", taken.Addr().String())
	l, err := listen(t.Context(), "--listen", err.Error()[strings.LastIndex(err.Error(), " ")+1:])
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

// TestServeFlags: values that would be taken for others are refused.
func TestServeFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--rate-search NaN":        "--rate-search: NaN is not a rate; write a number such as 100, or 0 for no limit",
		"--rate-mcp=-1":            "--rate-mcp: -1 is not a rate",
		"--hub-subscribe-rate Inf": "--hub-subscribe-rate: +Inf is not a rate",
		"--client-header X:Y":      `--client-header: "X:Y" is not the name of a header; write one such as X-Forwarded-For`,
	} {
		err := run(t.Context(), append([]string{"edge", "--public", t.TempDir()}, strings.Fields(args)...), nil, io.Discard, io.Discard)
		if _, usage := errors.AsType[usageError](err); !usage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

// TestPortFlag: other programs have --port.
func TestPortFlag(t *testing.T) {
	for args, want := range map[string]string{
		"dev --port 9000": "write --listen localhost:9000", "edge --port=9000": "write --listen localhost:9000", "dev -p 9000": "write --listen localhost:9000", "dev --port": "write --listen localhost:8080",
	} {
		err := run(t.Context(), strings.Fields(args), nil, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

// TestInterrupt: a command that is interrupted says so in everyday words.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(binary(t), "init", "content")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Chdir(dir)
	for _, args := range []string{"build --base-url http://localhost:8080", "check", "diff public", "insights explain x"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		err := run(ctx, strings.Fields(args), nil, io.Discard, io.Discard)
		if err == nil || err.Error() != "stopped; no file was changed" {
			t.Errorf("%s: %v", args, err)
		}
	}
}
