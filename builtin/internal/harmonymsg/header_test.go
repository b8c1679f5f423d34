package harmonymsg

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

func TestRead(t *testing.T) {
	tests := []struct{ in, role, channel, recipient, typ string }{
		{"<|channel|>final<|message|>", "", "final", "", ""},
		{"<|start|>assistant<|channel|>analysis<|message|>", "assistant", "analysis", "", ""},
		{" to=fleet.restart<|channel|>analysis <|constrain|>xml<|message|>", "", "analysis", "fleet.restart", "xml"},
		{"<|start|>assistant to=f<|channel|>analysis<|message|>", "assistant", "analysis", "f", ""},
		{"<|channel|>commentary to=functions.tide <|constrain|>json<|message|>", "", "commentary", "functions.tide", "json"},
		{"<|channel|>commentary to=functions.tide<|constrain|>json<|message|>", "", "commentary", "functions.tide", "json"},
		{"<|channel|>analysis to=functions.tide code<|message|>", "", "analysis", "functions.tide", "code"},
		{"<|start|>functions.f to=assistant<|channel|>commentary<|message|>", "functions.f", "commentary", "assistant", ""},
	}
	for _, tt := range tests {
		for cut := range tt.in {
			if _, v := ReadHeader([]byte(tt.in[:cut]), false); v != scan.Wait {
				t.Errorf("%q: %d", tt.in[:cut], v)
			}
			if _, v := ReadHeader([]byte(tt.in[:cut]), true); v != scan.No {
				t.Errorf("%q at the end: %d", tt.in[:cut], v)
			}
		}
		b := []byte(tt.in + "{body}")
		h, v := ReadHeader(b, false)
		if v != scan.Yes || h.Len != len(tt.in) {
			t.Errorf("%q: verdict %d, %d bytes", tt.in, v, h.Len)
			continue
		}
		if h.Role.Bytes(b) != tt.role || h.Channel.Bytes(b) != tt.channel || h.Recipient.Bytes(b) != tt.recipient || h.Type.Bytes(b) != tt.typ {
			t.Errorf("%q: role %q channel %q recipient %q type %q", tt.in, h.Role.Bytes(b), h.Channel.Bytes(b), h.Recipient.Bytes(b), h.Type.Bytes(b))
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, in := range []string{
		"plain", "tomorrow", "to= <|channel|>", "<|start|>assistant hello", "<|channel|>final {", "<|end|>", "<b>",
		"<|channel|>a b c<|message|>", "<|start|>" + strings.Repeat("x", MaxHeader),
	} {
		if _, v := ReadHeader([]byte(in), false); v != scan.No {
			t.Errorf("%q: %d", in, v)
		}
	}
}

func FuzzReadDoesNotDependOnTheCut(f *testing.F) {
	f.Add("<|start|>assistant to=f<|channel|>analysis <|constrain|>xml<|message|>x")
	f.Add(" to=a<b<|channel|>final to=c word<|message|>")
	f.Fuzz(func(t *testing.T, in string) {
		whole, want := ReadHeader([]byte(in), false)
		for cut := range in {
			if h, v := ReadHeader([]byte(in[:cut]), false); v != scan.Wait && (v != want || h != whole && v == scan.Yes) {
				t.Fatalf("%q says %d, %q says %d", in[:cut], v, in, want)
			}
		}
	})
}
