package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestAFewSwaps is the program in small.
func TestAFewSwaps(t *testing.T) {
	var out strings.Builder
	c := config{swaps: 6, warm: 4, streams: 6, pause: 2 * time.Millisecond}
	if err := c.swapWhileStreaming(context.Background(), &out); err != nil && !strings.Contains(err.Error(), "memory") {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "\nfailed streams 0\n") {
		t.Error(out.String())
	}
}
