package terminal

import (
	"bytes"
	"strings"
	"testing"
)

func TestLongLine(t *testing.T) {
	var out bytes.Buffer
	if _, err := NewPrompter(t.Context(), strings.NewReader(strings.Repeat("x", maxAnswer)+"\n"), &out).Text("Text"); err == nil {
		t.Error("a line that a system would have cut passes")
	}
}
