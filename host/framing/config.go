package framing

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/typing"
)

// Arguments says when a call's deltas go out.
type Arguments uint8

const (
	Eager Arguments = iota // as soon as they are certain
	Whole                  // only once the call is complete
)

// InvalidArguments says what goes out for a call that was closed, but whose arguments
// can't be read as a JSON object, not even leniently. With Eager and InvalidRaw a part
// may have been sent already: then the rest of JSON follows, and a call of keys and
// values is left cut. The others make a call wait until it is complete.
type InvalidArguments uint8

const (
	InvalidRaw   InvalidArguments = iota // what the model wrote
	InvalidEmpty                         // {}
	InvalidDrop                          // no call
	InvalidText                          // the call's raw text, as content
)

// UnknownTools says what becomes of a call of a tool that was not offered.
type UnknownTools uint8

const (
	UnknownPass UnknownTools = iota // a call like any other
	UnknownText                     // its raw bytes are text
	UnknownDrop                     // nothing
)

// Config configures the Framer of one choice.
type Config struct {
	Tools  *typing.Tools    // the request's tools; nil: none
	Typing *manifest.Typing // how the parser's family reads bare values; nil: the default
	IDs    *IDs             // of the choice; nil: random ones

	Lead string // text in front of the first content; manifest.Parser.Lead

	Guided    abi.Mode // what guided decoding made the engine emit
	NamedTool string   // with abi.ModeGuidedNamed
	// GuidedEager lets the arguments in guided JSON go out before the whole JSON
	// is proved: for engines that are known to be constrained. JSON that breaks
	// later leaves a call that was cut.
	GuidedEager bool

	Arguments Arguments
	Invalid   InvalidArguments
	Unknown   UnknownTools
	Single    bool   // parallel calls are off: only the first call goes out
	CallsOff  bool   // tool_choice none: no call goes out
	Only      string // named choice read from native markup: calls of other tools are dropped
	// KeepControl leaves raw control characters in JSON strings as they are;
	// else they are escaped.
	NoRepair bool
	// MaxHeld bounds what is held back of one value, or of guided JSON, in bytes;
	// 0 means 8 MiB. A longer value goes on as a string, longer guided JSON as text.
	MaxHeld int
	// Raw gives raw text that is not accounted for or belongs to an open call
	// that was not sent; parse.Session.Raw. Needed by UnknownText and InvalidText.
	Raw func(start, end abi.RawOffset) []byte
	// Closers are the markers that end a call. One behind a call that is emitted as
	// text goes with it.
	Closers []string
}

const defaultHeld = 8 << 20

// Counts is what a Framer counts for metrics.
type Counts struct {
	Calls      int // complete calls sent
	Cut        int // calls given up after their head was sent
	Dropped    int // calls given up before anything of them was sent
	Suppressed int // calls not sent: calls are off, parallel calls are off, or another tool was asked for
	Unknown    int // calls of tools that were not offered
	Unsound    int // closed calls whose arguments are no JSON object
	Duplicates int // repeated keys that were left out
	Repaired   int // control characters, commas, strings and words in arguments that were not left as they came
	IDs        int // ids of the grammar that were replaced or came too late
	NoCalls    int // guided JSON that was no call and became text
	Overlong   int // values and guided JSON that were longer than MaxHeld
}
