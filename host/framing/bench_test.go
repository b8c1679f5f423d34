package framing

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

// benchmarkApply frames one event after those that come first, again and again.
func benchmarkApply(b *testing.B, cfg Config, first []event, e event) {
	f := New(cfg)
	dst := f.Apply(of(first...), nil)
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

func BenchmarkText(b *testing.B) { benchmarkApply(b, Config{}, nil, say(chunk)) }

func BenchmarkArgs(b *testing.B) {
	benchmarkApply(b, Config{}, []event{opens(0, "f"), args(`{"a":"`)}, args(chunk))
}

func BenchmarkValueString(b *testing.B) {
	more := abi.ReadString | abi.FlagMore
	benchmarkApply(b, Config{}, []event{opens(0, "f"), key("a"), val(more, "")}, val(more, chunk))
}

func BenchmarkValueOfStringSchema(b *testing.B) {
	more := abi.ReadSchema | abi.FlagMore
	benchmarkApply(b, Config{Tools: typed(`{"type":"string"}`)}, []event{opens(0, "f"), key("v"), val(more, "")}, val(more, chunk))
}

func BenchmarkValueEntities(b *testing.B) {
	more := abi.ReadEntities | abi.FlagTrim | abi.FlagMore
	benchmarkApply(b, Config{}, []event{opens(0, "f"), key("a"), val(more, "")}, val(more, "a &lt; b &amp; c "))
}

func BenchmarkCall(b *testing.B) {
	f := New(Config{Tools: typed(`{"type":"integer"}`)})
	events := of(opens(0, "f"), key("v"), val(abi.ReadSchema, "42"), key("w"), val(abi.ReadString, chunk), end)
	var dst []Delta
	b.ReportAllocs()
	for b.Loop() {
		dst = f.Apply(events, dst[:0])
	}
}

func BenchmarkGuidedPayload(b *testing.B) {
	f := New(Config{Guided: abi.ModeGuidedRequired, Tools: offered("f")})
	e := payload(`[{"name":"f","arguments":{"a":"sixteen letters","b":[1,2,3],"c":{"d":null}}}]`)
	events := []event{e}
	var dst []Delta
	b.ReportAllocs()
	b.SetBytes(int64(len(e.Data)))
	for b.Loop() {
		dst = f.Apply(events, dst[:0])
	}
}
