package abi

import (
	"errors"
	"unicode/utf8"
)

// Tags of the open block's records.
const (
	TagParser     uint16 = 1
	TagStart      uint16 = 2
	TagMode       uint16 = 3
	TagNamedTool  uint16 = 4
	TagTool       uint16 = 5
	TagPromptTail uint16 = 6
	TagFlags      uint16 = 7
	TagOption     uint16 = 8
	TagToolSchema uint16 = 9
	TagToolChoice uint16 = 10
)

// Bits of an open block's flags.
const (
	OpenReasoning   uint32 = 1 << 0 // reasoning is wanted
	OpenParallel    uint32 = 1 << 1 // parallel calls are allowed
	OpenTurnGrammar uint32 = 1 << 2 // a turn grammar is installed: strict
	OpenStructured  uint32 = 1 << 3 // a structured response was asked for
	OpenBatch       uint32 = 1 << 4 // the whole text is there already
)

// ToolChoice is what a request says about calls. A parser does not need it; a
// constraint is built from it.
type ToolChoice uint8

// The tool choices of a request.
const (
	ToolChoiceAuto     ToolChoice = 0
	ToolChoiceRequired ToolChoice = 1
	ToolChoiceNamed    ToolChoice = 2 // NamedTool says which
	ToolChoiceNone     ToolChoice = 3
)

// MaxPromptTail is the largest prompt tail in bytes.
const MaxPromptTail = 4096

// OpenBlock is what a session is opened with, and a constraint asked for: the
// records of ABI.md's open block, decoded.
type OpenBlock struct {
	Parser     string  // its name within the module
	Start      Channel // what the prompt left open, as the host decided it
	Mode       Mode
	ToolChoice ToolChoice
	NamedTool  string   // with ModeGuidedNamed or ToolChoiceNamed
	Tools      []string // in request order; none: nothing is a call
	PromptTail string   // the last bytes of the rendered prompt, where known
	Flags      uint32   // a sum of Open… bits
	Options    []Option
	Schemas    []Schema // only if the manifest asks
}

// PromptTail cuts a rendered prompt to the last bytes that an open block may hold,
// from a character's first byte on.
func PromptTail(prompt string) string {
	at := max(0, len(prompt)-MaxPromptTail)
	for at > 0 && at < len(prompt) && !utf8.RuneStart(prompt[at]) {
		at++
	}
	return prompt[at:]
}

// Option is one key=value of the model's configuration. The key holds no "=".
type Option struct{ Key, Value string }

// Schema is the parameters schema of tool number Tool, as JSON.
type Schema struct {
	Tool uint32
	JSON string
}

// Option gives the value of the last option of that key, or "".
func (b *OpenBlock) Option(key string) string {
	for i := len(b.Options) - 1; i >= 0; i-- {
		if b.Options[i].Key == key {
			return b.Options[i].Value
		}
	}
	return ""
}

// ErrOpenBlock is what DecodeOpen answers for a block that is cut short or holds
// a record of the wrong size or an undefined START, MODE or
// TOOL_CHOICE.
var ErrOpenBlock = errors.New("abi: malformed open block")

// AppendOpen appends the open block b to dst.
func AppendOpen(dst []byte, b *OpenBlock) []byte {
	dst = appendRecord(dst, TagParser, b.Parser)
	dst = append(appendHeader(dst, TagStart, 1), byte(b.Start))
	dst = append(appendHeader(dst, TagMode, 1), byte(b.Mode))
	dst = append(appendHeader(dst, TagToolChoice, 1), byte(b.ToolChoice))
	if b.NamedTool != "" {
		dst = appendRecord(dst, TagNamedTool, b.NamedTool)
	}
	for _, t := range b.Tools {
		dst = appendRecord(dst, TagTool, t)
	}
	if b.PromptTail != "" {
		dst = appendRecord(dst, TagPromptTail, b.PromptTail)
	}
	dst = appendUint32(appendHeader(dst, TagFlags, 4), b.Flags)
	for _, o := range b.Options {
		dst = appendHeader(dst, TagOption, len(o.Key)+1+len(o.Value))
		dst = append(append(append(dst, o.Key...), '='), o.Value...)
	}
	for _, c := range b.Schemas {
		dst = appendUint32(appendHeader(dst, TagToolSchema, 4+len(c.JSON)), c.Tool)
		dst = append(dst, c.JSON...)
	}
	return dst
}

// DecodeOpen reads an open block. Records of unknown tags are skipped.
func DecodeOpen(raw []byte) (OpenBlock, error) {
	var b OpenBlock
	for len(raw) > 0 {
		if len(raw) < 8 {
			return b, ErrOpenBlock
		}
		tag, n := uint16(raw[0])|uint16(raw[1])<<8, readUint32(raw[4:])
		if uint64(n) > uint64(len(raw)-8) {
			return b, ErrOpenBlock
		}
		payload := raw[8 : 8+n]
		raw = raw[8+n:]
		if !b.readRecord(tag, payload) {
			return b, ErrOpenBlock
		}
	}
	return b, nil
}

// readRecord takes a record in, and says whether its payload can be read.
func (b *OpenBlock) readRecord(tag uint16, p []byte) bool {
	switch tag {
	case TagParser:
		b.Parser = string(p)
	case TagStart:
		if len(p) != 1 || Channel(p[0]) > ChannelResponse {
			return false
		}
		b.Start = Channel(p[0])
	case TagMode:
		if len(p) != 1 || Mode(p[0]) > ModeGuidedNamed {
			return false
		}
		b.Mode = Mode(p[0])
	case TagToolChoice:
		if len(p) != 1 || ToolChoice(p[0]) > ToolChoiceNone {
			return false
		}
		b.ToolChoice = ToolChoice(p[0])
	case TagNamedTool:
		b.NamedTool = string(p)
	case TagTool:
		b.Tools = append(b.Tools, string(p))
	case TagPromptTail:
		b.PromptTail = string(p)
	case TagFlags:
		if len(p) != 4 {
			return false
		}
		b.Flags = readUint32(p)
	case TagOption:
		for i, c := range p {
			if c == '=' {
				b.Options = append(b.Options, Option{string(p[:i]), string(p[i+1:])})
				return true
			}
		}
		return false
	case TagToolSchema:
		if len(p) < 4 {
			return false
		}
		b.Schemas = append(b.Schemas, Schema{readUint32(p), string(p[4:])})
	}
	return true
}

func appendHeader(dst []byte, tag uint16, n int) []byte {
	return appendUint32(append(dst, byte(tag), byte(tag>>8), 0, 0), uint32(n))
}

func appendRecord(dst []byte, tag uint16, p string) []byte {
	return append(appendHeader(dst, tag, len(p)), p...)
}

func appendUint32(dst []byte, v uint32) []byte {
	return append(dst, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}
