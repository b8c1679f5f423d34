package abi_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

// hexBlock gives the bytes of the fenced block of that name in ABI.md.
func hexBlock(t *testing.T, name string) []byte {
	t.Helper()
	doc, err := os.ReadFile("ABI.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(doc), "```hex "+name+"\n")
	block, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatalf("ABI.md has no block %q", name)
	}
	var out []byte
	for line := range strings.Lines(block) {
		digits, _, _ := strings.Cut(line, "#")
		b, err := hex.DecodeString(strings.Join(strings.Fields(digits), ""))
		if err != nil {
			t.Fatalf("block %q, %q: %v", name, line, err)
		}
		out = append(out, b...)
	}
	return out
}

// The example in ABI.md is what the codec writes, and means what it says.
func TestExample(t *testing.T) {
	session := abi.OpenBlock{Parser: "larch", Tools: []string{"f"}, Flags: abi.OpenReasoning | abi.OpenParallel}
	if got, want := hexBlock(t, "open"), abi.AppendOpen(nil, &session); !bytes.Equal(got, want) {
		t.Errorf("the open block is\n% x\nwant\n% x", got, want)
	}
	var want []byte
	for _, e := range []abi.Event{
		{Kind: abi.Text, Start: 0, Len: 3, End: 6},
		{Kind: abi.Reasoning, Start: 6, Len: 2, End: 12},
		{Kind: abi.Call, Start: 13, Len: 1, End: 12},
		{Kind: abi.Args, Start: 14, Len: 7, End: 12},
		{Kind: abi.CallEnd, End: 22},
		abi.WatchEvent(uint8(abi.Text), 0, []byte("<("), 22),
	} {
		want = abi.AppendEvent(want, e)
	}
	if got := hexBlock(t, "answer"); !bytes.Equal(got, want) {
		t.Errorf("the answer is\n% x\nwant\n% x", got, want)
	}
	const text = `Hi.<t>ok</t>(f{"a":1})`
	if len(text) != 22 || text[6:8] != "ok" || text[13:14] != "f" || text[14:21] != `{"a":1}` {
		t.Error("the offsets in the example are wrong")
	}
	doc, err := os.ReadFile("ABI.md")
	if err != nil || !strings.Contains(string(doc), text) {
		t.Errorf("ABI.md has another text (%v)", err)
	}
}
