package store_test

import (
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"reviewcast/bench/storetest"
	"reviewcast/edge/hub/store"
)

// lossyProxy forwards connections to a server. While lossy, it closes a connection instead
// of forwarding an answer.
func lossyProxy(t *testing.T, server string) (address string, lossy *atomic.Bool) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	lossy = &atomic.Bool{}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				continue
			}
			go func() { _, _ = io.Copy(upstream, client); upstream.Close() }()
			go func() {
				defer client.Close()
				for buf := make([]byte, 64<<10); ; {
					n, err := upstream.Read(buf)
					if err != nil || lossy.Load() {
						return
					}
					if _, err := client.Write(buf[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String(), lossy
}

// A claim whose answer was lost is released by its owner, which goes on at once.
func TestLostClaim(t *testing.T) {
	state, err := url.Parse(storetest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	address, lossy := lossyProxy(t, state.Host)
	state.Host = address
	s, err := store.Open(t.Context(), state.String(), store.Options{Exclusive: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	b := rig{t, s}
	b.publish(1, "a")
	b.heartbeat("me", noon)
	for _, host := range []string{"a", "b"} {
		b.subscribe("https://"+host+".example/", "", noon)
	}
	b.publish(2, "b")
	held := store.Claim{Owner: "me", WorkKey: store.WorkKey{Topic: topic, Pace: store.New}, SHA256: "b", Limit: 1}
	if claimed, err := s.ClaimDeliveries(t.Context(), noon, held); err != nil || len(claimed) != 1 {
		t.Fatal(len(claimed), err)
	}
	b.request(ask(store.ModeSubscribe, "https://c.example/", ""), noon)

	lossy.Store(true)
	if claimed, err := s.ClaimDeliveries(t.Context(), noon, held); err == nil {
		t.Fatalf("claimed %d without an answer", len(claimed))
	}
	if _, err := s.ClaimVerifications(t.Context(), noon, "me", nil, 10); err == nil {
		t.Fatal("claimed a verification without an answer")
	}
	lossy.Store(false)
	later := noon.Add(2 * time.Second)
	if claimed := b.claim("me", "b", later); len(claimed) != 1 { // and not the one that is held
		t.Errorf("%d deliveries are due after a lost claim, want 1", len(claimed))
	}
	if claimed := b.claimVerifications(later); len(claimed) != 1 {
		t.Errorf("%d verifications are due after a lost claim, want 1", len(claimed))
	}
}
