package process

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/process"
)

// The test binary is the parser process too: the host starts it with the
// handshake's cookie.
func TestMain(m *testing.M) {
	if os.Getenv(process.Handshake.MagicCookieKey) != "" {
		process.Serve(&sdk.Module{
			Manifest: `{"abi":"1.0","module":"shouter","version":"1.0.0","parsers":[{"name":"shouter","kind":"unified"}]}`,
			New:      func(*abi.OpenBlock) sdk.Parser { return &shouter{} },
			Constraint: func(s *abi.OpenBlock) []byte {
				return []byte(fmt.Sprintf(`{"scope":"calls","structural_tag":{"tools":%d}}`, len(s.Tools)))
			},
		})
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("os/exec.(*Cmd).watchCtx"))
}

// shouter takes words up to a "." as text, and the rest as reasoning. Some words
// are its end.
type shouter struct{ thinking bool }

func (p *shouter) Step(w *sdk.Window) {
	switch s := string(w.Bytes()); {
	case strings.Contains(s, "PANIC"):
		panic("told to")
	case strings.Contains(s, "EXIT"):
		os.Exit(3)
	case strings.Contains(s, "LOOP"):
		for {
			time.Sleep(time.Millisecond)
		}
	}
	if p.thinking {
		w.Reasoning(w.Len())
		return
	}
	if before, _, found := strings.Cut(string(w.Bytes()), "."); found {
		w.Text(len(before))
		w.Skip(1)
		p.thinking = true
		w.Reasoning(w.Len())
		return
	}
	w.Text(w.Len())
}

// startProcess runs this test program as a parser process.
func startProcess(t *testing.T, change func(*Config)) *Process {
	t.Helper()
	cfg := Config{Command: []string{os.Args[0]}, CallTimeout: time.Minute}
	if change != nil {
		change(&cfg)
	}
	p, err := Start(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// openSession opens a session of the parser shouter.
func openSession(t *testing.T, p *Process) *Session {
	t.Helper()
	s, _, err := p.Open(&abi.OpenBlock{Parser: "shouter"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// pushAndRender runs the pushes and tells what was answered: kind, span, end.
func pushAndRender(t *testing.T, s *Session, off *abi.RawOffset, pushes ...string) string {
	t.Helper()
	var out []string
	for _, push := range pushes {
		a, err := s.Push(*off, 0, []byte(push))
		if err != nil {
			t.Fatalf("push %q: %v", push, err)
		}
		*off += abi.RawOffset(len(push))
		for _, e := range a.Events {
			out = append(out, fmt.Sprintf("%d[%d+%d]%d", e.Kind, e.Start, e.Len, e.End))
		}
	}
	return strings.Join(out, " ")
}

func TestASessionAnswersLikeANativeOne(t *testing.T) {
	p := startProcess(t, nil)
	if got := p.Manifest().Module; got != "shouter" {
		t.Errorf("module %q", got)
	}
	var off abi.RawOffset
	s := openSession(t, p)
	if got, want := pushAndRender(t, s, &off, "one", " two.th", "ree"), "1[0+3]3 1[3+4]8 2[8+2]10 2[10+3]13"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if a, err := s.Finish(off, abi.FinishLength); err != nil || len(a.Events) != 0 {
		t.Errorf("finish: %v, %v", a, err)
	}
	c, err := p.Constraint(context.Background(), &abi.OpenBlock{Tools: []string{"a", "b"}})
	if err != nil || string(c) != `{"scope":"calls","structural_tag":{"tools":2}}` {
		t.Errorf("constraint %s, %v", c, err)
	}
}

func TestAPanicEndsItsOwnSessionOnly(t *testing.T) {
	p := startProcess(t, nil)
	var off abi.RawOffset
	neighbour, guilty := openSession(t, p), openSession(t, p)
	pushAndRender(t, neighbour, &off, "calm.")
	_, err := guilty.Push(0, 0, []byte("PANIC"))
	var fault *Fault
	if !errors.As(err, &fault) || fault.Module != "shouter" || fault.Call != "push" || !strings.Contains(err.Error(), "panicked") {
		t.Errorf("the fault: %v", err)
	}
	if _, err := guilty.Push(5, 0, []byte("more")); !errors.As(err, &fault) {
		t.Errorf("a session goes on after its fault: %v", err)
	}
	if got := pushAndRender(t, neighbour, &off, "on"); got != "2[5+2]7" {
		t.Errorf("the neighbour: %s", got)
	}
}

func TestANeighbourDoesNotNoticeTheEndOfTheProcess(t *testing.T) {
	for word, timeout := range map[string]time.Duration{
		"EXIT": time.Minute,
		"LOOP": 3 * time.Second, // is waited for; a busy machine must answer the other calls in it
	} {
		t.Run(word, func(t *testing.T) {
			p := startProcess(t, func(c *Config) { c.CallTimeout = timeout })
			var off abi.RawOffset
			neighbour, guilty := openSession(t, p), openSession(t, p)
			pushAndRender(t, neighbour, &off, "calm", ".")
			var fault *Fault
			if _, err := guilty.Push(0, 0, []byte(word)); !errors.As(err, &fault) {
				t.Fatalf("the fault: %v", err)
			}
			waitForExit(t, neighbour)
			if got := pushAndRender(t, neighbour, &off, "on"); got != "2[5+2]7" {
				t.Errorf("the neighbour: %s", got)
			}
			var fresh abi.RawOffset
			if got := pushAndRender(t, openSession(t, p), &fresh, "new"); got != "1[0+3]3" {
				t.Errorf("a new session: %s", got)
			}
		})
	}
}

func TestALongSessionEndsWithItsProcess(t *testing.T) {
	p := startProcess(t, func(c *Config) { c.ReplayBytes = 8 })
	var off abi.RawOffset
	long, guilty := openSession(t, p), openSession(t, p)
	pushAndRender(t, long, &off, "a text of more than eight bytes")
	_, _ = guilty.Push(0, 0, []byte("EXIT"))
	waitForExit(t, long)
	if _, err := long.Push(off, 0, []byte("x")); !errors.Is(err, errLost) {
		t.Errorf("got %v, want %v", err, errLost)
	}
}

// waitForExit waits until the host has noticed that the process of s is gone.
func waitForExit(t *testing.T, s *Session) {
	t.Helper()
	for range 500 {
		if s.run.client.Exited() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the process did not exit")
}

func TestChecksum(t *testing.T) {
	file, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		t.Fatal(err)
	}
	startProcess(t, func(c *Config) { c.SHA256 = hex.EncodeToString(hash.Sum(nil)) })
	for name, sum := range map[string]string{
		"of another file": strings.Repeat("00", sha256.Size),
		"no digest":       "12ab",
	} {
		if _, err := Start(context.Background(), Config{Command: []string{os.Args[0]}, SHA256: sum}); err == nil {
			t.Errorf("%s: the process was started", name)
		}
	}
}

func TestTheHostsEnvironmentStaysWithTheHost(t *testing.T) {
	t.Setenv("TURNKEY_TEST_SECRET", "s3cret")
	p := startProcess(t, nil)
	cfg, err := p.clientConfig()
	if err != nil {
		t.Fatal(err)
	}
	if !cfg.SkipHostEnv || strings.Contains(strings.Join(cfg.Cmd.Env, " "), "s3cret") {
		t.Errorf("environment %v, skip %v", cfg.Cmd.Env, cfg.SkipHostEnv)
	}
}

func TestStartErrorsNameTheCommand(t *testing.T) {
	for _, command := range [][]string{{"/no/such/parser"}, {"true"}, nil} {
		_, err := Start(context.Background(), Config{Command: command})
		if err == nil {
			t.Errorf("%v was started", command)
			continue
		}
		if len(command) > 0 && !strings.Contains(err.Error(), command[0]) {
			t.Errorf("%v: %v", command, err)
		}
	}
}

func TestAClosedProcessSaysSo(t *testing.T) {
	p := startProcess(t, nil)
	p.Close()
	if _, _, err := p.Open(&abi.OpenBlock{Parser: "shouter"}); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func FuzzDecodeAnswer(f *testing.F) {
	f.Add([]byte(process.AppendAnswer(nil, abi.Answer{Events: []abi.Event{{Kind: abi.Text, Len: 3, End: 3}}, Literals: []byte("x")})))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := process.DecodeAnswer(b, nil)
		if err == nil && string(process.AppendAnswer(nil, a)) != string(b) {
			t.Errorf("%x came back otherwise", b)
		}
	})
}

func BenchmarkPush16(b *testing.B) {
	p, err := Start(context.Background(), Config{Command: []string{os.Args[0]}, ReplayBytes: 1})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	s, _, err := p.Open(&abi.OpenBlock{Parser: "shouter"})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ReportAllocs()
	var off abi.RawOffset
	for b.Loop() {
		if _, err := s.Push(off, 0, []byte("sixteen bytes of")); err != nil {
			b.Fatal(err)
		}
		off += 16
	}
}
