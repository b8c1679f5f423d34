package tck

import (
	"strings"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
)

// common is what random texts hold beside the grammar's own tokens.
var common = []string{
	"word", " ", "\n", "\n\n", ".", "isn't", "\"", "'", "`", "\\", "\\\"", "<", ">", "|", "{", "}", "[", "]", "(", ")", ":", ",", "=", "/",
	"{}", `{"a":1}`, `[{"name":"f","arguments":{"a":"b"}}]`, "null", "true", "-1.5e3", "é", "日本", "🙂", "f", "a", "0", "<think>", "</think>",
}

// RandomHeader is how many bytes of random data choose the session in Random; of
// the others each two choose a token.
const RandomHeader = 4

// Random reads a session, a text and the reason of its end out of random bytes.
// The text is made of the vocabulary's tokens, of beginnings of them, and of
// plain words, quotes and brackets. The same bytes give the same.
func Random(data []byte, vocabulary []string) (abi.OpenBlock, string, abi.Finish) {
	var h [RandomHeader]byte
	n := copy(h[:], data)
	s := abi.OpenBlock{
		Start: abi.Channel(h[0] % 4), Mode: abi.Mode(h[1] % 3), Flags: abi.OpenReasoning | abi.OpenParallel,
		Tools: []string{"f", "g"},
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
		text.WriteString(randomToken(int(data[n])|int(data[n+1])<<8, vocabulary))
	}
	return s, text.String(), abi.Finish(h[3] % 6)
}

// randomToken gives the token of that number: half of the numbers are for whole tokens
// of the vocabulary, a quarter each for common ones and for beginnings of the
// vocabulary's.
func randomToken(n int, vocabulary []string) string {
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
