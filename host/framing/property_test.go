package framing

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"pgregory.net/rapid"
)

var (
	someText = rapid.StringOfN(rapid.RuneFrom([]rune("a1 \n\t\"\\'{}[]:,&;<é😀\x01u0nltruefas-.e")), 0, 24, -1)
	// Texts in which the readings have something to do.
	someValue = rapid.OneOf(someText, rapid.SampledFrom([]string{
		"null", " null ", "Null", "true", "42", " 4.20e1 ", `{"a":[1,{"b":null}]}`, `["x"]`, `\u00e9\ud83d\ude00\n`, `\x41\101\U0001F600`, "&lt;&amp;&quot;",
		`{'a': (1, 'b'), "c": None}`, `"quoted"`, "1e999999999", "[", `{"a":`, "  ", "",
	}))
	someSchema = rapid.SampledFrom([]string{
		`{"type":"string"}`, `{"type":["string","null"]}`, `{"type":"integer"}`, `{"type":["integer","string"]}`, `{"type":"boolean"}`, `{"type":"object"}`,
		`{"type":"array"}`, `{}`, `{"anyOf":[{"const":"42"},{"type":"integer"}]}`, `{"$ref":"#"}`, `{"type":"number","nullable":true}`,
	})
	someKnobs = rapid.Custom(func(t *rapid.T) manifest.Typing {
		pick := func(values ...string) string { return rapid.SampledFrom(append(values, "")).Draw(t, "knob") }
		return manifest.Typing{
			Union: pick(manifest.UnionString), Null: pick(manifest.NullProven), JSON: pick(manifest.JSONAny),
			Empty: pick(manifest.EmptyContainer), Booleans: pick(manifest.BooleansExact, manifest.BooleansLoose),
		}
	})
)

// someCall draws a complete call of keys and values, nested or not.
func someCall(t *rapid.T) []event {
	events := []event{callOpens(0, "f")}
	var value func(depth int)
	value = func(depth int) {
		kind := rapid.IntRange(0, 6).Draw(t, "kind")
		switch {
		case kind == 0 && depth < 3:
			events = append(events, openObject)
			for range rapid.IntRange(0, 3).Draw(t, "members") {
				events = append(events, keyEvent(someText.Draw(t, "key")))
				value(depth + 1)
			}
			events = append(events, closed)
		case kind == 1 && depth < 3:
			events = append(events, openArray)
			for range rapid.IntRange(0, 3).Draw(t, "elements") {
				value(depth + 1)
			}
			events = append(events, closed)
		default:
			flags := uint8(rapid.IntRange(0, 8).Draw(t, "reading"))
			if rapid.Bool().Draw(t, "trim") {
				flags |= abi.FlagTrim
			}
			events = append(events, valueEvent(flags, someValue.Draw(t, "value")))
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "parameters") {
		events = append(events, keyEvent(rapid.SampledFrom([]string{"v", "w", "", "x\"y"}).Draw(t, "parameter")))
		value(0)
	}
	return sequence(append(events, callEnd)...)
}

// arguments gives what went out for the one call.
func argumentsOf(t *rapid.T, deltas []Delta) string {
	var b strings.Builder
	ended := false
	for _, d := range deltas {
		if d.Kind == CallArgs {
			b.WriteString(d.Text)
		}
		ended = ended || d.Kind == CallEnd && !d.Unsound
	}
	if !ended {
		t.Fatalf("the call did not end: %+v", deltas)
	}
	return b.String()
}

// A complete call of keys and values is one JSON object, the same for every cut
// and for both policies.
func TestCallsAreObjectsHoweverTheyAreCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		knobs := someKnobs.Draw(t, "knobs")
		cfg := Config{Tools: toolWithParameter(someSchema.Draw(t, "schema")), Typing: &knobs, Arguments: Arguments(rapid.IntRange(0, 1).Draw(t, "arguments"))}
		events := someCall(t)
		whole := New(cfg).Apply(events, nil)
		want := argumentsOf(t, whole)
		if !isObject(want) {
			t.Fatalf("%q is no JSON object", want)
		}
		f := New(cfg)
		var deltas []Delta
		for _, e := range cutIntoPieces(events, rapid.IntRange(1, 5).Draw(t, "cut")) {
			deltas = f.Apply([]event{e}, deltas)
		}
		if got := argumentsOf(t, deltas); got != want {
			t.Fatalf("cut: %q, whole: %q", got, want)
		}
	})
}

// Verbatim arguments go out as they are, whatever they are; they are sound
// exactly if they are a JSON object.
func TestVerbatimArguments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(someText, rapid.StringMatching(`\{("[a-z\\"]*":([0-9.e-]*|"[^"]*"|\[\]|\{\}|true|null),?)*\}`)).Draw(t, "arguments")
		cfg := Config{NoRepair: true}
		for n := range 3 {
			f := New(cfg)
			var deltas []Delta
			for _, e := range cutIntoPieces(sequence(callOpens(0, "f"), argsEvent(text), callEnd), n) {
				deltas = f.Apply([]event{e}, deltas)
			}
			var got strings.Builder
			sound := true
			for _, d := range deltas {
				if d.Kind == CallArgs {
					got.WriteString(d.Text)
				}
				sound = sound && !d.Unsound
			}
			bare := string(jsonx.TrimSpace([]byte(text)))
			if bare == "" {
				bare = "{}"
			}
			if sound && got.String() != bare || !sound && !strings.HasPrefix(text, strings.TrimLeft(got.String(), " \n\t")) && trimmed(got.String()) != trimmed(text) {
				t.Fatalf("%q became %q (sound %v)", text, got.String(), sound)
			}
			if isObject(bare) != sound {
				t.Fatalf("%q: sound %v", text, sound)
			}
		}
	})
}

func isObject(s string) bool { return strings.HasPrefix(s, "{") && json.Valid([]byte(s)) }

func trimmed(s string) string { return string(jsonx.TrimSpace([]byte(s))) }

// Guided JSON comes out the same for every cut, and every byte that is no white
// space is either in a call or in the text.
func TestGuidedJSONHoweverItIsCut(t *testing.T) {
	elements := rapid.SliceOfN(rapid.SampledFrom([]string{`{"name":"f","arguments":{"a":[1]}}`, `{"parameters":{},"name":"g"}`, `{"name":"f"}`, `{"name":7}`, `5`, `[]`, ` `, `x`}), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		inner := strings.Join(elements.Draw(t, "elements"), rapid.SampledFrom([]string{",", " , ", " "}).Draw(t, "separator"))
		frame := rapid.SampledFrom([]string{"[%s]", "%s", "[%s", "a [%s] b", "\n[%s]\n"}).Draw(t, "frame")
		text := fmt.Sprintf(frame, inner)
		cfg := Config{Guided: abi.ModeGuidedRequired, Tools: toolsNamed("f", "g")}
		whole, _ := frameAll(cfg, sequence(payloadText(text)), true)
		for n := 1; n < 4; n++ {
			if cut, _ := frameAll(cfg, cutIntoPieces(sequence(payloadText(text)), n), false); strings.Join(cut, "|") != strings.Join(whole, "|") {
				t.Fatalf("%q: cut %q, whole %q", text, cut, whole)
			}
		}
		calls := false
		var emitted strings.Builder
		for _, item := range whole {
			calls = calls || strings.HasPrefix(item, "call")
			emitted.WriteString(strings.TrimPrefix(item, "text "))
		}
		if !calls && emitted.String() != text {
			t.Fatalf("%q became the text %q", text, emitted.String())
		}
	})
}
