package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

// database is a PostgreSQL server of its own behind a proxy.
type database struct {
	*testing.T
	bin, dir, port, proxy string
	as                    *syscall.SysProcAttr
	cut                   sync.RWMutex // locked: nothing passes
}

func startPostgres(t *testing.T) *database {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_ctl") // the pattern is valid
	owner, err := user.Lookup("postgres")
	if len(found) == 0 || err != nil || os.Getuid() != 0 {
		if os.Getenv("TEST_POSTGRES_URL") != "" { // as in CI, where nothing may be left out
			t.Fatal("needs PostgreSQL's programs and root")
		}
		t.Skip("needs PostgreSQL's programs and root")
	}
	uid, _ := strconv.Atoi(owner.Uid) // numbers on Linux
	gid, _ := strconv.Atoi(owner.Gid)
	dir, err := os.MkdirTemp("", "faults-")
	if err != nil || os.Chown(dir, uid, gid) != nil {
		t.Fatal("no directory for the database")
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	_ = free.Close()
	db := &database{T: t, bin: filepath.Dir(found[0]), dir: dir, port: port,
		as: &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}}
	db.control("initdb", "-o", "--auth=trust --username=postgres --no-sync")
	db.start()
	t.Cleanup(func() { db.control("stop", "-m", "immediate") })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	db.proxy = l.Addr().String()
	go db.forward(l)
	return db
}

func (db *database) start() {
	db.control("start", "-w", "-o", fmt.Sprintf("-p %s -k %s -c listen_addresses=127.0.0.1 -c fsync=off", db.port, db.dir))
}

func (db *database) control(command string, args ...string) {
	cmd := exec.Command(filepath.Join(db.bin, "pg_ctl"), append([]string{command, "-D", filepath.Join(db.dir, "data"), "-s", "-l", filepath.Join(db.dir, "log")}, args...)...)
	cmd.Dir, cmd.SysProcAttr = db.dir, db.as
	if out, err := cmd.CombinedOutput(); err != nil {
		db.Errorf("pg_ctl %s: %v %s", command, err, out)
	}
}

func (db *database) forward(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer client.Close()
			db.cut.RLock()
			server, err := net.Dial("tcp", "127.0.0.1:"+db.port)
			db.cut.RUnlock()
			if err != nil {
				return
			}
			defer server.Close()
			go func() { _ = db.pass(client, server); _ = client.Close() }()
			_ = db.pass(server, client)
		}()
	}
}

// pass copies until one end closes.
func (db *database) pass(to, from net.Conn) error {
	for buf := make([]byte, 32<<10); ; {
		n, err := from.Read(buf)
		db.cut.RLock()
		_, werr := to.Write(buf[:n])
		db.cut.RUnlock()
		if err != nil || werr != nil {
			return err
		}
	}
}
