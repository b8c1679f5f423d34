package server

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// written gives what a client reads of these items, and of an error after them.
func written(t *testing.T, err error, items ...chunk.Item) string {
	t.Helper()
	rec := httptest.NewRecorder()
	c := echo.New().NewContext(httptest.NewRequest(http.MethodPost, "/", nil), rec)
	w := &eventWriter{c: c, rc: http.NewResponseController(c.Response()), buf: new([]byte)}
	for i := range items {
		if err := w.writeItem(&items[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err != nil {
		w.writeFailure(err)
	}
	return rec.Body.String()
}

func TestT4_LineBreaksInAnnotationsAreSpaces(t *testing.T) {
	data := &openai.Chunk{Choices: []openai.Choice{{Delta: openai.Delta{Content: "a\r\nb"}}}}
	got := written(t, nil, chunk.Item{ID: "i\n1", Event: "note\r\ndata: x", Comments: []string{"one\r\n\ndata: {}", "two\rthree"}, Data: data})
	lines := strings.Split(strings.TrimSuffix(got, "\n\n"), "\n")
	if len(lines) != 5 || strings.Contains(got, "\r") || !strings.HasSuffix(got, "\n\n") {
		t.Fatalf("%q", got)
	}
	for i, want := range []string{": one   data: {}", ": two three", "id: i 1", "event: note  data: x", `data: {`} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d: %q, want %q", i, lines[i], want)
		}
	}
}

func TestT62_ErrorsEndTheStreamInOrder(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&parse.FaultError{Parser: "p", Cause: errors.New("inner")}, `{"error":{"message":"Internal server error","type":"internal_server_error","param":null,"code":"parser_fault"}}`},
		{&parse.StrictError{Code: 3, Message: "inner"}, `{"error":{"message":"The model's tool call is malformed","type":"internal_server_error","param":null,"code":"tool_call_malformed"}}`},
		{&backend.Error{Status: 503, Code: "engine_overloaded", Message: "inner"}, `{"error":{"message":"The engine is overloaded, or not ready yet; try again later","type":"service_unavailable","param":null,"code":"engine_overloaded"}}`},
		{&backend.Error{Status: 429, Code: "engine_error", Message: "no quota", Public: true, Named: backend.Named{Type: "insufficient_quota", Code: openai.Raw(`"insufficient_quota"`)}},
			`{"error":{"message":"no quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`},
		{&backend.Error{Status: 400, Code: "engine_error", Message: "too long", Public: true}, `{"error":{"message":"too long","type":"invalid_request_error","param":null,"code":"engine_error"}}`},
	} {
		if got := written(t, c.err); got != "data: "+c.want+"\n\ndata: [DONE]\n\n" {
			t.Errorf("%v: %s", c.err, got)
		}
	}
}

func TestKeepAliveIsForcedWhereTextIsHeld(t *testing.T) {
	for args, want := range map[string]time.Duration{`{}`: 0, `{"force_nonempty_content":true}`: silentKeepalive} {
		r, err := openai.DecodeRequest([]byte(ask(`,"stream":true,"chat_template_kwargs":` + args)))
		if err != nil {
			t.Fatal(err)
		}
		op, refused := (&stream.Model{Name: "m"}).Prepare(t.Context(), r)
		if refused != nil {
			t.Fatal(refused)
		}
		if got := keepAliveInterval(0, op); got != want {
			t.Errorf("%s: %v", args, got)
		}
		if got := keepAliveInterval(time.Second, op); got != time.Second {
			t.Errorf("%s, one second configured: %v", args, got)
		}
	}
}

func TestNVExtOfHeadersAndTheSwitch(t *testing.T) {
	line := strings.TrimSuffix(text("Hi."), "}") + `,"nvext":{"worker_id":{"decode_worker_id":7}}}`
	request := ask(`,"nvext":{"dp_rank":1,"extra_fields":["worker_id"]}`)
	for _, on := range []bool{true, false} {
		more := "nvext: false\n"
		if on {
			more = ""
		}
		u := engine(t, sends(line, stopped))
		h := serve(t, u.URL, ", engine_profile: dynamo", more)
		resp := h.post(t, t.Context(), request, "X-Dynamo-Dp-Rank", "4")
		body := all(t, resp)
		sent := u.requests()[0]
		if resp.StatusCode != 200 || strings.Contains(body, `"decode_worker_id":7`) != on || strings.Contains(sent, `"dp_rank":4`) != on || strings.Contains(sent, `"dp_rank":1`) {
			t.Errorf("on %v: %d %s\nthe engine got %s", on, resp.StatusCode, body, sent)
		}
	}
	h := serve(t, "http://127.0.0.1:1", "", "")
	if resp := h.post(t, t.Context(), request, "X-Dynamo-Dp-Rank", "none"); resp.StatusCode != 400 || !strings.Contains(all(t, resp), "X-Dynamo-Dp-Rank") {
		t.Errorf("%d", resp.StatusCode)
	}
}
