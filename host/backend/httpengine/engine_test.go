package httpengine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// engine is a scripted upstream.
func engine(t *testing.T, handler http.HandlerFunc) Config {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	profile, err := backend.ProfileByName("vllm")
	if err != nil {
		t.Fatal(err)
	}
	return Config{BaseURL: server.URL + "/v1", Profile: profile}
}

func sendSSE(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	_, _ = io.WriteString(w, text)
	w.(http.Flusher).Flush()
}

func open(t *testing.T, ctx context.Context, cfg Config) (backend.Stream, error) {
	t.Helper()
	b, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	chat, err := openai.DecodeRequest([]byte(`{"model":"m","messages":[{"role":"user","content":"hi"}],"seed":7}`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.Stream(ctx, &backend.Request{ID: "r1", Chat: chat})
	if err == nil {
		t.Cleanup(s.Close)
	}
	return s, err
}

// read gives the text of all items, and how the answer ended.
func read(s backend.Stream) (text string, err error) {
	for {
		item, err := s.Next()
		if err != nil {
			return text, err
		}
		if item.Data == nil {
			text += fmt.Sprintf("[%s %v]", item.Event, item.Comments)
			continue
		}
		for _, c := range item.Data.Choices {
			text += c.Delta.Content
		}
	}
}

func delta(text string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":null}]}` + "\n\n"
}

// cut breaks the connection.
func cut(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}

const stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop","stop_reason":null}]}` + "\n\n"

func TestAnswer(t *testing.T) {
	var got http.Header
	var body []byte
	cfg := engine(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		body, _ = io.ReadAll(r.Body)
		if r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost {
			t.Errorf("got %s %s", r.Method, r.URL)
		}
		sendSSE(w, ": ping\n\n"+delta("a")+": ping\n\n"+delta("b")+stop+"event: note\n: x\n\ndata: [DONE]\n\n")
	})
	cfg.APIKey = "key"
	s, err := open(t, context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := read(s); text != "ab" || err != io.EOF {
		t.Errorf("got %q, %v", text, err)
	}
	if _, err := s.Next(); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
	s.Close()
	s.Close()
	if got.Get("Authorization") != "Bearer key" || got.Get("X-Request-Id") != "r1" {
		t.Errorf("headers: %v", got)
	}
	if want := `{"model":"m","messages":[{"role":"user","content":"hi"}],"seed":7,"stream":true,"stream_options":{"include_usage":true}}`; string(body) != want {
		t.Errorf("the engine was sent %s", body)
	}
}

// TestGoodEnds: an answer that has all it needs is not lost for how it ends.
func TestGoodEnds(t *testing.T) {
	for name, end := range map[string]func(http.ResponseWriter){
		"[DONE]":           func(w http.ResponseWriter) { sendSSE(w, stop+"data: [DONE]\n\n") },
		"[DONE] and space": func(w http.ResponseWriter) { sendSSE(w, stop+"data: \t\n\ndata: [DONE] \r\n\r\n") },
		"closed":           func(w http.ResponseWriter) { sendSSE(w, stop) },
		"[DONE] cut":       func(w http.ResponseWriter) { sendSSE(w, stop+"data: [DO") },
		"data: cut":        func(w http.ResponseWriter) { sendSSE(w, stop+"data:") },
		"the usage cut":    func(w http.ResponseWriter) { sendSSE(w, stop+`data: {"choices":[],"usa`) },
		"[DONE], broken":   func(w http.ResponseWriter) { sendSSE(w, stop+"data: [DO"); cut(w) },
		"broken off after the finish reason": func(w http.ResponseWriter) {
			sendSSE(w, stop)
			cut(w)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := open(t, context.Background(), engine(t, func(w http.ResponseWriter, r *http.Request) {
				sendSSE(w, delta("a"))
				end(w)
			}))
			if err != nil {
				t.Fatal(err)
			}
			if text, err := read(s); text != "a" || err != io.EOF {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
}

func TestAnnotationsPassWhereTheyWereAskedFor(t *testing.T) {
	cfg := engine(t, func(w http.ResponseWriter, r *http.Request) {
		sendSSE(w, ": ping\n\nevent: request_id\n: \"7\"\n\n"+delta("a")+stop+"data: [DONE]\n\n")
	})
	cfg.Profile, _ = backend.ProfileByName("dynamo")
	s, err := open(t, context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := read(s); text != `[request_id ["7"]]a` || err != io.EOF {
		t.Errorf("got %q, %v", text, err)
	}
}

// TestAnnotationsOfChunksPass: what stands beside a chunk's data, on every profile.
func TestAnnotationsOfChunksPass(t *testing.T) {
	s, err := open(t, context.Background(), engine(t, func(w http.ResponseWriter, r *http.Request) {
		sendSSE(w, ": ping\n\nid: 7\nevent: note\n: x\n"+delta("a")+delta("b")+stop+"data: [DONE]\n\n")
	}))
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.Next()
	if err != nil || first.ID != "7" || first.Event != "note" || !slices.Equal(first.Comments, []string{"x"}) {
		t.Errorf("got %+v, %v", first, err)
	}
	second, err := s.Next()
	if err != nil || second.ID+second.Event != "" || second.Comments != nil {
		t.Errorf("got %+v, %v", second, err)
	}
}

func TestConnectionIsUsedAgain(t *testing.T) {
	seen := map[string]bool{}
	cfg := engine(t, func(w http.ResponseWriter, r *http.Request) {
		seen[r.RemoteAddr] = true
		sendSSE(w, delta("a")+stop+"data: [DONE]\n\n")
	})
	b, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for range 3 {
		s, err := b.Stream(context.Background(), &backend.Request{Chat: new(openai.ChatRequest)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := read(s); err != io.EOF {
			t.Fatal(err)
		}
		s.Close()
	}
	if len(seen) != 1 {
		t.Errorf("%d connections for 3 answers", len(seen))
	}
}

// TestBadEngines: each way to fail, with what was read before it.
func TestBadEngines(t *testing.T) {
	wait := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // until then a server does not see the client go
		<-r.Context().Done()
	}
	const short = 30 * time.Millisecond
	for _, c := range []struct {
		name    string
		cfg     Config // timeouts
		handler http.HandlerFunc
		text    string
		status  int
		code    string
		public  bool
		says    string
	}{
		{"status 500", Config{}, func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"error":{"message":"rank 3"}}`, 500)
		}, "", 500, backend.CodeStatus, false, "rank 3"},
		{"status 502", Config{}, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(502) }, "", 502, backend.CodeStatus, false, "502"},
		{"status 503", Config{}, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }, "", 503, backend.CodeOverloaded, false, "503"},
		{"status 529", Config{}, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(529) }, "", 529, backend.CodeOverloaded, false, "529"},
		{"own overload", Config{OverloadStatus: 599}, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(599) }, "", 599, backend.CodeOverloaded, false, "599"},
		{"status 400", Config{}, func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"object":"error","message":"too long","code":400}`, 400)
		}, "", 400, backend.CodeStatus, true, "too long"},
		{"status 422", Config{}, func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"detail":"bad body"}`, http.StatusUnprocessableEntity)
		}, "", 400, backend.CodeStatus, true, "bad body"},
		{"status 401", Config{APIKey: "sesame"}, func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, `{"error":"wrong key sesame"}`, http.StatusUnauthorized)
		}, "", 502, backend.CodeAuth, false, "wrong key [key]"},
		{"redirect", Config{}, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, "", 502, backend.CodeProtocol, false, "307"},
		{"html", Config{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<h1>hello</h1>")
		}, "", 502, backend.CodeProtocol, false, "text/html"},
		{"JSON", Config{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"choices":[]}`)
		}, "", 502, backend.CodeProtocol, false, "application/json"},
		{"JSON error", Config{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"error":{"message":"no such adapter","code":"404"}}`)
		}, "", 404, backend.CodeReported, true, "no such adapter"},
		{"bad JSON", Config{}, func(w http.ResponseWriter, r *http.Request) {
			sendSSE(w, delta("a")+"data: {bad json}\n\n"+delta("b"))
		}, "a", 502, backend.CodeProtocol, false, "can't be read"},
		{"wrong type", Config{}, func(w http.ResponseWriter, r *http.Request) {
			sendSSE(w, delta("a")+`data: {"choices":[{"delta":{"content":7}}]}`+"\n\n")
		}, "a", 502, backend.CodeProtocol, false, "content"},
		{"error line", Config{}, func(w http.ResponseWriter, r *http.Request) {
			sendSSE(w, delta("a")+`data: {"error":{"message":"rank 3","code":500}}`+"\n\n"+delta("b")+"data: [DONE]\n\n")
		}, "a", 500, backend.CodeReported, false, "rank 3"},
		{"error line 400", Config{}, func(w http.ResponseWriter, r *http.Request) {
			sendSSE(w, `data: {"object":"error","message":"too long","code":400}`+"\n\n")
		}, "", 400, backend.CodeReported, true, "too long"},
		{"error event", Config{}, func(w http.ResponseWriter, r *http.Request) {
			sendSSE(w, "event: error\ndata: {\"error\":{\"message\":\"busy\",\"code\":503}}\n\n")
		}, "", 503, backend.CodeOverloaded, false, "busy"},
		{"T3 error event of comments", Config{}, func(w http.ResponseWriter, r *http.Request) {
			sendSSE(w, "event: error\n: rank 3\n: is gone\n\n")
		}, "", 500, backend.CodeReported, false, "rank 3 -- is gone"},
		{"aborted", Config{}, func(w http.ResponseWriter, r *http.Request) {
			sendSSE(w, delta("a")+`data: {"choices":[{"index":0,"delta":{},"finish_reason":"abort"}]}`+"\n\ndata: [DONE]\n\n")
		}, "a", 502, backend.CodeAborted, false, "abort"},
		{"too long", Config{MaxEvent: 500}, func(w http.ResponseWriter, r *http.Request) {
			sendSSE(w, delta("a")+delta(strings.Repeat("x", 5000)))
		}, "a", 502, backend.CodeProtocol, false, "limit"},
		{"cut before the first byte", Config{}, func(w http.ResponseWriter, r *http.Request) { cut(w) }, "", 502, backend.CodeUnreachable, false, "can't be reached"},
		{"cut in a frame", Config{}, func(w http.ResponseWriter, r *http.Request) {
			sendSSE(w, delta("a")+`data: {"choices":[{"index":0,"delta":{"content":"b"}}]}`)
			cut(w)
		}, "a", 502, backend.CodeBroken, false, "broke off"},
		{"just ends", Config{}, func(w http.ResponseWriter, r *http.Request) { sendSSE(w, delta("a")) }, "a", 502, backend.CodeIncomplete, false, "[DONE]"},
		{"just ends in [DONE]", Config{}, func(w http.ResponseWriter, r *http.Request) { sendSSE(w, delta("a")+"data: [DON") }, "a", 502, backend.CodeIncomplete, false, "[DONE]"},
		{"nothing but [DONE]", Config{}, func(w http.ResponseWriter, r *http.Request) { sendSSE(w, "data: [DONE]\n\n") }, "", 502, backend.CodeProtocol, false, "no choices"},
		{"compressed", Config{}, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			sendSSE(w, "\x8b\x00")
		}, "", 502, backend.CodeProtocol, false, "compressed"},
		{"too long after the end", Config{MaxEvent: 500}, func(w http.ResponseWriter, r *http.Request) {
			sendSSE(w, delta("a")+stop+delta(strings.Repeat("x", 5000)))
		}, "a", 502, backend.CodeProtocol, false, "limit"},
		{"ends with nothing", Config{}, func(w http.ResponseWriter, r *http.Request) { sendSSE(w, "") }, "", 502, backend.CodeIncomplete, false, "[DONE]"},
		{"no status in time", Config{FirstByte: short}, wait, "", 504, backend.CodeTimeout, false, "first_byte"},
		{"no event in time", Config{FirstByte: short}, func(w http.ResponseWriter, r *http.Request) {
			sendSSE(w, ": ping\n\n")
			wait(w, r)
		}, "", 504, backend.CodeTimeout, false, "first_byte"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := engine(t, c.handler)
			cfg.APIKey, cfg.FirstByte = c.cfg.APIKey, c.cfg.FirstByte
			cfg.MaxEvent, cfg.OverloadStatus = c.cfg.MaxEvent, c.cfg.OverloadStatus
			text := ""
			s, err := open(t, context.Background(), cfg)
			if err == nil {
				text, err = read(s)
				if _, again := s.Next(); again != err {
					t.Errorf("after %v came %v", err, again)
				}
			}
			var e *backend.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %q, %v", text, err)
			}
			if text != c.text || e.Status != c.status || e.Code != c.code || e.Public != c.public || !strings.Contains(e.Error()+e.Said, c.says) {
				t.Errorf("got %q, %d %s public=%v: %v", text, e.Status, e.Code, e.Public, e)
			}
		})
	}
}

func TestEndWithoutDoneIsCleanOnceAllChoicesFinished(t *testing.T) {
	cfg := engine(t, func(w http.ResponseWriter, r *http.Request) { sendSSE(w, delta("a")+stop) })
	s, err := open(t, context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := read(s); text != "a" || err != io.EOF {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestRefusedConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := engine(t, nil)
	cfg.BaseURL = "http://" + l.Addr().String() + "/v1"
	_ = l.Close()
	_, err = open(t, context.Background(), cfg)
	var e *backend.Error
	if !errors.As(err, &e) || e.Status != 502 || e.Code != backend.CodeUnreachable {
		t.Errorf("got %v", err)
	}
}

func TestConnectTimeout(t *testing.T) {
	s := &stream{ctx: context.Background()}
	var e *backend.Error
	late := &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}
	if err := s.failure(late, "", backend.CodeUnreachable); !errors.As(err, &e) || e.Status != 504 || !strings.Contains(e.Message, "timeouts.connect") {
		t.Errorf("got %v", err)
	}
}

// TestCancelReachesTheEngine: the engine's request ends when the caller's does,
// and also when the stream is closed in the middle.
func TestCancelReachesTheEngine(t *testing.T) {
	for name, end := range map[string]func(context.CancelFunc, backend.Stream){
		"cancelled": func(cancel context.CancelFunc, _ backend.Stream) { cancel() },
		"closed":    func(_ context.CancelFunc, s backend.Stream) { s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			gone := make(chan struct{})
			cfg := engine(t, func(w http.ResponseWriter, r *http.Request) {
				sendSSE(w, delta("a"))
				<-r.Context().Done()
				close(gone)
			})
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			s, err := open(t, ctx, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Next(); err != nil {
				t.Fatal(err)
			}
			end(cancel, s)
			<-gone
			var e *backend.Error
			if _, err := s.Next(); !errors.As(err, &e) || e.Status != openai.StatusClientClosed {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestCauseOfTheCaller: a caller's own deadline says itself what it was.
func TestCauseOfTheCaller(t *testing.T) {
	cfg := engine(t, func(w http.ResponseWriter, r *http.Request) {
		sendSSE(w, delta("a"))
		for r.Context().Err() == nil { // comments make no items
			sendSSE(w, ": ping\n\n")
			time.Sleep(time.Millisecond)
		}
	})
	ctx, cancel := context.WithCancelCause(context.Background())
	s, err := open(t, ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	idle := &backend.Error{Status: 504, Code: backend.CodeTimeout, Message: "idle"}
	time.AfterFunc(20*time.Millisecond, func() { cancel(idle) })
	if _, err := s.Next(); err != error(idle) {
		t.Errorf("got %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	profile, _ := backend.ProfileByName("openai")
	for _, address := range []string{"", "127.0.0.1:8000", "ftp://x/v1", "http://", "http://a b/"} {
		if _, err := New(Config{BaseURL: address, Profile: profile}); err == nil {
			t.Errorf("%q was accepted", address)
		}
	}
	if _, err := New(Config{BaseURL: "http://x/v1"}); err == nil {
		t.Error("no profile was accepted")
	}
}

// BenchmarkRead is the way of a chunk from the engine's bytes to an item.
func BenchmarkRead(b *testing.B) {
	const n = 500
	in := []byte(strings.Repeat(`data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,"finish_reason":null,"token_ids":[9911]}]}`+"\n\n", n) + stop)
	profile, _ := backend.ProfileByName("vllm")
	backendOf := &Backend{cfg: Config{Profile: profile, MaxEvent: defaultMaxEvent}}
	b.ReportAllocs()
	for b.Loop() {
		s := backendOf.newStream(context.Background(), &backend.Request{Chat: new(openai.ChatRequest)})
		s.startReading(bytes.NewReader(in))
		if text, err := count(s); text != n+1 || err != io.EOF {
			b.Fatal(text, err)
		}
		s.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/chunk")
}

func count(s backend.Stream) (n int, err error) {
	for ; ; n++ {
		if _, err := s.Next(); err != nil {
			return n, err
		}
	}
}
