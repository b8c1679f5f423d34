package main

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/turnkey-parsers/turnkey/host/scenario"
	"github.com/turnkey-parsers/turnkey/plugins"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"turnkey": main})
}

// TestScripts runs the commands as their users do.
func TestScripts(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { taken.Close() }) // the scripts run after this function has returned
	// All share the user's cache of compiled modules: compiling them is slow, and
	// slower by ten times with the race detector.
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("TAKEN", taken.Addr().String())
			e.Setenv("XDG_CACHE_HOME", cache)
			return nil
		},
	})
}

// TestScenarios runs every scenario on both engines: ENGINE/FILE/NAME.
func TestScenarios(t *testing.T) {
	names, err := filepath.Glob("../../scenario/testdata/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, engine := range []string{engineNative, engineWasm} {
		t.Run(engine, func(t *testing.T) {
			if engine == engineWasm && len(plugins.Names()) == 0 {
				t.Fatal("no modules are built: run make modules")
			}
			r, err := openRegistry(t.Context(), engine, "", "", true, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.Close(context.Background()) }) // the scenarios run in parallel
			for _, name := range names {
				f, err := scenario.Load(name)
				if err != nil {
					t.Fatal(err)
				}
				t.Run(strings.TrimSuffix(f.Name, ".json"), func(t *testing.T) { runEachScenario(t, f, serverStarter(r, nil)) })
			}
		})
	}
}

func runEachScenario(t *testing.T, f *scenario.File, start scenario.Start) {
	for i := range f.Scenarios {
		one := &scenario.File{Name: f.Name, Scenarios: f.Scenarios[i : i+1]}
		t.Run(f.Scenarios[i].Name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			runner := scenario.Runner{Start: start}
			if passed, _ := runner.Run(context.Background(), []*scenario.File{one}, &out); passed != 1 {
				t.Error(out.String())
			}
		})
	}
}

// patience is until when a test may wait for what has to come: a busy machine
// decides nothing.
func patience(t *testing.T) time.Time {
	if end, ok := t.Deadline(); ok {
		return end.Add(-10 * time.Second)
	}
	return time.Now().Add(10 * time.Minute)
}

// TestDemonstration serves without a configuration and does what it says.
func TestDemonstration(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, errs locked
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--log-level", "warn"}, nil, &out, &errs)
	}()
	for end := patience(t); strings.Count(out.String(), "\n") < 4; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not served: %s%s", out.String(), errs.String())
		}
	}
	curl := regexp.MustCompile(`(?m)^  curl -sN? (\S+) -H '(\S+): (\S+)' -d '(.*)'$`)
	tries := curl.FindAllStringSubmatch(out.String(), -1)
	if len(tries) != 2 {
		t.Fatalf("no two lines to try: %s", out.String())
	}
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, try := range tries {
		at := strings.TrimPrefix(strings.TrimSuffix(try[1], "/v1/chat/completions"), "http://")
		if line := strings.TrimSpace(strings.Replace(try[0], at, "127.0.0.1:8080", 1)); !strings.Contains(string(readme), line) {
			t.Errorf("the README does not show\n%s", line)
		}
	}
	for i, want := range [][]string{
		{`"reasoning_content":"`, `"content":"`, `"name":"get_weather"`, `"finish_reason":"tool_calls"`, "data: [DONE]"},
		{`"object":"chat.completion"`, `"reasoning_content":"`, `"name":"get_weather"`, `"finish_reason":"tool_calls"`, `"usage":{`},
	} {
		resp, err := http.Post(tries[i][1], tries[i][3], strings.NewReader(tries[i][4]))
		if err != nil {
			t.Fatal(err)
		}
		var body bytes.Buffer
		if _, err := body.ReadFrom(resp.Body); err != nil {
			t.Error(err)
		}
		resp.Body.Close()
		for _, w := range want {
			if !strings.Contains(body.String(), w) {
				t.Errorf("try %d: no %s in %s", i, w, body.String())
			}
		}
		if strings.Contains(body.String(), "<|tool") || strings.Contains(body.String(), "<tool_call>") || strings.Contains(body.String(), "think>") {
			t.Errorf("try %d: markup in %s", i, body.String())
		}
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
	if code := <-ended; code != 0 || errs.String() != "" {
		t.Errorf("exit %d: %s", code, errs.String())
	}
}

// locked is a buffer that may be read while it is written.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestCutText(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"", 0, ""}, {"", 2, ""}, {"abcde", 2, "ab|cd|e"}, {"añb", 2, "añ|b"}, {"ññ", 1, "ñ|ñ"}, {"abc", 0, "abc"}, {"ab", 2, "ab"}} {
		if got := strings.Join(cutText(c.text, c.n), "|"); got != c.want {
			t.Errorf("%q by %d: got %q, want %q", c.text, c.n, got, c.want)
		}
	}
	if os.Getenv("TURNKEY_CONFIG") != "" {
		t.Error("TURNKEY_CONFIG is set: TestDemonstration would not serve the demonstration")
	}
}
