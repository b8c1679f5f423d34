package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// faults are ways of an engine to answer, by a cue in the prompt. The good answers
// have the cue "good".
var faults = map[string]func(ctx context.Context, w http.ResponseWriter){
	"good":    sends(text("Reading. "), text(`<tool_call>{"name":"read_meter",`), text(` "arguments":{"meter":7}}</tool_call>`), stopped),
	"frame":   sends(text("a"), `{"choices":[{"index":0,"delta":{"content":"`),
	"index":   sends(text("a"), `{"choices":[{"index":70000,"delta":{"content":"b"}}]}`),
	"error":   sends(text("<tool_call>"), `{"error":{"message":"rank 3","code":500}}`),
	"late":    sends(stopped, text("late"), stopped),
	"nothing": func(context.Context, http.ResponseWriter) {},
	"status":  func(_ context.Context, w http.ResponseWriter) { w.WriteHeader(503) },
	"silent":  waits(text(`One. <tool_call>{"name":"read_meter","argu`)),
	"mute":    waits(),
	"cut": func(_ context.Context, w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, text("a"))
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = conn.Close()
		}
	},
	"flood": func(ctx context.Context, w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		for line := text(strings.Repeat("<tool ", 1000)); ctx.Err() == nil; {
			event(w, line)
		}
	},
}

// TestFaultsStayWithTheirRequests runs many requests at once, of which most fail
// or are given up by their clients; the others must not notice.
func TestFaultsStayWithTheirRequests(t *testing.T) {
	cues := []string{"good", "frame", "index", "error", "late", "nothing", "status", "silent", "mute", "cut", "flood"}
	u := engine(t, nil)
	u.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for cue, answer := range faults {
			if strings.Contains(string(body), "cue "+cue) {
				answer(r.Context(), w)
			}
		}
	})
	models := `models: [{name: unified, parser: hermes}, {name: jail, parser: hermes, parser_version: 1}, {name: pass}]` + "\n"
	h := serve(t, u.URL, "", "limits: {text_per_choice: 1MB}\n"+models)
	var group sync.WaitGroup
	for i := range 200 {
		cue, model, streamed := cues[i%len(cues)], []string{"unified", "jail", "pass"}[i%3], i%4 != 0
		if i%2 == 0 {
			cue = "good"
		}
		never := cue == "silent" || cue == "mute"
		leaves := never || cue != "good" && i%5 == 0
		group.Go(func() {
			body := fmt.Sprintf(`{"model":%q,"stream":%v,"messages":[{"role":"user","content":"cue %s"}],"tools":[{"type":"function","function":{"name":"read_meter"}}]}`, model, streamed, cue)
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			if never {
				defer time.AfterFunc(time.Duration(i)*time.Millisecond, leave).Stop()
			}
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.address+"/v1/chat/completions", strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			if leaves && i%3 == 0 {
				leave()
			}
			resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
			if err != nil {
				if !leaves {
					t.Error(cue, err)
				}
				return
			}
			defer resp.Body.Close()
			if leaves {
				_, _ = io.CopyN(io.Discard, resp.Body, int64(i%200))
				return
			}
			got := all(t, resp)
			switch {
			case streamed && resp.StatusCode == 200 && !strings.HasSuffix(got, "data: [DONE]\n\n"):
				t.Errorf("%s on %s has no end: %.300q", cue, model, got)
			case strings.Contains(got, "rank 3"), cue == "late" && strings.Contains(got, `"late"`):
				t.Errorf("%s on %s: %.300q", cue, model, got)
			case cue == "good" && model != "pass" && (strings.Count(got, `"read_meter"`) != 1 || strings.Count(got, `Reading. `) != 1 || !strings.Contains(got, `"finish_reason":"tool_calls"`)):
				t.Errorf("a good answer on %s: %q", model, got)
			}
		})
	}
	group.Wait()
	eventually(t, "all requests have ended", func() bool { return h.running.Load() == 0 })
	_, body := h.get(t, "/metrics")
	for _, gauge := range []string{`turnkey_requests_running{model="unified"} 0`, `turnkey_requests_running{model="jail"} 0`, `turnkey_requests_running{model="pass"} 0`} {
		if !strings.Contains(body, gauge) {
			t.Errorf("metrics do not say %s", gauge)
		}
	}
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "turnkey_module_sessions{") && !strings.HasSuffix(line, " 0\n") {
			t.Errorf("parser sessions are left: %s", line)
		}
	}
}
