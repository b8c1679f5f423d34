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
			if _, v := Read([]byte(tt.in[:cut]), false); v != scan.Wait {
				t.Errorf("%q: %d", tt.in[:cut], v)
			}
			if _, v := Read([]byte(tt.in[:cut]), true); v != scan.No {
				t.Errorf("%q at the end: %d", tt.in[:cut], v)
			}
		}
		b := []byte(tt.in + "{body}")
		h, v := Read(b, false)
		if v != scan.Yes || h.Len != len(tt.in) {
			t.Errorf("%q: verdict %d, %d bytes", tt.in, v, h.Len)
			continue
		}
		if h.Role.Of(b) != tt.role || h.Channel.Of(b) != tt.channel || h.Recipient.Of(b) != tt.recipient || h.Type.Of(b) != tt.typ {
			t.Errorf("%q: role %q channel %q recipient %q type %q", tt.in, h.Role.Of(b), h.Channel.Of(b), h.Recipient.Of(b), h.Type.Of(b))
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for _, in := range []string{
		"plain", "tomorrow", "to= <|channel|>", "<|start|>assistant hello", "<|channel|>final {", "<|end|>", "<b>",
		"<|channel|>a b c<|message|>", "<|start|>" + strings.Repeat("x", MaxHeader),
	} {
		if _, v := Read([]byte(in), false); v != scan.No {
			t.Errorf("%q: %d", in, v)
		}
	}
}

func FuzzReadDoesNotDependOnTheCut(f *testing.F) {
	f.Add("<|start|>assistant to=f<|channel|>analysis <|constrain|>xml<|message|>x")
	f.Add(" to=a<b<|channel|>final to=c word<|message|>")
	f.Fuzz(func(t *testing.T, in string) {
		whole, want := Read([]byte(in), false)
		for cut := range in {
			if h, v := Read([]byte(in[:cut]), false); v != scan.Wait && (v != want || h != whole && v == scan.Yes) {
				t.Fatalf("%q says %d, %q says %d", in[:cut], v, in, want)
			}
		}
	})
}
