package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/host/internal/sse"
)

// engine is the scripted engine: it answers every request with the script of
// the run, and remembers what it was sent.
type engine struct {
	server  *http.Server
	address string

	mu       sync.Mutex
	lines    []line
	script   *Script
	over     chan struct{} // the run is over: stop answering
	requests []*received
}

// received is one request that the engine got.
type received struct {
	body []byte
	// cancelled is closed when the request is cancelled before its answer ended.
	cancelled chan struct{}
}

// line is one step of a script.
type line struct {
	text  string // written as it stands
	sleep time.Duration
	cut   bool // the connection is cut
}

func startEngine() (*engine, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	e := &engine{address: l.Addr().String(), over: make(chan struct{})}
	e.server = &http.Server{Handler: http.HandlerFunc(e.serveRequest), ReadHeaderTimeout: time.Minute}
	go e.server.Serve(l) //nolint:errcheck // ends with ErrServerClosed
	return e, nil
}

func (e *engine) stop() {
	e.endRun()
	_ = e.server.Close()
}

// beginRun arms the engine for a run.
func (e *engine) beginRun(s *Script, lines []line) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.script, e.lines, e.requests, e.over = s, lines, nil, make(chan struct{})
}

// endRun lets answers that still run come to their end.
func (e *engine) endRun() {
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case <-e.over:
	default:
		close(e.over)
	}
}

func (e *engine) receivedRequests() []*received {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.requests
}

func (e *engine) serveRequest(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/completions") {
		http.NotFound(w, r)
		return
	}
	rec := &received{body: body, cancelled: make(chan struct{})}
	e.mu.Lock()
	script, lines, over := e.script, e.lines, e.over
	e.requests = append(e.requests, rec)
	e.mu.Unlock()

	if script.Status != 0 && script.Status != http.StatusOK {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(script.Status)
		_, _ = w.Write(script.Body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if err := writeLines(r.Context(), w, lines, over); err == errCut {
		panic(http.ErrAbortHandler)
	} else if err != nil {
		close(rec.cancelled)
	}
}

var errCut = errors.New("cut")

// writeLines writes the lines. The error says that the client went away, or errCut.
func writeLines(ctx context.Context, w http.ResponseWriter, lines []line, over chan struct{}) error {
	flush := w.(http.Flusher).Flush
	flush()
	for _, l := range lines {
		switch {
		case l.cut:
			flush()
			return errCut
		case l.sleep > 0:
			select {
			case <-time.After(l.sleep):
			case <-ctx.Done():
				return ctx.Err()
			case <-over:
				return nil
			}
		default:
			if _, err := io.WriteString(w, l.text); err != nil {
				return err
			}
			flush()
		}
	}
	return nil
}

// frame is what every chunk of the engine has, unless its line says otherwise.
var frame = map[string]any{"id": "engine-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "engine-model"}

// scriptLines gives what is written to the client: a line of the script may become
// several chunks.
func (s *Script) scriptLines(cut string) ([]line, error) {
	var out []line
	ended := false
	for i, raw := range s.Lines {
		v, err := decodeJSON(raw)
		object, ok := v.(map[string]any)
		if err != nil || !ok {
			return nil, fmt.Errorf("engine.lines[%d]: want an object", i)
		}
		switch {
		case object["$comment"] != nil:
			out = append(out, line{text: fmt.Sprintf(": %v\n\n", object["$comment"])})
		case object["$raw"] != nil:
			out = append(out, line{text: fmt.Sprint(object["$raw"])})
		case object["$sleep_ms"] != nil:
			ms, err := object["$sleep_ms"].(json.Number).Float64()
			if err != nil {
				return nil, fmt.Errorf("engine.lines[%d]: %w", i, err)
			}
			out = append(out, line{sleep: time.Duration(ms * float64(time.Millisecond))})
		case object["$cut"] != nil:
			out, ended = append(out, line{cut: true}), true
		default:
			for _, o := range chunksOfLine(raw, object, cut) {
				out = append(out, line{text: string(sse.AppendData(nil, o))})
			}
		}
	}
	if done := s.Done == nil || *s.Done; done && !ended {
		out = append(out, line{text: sse.DoneEvent})
	}
	return out, nil
}

// chunksOfLine gives the chunks of one line: one, or one a character.
func chunksOfLine(raw json.RawMessage, object map[string]any, cut string) [][]byte {
	if cut == chars {
		if parts := splitByCharacter(object); parts != nil {
			return parts
		}
	}
	return [][]byte{withFrame(raw, object)}
}

// withFrame fills in the frame and leaves all else byte for byte as it is.
func withFrame(raw json.RawMessage, object map[string]any) []byte {
	var compact bytes.Buffer
	_ = json.Compact(&compact, raw)
	if object["error"] != nil && object["choices"] == nil {
		return compact.Bytes()
	}
	missing := map[string]any{}
	for k, v := range frame {
		if _, ok := object[k]; !ok {
			missing[k] = v
		}
	}
	head, body := encodeJSON(missing), compact.Bytes()
	switch {
	case len(missing) == 0:
		return body
	case len(object) == 0:
		return head
	}
	return append(append(head[:len(head)-1], ','), body[1:]...)
}

// splitByCharacter cuts a chunk with one choice and more than one character of
// content: what tells of the end goes with the last character, all else with the
// first.
func splitByCharacter(object map[string]any) [][]byte {
	choices, _ := object["choices"].([]any)
	if len(choices) != 1 {
		return nil
	}
	choice, _ := choices[0].(map[string]any)
	delta, _ := choice["delta"].(map[string]any)
	content, _ := delta["content"].(string)
	n := utf8.RuneCountInString(content)
	if n < 2 {
		return nil
	}
	var out [][]byte
	for i, r := range []rune(content) {
		o, c, d := map[string]any{}, map[string]any{"index": choice["index"]}, map[string]any{}
		if i == 0 {
			copyAll(o, object)
			copyAll(c, choice)
			copyAll(d, delta)
			for _, end := range []string{"finish_reason", "stop_reason", "matched_stop"} {
				delete(c, end)
			}
		}
		if i == n-1 {
			for _, end := range []string{"finish_reason", "stop_reason", "matched_stop"} {
				if v, ok := choice[end]; ok {
					c[end] = v
				}
			}
		}
		for k, v := range frame {
			if given, ok := object[k]; ok {
				v = given
			}
			o[k] = v
		}
		d["content"] = string(r)
		c["delta"] = d
		o["choices"] = []any{c}
		out = append(out, encodeJSON(o))
	}
	return out
}

func copyAll(to, from map[string]any) {
	for k, v := range from {
		to[k] = v
	}
}
