package scenario

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/turnkey-parsers/turnkey/host/internal/sse"
)

// answer is what the client got.
type answer struct {
	mode    string
	status  int
	header  http.Header
	body    string           // all of it, as it came
	object  map[string]any   // batch, and every refusal: the JSON document
	frames  []map[string]any // stream: the data lines but for [DONE]
	left    bool             // the client went away
	choices map[string]*observed
	nvext   any // merged; nil: none
	usage   any // the last
	// faults are breaches of the protocol.
	faults []string
}

// observed is what was seen of a choice.
type observed struct {
	events []seen
	finish any // nil: none
	calls  map[string]int
}

// seen is a run of text or reasoning, or a call, merged over the answer.
type seen struct {
	kind, text, name, id, args string
}

func (a *answer) recordFault(format string, args ...any) {
	a.faults = append(a.faults, fmt.Sprintf(format, args...))
}

// sendRequest sends the request and reads the answer, or what comes of it until the
// client leaves.
func sendRequest(ctx context.Context, address, mode string, request map[string]any, c Client) (*answer, error) {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/v1/chat/completions", bytes.NewReader(encodeJSON(request)))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	transport := &http.Transport{DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	a := &answer{mode: mode, status: resp.StatusCode, header: resp.Header, choices: map[string]*observed{}}
	if mode == stream && resp.StatusCode == http.StatusOK {
		err = a.readStream(resp.Body, c)
	} else {
		err = a.readDocument(resp.Body)
	}
	return a, err
}

func (a *answer) readDocument(body io.Reader) error {
	data, err := io.ReadAll(body)
	a.body = string(data)
	if err != nil {
		return fmt.Errorf("reading the answer: %w", err)
	}
	if t := a.header.Get("Content-Type"); !strings.HasPrefix(t, "application/json") {
		a.recordFault("Content-Type application/json, got %q", t)
	}
	v, err := decodeJSON(data)
	object, ok := v.(map[string]any)
	if err != nil || !ok {
		a.recordFault("one JSON object, got %s", shorten(a.body))
		return nil
	}
	a.object = object
	if a.status != http.StatusOK {
		a.checkError(object)
	} else {
		a.readCompletion()
	}
	return nil
}

// maxEvent bounds one event of the answer, in bytes.
const maxEvent = 64 << 20

// readStream reads the answer as a strict client does: what a lenient one would
// overlook is a fault.
func (a *answer) readStream(body io.Reader, c Client) error {
	if t := a.header.Get("Content-Type"); !strings.HasPrefix(t, "text/event-stream") {
		a.recordFault("Content-Type text/event-stream, got %q", t)
	}
	var all strings.Builder
	defer func() {
		a.body = all.String()
		a.checkLines()
	}()
	events, done := sse.NewReader(io.TeeReader(body, &all), maxEvent), false
	for {
		event, err := events.Next()
		switch {
		case err == io.EOF:
			if !done {
				a.recordFault("[DONE] at the end, got none")
			}
			return nil
		case err != nil:
			return fmt.Errorf("reading the stream: %w", err)
		case !event.HasData:
			continue
		}
		if done {
			a.recordFault("nothing after [DONE], got %s", shorten(string(event.Data)))
		}
		if string(event.Data) == "[DONE]" {
			done = true
			continue
		}
		a.addFrame(string(event.Data))
		if n := c.DisconnectAfterFrames; n > 0 && len(a.frames) >= n {
			a.left = true
			return nil
		}
	}
}

// checkLines judges the lines that were read: each is one of an event stream, an
// event has one data line, and the last one ends with a blank line.
func (a *answer) checkLines() {
	dataLines := 0
	for line := range strings.Lines(a.body) {
		text := strings.TrimRight(line, "\r\n")
		switch {
		case text == "":
			dataLines = 0
		case strings.HasPrefix(text, "data: "):
			if dataLines++; dataLines > 1 {
				a.recordFault("one data line an event, got a second one: %s", shorten(text))
			}
		case strings.HasPrefix(text, ":"), strings.HasPrefix(text, "id:"), strings.HasPrefix(text, "event:"):
		default:
			a.recordFault("a line of an event stream, got %s", shorten(text))
		}
	}
	if !a.left && !strings.HasSuffix(a.body, "\n\n") {
		a.recordFault("an event that ends with a blank line, got the end of the stream")
	}
}

func (a *answer) addFrame(data string) {
	v, err := decodeJSON([]byte(data))
	f, ok := v.(map[string]any)
	if err != nil || !ok {
		a.recordFault("a data line that is one JSON object, got %s", shorten(data))
		return
	}
	a.frames = append(a.frames, f)
}

func shorten(s string) string {
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return strings.ReplaceAll(s, "\n", `\n`)
}
