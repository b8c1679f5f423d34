package manifest

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

func TestStartAfter(t *testing.T) {
	visible := &Parser{Prompt: &Prompt{Reasoning: []string{"<think>", "<|open|>think<|sep|>"}, Response: []string{"</think>"}}}
	quiet := &Parser{Prompt: &Prompt{Reasoning: []string{"<think>"}, Response: []string{"</think>"}, ClosedPair: "none"}}
	label := &Parser{Prompt: &Prompt{Reasoning: []string{"<c>", "<c>thought"}, Response: []string{"<c>thought</c>", "<c></c>"}}}
	short := &Parser{Prompt: &Prompt{Reasoning: []string{"<c>thought"}, Response: []string{"thought"}}}
	for _, c := range []struct {
		name   string
		parser *Parser
		tail   string
		want   abi.Channel
	}{
		{"no markers", &Parser{}, "<think>", abi.ChannelContent},
		{"no tail", visible, "", abi.ChannelContent},
		{"opened", visible, "assistant: <think>", abi.ChannelReasoning},
		{"opened, then white space", visible, "assistant: <think>\n \u00a0\n", abi.ChannelReasoning},
		{"white space in the marker", visible, "<|open|> think\n<|sep|>", abi.ChannelReasoning},
		{"closed", visible, "<think>\n\n</think>\n\n", abi.ChannelResponse},
		{"closed, which leaves nothing open", quiet, "<think></think>", abi.ChannelContent},
		{"mentioned", visible, "what is <think> for?\nassistant: ", abi.ChannelContent},
		{"an earlier thought", visible, "<think>x</think> now", abi.ChannelContent},
		{"inside the words of a thought", visible, "<think>so far", abi.ChannelContent},
		{"cut marker", visible, "<thin", abi.ChannelContent},
		{"a marker within a longer one", label, "<c>thought", abi.ChannelReasoning},
		{"the longest decides", label, "<c>thought\n</c>", abi.ChannelResponse},
		{"the longest decides, wherever it stands", short, "<c>thought", abi.ChannelReasoning},
		{"a thought with words", label, "<c>thought\nhm</c>", abi.ChannelContent},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.parser.StartAfter(c.tail); got != c.want {
				t.Errorf("%q: channel %d, want %d", c.tail, got, c.want)
			}
		})
	}
}

func TestStartUnseen(t *testing.T) {
	opens := &Parser{Thinking: &Thinking{Default: "on", Opens: true}}
	quiet := &Parser{Thinking: &Thinking{Default: "off", Opens: true}, Prompt: &Prompt{ClosedPair: "none"}}
	mixed := mustParser(t, `{"name":"p","kind":"unified","thinking":{"default":"on","controls":["enable_thinking"],
		"opens_if_asked":true,"opens_for":["(?i)thinking","(?i)oak-2"],"none_for":["(?i)instruct"]},"prompt":{"closed_pair":"none"}}`)
	const (
		unknown, content  = abi.ChannelUnknown, abi.ChannelContent
		reasoning, answer = abi.ChannelReasoning, abi.ChannelResponse
	)
	for _, c := range []struct {
		name   string
		parser *Parser
		unseen Unseen
		want   abi.Channel
	}{
		{"nobody knows", &Parser{}, Unseen{On: true}, unknown},
		{"the template opens the thought", opens, Unseen{}, reasoning},
		{"the template closes it", opens, Unseen{Off: true}, answer},
		{"closing leaves nothing open", quiet, Unseen{}, content},
		{"asked, where nobody thinks by default", quiet, Unseen{On: true}, reasoning},
		{"the operator goes first", opens, Unseen{Opens: content}, content},
		{"the operator opens, the model is not to think", &Parser{}, Unseen{Opens: reasoning, Off: true}, answer},
		{"templates differ, nobody asks", mixed, Unseen{Models: []string{"oak"}}, unknown},
		{"templates differ, asked", mixed, Unseen{Models: []string{"oak"}, On: true, Told: true}, reasoning},
		{"templates differ, asked by a word that they don't read", mixed, Unseen{Models: []string{"oak"}, On: true}, unknown},
		{"templates differ, switched off", mixed, Unseen{Models: []string{"oak"}, Off: true, Told: true}, content},
		{"the name tells that it opens", mixed, Unseen{Models: []string{"Oak-3-Thinking"}}, reasoning},
		{"the name of the second", mixed, Unseen{Models: []string{"m", "acorn/oak-2"}}, reasoning},
		{"the name tells that it opens, switched off", mixed, Unseen{Models: []string{"oak-2"}, Off: true}, content},
		{"the name tells of no thoughts", mixed, Unseen{Models: []string{"oak-2-instruct", "oak-2"}, On: true}, content},
		{"the operator against the name", mixed, Unseen{Models: []string{"oak-instruct"}, Opens: reasoning}, reasoning},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.parser.StartUnseen(c.unseen); got != c.want {
				t.Errorf("channel %d, want %d", got, c.want)
			}
		})
	}
	for name, want := range map[string]bool{"oak": true, "oak-2": false, "oak-instruct": false} {
		if mixed.MayOpen([]string{name}) != want || opens.MayOpen([]string{name}) {
			t.Errorf("%s: what is not known is told wrongly", name)
		}
	}
	if !opens.ThinksByDefault() || quiet.ThinksByDefault() || !(&Parser{}).ThinksByDefault() {
		t.Error("thinking by default is not read from the manifest")
	}
}

func mustParser(t *testing.T, parser string) *Parser {
	t.Helper()
	m, err := Parse([]byte(`{"abi":"1.0","module":"m","version":"1.0.0","parsers":[` + parser + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return &m.Parsers[0]
}
