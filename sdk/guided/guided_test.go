package guided_test

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

// toy calls are <call>NAME<args>JSON</call> in <calls>…</calls>, or with a name
// that is closed, <fn=NAME><args>JSON</call>.
var toy = guided.Compile(guided.Markup{
	Think: []string{"<think>"}, EndThink: []string{"</think>"},
	Strip:   []string{"</calls>", "</call>", "<args>"},
	Openers: []string{"<calls>"},
	Headers: []guided.Header{{Marker: "<call>"}, {Marker: "<fn=", End: ">"}},
})

const manifest = `{"abi":"1.0","module":"toy","version":"1.0.0","parsers":[{"name":"toy","kind":"unified","guided":["required","named"]}]}`

var module = sdk.Module{Manifest: manifest, New: func(s *abi.OpenBlock) sdk.Parser { return guided.New(toy, s, nil) }}

// said shows what becomes of a text: thoughts in [], payload in ‹›.
func said(start abi.Channel, pieces []string) string {
	marks := map[string]string{"r": "[]", "p": "‹›"}
	var text, out strings.Builder
	s, _ := sdk.Open(&module, &abi.OpenBlock{Start: start, Mode: abi.ModeGuidedRequired, Tools: []string{"f"}})
	open := ""
	show := func(a abi.Answer) {
		for _, e := range a.Events {
			kind := ""
			switch {
			case e.Kind == abi.Reasoning:
				kind = "r"
			case e.Kind == abi.Text && e.Flags&abi.FlagPayload != 0:
				kind = "p"
			case e.Kind != abi.Text:
				continue
			}
			if kind != open {
				if m := []rune(marks[open]); len(m) > 0 {
					out.WriteRune(m[1])
				}
				if m := []rune(marks[kind]); len(m) > 0 {
					out.WriteRune(m[0])
				}
			}
			open = kind
			out.WriteString(text.String()[e.Start : e.Start+e.Len])
		}
	}
	for _, p := range pieces {
		off := text.Len()
		text.WriteString(p)
		show(s.Push(abi.RawOffset(off), 0, []byte(p)))
	}
	show(s.Finish(abi.RawOffset(text.Len()), abi.FinishUnknown))
	if m := []rune(marks[open]); len(m) > 0 {
		out.WriteRune(m[1])
	}
	return out.String()
}

func TestGuided(t *testing.T) {
	long := strings.Repeat(" ", 3000)
	for _, c := range []struct {
		name  string
		start abi.Channel
		text  string
		want  string
	}{
		{"payload", 1, `[{"a":1}]`, `‹[{"a":1}]›`},
		{"after a thought", 1, `<think>so</think>{"a":1}`, `[so]‹{"a":1}›`},
		{"after prose", 1, `Sure. {"a":1} done`, `Sure. ‹{"a":1}› done`},
		{"stray closers in front", 1, `</think></call>{}`, `‹{}›`},
		{"wrapped", 1, `<calls> <call> {"a":1} </call></calls>`, `‹{"a":1}›`},
		{"name in front", 1, `<call>functions.f:0 {"a":1}`, `‹{"a":1}›`},
		{"closed name in front", 1, `<fn=f>{"a":1}`, `‹{"a":1}›`},
		{"name without an end borrows none", 1, `<fn=<think>so</think>{}`, `[so]‹{}›`},
		{"object behind a name and a marker", 1, `<calls><call>f:0<args>{"a":"</call>"}</call></calls>`, `‹{"a":"</call>"}›`},
		{"opener of no call", 1, `<call>f<args> x</call> so`, `<call>f x so`},
		{"cut behind a name and a marker", 1, `<call>f<args>{"a":`, `‹{"a":›`},
		{"cut behind an opener", 1, `a <call>`, `a <call>`},
		{"cut behind an opener in a thought", 1, `<think><call>`, `[<call>]`},
		{"lone arguments marker", 1, `a<args> b`, `a b`},
		{"marker in a string", 1, `{"a":"</call> <think>"}`, `‹{"a":"</call> <think>"}›`},
		{"blanks before a closer behind a broken payload", 1, `[{"a": </calls>x`, `‹[{"a":›x`},
		{"broken payload", 1, `{"a": b} c`, `‹{"a":› b} c`},
		{"marker told about in a thought", 1, `<think>I use <call> here</think>{}`, `[I use  here]‹{}›`},
		{"thought ends at the wrapped payload", 1, `<think>so<calls>{}</calls>`, `[so]‹{}›`},
		{"braces in a thought", 1, `<think>{x} [y]</think>{}`, `[{x} [y]]‹{}›`},
		{"opener of no call in a thought that ends", 1, `<think><call>f<args>x</think>{}`, `[fx]‹{}›`},
		{"quoted braces", 1, "a `{x}` {}", "a `{x}` ‹{}›"},
		{"open thought", 2, `so</think>{}`, `[so]‹{}›`},
		{"open thought, payload at once", 2, ` {"a":1}`, ` ‹{"a":1}›`},
		{"open response", 3, `<think>a</think>{}`, `<think>a</think>‹{}›`},
		{"cut", 1, `[{"a":"b`, `‹[{"a":"b›`},
		{"long white space behind the payload", 1, `{}` + long + `</call>`, `‹{}›` + long},
		{"long white space in the payload", 1, `[` + long + `</call>x`, `‹[` + long + `›x`},
		{"long white space behind a marker", 1, `<call>` + long + `{}`, `<call>` + long + `‹{}›`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := said(c.start, []string{c.text}); got != c.want {
				t.Errorf("gives %q, want %q", got, c.want)
			}
			if got := said(c.start, strings.Split(c.text, "")); got != c.want {
				t.Errorf("byte by byte gives %q, want %q", got, c.want)
			}
		})
	}
}

func TestSplits(t *testing.T) {
	sdktest.Run(t, &module, sdktest.Config{Vocabulary: []string{
		"<think>", "</think>", "<calls>", "</calls>", "<call>", "</call>", "<args>", "<fn=", ">", "f:0", "functions.f",
		`{"a":"`, `"}`, `{}`, `[{"name":"f","arguments":{}}]`, `]`, " ", "\n", `"`, "'", "x",
	}})
}
