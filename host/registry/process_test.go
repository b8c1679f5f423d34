package registry

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/turnkey-parsers/turnkey/host/process"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// apart is the parser process that the test binary is.
var apart = Process{Name: "apart", Config: process.Config{Command: []string{os.Args[0]}, StartTimeout: time.Hour, CallTimeout: time.Hour}}

func TestAParserProcess(t *testing.T) {
	r, log := open(t, Config{Processes: []Process{apart}, Budget: Budget{Faults: 2, Window: time.Hour, Backoff: time.Hour, MaxBackoff: time.Hour}})
	run(t, r)
	if got := say(t, r, "apart", "one ", "two"); got != "one two" {
		t.Errorf("got %q", got)
	}
	if m := module(t, r, "apart"); m.Live.Engine != EngineProcess || m.Live.Origin != OriginProcess {
		t.Errorf("%+v", m.Live)
	}
	for range 2 {
		k := begin(t, r, "apart").push("a", "!b", "c")
		if got := k.end(); got != "a!bc" || k.fault == nil {
			t.Errorf("got %q, %v", got, k.fault)
		}
	}
	if got := module(t, r, "apart").Live.Faults; got != 2 {
		t.Errorf("%d faults", got)
	}
	eventually(t, "the log", func() bool { return strings.Contains(log.String(), "no version to fall back to") })
	if got := say(t, r, "apart", "a"); got != "a" {
		t.Errorf("after its faults: %q", got)
	}
}

func TestParserProcessesThatCannotBe(t *testing.T) {
	var refused *RefusedError
	if _, err := New(t.Context(), Config{Processes: []Process{apart, apart}}); !errors.As(err, &refused) || refused.Step != StepNames {
		t.Errorf("two of one name: %v", err)
	}
	taken := &sdk.Module{Manifest: strings.ReplaceAll(toy.Manifest, "toy", "apart"), New: toy.New}
	if _, err := New(t.Context(), Config{Linked: []*sdk.Module{taken}, Processes: []Process{apart}}); err == nil || !strings.Contains(err.Error(), "shadow: true") {
		t.Errorf("a built-in module's name: %v", err)
	}
	if _, err := New(t.Context(), Config{Processes: []Process{{Name: "none", Config: process.Config{Command: []string{"/no/such/parser"}}}}}); err == nil || !strings.Contains(err.Error(), "/no/such/parser") {
		t.Errorf("no such file: %v", err)
	}
}
