package check_test

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/check"
)

// The answers of these tests come after the push of "01é4567": é are bytes 2 and
// 3. Bytes 0 and 1 are accounted for by the answer before. The bytes of LITERALs
// are "own\xff".
const raw = "01é4567"

// judge checks an answer to the push of raw.
func judge(rules check.Rules, at check.Stage, events ...abi.Event) *check.Error {
	c := check.Checker{Rules: rules}
	if err := c.Answer(&abi.Answer{Events: []abi.Event{mark(abi.Commit, 2)}}, check.Text{Bytes: []byte(raw), End: 2}, check.Pushing); err != nil {
		return err
	}
	a := abi.Answer{Events: events, Literals: []byte("own\xff")}
	return c.Answer(&a, check.Text{Bytes: []byte(raw)[1:], Base: 1, End: abi.RawOffset(len(raw))}, at)
}

func mark(kind abi.Kind, end abi.RawOffset) abi.Event { return abi.Event{Kind: kind, End: end} }

// span makes an event with a span, that accounts for nothing more than byte 4.
func span(kind abi.Kind, start, n uint32) abi.Event {
	return abi.Event{Kind: kind, Start: start, Len: n, End: 4}
}

func flagged(e abi.Event, flags uint8) abi.Event { e.Flags = flags; return e }

func ofCall(e abi.Event, call uint16) abi.Event { e.Call = call; return e }

func ending(e abi.Event, end abi.RawOffset) abi.Event { e.End = end; return e }

var (
	call    = span(abi.Call, 4, 1)
	args    = span(abi.Args, 5, 1)
	key     = span(abi.Key, 5, 1)
	value   = span(abi.Value, 6, 1)
	more    = flagged(value, abi.FlagMore)
	callEnd = mark(abi.CallEnd, 4)
	object  = flagged(mark(abi.Open, 4), abi.FlagObject)
	array   = flagged(mark(abi.Open, 4), abi.FlagArray)
	closes  = mark(abi.Close, 4)
	fatal   = flagged(mark(abi.Error, 4), abi.FlagFatal)
)

func literal(start, n uint32) abi.Event {
	return abi.Event{Kind: abi.Literal, Start: start, Len: n, End: 4}
}

var malformed = []struct {
	name   string
	want   string // in the reason
	events []abi.Event
}{
	{"end goes down", "goes down from 4 to 2", []abi.Event{mark(abi.Commit, 4), mark(abi.Commit, 2)}},
	{"end below the last answer's", "goes down from 2 to 1", []abi.Event{mark(abi.Commit, 1)}},
	{"end beyond the input", "end 9 is beyond the 8 bytes", []abi.Event{mark(abi.Commit, 9)}},
	{"end in a character", "end 3 cuts a character", []abi.Event{mark(abi.Commit, 3)}},
	{"unknown kind", "the kind is unknown", []abi.Event{mark(77, 4)}},
	{"span before the last end", "span 1+1 is outside 2 to 8", []abi.Event{span(abi.Text, 1, 1)}},
	{"span beyond the input", "outside", []abi.Event{span(abi.Call, 7, 2)}},
	{"span that wraps round", "outside", []abi.Event{span(abi.Call, 4, 1<<32-2)}},
	{"span ends in a character", "2+1 cuts a character", []abi.Event{span(abi.Text, 2, 1)}},
	{"span begins in a character", "3+2 cuts a character", []abi.Event{span(abi.Call, 3, 2)}},
	{"text said twice", "begins at 5, but text up to 6 was said before", []abi.Event{ending(span(abi.Text, 4, 2), 6), ending(span(abi.Text, 5, 1), 6)}},
	{"text and reasoning overlap", "said before", []abi.Event{ending(span(abi.Text, 4, 2), 6), ending(span(abi.Reasoning, 5, 1), 6)}},
	{"text not accounted for", "ends at 6, behind its own end 4", []abi.Event{span(abi.Text, 4, 2)}},
	{"call number skipped", "has the number 1; the next is 0", []abi.Event{ofCall(call, 1)}},
	{"call in a call", "call 0 is still open", []abi.Event{call, ofCall(call, 1)}},
	{"arguments without a call", "call 0 is not open", []abi.Event{args}},
	{"arguments of another call", "call 1 is not open", []abi.Event{call, ofCall(args, 1)}},
	{"end of a call that ended", "not open", []abi.Event{call, callEnd, callEnd}},
	{"drop of a call that ended", "not open", []abi.Event{call, callEnd, mark(abi.CallDrop, 4)}},
	{"KEY and ARGS", "KEYs already", []abi.Event{call, key, value, args}},
	{"ARGS and KEY", "ARGS already", []abi.Event{call, args, key}},
	{"ARGS by LITERAL and KEY", "ARGS already", []abi.Event{call, literal(0, 1), args, key}},
	{"ARGS and OPEN", "without a KEY", []abi.Event{call, args, object}},
	{"OPEN without a key", "without a KEY", []abi.Event{call, object}},
	{"OPEN in a value", "not complete", []abi.Event{call, key, array, more, object}},
	{"value without a key", "without a KEY", []abi.Event{call, value}},
	{"value behind a value", "without a KEY", []abi.Event{call, key, value, value}},
	{"key without a value", "no value", []abi.Event{call, key, key}},
	{"key in a value", "more follows", []abi.Event{call, key, more, key}},
	{"key in an array", "in an array", []abi.Event{call, key, array, key}},
	{"end behind a key", "no value", []abi.Event{call, key, callEnd}},
	{"end in an object", "1 nested values are still open", []abi.Event{call, key, object, callEnd}},
	{"end in a value", "more follows", []abi.Event{call, key, more, callEnd}},
	{"nothing to close", "nothing is open", []abi.Event{call, key, value, closes}},
	{"close behind a key", "no value", []abi.Event{call, key, object, key, closes}},
	{"close in a value", "more follows", []abi.Event{call, key, array, more, closes}},
	{"two readings in a value", "began with 0x1", []abi.Event{call, key, flagged(value, abi.ReadString|abi.FlagMore), flagged(value, abi.ReadJSON)}},
	{"two readings in arguments", "began with 0x0", []abi.Event{call, args, flagged(args, abi.ReadJSONBody)}},
	{"unknown reading of a value", "0x9 are not defined", []abi.Event{call, key, flagged(value, 9)}},
	{"reading not for arguments", "not defined", []abi.Event{call, flagged(args, abi.ReadJSON)}},
	{"reading not for a name", "not defined", []abi.Event{flagged(call, abi.ReadJSON)}},
	{"reading not for an id", "not defined", []abi.Event{call, flagged(span(abi.CallID, 4, 1), abi.ReadPython)}},
	{"reading not for a key", "not defined", []abi.Event{call, flagged(key, abi.ReadPython)}},
	{"OPEN of neither kind", "1 is an object", []abi.Event{call, key, mark(abi.Open, 4)}},
	{"STATE in the middle", "tk_open only", []abi.Event{mark(abi.State, 2)}},
	{"something behind a fatal ERROR", "follows a fatal ERROR", []abi.Event{fatal, mark(abi.Commit, 4)}},
	{"WATCH not last", "last event", []abi.Event{abi.WatchEvent(uint8(abi.Text), 0, nil, 8), mark(abi.Commit, 8)}},
	{"WATCH with bytes held", "holds 4 bytes back", []abi.Event{abi.WatchEvent(uint8(abi.Text), 0, nil, 4)}},
	{"WATCH of unknown channel", "flags 3 is no channel", []abi.Event{abi.WatchEvent(3, 0, nil, 8)}},
	{"WATCH of arguments without any", "no open ARGS", []abi.Event{call, abi.WatchEvent(uint8(abi.Args), 0, nil, 8)}},
	{"WATCH of a value that ended", "no VALUE", []abi.Event{call, key, value, abi.WatchEvent(uint8(abi.Value), 0, nil, 8)}},
	{"LITERAL for text", "must not stand before", []abi.Event{literal(0, 1), mark(abi.Text, 4)}},
	{"LITERAL for a commit", "must not stand before", []abi.Event{literal(0, 1), mark(abi.Commit, 4)}},
	{"LITERAL for a WATCH", "must not stand before", []abi.Event{literal(0, 1), abi.WatchEvent(0, 0, nil, 4)}},
	{"LITERAL twice", "another LITERAL", []abi.Event{literal(0, 1), literal(0, 1), call}},
	{"LITERAL alone", "ends with a LITERAL", []abi.Event{literal(0, 1)}},
	{"LITERAL out of range", "3+2 are outside the 4 bytes", []abi.Event{literal(3, 2), call}},
	{"LITERAL that is not UTF-8", "not UTF-8", []abi.Event{literal(3, 1), call}},
	{"too many events", "events are too many for the 6 bytes", repeat(mark(abi.Commit, 2), 64+8*6+1)},
}

func repeat(e abi.Event, n int) (list []abi.Event) {
	for range n {
		list = append(list, e)
	}
	return list
}

func TestMalformedAnswers(t *testing.T) {
	for _, c := range malformed {
		t.Run(c.name, func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				err := judge(check.Rules{Synthesises: true, Strict: strict}, check.Pushing, c.events...)
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("strict %v: got %v, want %q", strict, err, c.want)
				}
			}
		})
	}
	if err := judge(check.Rules{}, check.Pushing, literal(0, 1), call); err == nil || !strings.Contains(err.Error(), "synthesises") {
		t.Errorf("a LITERAL that the manifest does not speak of: %v", err)
	}
	c := check.Checker{}
	if err := c.Answer(&abi.Answer{Literals: make([]byte, 1<<20)}, check.Text{}, check.Pushing); err == nil {
		t.Error("a MiB of literals: accepted")
	}
}

// The messages name the event's number and kind, for the logs of a host as for a
// module's author.
func TestErrorNamesTheEvent(t *testing.T) {
	for want, events := range map[string][]abi.Event{
		"malformed answer: event 1, CALL: call 0 is still open; end it with CALL_END or CALL_DROP first": {call, ofCall(call, 1)},
		"malformed answer: event 0, kind 77: the kind is unknown, and bit 7 of its flags is not set":     {mark(77, 4)},
		"malformed answer: it ends with a LITERAL, which belongs to the event after it":                  {literal(0, 1)},
	} {
		if err := judge(check.Rules{Synthesises: true}, check.Pushing, events...); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestNesting(t *testing.T) {
	nested := func(depth int) *check.Error {
		c := check.Checker{}
		events := append([]abi.Event{{Kind: abi.Call}, {Kind: abi.Key}}, repeat(abi.Event{Kind: abi.Open, Flags: abi.FlagArray}, depth)...)
		return c.Answer(&abi.Answer{Events: events}, check.Text{Bytes: []byte(strings.Repeat("[", 100)), End: 100}, check.Pushing)
	}
	if err := nested(abi.MaxNesting); err != nil {
		t.Error(err)
	}
	if err := nested(abi.MaxNesting + 1); err == nil || !strings.Contains(err.Error(), "256 values are open already") {
		t.Errorf("nested too deeply: %v", err)
	}
}

func TestWellFormedAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []abi.Event
	}{
		{"nothing", nil},
		{"skippable kind", []abi.Event{flagged(mark(77, 4), abi.SkipUnknown)}},
		{"name behind its arguments, beyond the end", []abi.Event{ending(span(abi.Call, 7, 1), 2), ending(span(abi.Args, 4, 2), 2), mark(abi.CallEnd, 8)}},
		{"text from before the end", []abi.Event{mark(abi.Commit, 6), ending(span(abi.Text, 4, 1), 6)}},
		{"nested values", []abi.Event{call, key, array, value, object, key, value, closes, value, closes, callEnd}},
		{"unsound in the middle", []abi.Event{call, key, flagged(ending(span(abi.CallEnd, 5, 2), 8), abi.FlagUnsound)}},
		{"drop in the middle", []abi.Event{call, key, mark(abi.CallDrop, 4), ofCall(call, 1)}},
		{"LITERAL of an ERROR", []abi.Event{literal(0, 1), mark(abi.Error, 4)}},
		{"LITERAL of a NOTE", []abi.Event{literal(0, 1), mark(abi.Note, 4)}},
		{"LITERAL of ARGS with another reading", []abi.Event{call, literal(0, 1), args, flagged(args, abi.ReadJSONBody), literal(0, 1), args}},
		{"WATCH that continues ARGS by LITERAL", []abi.Event{call, literal(0, 1), args, abi.WatchEvent(uint8(abi.Args), 0, nil, 8)}},
		{"hold", []abi.Event{abi.WatchEvent(abi.FlagHold, 0, []byte("x"), 4)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				if err := judge(check.Rules{Synthesises: true, Strict: strict}, check.Pushing, c.events...); err != nil {
					t.Errorf("strict %v: %v", strict, err)
				}
			}
		})
	}
}

// What a host lets pass and a kit does not.
func TestStrict(t *testing.T) {
	for _, c := range []struct {
		name   string
		events []abi.Event
	}{
		{"flags of TEXT", []abi.Event{flagged(ending(span(abi.Text, 4, 1), 5), 4)}},
		{"REASONING as payload", []abi.Event{flagged(ending(span(abi.Reasoning, 4, 1), 5), abi.FlagPayload)}},
		{"flags of CALL", []abi.Event{flagged(call, abi.FlagMore)}},
		{"flags of ARGS", []abi.Event{call, flagged(args, abi.FlagTrim)}},
		{"flags of KEY", []abi.Event{call, flagged(key, abi.FlagMore)}},
		{"flags of VALUE", []abi.Event{call, key, flagged(value, 1<<6)}},
		{"flags of CALL_END", []abi.Event{call, flagged(callEnd, 2)}},
		{"empty span that lies nowhere", []abi.Event{call, key, {Kind: abi.Value, End: 4}}},
		{"empty TEXT in what was said", []abi.Event{ending(span(abi.Text, 4, 2), 6), ending(span(abi.Text, 4, 0), 6)}},
		{"span of a sound CALL_END", []abi.Event{call, span(abi.CallEnd, 7, 9)}},
		{"LITERAL of an unknown kind", []abi.Event{literal(0, 1), flagged(mark(77, 4), abi.SkipUnknown)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := judge(check.Rules{Synthesises: true}, check.Pushing, c.events...); err != nil {
				t.Errorf("a host refuses it: %v", err)
			}
			if err := judge(check.Rules{Synthesises: true, Strict: true}, check.Pushing, c.events...); err == nil {
				t.Error("strictly it is accepted")
			}
		})
	}
}

func TestStages(t *testing.T) {
	state := flagged(mark(abi.State, 4), uint8(abi.ChannelReasoning))
	for _, c := range []struct {
		name   string
		at     check.Stage
		events []abi.Event
		want   string
	}{
		{"STATE at the opening", check.Opening, []abi.Event{state}, ""},
		{"STATE later", check.Pushing, []abi.Event{state}, "tk_open only"},
		{"unknown STATE", check.Opening, []abi.Event{flagged(state, 9)}, "no channel"},
		{"last answer", check.Finishing, []abi.Event{mark(abi.Commit, 8)}, ""},
		{"last answer with bytes held", check.Finishing, []abi.Event{mark(abi.Commit, 4)}, "accounts for 4 of 8 bytes"},
		{"last answer with an open call", check.Finishing, []abi.Event{ending(call, 8)}, "call 0 is still open"},
		{"last answer with a fatal ERROR", check.Finishing, []abi.Event{call, fatal}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := judge(check.Rules{}, c.at, c.events...)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// A malformed answer leaves no trace, not even of its sound events.
func TestAnswerIsAtomic(t *testing.T) {
	c := check.Checker{}
	text := check.Text{Bytes: []byte("abcd"), End: 4}
	bad := abi.Answer{Events: []abi.Event{{Kind: abi.Call, Len: 1, End: 2}, mark(abi.Commit, 9)}}
	if c.Answer(&bad, text, check.Pushing) == nil {
		t.Fatal("accepted")
	}
	if _, _, open := c.OpenCall(); open || c.Accounted() != 0 {
		t.Errorf("a call is open: %v, accounted for %d", open, c.Accounted())
	}
}

func TestServeWatch(t *testing.T) {
	c := check.Checker{}
	text := check.Text{Bytes: []byte("f{aaaa"), End: 2}
	a := abi.Answer{Events: []abi.Event{{Kind: abi.Call, Len: 1, End: 1}, {Kind: abi.Args, Flags: abi.ReadJSONBody, Start: 1, Len: 1, End: 2}, abi.WatchEvent(uint8(abi.Args), 0, []byte("}"), 2)}}
	if err := c.Answer(&a, text, check.Pushing); err != nil {
		t.Fatal(err)
	}
	if flags, call := c.ServeWatch(abi.Args, 4); flags != abi.ReadJSONBody || call != 0 || c.Accounted() != 4 || c.ProseEnd() != 0 {
		t.Errorf("flags %d, call %d, accounted for %d, prose ends at %d", flags, call, c.Accounted(), c.ProseEnd())
	}
	if c.ServeWatch(abi.Text, 6); c.ProseEnd() != 6 {
		t.Errorf("text that a WATCH took is not said: prose ends at %d", c.ProseEnd())
	}
}

func TestSoundAnswersCostNoAllocation(t *testing.T) {
	c := check.Checker{Rules: check.Rules{Synthesises: true}}
	text := check.Text{Bytes: []byte(raw), End: 8}
	a := abi.Answer{Literals: []byte("x"), Events: []abi.Event{{Kind: abi.Text}, {Kind: abi.Literal, Len: 1}, {Kind: abi.Note}, {Kind: abi.Reasoning}}}
	if n := testing.AllocsPerRun(100, func() {
		if err := c.Answer(&a, text, check.Pushing); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations an answer", n)
	}
}
