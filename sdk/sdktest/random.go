package sdktest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/abi/tck"
)

// checkRandom checks the session and the text that random bytes stand for.
func checkRandom(e parser.Engine, data []byte, cfg Config) error {
	s, text, reason := tck.Random(data, cfg.Vocabulary)
	s.Parser, s.Options = e.Parser().Name, cfg.Options
	splits, err := tck.ParseSplits("random:4")
	if err != nil {
		return err
	}
	if err := tck.CheckText(e, s, text, reason, splits); err != nil {
		return fmt.Errorf("%w\n session: %+v", err, s)
	}
	if cfg.Client != nil {
		if err := cases.CheckSplits(cfg.Client, e, randomCase(&s, text, reason), splits); err != nil {
			return fmt.Errorf("%w\n session: %+v", err, s)
		}
	}
	if cfg.Leaks == nil {
		return nil
	}
	visible, reasoning, err := tck.Prose(e, s, text, reason)
	if err != nil {
		return err
	}
	if what := cfg.Leaks(&s, text, visible, reasoning); what != "" {
		return fmt.Errorf("text %q: %s: text %q, reasoning %q\n session: %+v", text, what, visible, reasoning, s)
	}
	return nil
}

// randomCase makes a case of a random session, with schemas for the tools.
func randomCase(s *abi.OpenBlock, text string, reason abi.Finish) *cases.Case {
	c := &cases.Case{
		Start: s.Start, Mode: s.Mode, NamedTool: s.NamedTool, TurnGrammar: s.Flags&abi.OpenTurnGrammar != 0,
		Options: s.Options, Input: text, Finish: reason,
	}
	for _, name := range s.Tools {
		c.Tools = append(c.Tools, json.RawMessage(`{"type":"function","function":{"name":"`+name+`","parameters":{"type":"object","properties":{
			"a":{"type":["integer","string","null"]},"f":{"type":"object","properties":{"a":{"type":"array","items":{"type":"number"}}}},"word":{"type":"boolean"}}}}}`))
	}
	return c
}

// checkHold pushes each token and a long stretch of words behind it, and asks how
// much is held back then.
func checkHold(t *testing.T, e parser.Engine, cfg Config) {
	words := strings.Repeat("word and number 7 ", cfg.MaxHold/16+1)
	for _, token := range cfg.Vocabulary {
		held, err := tck.Held(e, abi.OpenBlock{Tools: []string{"f"}}, token+words)
		if err != nil {
			t.Errorf("%q and words: %v", token, err)
		} else if held > cfg.MaxHold {
			t.Errorf("%q and words: %d bytes are held back, more than %d", token, held, cfg.MaxHold)
		}
	}
}
