package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// waits sends lines and then says nothing until the request is cancelled.
func waits(lines ...string) func(context.Context, http.ResponseWriter) {
	return func(ctx context.Context, w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, lines...)
		<-ctx.Done()
	}
}

func TestT102DisconnectCancelsTheEngineAtOnce(t *testing.T) {
	for _, c := range []struct{ name, model, request string }{
		{"between frames", "", ask(streaming)},
		{"in a held call", ", parser: hermes, parser_version: 1", ask(streaming + `,"tools":[{"type":"function","function":{"name":"f"}}]`)},
		{"without streaming", "", ask("")},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := engine(t, waits(text("One moment. "), text(`<tool_call>{"name":"f","argu`)))
			h := serve(t, u.URL, c.model, "")
			ctx, leave := context.WithCancel(t.Context())
			if strings.Contains(c.request, streaming) {
				resp := h.post(t, ctx, c.request)
				readUntil(t, resp.Body, "One moment. ")
			} else {
				r, _ := http.NewRequestWithContext(ctx, http.MethodPost, h.address+"/v1/chat/completions", strings.NewReader(c.request))
				done := make(chan struct{})
				go func() {
					defer close(done)
					if resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r); err == nil {
						resp.Body.Close()
					}
				}()
				defer func() { <-done }()
				eventually(t, "the engine is asked", func() bool { return len(u.requests()) == 1 })
			}
			leave()
			select {
			case <-u.gone:
			case <-time.After(time.Until(patience(t))):
				t.Error("the engine's request was not cancelled")
			}
			eventually(t, "the gauge goes back", func() bool {
				_, body := h.get(t, "/metrics")
				return strings.Contains(body, `turnkey_requests_running{model="m"} 0`) && strings.Contains(body, `status="499"} 1`)
			})
			if log := h.log.String(); !strings.Contains(log, "client_cancelled=true") || strings.Contains(log, "level=ERROR") {
				t.Errorf("log: %s", log)
			}
		})
	}
}

func TestT104KeepAlive(t *testing.T) {
	h := serve(t, engine(t, waits(text("One moment. "))).URL, "", "timeouts: {keepalive: 20ms, idle: 250ms}\n")
	body := all(t, h.post(t, t.Context(), ask(streaming)))
	if n := strings.Count(body, "\n: keep-alive\n\n"); n < 3 {
		t.Errorf("%d comments in %s", n, body)
	}
	if !strings.Contains(body, `"error":{`) || !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Errorf("the comments held off the inactivity timer: %s", body)
	}
}

func TestSlowClientSlowsTheEngine(t *testing.T) {
	var sent atomic.Int64
	u := engine(t, func(ctx context.Context, w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		line := text(strings.Repeat("x", 32<<10))
		for ctx.Err() == nil {
			event(w, line)
			sent.Add(int64(len(line)))
		}
	})
	h := serve(t, u.URL, "", "timeouts: {write: 400ms}\n")
	h.post(t, t.Context(), ask(streaming)) // and never reads
	select {
	case <-u.gone:
	case <-time.After(time.Until(patience(t))):
		t.Error("the engine's request went on")
	}
	if n := sent.Load(); n > 48<<20 {
		t.Errorf("%d bytes were taken from the engine for a client that reads nothing", n)
	}
}

func TestDrainingLetsStreamsEnd(t *testing.T) {
	goOn := make(chan struct{})
	h := serve(t, engine(t, func(_ context.Context, w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, text("first"))
		<-goOn
		event(w, text("last"), stopped, "[DONE]")
	}).URL, "", "")
	resp := h.post(t, t.Context(), ask(streaming))
	readUntil(t, resp.Body, "first")
	h.stop()
	eventually(t, "draining", h.draining.Load)
	close(goOn)
	readUntil(t, resp.Body, "[DONE]")
	if err := <-h.served; err != nil {
		t.Error(err)
	}
	close(h.served)
}

func TestDrainingEnds(t *testing.T) {
	u := engine(t, waits(text("first")))
	h := serve(t, u.URL, "", "timeouts: {drain: 50ms}\n")
	resp := h.post(t, t.Context(), ask(streaming))
	readUntil(t, resp.Body, "first")
	h.stop()
	<-u.gone
	if err := <-h.served; err != nil {
		t.Error(err)
	}
	close(h.served)
}

// TestDrainingTellsWhoIsCutOff: the server ends these, not their clients.
func TestDrainingTellsWhoIsCutOff(t *testing.T) {
	h := serve(t, engine(t, waits(text("first"))).URL, "", "timeouts: {drain: 50ms}\n")
	resp := h.post(t, t.Context(), ask(streaming))
	readUntil(t, resp.Body, "first")
	whole := make(chan string)
	go func() {
		resp := h.post(t, t.Context(), ask(""))
		whole <- resp.Status + all(t, resp)
	}()
	eventually(t, "the second request runs", func() bool { return h.running.Load() == 2 })
	h.stop()
	if body := all(t, resp); !strings.Contains(body, `"code":"stopping"`) || !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Errorf("stream: %s", body)
	}
	if got := <-whole; !strings.HasPrefix(got, "503") || !strings.Contains(got, `"code":"stopping"`) {
		t.Errorf("batch: %s", got)
	}
	if err := <-h.served; err != nil {
		t.Error(err)
	}
	close(h.served)
	if log := h.log.String(); strings.Contains(log, "client_cancelled") || strings.Count(log, "status=503") != 2 {
		t.Errorf("log: %s", log)
	}
}

// TestBodiesThatDoNotCome: a client that never sends what it announced holds no
// connection, whoever was to read it.
func TestBodiesThatDoNotCome(t *testing.T) {
	h := serve(t, "http://127.0.0.1:1", "", "timeouts: {body: 100ms}\n")
	for path, status := range map[string]string{"/v1/chat/completions": " 408 ", "/nothing": " 404 "} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(h.address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{", path)
		_ = conn.SetReadDeadline(patience(t))
		if got, err := io.ReadAll(conn); err != nil || !strings.Contains(string(got), status) {
			t.Errorf("%s: %q %v", path, got, err)
		}
	}
	// The limit is for the body alone.
	h = serve(t, engine(t, func(ctx context.Context, w http.ResponseWriter) {
		time.Sleep(300 * time.Millisecond)
		sends(text("late"), stopped)(ctx, w)
	}).URL, "", "timeouts: {body: 100ms}\n")
	if body := all(t, h.post(t, t.Context(), ask(""))); !strings.Contains(body, "late") {
		t.Errorf("got %s", body)
	}
}

// TestLogsHoldNothingPrivate: engines quote what they are sent.
func TestLogsHoldNothingPrivate(t *testing.T) {
	u := engine(t, func(_ context.Context, w http.ResponseWriter) {
		w.WriteHeader(400)
		fmt.Fprint(w, `{"error":{"message":"bad input: a prompt that is private"}}`)
	})
	h := serve(t, u.URL, "", "log: {level: debug}\n")
	if body := all(t, h.post(t, t.Context(), ask(""))); !strings.Contains(body, "a prompt that is private") {
		t.Errorf("the client is not told: %s", body)
	}
	eventually(t, "the log tells of the request", func() bool { return strings.Contains(h.log.String(), `error="the engine answered with status 400"`) })
	if log := h.log.String(); strings.Contains(log, "private") || strings.Contains(log, "level=ERROR") {
		t.Errorf("log: %s", log)
	}
	failing := engine(t, sends(text("said"), `{"error":{"message":"rank 3 `+strings.Repeat("long ", 1000)+`","code":500}}`))
	for setting, says := range map[string]bool{"": false, ", engine_errors: true": true} {
		h := serve(t, failing.URL, "", "log: {level: debug"+setting+"}\n")
		all(t, h.post(t, t.Context(), ask(streaming)))
		eventually(t, "the log tells of the request", func() bool { return strings.Contains(h.log.String(), "the engine reported an error") })
		if log := h.log.String(); len(log) > 2000 || !strings.Contains(log, "level=ERROR") || strings.Contains(log, "rank 3") != says || strings.Contains(log, "private") {
			t.Errorf("log: %s", log)
		}
		// The headers said 200; what became of it is another thing.
		if _, body := h.get(t, "/metrics"); !strings.Contains(body, `mode="stream",model="m",route="pass",status="500"} 1`) {
			t.Error("the metrics call it a success")
		}
	}
}

func TestEarlyFailuresBecomeAStatus(t *testing.T) {
	u := engine(t, sends(`{"error":{"message":"x","code":503}}`))
	if resp := serve(t, u.URL, "", "timeouts: {early: 5s}\n").post(t, t.Context(), ask(streaming)); resp.StatusCode != 503 {
		t.Errorf("%d %s", resp.StatusCode, all(t, resp))
	}
	if resp := serve(t, u.URL, "", "").post(t, t.Context(), ask(streaming)); resp.StatusCode != 200 {
		t.Errorf("%d %s", resp.StatusCode, all(t, resp))
	}
	// A wait that passes commits the headers.
	h := serve(t, engine(t, waits()).URL, "", "timeouts: {early: 20ms}\n")
	if resp := h.post(t, t.Context(), ask(streaming)); resp.StatusCode != 200 {
		t.Errorf("%d", resp.StatusCode)
	}
}

func TestOverload(t *testing.T) {
	u := engine(t, waits(text("first")))
	h := serve(t, u.URL, "", "limits: {requests: 1}\noverload_status: 503\n")
	resp := h.post(t, t.Context(), ask(streaming))
	readUntil(t, resp.Body, "first")
	second := h.post(t, t.Context(), ask(streaming))
	if body := all(t, second); second.StatusCode != 503 || !strings.Contains(body, "limits.requests") || second.Header.Get("Retry-After") != "1" {
		t.Errorf("%d %v %s", second.StatusCode, second.Header, body)
	}
	if status, _ := h.get(t, "/readyz"); status != 200 {
		t.Errorf("readyz: %d", status)
	}
}

func TestWhatOperatorsSee(t *testing.T) {
	h := serve(t, engine(t, sends(answer...)).URL, ", parser: hermes", "log: {level: debug}\n")
	resp := h.post(t, t.Context(), ask(streaming+`,"tools":[{"type":"function","function":{"name":"read_meter"}}]`),
		"X-Turnkey-Debug", "1", "Authorization", "Bearer client-secret")
	all(t, resp)
	if r, m := resp.Header.Get("X-Turnkey-Route"), resp.Header.Get("X-Turnkey-Module"); r != "unified" || !strings.HasPrefix(m, "hermes@") {
		t.Errorf("route %q, module %q", r, m)
	}
	all(t, h.post(t, t.Context(), ask(`,"bad`)))
	eventually(t, "the log tells of the requests", func() bool { return strings.Count(h.log.String(), "msg=request") == 2 })
	log := h.log.String()
	if !strings.Contains(log, "route=unified") || !strings.Contains(log, "model=m") {
		t.Errorf("log: %s", log)
	}
	for _, private := range []string{"prompt that is private", "Meter", "Wait.", "read_meter", "secret"} {
		if strings.Contains(log, private) {
			t.Errorf("%q in the log: %s", private, log)
		}
	}
	for path, want := range map[string][]string{
		"/healthz": {"ok"},
		"/readyz":  {"ready"},
		"/metrics": {`turnkey_requests_total{mode="stream",model="m",route="unified",status="200"} 1`, `turnkey_requests_total{mode="",model="",route="",status="400"} 1`,
			"turnkey_first_chunk_seconds", "turnkey_tokens_total", "go_goroutines"},
		"/v1/models":   {`"object":"list"`, `"id":"m"`, `"module":"hermes"`, `"engine":"native"`, `"parser_version":"auto"`},
		"/v1/models/m": {`"id":"m"`},
	} {
		status, body := h.get(t, path)
		for _, w := range want {
			if status != 200 || !strings.Contains(body, w) {
				t.Errorf("%s: %d, does not say %s: %s", path, status, w, body)
			}
		}
	}
	slashed := serve(t, "http://127.0.0.1:1", "", "models: [{name: a/b c}]\n")
	for _, path := range []string{"a/b%20c", "a%2Fb%20c"} {
		if status, body := slashed.get(t, "/v1/models/"+path); status != 200 || !strings.Contains(body, `"id":"a/b c"`) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, body := h.get(t, "/v1/models/a/b"); status != 404 || !strings.Contains(body, "model_not_found") {
		t.Errorf("%d %s", status, body)
	}
}

func TestOfficialClientListsModels(t *testing.T) {
	h := serve(t, "http://127.0.0.1:1", ", parser: hermes", "")
	client := h.client()
	page, err := client.Models.List(t.Context())
	if err != nil || len(page.Data) != 1 || page.Data[0].ID != "m" {
		t.Errorf("%v %v", page, err)
	}
	if m, err := client.Models.Get(t.Context(), "m"); err != nil || m.ID != "m" {
		t.Errorf("%v %v", m, err)
	}
}
