package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answer is what came of one choice.
type answer struct {
	text, finish string
	ids          []string
	stop         string
	reason       abi.Finish
}

// playTranscript runs a request and gathers its answer.
func playTranscript(t *testing.T, b *Backend, body string, more func(*backend.Request)) (map[int]*answer, *openai.Usage) {
	t.Helper()
	chat, err := openai.DecodeRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	r := &backend.Request{Chat: chat, ShowTools: true}
	if more != nil {
		more(r)
	}
	s, err := b.Stream(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	choices := map[int]*answer{}
	var usage *openai.Usage
	for {
		item, err := s.Next()
		if err == io.EOF {
			return choices, usage
		}
		if err != nil {
			t.Fatal(err)
		}
		if item.Data.Usage != nil {
			usage = item.Data.Usage
		}
		for _, c := range item.Data.Choices {
			if c.Delta.Role != "" {
				choices[c.Index] = new(answer)
			}
			a := choices[c.Index]
			a.text += c.Delta.Content
			if c.TokenIDs != nil {
				a.ids = append(a.ids, string(c.TokenIDs))
			}
			if c.FinishReason != "" {
				stop, _ := item.StopOf(c.Index)
				a.finish, a.stop, a.reason = c.FinishReason, string(stop.Reason), stop.Finish
			}
		}
	}
}

func TestBuiltinTranscripts(t *testing.T) {
	b, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Transcripts()) < 12 {
		t.Errorf("only %d transcripts", len(b.Transcripts()))
	}
	for _, tr := range b.Transcripts() {
		tools := make([]string, len(tr.Calls))
		for i, name := range tr.Calls {
			tools[i] = fmt.Sprintf(`{"type":"function","function":{"name":%q}}`, name)
		}
		cue := "anything else"
		if len(tr.Cues) > 0 {
			cue = strings.ToUpper(tr.Cues[0])
		}
		body := fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":"earlier"},{"role":"user","content":"Please: %s!"},{"role":"assistant","content":"."}],"tools":[%s]}`,
			tr.Models[0], cue, strings.Join(tools, ","))
		choices, usage := playTranscript(t, b, body, nil)
		a := choices[0]
		if len(choices) != 1 || a.text != tr.Text || a.finish != tr.Finish {
			t.Errorf("%s: got %q, %s", tr.File, a.text, a.finish)
		}
		if usage == nil || usage.CompletionTokens != int64(len(cutToken(tr.Text))) || usage.TotalTokens != usage.PromptTokens+usage.CompletionTokens {
			t.Errorf("%s: usage %+v", tr.File, usage)
		}
		for _, name := range tr.Calls {
			if !strings.Contains(tr.Text, name) {
				t.Errorf("%s: it does not call %s", tr.File, name)
			}
		}
	}
}

func own(t *testing.T, text string) *Backend {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("model: *\ndefault: true\n---\n"+text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := New(Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const ask = `{"model":"any","messages":[{"role":"user","content":"hi"}]`

func TestIDsAndChoices(t *testing.T) {
	b := own(t, "Hello <|x|>there.")
	choices, usage := playTranscript(t, b, ask+`,"n":2}`, func(r *backend.Request) { r.TokenIDs, r.EOSTokenIDs = true, []int64{2} })
	if len(choices) != 2 || choices[0].text != "Hello <|x|>there." || choices[1].text != choices[0].text {
		t.Fatalf("got %+v", choices)
	}
	if got := choices[0].ids; len(got) != 6 || got[5] != "[2]" || choices[0].reason != abi.FinishEOS {
		t.Errorf("got %v, reason %d", got, choices[0].reason)
	}
	if usage.CompletionTokens != 12 {
		t.Errorf("usage %+v", usage)
	}
	if choices, _ := playTranscript(t, b, ask+`}`, nil); choices[0].ids != nil {
		t.Errorf("ids that nobody asked for: %v", choices[0].ids)
	}
}

func TestStopAndLength(t *testing.T) {
	b := own(t, "one two three four")
	for _, c := range []struct {
		more               string
		text, finish, stop string
		reason             abi.Finish
	}{
		{`,"stop":["four"," th"]}`, "one two", "stop", `" th"`, abi.FinishUserStop},
		{`,"stop":" th","include_stop_str_in_output":true}`, "one two th", "stop", `" th"`, abi.FinishUserStop},
		{`,"stop":["five",""]}`, "one two three four", "stop", "", abi.FinishEOS},
		{`,"max_tokens":2}`, "one two", "length", "", abi.FinishLength},
		{`,"max_tokens":4}`, "one two three four", "stop", "", abi.FinishEOS},
		{`,"max_tokens":1,"stop":"three"}`, "one", "length", "", abi.FinishLength},
		{`,"ignore_eos":true}`, "one two three four", "stop", "", abi.FinishUnknown},
	} {
		choices, _ := playTranscript(t, b, ask+c.more, nil)
		if got := *choices[0]; got.text != c.text || got.finish != c.finish || got.stop != c.stop || got.reason != c.reason {
			t.Errorf("%s: got %+v", c.more, got)
		}
	}
	// Where the host wants the stop's text for itself the client still does not see it.
	choices, _ := playTranscript(t, b, ask+`,"stop":"three"}`, func(r *backend.Request) { r.StopText = true })
	if choices[0].text != "one two " {
		t.Errorf("got %q", choices[0].text)
	}
}

func TestRunningUsage(t *testing.T) {
	b := own(t, "a b")
	_, usage := playTranscript(t, b, ask+`,"stream":true,"stream_options":{"include_usage":true,"continuous_usage_stats":true}}`, nil)
	if usage.CompletionTokens != 2 {
		t.Errorf("got %+v", usage)
	}
}

func TestCancel(t *testing.T) {
	b := own(t, "a b c")
	b.delay = time.Hour
	chat, _ := openai.DecodeRequest([]byte(ask + "}"))
	ctx, cancel := context.WithCancel(context.Background())
	s, err := b.Stream(ctx, &backend.Request{Chat: chat})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Next(); err != nil {
		t.Fatal(err)
	}
	cancel()
	var e *backend.Error
	if _, err := s.Next(); !errors.As(err, &e) || e.Status != openai.StatusClientClosed {
		t.Errorf("got %v", err)
	}
}

func TestChoose(t *testing.T) {
	list, err := loadTranscripts(fstest.MapFS{
		"a.txt":     {Data: []byte("model: m\ncue: rain\ncalls: umbrella\n---\na")},
		"b.txt":     {Data: []byte("model: m *\ncue: Rain or\ncue: snow\n---\nb")},
		"c/d.txt":   {Data: []byte("model: m\ndefault: true\n---\nd")},
		"c/e.txt":   {Data: []byte("model: m\ndefault: true\ncalls: umbrella\n---\ne")},
		"README.md": {Data: []byte("not a transcript")},
	})
	if err != nil {
		t.Fatal(err)
	}
	umbrella := []string{"hat", "umbrella"}
	for _, c := range []struct {
		model, message string
		tools          []string
		want           string
	}{
		{"m", "RAIN or shine", umbrella, "a"},
		{"m", "rain or shine", nil, "b"},
		{"m", "rain", nil, "d"},
		{"m", "", umbrella, "e"},
		{"m", "", []string{"hat"}, "d"},
		{"other", "snow", umbrella, "b"},
		{"other", "sun", umbrella, ""},
	} {
		got := ""
		if tr := chooseTranscript(list, c.model, c.message, c.tools); tr != nil {
			got = tr.Text
		}
		if got != c.want {
			t.Errorf("%s %q %v: got %q want %q", c.model, c.message, c.tools, got, c.want)
		}
	}
}

func TestNoTranscript(t *testing.T) {
	b, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	chat, _ := openai.DecodeRequest([]byte(ask + "}"))
	var e *backend.Error
	if _, err := b.Stream(context.Background(), &backend.Request{Chat: chat}); !errors.As(err, &e) || e.Status != 404 || !e.Public || !strings.Contains(e.Message, `"any"`) {
		t.Errorf("got %v", err)
	}
}

func TestParse(t *testing.T) {
	tr, err := parseTranscript("f", "# c\n\nmodel: a b\r\ncue: x\nfinish: length\ndelay: 20ms\n---\nline: 1\n---\n\n")
	if err != nil || tr.Text != "line: 1\n---\n" || len(tr.Models) != 2 || tr.Finish != "length" || tr.Delay != 20*time.Millisecond {
		t.Errorf("got %+v, %v", tr, err)
	}
	for in, says := range map[string]string{
		"":                                "---",
		"model: a\ncue: x\n":              "---",
		"cue: x\n---\n":                   "model",
		"model: a\n---\n":                 "never be chosen",
		"model: a\nmood: x\n---\n":        `f:2: no key "mood"`,
		"model: a\nfinish: end\n---\n":    "finish",
		"model: a\ndelay: 20\n---\n":      "delay",
		"model: a\ndefault: maybe\n---\n": "default",
		"model\n---\n":                    "key: value",
	} {
		if _, err := parseTranscript("f", in); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	empty := t.TempDir()
	for _, dir := range []string{empty, filepath.Join(empty, "missing")} {
		if _, err := New(Config{Dir: dir}); err == nil {
			t.Errorf("%s was accepted", dir)
		}
	}
}

func TestCut(t *testing.T) {
	got := strings.Join(cutToken("Hi there, <|a_b|><think>x</think> 12345 世界🙂\n\n  incomprehensible"), "|")
	want := "Hi| there|,| |<|a_b|>|<think>|x|</think>| |123|45| |世|界|🙂|\n\n|  |incompr|ehensib|le"
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestCutKeepsEveryByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		pieces := cutToken(text)
		if strings.Join(pieces, "") != text {
			t.Fatalf("%q became %q", text, pieces)
		}
		for _, p := range pieces {
			if p == "" || tokenID(p) < 0 {
				t.Fatalf("a bad piece in %q", pieces)
			}
		}
	})
}
