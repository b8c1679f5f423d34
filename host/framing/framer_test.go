package framing

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/typing"
)

func TestOrderIsKept(t *testing.T) {
	cfg := Config{Tools: toolsNamed("f", "g")}
	checkFramed(t, cfg, sequence(reasoning("hm"), text("Sure. "), callOpens(0, "f"), callID("f:0"), argsEvent(` {"a": 1} `), callEnd, text(" and "),
		callOpens(1, "g"), callEnd, reasoning("more"), text("done")),
		"think hm", "text Sure. ", `call 0 f f:0 {"a": 1}`, "text  and ", "call 1 g * {}", "think more", "text done")
}

func TestNewBlocks(t *testing.T) {
	block := func(e event) event { return withFlags(abi.FlagNewBlock, e) }
	cfg := Config{Tools: toolsNamed("f")}
	checkFramed(t, cfg, sequence(block(reasoning("a")), block(reasoning("b")), text("c"), block(reasoning("d")), reasoning("e")),
		"think a\nb", "text c", "think de")
	dropped := sequence(reasoning("a"), callOpens(0, "f"), argsEvent("{"), callDrop, block(reasoning("b")))
	checkFramed(t, Config{Arguments: Whole}, dropped, "think a\nb")
	if got, _ := frameAll(cfg, dropped, false); strings.Join(got, "|") != "think a|call 0 f * { cut|think \nb" {
		t.Errorf("a call that was cut between two blocks: %q", got)
	}
	checkFramed(t, cfg, sequence(reasoning("a"), callOpens(0, "f"), callEnd, block(reasoning("b"))), "think a", "call 0 f * {}", "think b")
	checkFramed(t, Config{CallsOff: true}, sequence(text("a"), callOpens(0, "f"), callEnd, block(text("b"))), "text a\nb")
}

func TestLead(t *testing.T) {
	cfg := Config{Tools: toolsNamed("f"), Lead: "<t>"}
	checkFramed(t, cfg, sequence(text("a"), text("b"), reasoning("c"), text("d")), "text <t>ab", "think c", "text d")
	checkFramed(t, cfg, sequence(reasoning("a"), callOpens(0, "f"), callEnd, text("b")), "think a", "call 0 f * {}", "text <t>b")
	checkFramed(t, cfg, sequence(callOpens(0, "f"), callEnd), "call 0 f * {}")
}

func TestArgumentsAsJSON(t *testing.T) {
	cfg := Config{Tools: toolsNamed("f")}
	for _, c := range []struct{ name, in, want string }{
		{"empty object", `{}`, `{}`},
		{"nothing", ``, `{}`},
		{"white space alone", "  \n ", `{}`},
		{"white space around", " {\"a\" : [1, 2.50, -0e+9] ,\"b\":\"\\u00e9\"}\n\n", `{"a" : [1, 2.50, -0e+9] ,"b":"\u00e9"}`},
		{"control characters", "{\"a\":\"two\nlines\tand \x01\"}", `{"a":"two\nlines\tand \u0001"}`},
		{"line feeds between tokens", "{\n\"a\":\n{}}", "{\n\"a\":\n{}}"},
		{"comma at the end", `{"a":1,}`, `{"a":1}`},
		{"Python's words and marks", `{'a': True, 'b': [None,]}`, `{"a": true, "b": [null]}`},
		{"text that holds the object", ` "{\"a\": \"\\u00e9\"}"`, `{"a": "\u00e9"}`},
		{"text that holds one with a comma too many", `"{\"a\": 1,}"`, `{"a": 1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkFramed(t, cfg, sequence(callOpens(0, "f"), argsEvent(c.in), callEnd), "call 0 f * "+c.want)
		})
	}
	c := checkFramed(t, Config{Tools: toolsNamed("f"), NoRepair: true}, sequence(callOpens(0, "f"), argsEvent("{\"a\":\"\n\"}"), callEnd), "call 0 f * {\"a\":\"\n\"} unsound")
	if c.Unsound != 1 || c.Repaired != 0 {
		t.Errorf("counts %+v", c)
	}
}

func TestArgumentsThatAreNoObject(t *testing.T) {
	cfg := Config{Tools: toolsNamed("f")}
	for _, c := range []struct{ name, in string }{
		{"cut after a colon", `{"a":`},
		{"key without a value", `{"a"}`},
		{"array", `[1]`},
		{"number", `12`},
		{"string", `"x"`},
		{"null", `null`},
		{"brace too many", `{"a":1}}`},
		{"text after it", `{} x`},
		{"leading zero", `{"a":01}`},
		{"unknown escape", `{"a":"\q"}`},
		{"cut literal", `{"a":tru}`},
		{"comma, and nothing", `{"a":1, `},
		{"text that holds an array", `"[1]"`},
		{"text that holds half an object", `"{\"a\":"`},
		{"text without an end", `"{}`},
		{"minus alone", `{"a":-}`},
		{"no fraction", `{"a":1.}`},
		{"no exponent", `{"a":1e}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkFramed(t, cfg, sequence(callOpens(0, "f"), argsEvent(c.in), callEnd), "call 0 f * "+c.in+" unsound")
		})
	}
}

func TestTextStaysTextWhereTheToolTakesIt(t *testing.T) {
	cfg := Config{Tools: typing.NewTools([]typing.Tool{{Name: "f", Parameters: []byte(`{"type":"string"}`)}})}
	checkFramed(t, cfg, sequence(callOpens(0, "f"), argsEvent(`"{}"`), callEnd), `call 0 f * "{}" unsound`)
}

func TestEscapedArguments(t *testing.T) {
	cfg := Config{Tools: toolsNamed("f")}
	checkFramed(t, cfg, sequence(callOpens(0, "f"), withFlags(abi.ReadJSONBody, argsEvent(`{\"a\": \"x\\n\u00e9\ud83d\ude00\"}`)), callEnd),
		"call 0 f * {\"a\": \"x\\né😀\"}")
	checkFramed(t, cfg, sequence(callOpens(0, "f"), literal(argsEvent(`{"a":`)), argsEvent(`1`), literal(argsEvent(`}`)), callEnd), `call 0 f * {"a":1}`)
}

func TestArgumentsAsKeys(t *testing.T) {
	cfg := Config{Tools: toolsNamed("f")}
	s := abi.ReadString
	checkFramed(t, cfg, sequence(callOpens(0, "f"), keyEvent("a"), valueEvent(s, `x "q" \ é`), keyEvent(`k"`), valueEvent(s, "1\n2"), callEnd),
		`call 0 f * {"a":"x \"q\" \\ é","k\"":"1\n2"}`)
	checkFramed(t, cfg, sequence(callOpens(0, "f"), keyEvent("o"), openObject, keyEvent("x"), valueEvent(abi.ReadJSON, " 1 "), keyEvent("y"), openArray, valueEvent(s, ""), openObject, closed, openArray, closed, closed, closed, keyEvent("z"), valueEvent(s, ""), callEnd),
		`call 0 f * {"o":{"x":1,"y":["",{},[]]},"z":""}`)
	checkFramed(t, cfg, sequence(callOpens(0, "f"), withFlags(abi.ReadEntities, keyEvent("a&lt;b&amp;&quot;&apos;&gt;&nbsp;&")), valueEvent(s, "v"), callEnd), `call 0 f * {"a<b&\"'>&nbsp;&":"v"}`)
}

func TestRepeatedKeys(t *testing.T) {
	s := abi.ReadString
	c := checkFramed(t, Config{Tools: toolsNamed("f")}, sequence(callOpens(0, "f"), keyEvent("a"), valueEvent(s, "1"), keyEvent("a"), valueEvent(s, "2"),
		keyEvent("a"), openObject, keyEvent("b"), openArray, valueEvent(s, "x"), closed, keyEvent("c"), valueEvent(s, "y"), closed, keyEvent("b"), openObject, keyEvent("c"), valueEvent(s, "3"), keyEvent("c"), valueEvent(s, "4"), closed, callEnd),
		`call 0 f * {"a":"1","b":{"c":"3"}}`)
	if c.Duplicates != 3 {
		t.Errorf("%d duplicates counted, want 3", c.Duplicates)
	}
	events := []event{callOpens(0, "f")}
	for i := range 40 {
		events = append(events, keyEvent(string(rune('a'+i%20))), valueEvent(s, ""))
	}
	c = checkFramed(t, Config{Tools: toolsNamed("f")}, sequence(append(events, callEnd)...),
		`call 0 f * {"`+strings.Join(strings.Split("abcdefghijklmnopqrst", ""), `":"","`)+`":""}`)
	if c.Duplicates != 20 {
		t.Errorf("%d duplicates counted, want 20", c.Duplicates)
	}
}

func TestReadings(t *testing.T) {
	cfg := Config{Tools: toolsNamed("f")}
	for _, c := range []struct {
		name     string
		how      uint8
		in, want string
	}{
		{"string", abi.ReadString, ` &amp;\n"1" `, `" &amp;\\n\"1\" "`},
		{"trimmed string", abi.ReadString | abi.FlagTrim, " \n a  b \t", `"a  b"`},
		{"trimmed string of white space", abi.ReadString | abi.FlagTrim, "  ", `""`},
		{"JSON", abi.ReadJSON, ` {"a": [1 , 2]} `, `{"a": [1 , 2]}`},
		{"JSON with a raw line feed", abi.ReadJSON, "\"a\nb\"", `"a\nb"`},
		{"text read as JSON", abi.ReadJSON, ` not json `, `" not json "`},
		{"trimmed text read as JSON", abi.ReadJSON | abi.FlagTrim, ` not json `, `"not json"`},
		{"no JSON", abi.ReadJSON, ``, `""`},
		{"JSON or text, JSON", abi.ReadJSONOrText, `3`, `3`},
		{"JSON or text, text", abi.ReadJSONOrText, ` just words`, `" just words"`},
		{"JSON escapes", abi.ReadJSONBody, `a\"b\\c\/d\n\t\b\f\r\u00e9\ud83d\ude00`, `"a\"b\\c/d\n\t\u0008\u000c\ré😀"`},
		{"lone surrogates and a short escape", abi.ReadJSONBody, `\ud83d \ud83dx \ude00 \u12`, `"` + "\uFFFD \uFFFDx \uFFFD" + ` \\u12"`},
		{"unknown escapes", abi.ReadJSONBody, `bad \q \`, `"bad \\q \\"`},
		{"surrogate before another escape", abi.ReadJSONBody, `\ud83d\u0041`, `"` + "\uFFFD" + `A"`},
		{"Python escapes", abi.ReadPythonBody, `a\'b\"\\\n\x41\101\7z\u00e9\U0001F600\a\v\qéx\N{DASH}`, `"a'b\"\\\nAA\u0007zé😀\u0007\u000b\\qéx\\N{DASH}"`},
		{"Python line joining and a short escape", abi.ReadPythonBody, "a\\\nb\\x4", `"ab\\x4"`},
		{"entities", abi.ReadEntities, `&lt;a&gt; &amp;amp; &quot;&apos;&nbsp; & &am`, `"<a> &amp; \"'&nbsp; & &am"`},
		{"quot and amp only", abi.ReadQuotAmp, `&lt;&quot;&amp;lt;`, `"&lt;\"&lt;"`},
		{"trimmed entity", abi.ReadEntities | abi.FlagTrim, "\n &lt; \n", `"<"`},
		{"Python containers", abi.ReadPython, `{'a': [True, None, -1.50, (1,), (2), ()], "b": 'it\'s',}`, `{"a":[true,null,-1.50,[1],2,[]],"b":"it's"}`},
		{"Python string", abi.ReadPython, ` 'x' `, `"x"`},
		{"Python number with a sign", abi.ReadPython, `+3`, `3`},
		{"null in Python", abi.ReadPython, `null`, `null`},
		{"Python number with leading zeros", abi.ReadPython, `007`, `"007"`},
		{"Python call", abi.ReadPython, `f(x)`, `"f(x)"`},
		{"Python key that is no string", abi.ReadPython, `{1: 2}`, `"{1: 2}"`},
		{"Python list without a comma", abi.ReadPython, `[1 2]`, `"[1 2]"`},
		{"Python list of a comma", abi.ReadPython, `[,]`, `"[,]"`},
		{"open Python string", abi.ReadPython, `'open`, `"'open"`},
		{"no Python", abi.ReadPython, ``, `""`},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkFramed(t, cfg, sequence(callOpens(0, "f"), keyEvent("v"), valueEvent(c.how, c.in), callEnd), `call 0 f * {"v":`+c.want+`}`)
		})
	}
}

func TestLiteralBytesAreNotRead(t *testing.T) {
	cfg := Config{Tools: toolsNamed("f")}
	checkFramed(t, cfg, sequence(callOpens(0, "f"), keyEvent("v"), valueEvent(abi.ReadEntities|abi.FlagTrim|abi.FlagMore, " &lt; "), literal(valueEvent(abi.ReadEntities|abi.FlagTrim|abi.FlagMore, " &lt;")),
		valueEvent(abi.ReadEntities|abi.FlagTrim, " x "), callEnd), `call 0 f * {"v":"<  &lt; x"}`)
}

func TestNamesAndIDs(t *testing.T) {
	cfg := Config{}
	checkFramed(t, cfg, sequence(withFlags(abi.ReadJSONBody, callOpens(0, `a\"b`)), withFlags(abi.ReadQuotAmp, callID("x&quot;")), callEnd), `call 0 a"b x" {}`)
	checkFramed(t, cfg, sequence(callOpens(0, ""), argsEvent("{}"), callEnd, callOpens(1, "f"), callEnd), `call 0 f * {}`)
	c := checkFramed(t, cfg, sequence(callOpens(0, "f"), callID("i"), callEnd, callOpens(1, "f"), callID("i"), callEnd), `call 0 f i {}`, `call 1 f * {}`)
	if c.IDs != 1 {
		t.Errorf("replaced ids: %d", c.IDs)
	}
	late := sequence(callOpens(0, "f"), argsEvent("{"), callID("late"), argsEvent("}"), callEnd)
	checkFramed(t, cfg, late, `call 0 f * {}`)
	checkFramed(t, Config{Arguments: Whole}, late, `call 0 f late {}`)

	shared := NewIDs(manifest.IDsShort, "taken")
	deltas := New(Config{IDs: shared}).Apply(sequence(callOpens(0, "f"), callID("taken"), callEnd), nil)
	if got := deltas[0].ID; len(got) != 9 || got == "taken" {
		t.Errorf("short id: %q", got)
	}
	seen := map[string]bool{}
	for range 1000 {
		id, _ := shared.takeOrReplace("", "f")
		if seen[id] {
			t.Fatal("an id came twice")
		}
		seen[id] = true
	}
	form := NewIDs("functions.{name}:{index}", "functions.f:0", "functions.g:1", "functions.f:3")
	for _, call := range [][3]string{{"", "f", "functions.f:4"}, {"functions.g:9", "g", "functions.g:9"}, {"functions.g:9", "g", "functions.g:5"}} {
		if got := form.Take(call[0], call[1]); got != call[2] {
			t.Errorf("id %q of a call of %s: %q, not %q", call[0], call[1], got, call[2])
		}
	}
}

func TestCutCalls(t *testing.T) {
	events := sequence(text("a"), callOpens(0, "f"), argsEvent(`{"a":`), callDrop, text("b"), callOpens(1, "g"), argsEvent("{}"), callEnd)
	f := New(Config{})
	var deltas []Delta
	for i := range events {
		deltas = f.Apply(events[i:i+1], deltas)
	}
	if got := strings.Join(assembled(deltas), "|"); got != `text a|call 0 f * {"a": cut|text b|call 1 g * {}` {
		t.Errorf("eager: %s", got)
	}
	if c := f.Counts(); c.Calls != 1 || c.Cut != 1 {
		t.Errorf("counts %+v", c)
	}
	checkFramed(t, Config{Arguments: Whole}, events, "text ab", "call 0 g * {}")
}

func TestUnsoundCalls(t *testing.T) {
	body := sequence(callOpens(0, "f"), unsoundEnd("{oops"))
	fragments := sequence(callOpens(0, "f"), argsEvent("{oops"), unsoundEnd(""))
	keys := sequence(callOpens(0, "f"), keyEvent("a"), valueEvent(abi.ReadString, "1"), keyEvent("b"), unsoundEnd("{a:1,b"))
	textPolicy := Config{Invalid: InvalidText, Raw: func(abi.RawOffset, abi.RawOffset) []byte { return []byte("<raw>") }}
	for _, c := range []struct {
		name string
		cfg  Config
		in   []event
		want []string
	}{
		{"raw", Config{}, body, []string{"call 0 f * {oops unsound"}},
		{"empty", Config{Invalid: InvalidEmpty}, body, []string{"call 0 f * {} unsound"}},
		{"drop", Config{Invalid: InvalidDrop}, body, nil},
		{"raw fragments", Config{}, fragments, []string{"call 0 f * {oops unsound"}},
		{"empty, whole", Config{Invalid: InvalidEmpty, Arguments: Whole}, fragments, []string{"call 0 f * {} unsound"}},
		{"drop, whole", Config{Invalid: InvalidDrop, Arguments: Whole}, fragments, nil},
		{"raw keys, whole", Config{Arguments: Whole}, keys, []string{"call 0 f * {a:1,b unsound"}},
		{"lenient", Config{}, sequence(callOpens(0, "f"), unsoundEnd("{'a':1}")), []string{`call 0 f * {"a":1}`}},
		{"lenient fragments", Config{}, sequence(callOpens(0, "f"), argsEvent("{"), argsEvent("'a':1}"), unsoundEnd("")), []string{`call 0 f * {"a":1}`}},
		{"raw, whole, half repaired", Config{Arguments: Whole}, sequence(callOpens(0, "f"), argsEvent("{'a':True,b"), unsoundEnd("")), []string{"call 0 f * {'a':True,b unsound"}},
		{"raw, whole, repaired before it broke", Config{Arguments: Whole}, sequence(callOpens(0, "f"), argsEvent(`{"a":1,}}`), callEnd), []string{`call 0 f * {"a":1,}} unsound`}},
		{"text", textPolicy, body, []string{"text <raw>"}},
		{"text, fragments", textPolicy, fragments, []string{"text <raw>"}},
		{"text, keys", textPolicy, keys, []string{"text <raw>"}},
		{"text, sound", textPolicy, sequence(callOpens(0, "f"), argsEvent("{}"), callEnd), []string{"call 0 f * {}"}},
		{"raw keys without the body", Config{Arguments: Whole, Raw: textPolicy.Raw}, append(keys[:len(keys)-1:len(keys)-1], unsoundEnd("")), []string{"text <raw>"}},
		{"empty keys, whole", Config{Invalid: InvalidEmpty, Arguments: Whole}, keys, []string{"call 0 f * {} unsound"}},
	} {
		t.Run(c.name, func(t *testing.T) { checkFramed(t, c.cfg, c.in, c.want...) })
	}
	for policy, want := range map[InvalidArguments]string{InvalidEmpty: "call 0 f * {} unsound", InvalidDrop: ""} {
		if got, _ := frameAll(Config{Invalid: policy}, fragments, false); strings.Join(got, "|") != want {
			t.Errorf("policy %d after fragments: %q", policy, got)
		}
	}
	got, _ := frameAll(Config{}, keys, false)
	if strings.Join(got, "|") != `call 0 f * {"a":"1","b": cut` {
		t.Errorf("raw after keys: %q", got)
	}
}

func TestCallsThatGoNowhere(t *testing.T) {
	three := sequence(callOpens(0, "f"), argsEvent("{}"), callEnd, text("-"), callOpens(1, "g"), callEnd, callOpens(2, "f"), callEnd)
	for _, c := range []struct {
		name string
		cfg  Config
		want []string
		n    Counts
	}{
		{"calls off", Config{CallsOff: true}, []string{"text -"}, Counts{Suppressed: 3}},
		{"only one", Config{Single: true, Tools: toolsNamed("f", "g")}, []string{"call 0 f * {}", "text -"}, Counts{Calls: 1, Suppressed: 2}},
		{"another tool", Config{Only: "g", Tools: toolsNamed("f", "g")}, []string{"text -", "call 0 g * {}"}, Counts{Calls: 1, Suppressed: 2}},
		{"unknown passes", Config{Tools: toolsNamed("g")}, []string{"call 0 f * {}", "text -", "call 1 g * {}", "call 2 f * {}"}, Counts{Calls: 3, Unknown: 2}},
		{"unknown dropped", Config{Tools: toolsNamed("g"), Unknown: UnknownDrop}, []string{"text -", "call 0 g * {}"}, Counts{Calls: 1, Unknown: 2}},
		{"unknown is text", Config{Tools: toolsNamed("g"), Unknown: UnknownText, Raw: func(a, b abi.RawOffset) []byte { return []byte("<raw>") }},
			[]string{"text <raw>-", "call 0 g * {}", "text <raw>"}, Counts{Calls: 1, Unknown: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := checkFramed(t, c.cfg, three, c.want...); got != c.n {
				t.Errorf("counts %+v, want %+v", got, c.n)
			}
		})
	}
}

// What was wrong within a call that nobody sees as one is not counted.
func TestFaultsOfCallsThatGoNowhere(t *testing.T) {
	faulty := sequence(callOpens(0, "f"), argsEvent(`{"a":1,}`), callEnd)
	raw := func(a, b abi.RawOffset) []byte { return []byte("<raw>") }
	for _, c := range []struct {
		name string
		cfg  Config
		want []string
		n    Counts
	}{
		{"it goes out", Config{Tools: toolsNamed("f")}, []string{`call 0 f * {"a":1}`}, Counts{Calls: 1, Repaired: 1}},
		{"calls off", Config{CallsOff: true}, nil, Counts{Suppressed: 1}},
		{"as text", Config{Tools: toolsNamed("g"), Unknown: UnknownText, Raw: raw}, []string{"text <raw>"}, Counts{Unknown: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := checkFramed(t, c.cfg, faulty, c.want...); got != c.n {
				t.Errorf("counts %+v, want %+v", got, c.n)
			}
		})
	}
}

// A call that was about to go out when it was dropped counts for Single,
// whatever chunk brought the drop.
func TestSingleDoesNotHangOnChunks(t *testing.T) {
	events := sequence(callOpens(0, "f"), argsEvent("{"), callDrop, callOpens(1, "g"), callEnd)
	for _, single := range []bool{true, false} {
		if _, c := frameAll(Config{Single: true}, events, single); c.Calls != 0 || c.Suppressed != 1 {
			t.Errorf("one Apply %v: counts %+v", single, c)
		}
	}
}

func TestSent(t *testing.T) {
	f := New(Config{Tools: toolsNamed("f")})
	apply := func(e event) { f.Apply([]event{e}, nil) }
	apply(callOpens(0, "f"))
	if f.Sent(0) {
		t.Error("sent before anything went out")
	}
	apply(argsEvent("{"))
	if !f.Sent(0) {
		t.Error("not sent though its arguments began")
	}
	apply(callEnd)
	f = New(Config{Tools: toolsNamed("f"), Arguments: Whole})
	apply(callOpens(0, "f"))
	apply(argsEvent("{"))
	if f.Sent(0) {
		t.Error("sent before it was whole")
	}
	f = New(Config{CallsOff: true})
	apply(callOpens(0, "f"))
	if !f.Sent(0) {
		t.Error("a call that goes nowhere can become text")
	}
}

func TestIndicesOfTheEnginesCalls(t *testing.T) {
	f := New(Config{})
	d := f.Apply(sequence(callOpens(0, "f"), callEnd), nil)
	if n := f.TakeIndex(); n != 1 {
		t.Errorf("index %d", n)
	}
	d = f.Apply(sequence(callOpens(1, "g"), callEnd), d)
	if got := d[len(d)-1].Index; got != 2 {
		t.Errorf("index %d", got)
	}
}

func TestDeltasKnowTheirText(t *testing.T) {
	f := New(Config{})
	d := f.Apply(sequence(text("ab"), text("cd"), callOpens(0, "f"), argsEvent(`{"a"`), argsEvent(`:1}`), callEnd), nil)
	if d[0].Start != 0 || d[0].End != 4 {
		t.Errorf("text: %+v", d[0])
	}
	if d[2].Kind != CallArgs || d[2].Start != 5 || d[2].End != 12 {
		t.Errorf("arguments: %+v", d[2])
	}
}

func TestWhatWaitsIsBounded(t *testing.T) {
	cfg := Config{Tools: toolsNamed("f"), MaxHeld: 8, Guided: abi.ModeGuidedRequired}
	more := abi.ReadJSON | abi.FlagMore
	c := checkFramed(t, cfg, sequence(callOpens(0, "f"), keyEvent("v"), valueEvent(more, "[1,2,3]"), valueEvent(abi.ReadJSON, ",4,5"), keyEvent("w"), valueEvent(abi.ReadJSON, "[1,2,3]"), callEnd),
		`call 0 f * {"v":"[1,2,3],4,5","w":[1,2,3]}`)
	if c.Overlong != 1 {
		t.Errorf("%d counted, want 1", c.Overlong)
	}
	checkFramed(t, cfg, sequence(payloadText(`[{"name": "f", `), payloadText(`"x":{"name":"g"}}]`)), `text [{"name": "f", "x":{"name":"g"}}]`)
}
