package sdktest

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/tck"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// common is what random texts hold beside the grammar's own tokens.
var common = []string{
	"word", " ", "\n", "\n\n", ".", "isn't", "\"", "'", "`", "\\", "\\\"", "<", ">", "|", "{", "}", "[", "]", "(", ")", ":", ",", "=", "/",
	"{}", `{"a":1}`, `[{"name":"f","arguments":{"a":"b"}}]`, "null", "true", "-1.5e3", "é", "日本", "🙂", "f", "a", "0", "<think>", "</think>",
}

// headerSize is how many bytes of random data choose the session; of the others
// each two choose a token.
const headerSize = 4

// randomText reads a session and its text out of random bytes. The same bytes
// give the same text.
func randomText(data []byte, cfg Config) (abi.Session, string, abi.Finish) {
	var h [headerSize]byte
	n := copy(h[:], data)
	s := abi.Session{
		Start: abi.Channel(h[0] % 4), Mode: abi.Mode(h[1] % 3), Flags: abi.OpenReasoning | abi.OpenParallel,
		Tools: []string{"f", "g"}, Options: cfg.Options,
	}
	if s.Mode == abi.ModeGuidedNamed {
		s.NamedTool = "f"
	}
	if h[2]&1 != 0 {
		s.Flags |= abi.OpenTurnGrammar
	}
	if h[2]&6 == 6 && s.Mode == abi.ModeNative {
		s.Tools = nil
	}
	var text strings.Builder
	for ; n+1 < len(data); n += 2 {
		text.WriteString(token(int(data[n])|int(data[n+1])<<8, cfg.Vocabulary))
	}
	return s, text.String(), abi.Finish(h[3] % 6)
}

// token gives the token of that number: half of the numbers are for whole tokens
// of the vocabulary, a quarter each for common ones and for beginnings of the
// vocabulary's.
func token(n int, vocabulary []string) string {
	kind, n := n%4, n/4
	if kind == 0 || len(vocabulary) == 0 {
		return common[n%len(common)]
	}
	whole := vocabulary[n%len(vocabulary)]
	if kind != 1 || whole == "" {
		return whole
	}
	at := n / len(vocabulary) % len(whole)
	for at > 0 && !utf8.RuneStart(whole[at]) {
		at--
	}
	return whole[:at]
}

func checkRandom(e parse.Engine, data []byte, cfg Config) error {
	s, text, reason := randomText(data, cfg)
	splits, err := tck.ParseSplits("random:4")
	if err != nil {
		return err
	}
	if err := tck.CheckText(e, s, text, reason, splits); err != nil {
		return fmt.Errorf("%w\n session: %+v", err, s)
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

// checkHold puts a long stretch of words behind each token.
func checkHold(t *testing.T, e parse.Engine, cfg Config) {
	words := strings.Repeat("word and number 7 ", cfg.MaxHold/16+1)
	for _, token := range append(cfg.Vocabulary, common...) {
		held, err := tck.Held(e, abi.Session{Tools: []string{"f"}}, token+words)
		if err != nil {
			t.Errorf("%q and words: %v", token, err)
		} else if held > cfg.MaxHold {
			t.Errorf("%q and words: %d bytes are held back, more than %d", token, held, cfg.MaxHold)
		}
	}
}
