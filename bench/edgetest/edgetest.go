// Package edgetest runs edges as processes, for tests and benchmarks.
package edgetest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"sync"
)

// Config says which edge to start.
type Config struct {
	Wrap    []string // a command that replaces itself by the one in its last arguments; may be nil
	Program string   // the path of reviewcast
	Dir     string   // its working directory; "" is that of the test
	Args    []string // after `edge --listen 127.0.0.1:0`
	Env     []string // in addition to that of the test
	Log     io.Writer
}

// Follow returns the arguments of an edge that keeps a copy of a site, takes callbacks on this machine and refuses
// no client.
func Follow(origin, copy string) []string {
	return []string{"--origin", origin, "--public", copy, "--hub-allow-cidr", "127.0.0.0/8", "--rate-search", "0", "--rate-mcp", "0"}
}

// Edge is a process that serves.
type Edge struct {
	URL   string // without a slash at the end
	Admin string // the same of --admin-listen; "" without it

	cmd   *exec.Cmd
	log   log
	ended chan struct{} // closed when err is set
	err   error         // of the process
}

// Start starts an edge, and returns when it accepts connections or has ended.
func Start(c Config) (*Edge, error) {
	command := slices.Concat(c.Wrap, []string{c.Program, "edge", "--listen", "127.0.0.1:0"}, c.Args)
	e := &Edge{cmd: exec.Command(command[0], command[1:]...), ended: make(chan struct{})}
	e.log.serving, e.log.copy = make(chan struct{}), c.Log
	e.cmd.Dir, e.cmd.Env, e.cmd.Stderr = c.Dir, append(os.Environ(), c.Env...), &e.log
	if err := e.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		e.err = e.cmd.Wait()
		close(e.ended)
	}()
	select {
	case <-e.log.serving:
		e.URL, e.Admin = e.log.address(servingAt), e.log.address(operatorsAt)
		return e, nil
	case <-e.ended:
		return nil, fmt.Errorf("the edge ended: %w\n%s", e.err, e.Log())
	}
}

// PID is the number of the process.
func (e *Edge) PID() int { return e.cmd.Process.Pid }

// Stop sends a signal, waits for the end of the process, and returns its error.
func (e *Edge) Stop(signal os.Signal) error {
	_ = e.cmd.Process.Signal(signal) // it may have ended
	<-e.ended
	return e.err
}

// Log returns what the edge has logged.
func (e *Edge) Log() string {
	e.log.mu.Lock()
	defer e.log.mu.Unlock()
	return e.log.text.String()
}

// The line of the admin address comes first.
var (
	servingAt   = regexp.MustCompile(`msg=serving addr=(\S+)\n`)
	operatorsAt = regexp.MustCompile(`msg="serving operators" addr=(\S+)\n`)
)

// log keeps what is written to it.
type log struct {
	mu      sync.Mutex
	text    bytes.Buffer
	copy    io.Writer     // receives it, too; may be nil
	serving chan struct{} // closed when the edge serves
	found   bool
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	if !l.found && servingAt.Match(l.text.Bytes()) {
		l.found = true
		close(l.serving)
	}
	if l.copy != nil {
		return l.copy.Write(p)
	}
	return len(p), nil
}

// address returns the URL that a line of the log gives; "" for none.
func (l *log) address(line *regexp.Regexp) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m := line.FindSubmatch(l.text.Bytes()); m != nil {
		return "http://" + string(m[1])
	}
	return ""
}
