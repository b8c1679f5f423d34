// Package abi is turnkey's chunk ABI, version 1.0: what a host and a parser
// module say to each other. The constants here are the ABI; ABI.md beside this
// file is its normative text.
//
// Guests import this package, so it depends on nothing beyond the small part of
// the standard library that does not pull in fmt, reflect or encoding/json.
package abi

// Version is what a module's tk_abi export answers: major<<16 | minor. A host
// refuses another major.
const Version uint32 = Major<<16 | Minor

// The two halves of Version.
const (
	Major = 1
	Minor = 0
)

// Names of a module's exports and of the custom sections that it may carry.
const (
	ExportABI        = "tk_abi"
	ExportManifest   = "tk_manifest"
	ExportAlloc      = "tk_alloc"
	ExportOpen       = "tk_open"
	ExportPush       = "tk_push"
	ExportFinish     = "tk_finish"
	ExportClose      = "tk_close"
	ExportConstraint = "tk_constraint" // optional
	ExportInitialize = "_initialize"   // optional
	ExportMemory     = "memory"
	ExportFuel       = "tk_fuel" // added by the host's meter, never by a guest

	SectionManifest = "turnkey.manifest"
	SectionCases    = "turnkey.cases"
)

// Kind says what an Event means.
type Kind uint8

// The kinds of events.
const (
	Commit    Kind = 0  // bytes up to End are structure
	Text      Kind = 1  // span: visible content
	Reasoning Kind = 2  // span: chain of thought
	Call      Kind = 3  // span: the name; a tool call opens
	CallID    Kind = 4  // span: the id that the grammar carries
	Args      Kind = 5  // span: a fragment of the arguments object, verbatim JSON
	Open      Kind = 6  // structured arguments: FlagObject or FlagArray
	Key       Kind = 7  // span: a member name (top level of a call: a parameter)
	Value     Kind = 8  // span: a value or a part of one, read as its flags say
	Close     Kind = 9  // closes the innermost Open
	CallEnd   Kind = 10 // the call is complete
	CallDrop  Kind = 11 // the call can't be completed
	Error     Kind = 12 // Start is an error code
	State     Kind = 13 // Flags is the channel now open
	Watch     Kind = 14 // Start and Len hold eight watched bytes
	Literal   Kind = 15 // own bytes for the next event, in place of its span
	Note      Kind = 16 // a diagnostic for the operator, its text by Literal
)

var kindNames = [...]string{"COMMIT", "TEXT", "REASONING", "CALL", "CALL_ID", "ARGS", "OPEN", "KEY", "VALUE", "CLOSE",
	"CALL_END", "CALL_DROP", "ERROR", "STATE", "WATCH", "LITERAL", "NOTE"}

// String is the kind's name in ABI.md, "" for one that this version lacks.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return ""
}

// RawOffset is an offset into a session's raw text: all that the model said, in
// bytes from the session's beginning.
type RawOffset uint32

// Event is one record of an answer. Start and Len are a span of the raw text, or
// what ABI.md says for the kind. End is the offset up to which the raw text is
// accounted for once this event is applied.
type Event struct {
	Kind  Kind
	Flags uint8
	Call  uint16
	Start uint32
	Len   uint32
	End   RawOffset
}

// Span is the span of an event of a kind that has one.
func (e *Event) Span() (start, end RawOffset) {
	return RawOffset(e.Start), RawOffset(e.Start + e.Len)
}

// EventSize is the size of an encoded Event in bytes.
const EventSize = 16

// SkipUnknown is the flag that lets a host skip an event of a kind that it does
// not know. Without it such an event is a fault.
const SkipUnknown uint8 = 1 << 7

// Flags of Text and Reasoning.
const (
	FlagNewBlock uint8 = 1 << 0 // one "\n" goes before this run if it directly follows another of its kind
	FlagPayload  uint8 = 1 << 1 // Text only: guided JSON, from which the host reads the calls
)

// Flags of Open.
const (
	FlagObject uint8 = 1
	FlagArray  uint8 = 2
)

// How the bytes of a Value are read: the low four bits of its flags. Call,
// CallID and Key may carry ReadJSONBody, ReadPythonBody, ReadEntities or
// ReadQuotAmp; Args may carry ReadJSONBody.
const (
	ReadSchema     uint8 = 0 // by the tool's schema
	ReadString     uint8 = 1 // a string, as it stands
	ReadJSON       uint8 = 2 // JSON; what is none becomes a string
	ReadJSONBody   uint8 = 3 // the body of a JSON string, still escaped
	ReadPythonBody uint8 = 4 // the body of a Python string, still escaped
	ReadPython     uint8 = 5 // a Python literal
	ReadEntities   uint8 = 6 // text in which the five XML entities are decoded
	ReadQuotAmp    uint8 = 7 // text in which only &quot; and &amp; are decoded
	ReadJSONOrText uint8 = 8 // JSON if the whole value parses, else a string

	ReadMask uint8 = 0x0f
	FlagMore uint8 = 1 << 4 // more of this value follows
	FlagTrim uint8 = 1 << 5 // trim the value's outer white space first
)

// FlagUnsound on CallEnd: the body was closed but is not what its grammar asks.
// The event's span, if any, is the raw body.
const FlagUnsound uint8 = 1 << 0

// Flags of Error.
const (
	FlagFatal     uint8 = 1 // the session can't go on
	FlagMalformed uint8 = 2 // a call is malformed
)

// Error codes: the Start of an Error event.
const (
	CodeUnspecified     uint32 = 0
	CodeMalformedHeader uint32 = 1 // a call's header does not fit the grammar
	CodeMalformedBody   uint32 = 2 // a call's body does not fit the grammar
	CodeUnfinishedCall  uint32 = 3 // the turn ended inside a call
	CodeUnknownParser   uint32 = 4 // the open block names a parser that the module lacks
	CodeBadOpen         uint32 = 5 // the open block can't be read or asks for what the parser lacks
	CodeHeldTooMuch     uint32 = 6 // more is held back than the parser allows itself
	CodeInternal        uint32 = 7 // the parser met a state that it should not have
)

// FlagHold on Watch: "I hold; deliver with the next push that has one of these
// bytes". Any other value of its flags is Text, Reasoning, Args or Value (the
// kind that unseen text belongs to) or 0, which withdraws.
const FlagHold uint8 = 15

// NoWatchedByte in all eight places of a Watch means that no byte matters.
const NoWatchedByte = 0xff

// Channel is where the model's text goes at a given moment.
type Channel uint8

// The channels: what START says of the prompt, and STATE of the parser.
const (
	ChannelUnknown   Channel = 0
	ChannelContent   Channel = 1
	ChannelReasoning Channel = 2
	ChannelResponse  Channel = 3 // visible, and the prompt has already closed reasoning
)

// Mode says what the engine was constrained to.
type Mode uint8

// The modes of decoding.
const (
	ModeNative         Mode = 0
	ModeGuidedRequired Mode = 1 // bare JSON: calls
	ModeGuidedNamed    Mode = 2 // bare JSON: one tool's arguments
)

// Finish says why the text ended.
type Finish uint32

// The reasons of an end.
const (
	FinishUnknown   Finish = 0 // end of stream
	FinishEOS       Finish = 1 // confirmed model EOS under an installed turn grammar
	FinishLength    Finish = 2
	FinishUserStop  Finish = 3
	FinishTransport Finish = 4
	FinishCancelled Finish = 5
)

// Limits of an answer: so many events and literal bytes, and so many more for each
// byte that was not accounted for before it; and how deep OPENs nest.
const (
	AnswerEvents          = 64
	AnswerEventsPerByte   = 8
	AnswerLiterals        = 64 << 10
	AnswerLiteralsPerByte = 16
	MaxNesting            = 256
)

// MaxLeftContext is the largest number of bytes of left context of a push.
const MaxLeftContext = 4

// Answer is what one call into a parser answers: its events in order, and the bytes
// that its Literal records point into. In an Answer the Start of a Literal is an
// offset into Literals; on the wire it is a guest address, which the engine
// translates. Both slices belong to the engine and are valid until the next
// call into the same session's instance.
type Answer struct {
	Events   []Event
	Literals []byte
}

// AppendEvent appends the 16-byte record of e, little-endian.
func AppendEvent(dst []byte, e Event) []byte {
	return append(dst, byte(e.Kind), e.Flags, byte(e.Call), byte(e.Call>>8),
		byte(e.Start), byte(e.Start>>8), byte(e.Start>>16), byte(e.Start>>24),
		byte(e.Len), byte(e.Len>>8), byte(e.Len>>16), byte(e.Len>>24),
		byte(e.End), byte(e.End>>8), byte(e.End>>16), byte(e.End>>24))
}

// DecodeEvent reads one record. b must hold at least EventSize bytes.
func DecodeEvent(b []byte) Event {
	_ = b[EventSize-1]
	return Event{
		Kind: Kind(b[0]), Flags: b[1], Call: uint16(b[2]) | uint16(b[3])<<8,
		Start: readUint32(b[4:]), Len: readUint32(b[8:]), End: RawOffset(readUint32(b[12:])),
	}
}

func readUint32(b []byte) uint32 {
	_ = b[3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// WatchEvent makes the Watch record for up to eight bytes. An empty set means
// that no byte matters.
func WatchEvent(flags uint8, call uint16, set []byte, end RawOffset) Event {
	var b [8]byte
	for i := range b {
		switch {
		case i < len(set):
			b[i] = set[i]
		case len(set) > 0:
			b[i] = set[len(set)-1]
		default:
			b[i] = NoWatchedByte
		}
	}
	return Event{Kind: Watch, Flags: flags, Call: call, Start: readUint32(b[:4]), Len: readUint32(b[4:]), End: end}
}

// Watched gives the eight bytes of a Watch record.
func (e Event) Watched() [8]byte {
	return [8]byte{byte(e.Start), byte(e.Start >> 8), byte(e.Start >> 16), byte(e.Start >> 24),
		byte(e.Len), byte(e.Len >> 8), byte(e.Len >> 16), byte(e.Len >> 24)}
}
