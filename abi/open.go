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

// Bits of a session's flags.
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

const (
	ToolChoiceAuto     ToolChoice = 0
	ToolChoiceRequired ToolChoice = 1
	ToolChoiceNamed    ToolChoice = 2 // NamedTool says which
	ToolChoiceNone     ToolChoice = 3
)

// MaxPromptTail is the largest prompt tail in bytes.
const MaxPromptTail = 4096

// OpenBlock is what a session is opened with, decoded.
type OpenBlock struct {
	Parser     string
	Start      Channel
	Mode       Mode
	ToolChoice ToolChoice
	NamedTool  string   // with ModeGuidedNamed or ToolChoiceNamed
	Tools      []string // in request order; none: nothing is a call
	PromptTail string   // the last bytes of the rendered prompt, where known
	Flags      uint32
	Options    []Option
	Schemas    []Schema // only if the manifest asks
}

// PromptTail gives the last bytes of a rendered prompt, as much as a session is
// told of it, from a character's first byte on.
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

// Option gives the value of the last option of that name, or "".
func (s *OpenBlock) Option(key string) string {
	for i := len(s.Options) - 1; i >= 0; i-- {
		if s.Options[i].Key == key {
			return s.Options[i].Value
		}
	}
	return ""
}

// ErrOpenBlock is what DecodeOpen answers for a block that is cut short or holds
// a record of the wrong size or an undefined START, MODE or
// TOOL_CHOICE.
var ErrOpenBlock = errors.New("abi: malformed open block")

// AppendOpen appends the open block of s to dst.
func AppendOpen(dst []byte, s *OpenBlock) []byte {
	dst = appendRecord(dst, TagParser, s.Parser)
	dst = append(appendHeader(dst, TagStart, 1), byte(s.Start))
	dst = append(appendHeader(dst, TagMode, 1), byte(s.Mode))
	dst = append(appendHeader(dst, TagToolChoice, 1), byte(s.ToolChoice))
	if s.NamedTool != "" {
		dst = appendRecord(dst, TagNamedTool, s.NamedTool)
	}
	for _, t := range s.Tools {
		dst = appendRecord(dst, TagTool, t)
	}
	if s.PromptTail != "" {
		dst = appendRecord(dst, TagPromptTail, s.PromptTail)
	}
	dst = appendU32(appendHeader(dst, TagFlags, 4), s.Flags)
	for _, o := range s.Options {
		dst = appendHeader(dst, TagOption, len(o.Key)+1+len(o.Value))
		dst = append(append(append(dst, o.Key...), '='), o.Value...)
	}
	for _, c := range s.Schemas {
		dst = appendU32(appendHeader(dst, TagToolSchema, 4+len(c.JSON)), c.Tool)
		dst = append(dst, c.JSON...)
	}
	return dst
}

// DecodeOpen reads an open block. Records of unknown tags are skipped.
func DecodeOpen(b []byte) (OpenBlock, error) {
	var s OpenBlock
	for len(b) > 0 {
		if len(b) < 8 {
			return s, ErrOpenBlock
		}
		tag, n := uint16(b[0])|uint16(b[1])<<8, le32(b[4:])
		if uint64(n) > uint64(len(b)-8) {
			return s, ErrOpenBlock
		}
		p := b[8 : 8+n]
		b = b[8+n:]
		if !s.record(tag, p) {
			return s, ErrOpenBlock
		}
	}
	return s, nil
}

func (s *OpenBlock) record(tag uint16, p []byte) bool {
	switch tag {
	case TagParser:
		s.Parser = string(p)
	case TagStart:
		if len(p) != 1 || Channel(p[0]) > ChannelResponse {
			return false
		}
		s.Start = Channel(p[0])
	case TagMode:
		if len(p) != 1 || Mode(p[0]) > ModeGuidedNamed {
			return false
		}
		s.Mode = Mode(p[0])
	case TagToolChoice:
		if len(p) != 1 || ToolChoice(p[0]) > ToolChoiceNone {
			return false
		}
		s.ToolChoice = ToolChoice(p[0])
	case TagNamedTool:
		s.NamedTool = string(p)
	case TagTool:
		s.Tools = append(s.Tools, string(p))
	case TagPromptTail:
		s.PromptTail = string(p)
	case TagFlags:
		if len(p) != 4 {
			return false
		}
		s.Flags = le32(p)
	case TagOption:
		for i, c := range p {
			if c == '=' {
				s.Options = append(s.Options, Option{string(p[:i]), string(p[i+1:])})
				return true
			}
		}
		return false
	case TagToolSchema:
		if len(p) < 4 {
			return false
		}
		s.Schemas = append(s.Schemas, Schema{le32(p), string(p[4:])})
	}
	return true
}

func appendHeader(dst []byte, tag uint16, n int) []byte {
	return appendU32(append(dst, byte(tag), byte(tag>>8), 0, 0), uint32(n))
}

func appendRecord(dst []byte, tag uint16, p string) []byte {
	return append(appendHeader(dst, tag, len(p)), p...)
}

func appendU32(dst []byte, v uint32) []byte {
	return append(dst, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}
