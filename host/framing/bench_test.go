package framing

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

// benchmarkApply frames one event after those that come first, again and again.
func benchmarkApply(b *testing.B, cfg Config, first []event, e event) {
	f := New(cfg)
	dst := f.Apply(sequence(first...), nil)
	events := []event{e}
	b.ReportAllocs()
	b.SetBytes(int64(len(e.Data)))
	for b.Loop() {
		dst = f.Apply(events, dst[:0])
	}
	if len(dst) == 0 {
		b.Fatal("nothing goes out")
	}
}

const chunk = "sixteen letters "

func BenchmarkText(b *testing.B) { benchmarkApply(b, Config{}, nil, text(chunk)) }

func BenchmarkArgs(b *testing.B) {
	benchmarkApply(b, Config{}, []event{callOpens(0, "f"), argsEvent(`{"a":"`)}, argsEvent(chunk))
}

func BenchmarkValueString(b *testing.B) {
	more := abi.ReadString | abi.FlagMore
	benchmarkApply(b, Config{}, []event{callOpens(0, "f"), keyEvent("a"), valueEvent(more, "")}, valueEvent(more, chunk))
}

func BenchmarkValueOfStringSchema(b *testing.B) {
	more := abi.ReadSchema | abi.FlagMore
	benchmarkApply(b, Config{Tools: toolWithParameter(`{"type":"string"}`)}, []event{callOpens(0, "f"), keyEvent("v"), valueEvent(more, "")}, valueEvent(more, chunk))
}

func BenchmarkValueEntities(b *testing.B) {
	more := abi.ReadEntities | abi.FlagTrim | abi.FlagMore
	benchmarkApply(b, Config{}, []event{callOpens(0, "f"), keyEvent("a"), valueEvent(more, "")}, valueEvent(more, "a &lt; b &amp; c "))
}

func BenchmarkCall(b *testing.B) {
	f := New(Config{Tools: toolWithParameter(`{"type":"integer"}`)})
	events := sequence(callOpens(0, "f"), keyEvent("v"), valueEvent(abi.ReadSchema, "42"), keyEvent("w"), valueEvent(abi.ReadString, chunk), callEnd)
	var dst []Delta
	b.ReportAllocs()
	for b.Loop() {
		dst = f.Apply(events, dst[:0])
	}
}

func BenchmarkGuidedPayload(b *testing.B) {
	f := New(Config{Guided: abi.ModeGuidedRequired, Tools: toolsNamed("f")})
	e := payloadText(`[{"name":"f","arguments":{"a":"sixteen letters","b":[1,2,3],"c":{"d":null}}}]`)
	events := []event{e}
	var dst []Delta
	b.ReportAllocs()
	b.SetBytes(int64(len(e.Data)))
	for b.Loop() {
		dst = f.Apply(events, dst[:0])
	}
}

// BenchmarkGuidedEager reads guided JSON that arrives in chunks of a token's size.
func BenchmarkGuidedEager(b *testing.B) {
	f := New(Config{Guided: abi.ModeGuidedRequired, GuidedEager: true, Tools: toolsNamed("f")})
	const text = `[{"name":"f","arguments":{"a":"sixteen letters","b":[1,2,3],"c":{"d":null}}}]`
	var chunks [][]event
	for at := 0; at < len(text); at += 4 {
		chunks = append(chunks, []event{payloadText(text[at:min(at+4, len(text))])})
	}
	var dst []Delta
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for _, chunk := range chunks {
			dst = f.Apply(chunk, dst[:0])
		}
	}
}
