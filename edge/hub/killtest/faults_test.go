package killtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"reviewcast/bench/storetest"
	"reviewcast/edge/hub"
	"reviewcast/edge/hub/store"
)

const secret = "a-long-random-string"

// fault is what is wrong with a subscriber, and how it must be explained.
type fault struct {
	name                string
	rejected            bool // the subscriber never verifies
	begin               func(s *faultRun, host string)
	state, says, remedy string
}

// answers returns a fault of answering every notification with a status.
func answers(status int) func(*faultRun, string) {
	return func(s *faultRun, host string) { s.answer.Store(host, status) }
}

// faults are the twelve of docs/hub-operations.md. The names are those of hosts.
var faults = []fault{
	{"name-gone", false, func(s *faultRun, host string) { s.names.Store(host, "gone") }, "ended", "the host name was not found", "DNS"},
	{"tls", false, func(s *faultRun, host string) { s.names.Store(host, s.plain.Addr().(*net.TCPAddr).IP.String()) }, "ended", "no TLS connection", "TLS 1.2"},
	{"redirect", false, answers(http.StatusFound), "ended", "answered 302 Found", "redirects"},
	{"wrong-challenge", true, answers(http.StatusOK), "rejected", "the body is not the challenge", "hub.challenge"},
	{"5xx", false, answers(http.StatusServiceUnavailable), "ended", "answered 503", "server"},
	{"slow", false, answers(0), "failing", "no answer within 30 s", "30 seconds"},
	{"410", false, answers(http.StatusGone), "ended", "410 Gone", "2xx"},
	{"lease-ended", false, func(*faultRun, string) {}, "ended", "The lease ended", "renew"},
	{"private-address", true, func(s *faultRun, host string) { s.names.Store(host, "10.0.0.1") }, "rejected", "the address is not allowed", "public address"},
	{"body-refused", false, answers(http.StatusRequestEntityTooLarge), "ended", "answered 413", "smaller topic"},
	{"removed", false, func(s *faultRun, host string) { s.remove(host) }, "ended", "An operator", "operator"},
	{"our-outage", false, func(s *faultRun, host string) { s.names.Store(host, "silent") }, "waiting", "the hub could not call", "Nothing"},
}

// faultRun is the state of TestFaults.
type faultRun struct {
	killRun
	edge   *edge
	port   string
	plain  net.Listener // the same port without TLS
	names  sync.Map     // of hosts: an address, "gone" or "silent"; others are 127.0.0.1
	answer sync.Map     // of hosts: the status; 0 is none
}

// TestFaults gives a real edge subscribers with each fault. hub show and the subscriber's own
// request explain it and name its remedy.
func TestFaults(t *testing.T) {
	killRounds(t)
	if os.Getuid() != 0 {
		t.Fatal("KILL_ROUNDS is set, and this test needs root: only root can give a process another name server")
	}
	program := build(t)
	storetest.Each(t, func(t *testing.T, state string) {
		s := &faultRun{killRun: killRun{T: t, program: program, state: state, public: t.TempDir(),
			flags: []string{"--hub-retry", "1s,1s", "--hub-min-lease", "1s"}}}
		s.serve()
		s.publish(1)
		s.edge = s.start()
		s.served(s.edge) // a request before that would be sent the first version
		for _, f := range faults {
			if f.rejected {
				f.begin(s, f.name)
			}
			lease := "3600"
			if f.name == "lease-ended" {
				lease = "10"
			}
			s.post(s.edge, url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic}, "hub.callback": {s.callbackOf(f.name)},
				"hub.secret": {secret}, "hub.lease_seconds": {lease}})
		}
		for _, f := range faults {
			if !f.rejected {
				s.until(f.name+" is subscribed", func() bool { return len(s.ids(f.name)) == 1 || f.name == "lease-ended" && s.explains(f) })
			}
		}
		for _, f := range faults {
			if !f.rejected {
				f.begin(s, f.name)
			}
		}
		s.publish(2)
		for _, f := range faults {
			s.until(f.name+" is explained", func() bool { return s.explains(f) })
		}
	})
}

func (s *faultRun) callbackOf(host string) string {
	return fmt.Sprintf("https://%s.example.com:%s/cb?token=hunter2", host, s.port)
}

// serve starts the subscribers' servers and their name server.
func (s *faultRun) serve() {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)    // without it the server doesn't see the end of the connection
		w.Header().Set("Connection", "close") // names are resolved for each call
		host, _, _ := strings.Cut(r.Host, ".")
		status, faulty := s.answer.Load(host)
		switch {
		case faulty && status == 0:
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		case faulty:
			w.Header().Set("Location", "https://example.com/")
			w.WriteHeader(status.(int))
		case r.Method == http.MethodGet:
			fmt.Fprint(w, r.URL.Query().Get("hub.challenge"))
		}
	}))
	server.StartTLS()
	s.Cleanup(server.Close)
	s.trust(server.Certificate())
	_, s.port, _ = net.SplitHostPort(server.Listener.Addr().String())
	var err error
	if s.plain, err = net.Listen("tcp", "127.0.0.2:"+s.port); err != nil {
		s.Fatal(err)
	}
	go func() { _ = http.Serve(s.plain, http.NotFoundHandler()) }() //nolint:gosec // until the listener is closed
	s.Cleanup(func() { s.plain.Close() })

	dns, err := net.ListenPacket("udp", "127.53.0.53:53")
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { dns.Close() })
	go s.resolve(dns)
	s.resolver = filepath.Join(s.TempDir(), "resolv.conf")
	if err := os.WriteFile(s.resolver, []byte("nameserver 127.53.0.53\noptions timeout:1 attempts:1\n"), 0o644); err != nil { //nolint:gosec // it is public
		s.Fatal(err)
	}
}

// resolve answers questions for addresses (RFC 1035, section 4.1).
func (s *faultRun) resolve(dns net.PacketConn) {
	for buf := make([]byte, 512); ; {
		n, from, err := dns.ReadFrom(buf)
		if err != nil {
			return
		}
		end := 12
		for end < n && buf[end] != 0 {
			end += int(buf[end]) + 1
		}
		if end+5 > n || end == 12 {
			continue
		}
		host := strings.ToLower(string(buf[13 : 13+buf[12]]))
		address, ok := s.names.Load(host)
		if !ok {
			address = "127.0.0.1"
		}
		reply := append([]byte{buf[0], buf[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, buf[12:end+5]...)
		switch ip := net.ParseIP(address.(string)).To4(); {
		case address == "silent":
			continue
		case address == "gone":
			reply[3] |= 3 // NXDOMAIN
		case buf[end+2] == 1: // A; there is no AAAA
			reply[7] = 1
			reply = append(append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4), ip...)
		}
		_, _ = dns.WriteTo(reply, from)
	}
}

// ids returns the ids of a host's subscriptions.
func (s *faultRun) ids(host string) (ids []string) {
	for _, r := range s.list() {
		if r.Callback == s.callbackOf(host) {
			ids = append(ids, fmt.Sprint(r.ID))
		}
	}
	return ids
}

func (s *faultRun) remove(host string) {
	args := append([]string{"hub", "remove", "--state", s.state}, s.ids(host)...)
	if out, err := exec.Command(s.program, args...).CombinedOutput(); err != nil {
		s.Fatalf("remove: %v %s", err, out)
	}
}

var rows = regexp.MustCompile(`(?m)^(what happened|what would help) +(.+)$`)

// explains reports whether hub show and the answer to the subscriber are as the fault demands.
func (s *faultRun) explains(f fault) bool {
	callback := s.callbackOf(f.name)
	out, err := exec.Command(s.program, "hub", "show", callback, "--state", s.state).CombinedOutput()
	shown := rows.FindAllStringSubmatch(string(out), 2)
	request, _ := http.NewRequest(http.MethodGet, "http://"+s.edge.addr+"/api/websub/hub?"+url.Values{"hub.topic": {topic}, "hub.callback": {callback}}.Encode(), nil)
	request.Header.Set("X-Hub-Signature", hub.StatusSignature(store.ProofKey([]byte(secret)), topic, callback, time.Now()))
	response, requestErr := http.DefaultClient.Do(request)
	if err != nil || requestErr != nil || len(shown) != 2 {
		s.Fatalf("%s: %v, %v: %s", f.name, err, requestErr, out)
	}
	defer response.Body.Close()
	var answer struct{ Status []hub.Status }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || len(answer.Status) == 0 {
		return false // its request is not stored yet
	}
	got := answer.Status[0]
	return got.State == f.state && strings.Contains(got.Explanation, f.says) && strings.Contains(got.Remedy, f.remedy) &&
		strings.Contains(shown[0][2], f.says) && strings.Contains(shown[1][2], f.remedy)
}
