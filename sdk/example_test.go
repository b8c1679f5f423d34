package sdk_test

import (
	"bytes"
	"fmt"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// tags reads thoughts between <t> and </t>; all else is text.
type tags struct{ inThought bool }

// Step consumes what is certain: everything but what may be the beginning of a tag.
func (p *tags) Step(w *sdk.Window) {
	for w.Len() > 0 {
		tag := "<t>"
		if p.inThought {
			tag = "</t>"
		}
		b := w.Bytes()
		at := bytes.IndexByte(b, '<')
		switch {
		case at < 0:
			p.emit(w, len(b))
		case at > 0:
			p.emit(w, at)
		case bytes.HasPrefix(b, []byte(tag)):
			w.Skip(len(tag))
			p.inThought = !p.inThought
		case !w.Final && len(b) < len(tag) && bytes.HasPrefix([]byte(tag), b):
			return // more bytes decide
		default:
			p.emit(w, 1)
		}
	}
}

func (p *tags) emit(w *sdk.Window, n int) {
	if p.inThought {
		w.Reasoning(n)
	} else {
		w.Text(n)
	}
}

// A whole parser module: what its manifest says, and how its parsers are made.
func Example() {
	module := sdk.Module{
		Manifest: `{"abi":"1.0","module":"tags","version":"1.0.0","parsers":[{"name":"tags_reasoning","kind":"reasoning"}]}`,
		New: sdk.Family("tags", func(open *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
			if kind != sdk.Reasoning {
				return nil
			}
			return &tags{inThought: sdk.StartOf(open) == abi.ChannelReasoning}
		}),
	}
	text := "hm</t>Hi <b>!"
	s, _ := sdk.Open(&module, &abi.OpenBlock{Parser: "tags_reasoning", Start: abi.ChannelReasoning})
	show := func(a abi.Answer) {
		for _, e := range a.Events {
			switch e.Kind {
			case abi.Reasoning:
				fmt.Printf("reasoning %q\n", text[e.Start:e.Start+e.Len])
			case abi.Text:
				fmt.Printf("text %q\n", text[e.Start:e.Start+e.Len])
			}
		}
	}
	for at := 0; at < len(text); at += 5 { // as an engine streams it
		show(s.Push(abi.RawOffset(at), 0, []byte(text[at:min(at+5, len(text))])))
	}
	show(s.Finish(abi.RawOffset(len(text)), abi.FinishUnknown))
	// Output:
	// reasoning "hm"
	// text "Hi "
	// text "<b>!"
}
