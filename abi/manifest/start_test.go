package manifest

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

func TestStartAfter(t *testing.T) {
	visible := &Parser{Prompt: &Prompt{Reasoning: []string{"<think>", "<|open|>think<|sep|>"}, Response: []string{"</think>"}}}
	quiet := &Parser{Prompt: &Prompt{Reasoning: []string{"<think>"}, Response: []string{"</think>"}, ClosedPair: "none"}}
	label := &Parser{Prompt: &Prompt{Reasoning: []string{"<c>", "<c>thought"}, Response: []string{"<c>thought</c>", "<c></c>"}}}
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
	for _, c := range []struct {
		name     string
		parser   *Parser
		operator abi.Channel
		thinks   bool
		want     abi.Channel
	}{
		{"nobody knows", &Parser{}, abi.ChannelUnknown, true, abi.ChannelUnknown},
		{"the template opens the thought", opens, abi.ChannelUnknown, true, abi.ChannelReasoning},
		{"the template closes it", opens, abi.ChannelUnknown, false, abi.ChannelResponse},
		{"closing leaves nothing open", quiet, abi.ChannelUnknown, false, abi.ChannelContent},
		{"the operator goes first", opens, abi.ChannelContent, true, abi.ChannelContent},
		{"the operator opens, the model is not to think", &Parser{}, abi.ChannelReasoning, false, abi.ChannelResponse},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.parser.StartUnseen(c.operator, c.thinks); got != c.want {
				t.Errorf("channel %d, want %d", got, c.want)
			}
		})
	}
	if !opens.ThinksByDefault() || quiet.ThinksByDefault() || !(&Parser{}).ThinksByDefault() {
		t.Error("thinking by default is not read from the manifest")
	}
}
