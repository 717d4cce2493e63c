package edgetest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"reviewcast"
)

// SearchCall is an agent's search at an edge, without a session.
func SearchCall(edge string, limit int) (*http.Request, error) {
	r, err := http.NewRequest(http.MethodPost, edge+reviewcast.PathMCP, strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call",`+
		`"params":{"name":"search_reviews","arguments":{"limit":%d},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"edgetest","version":"1"}}}}`, limit)))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Method": "tools/call", "Mcp-Name": "search_reviews", "Mcp-Protocol-Version": "2026-07-28"} {
		r.Header.Set(name, value)
	}
	return r, nil
}

// Rand returns the source of a test's random moments. It logs its seed, and takes it from the environment
// variable SEED.
func Rand(t testing.TB) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
