// Package option reads grammars from the options of a model's configuration, for
// parsers whose grammar is data.
package option

import (
	"slices"
	"strings"
	"sync"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/turn"
	"github.com/turnkey-parsers/turnkey/sdk"
)

// Reader reads options and keeps the first thing that is wrong with them.
type Reader struct {
	options []abi.Option
	known   []string // keys that were asked for
	markers []abi.Option
	problem string
}

// NewReader makes a reader of the session's options.
func NewReader(s *abi.OpenBlock) *Reader { return &Reader{options: s.Options} }

// Text gives an option's value, or the fallback where the option is not there.
func (r *Reader) Text(key, fallback string) string {
	r.known = append(r.known, key)
	for _, o := range slices.Backward(r.options) {
		if o.Key == key {
			return o.Value
		}
	}
	return fallback
}

// Marker is Text for a marker. No two markers may be the same.
func (r *Reader) Marker(key, fallback string) string {
	marker := r.Text(key, fallback)
	for _, other := range r.markers {
		if other.Value == marker && marker != "" {
			r.Refuse(key, "is the same marker as "+other.Key+"; a parser can't tell them apart")
		}
	}
	r.markers = append(r.markers, abi.Option{Key: key, Value: marker})
	return marker
}

// Required is Marker for one that can't be empty.
func (r *Reader) Required(key, fallback, why string) string {
	marker := r.Marker(key, fallback)
	if marker == "" {
		r.Refuse(key, "is empty; "+why)
	}
	return marker
}

// OneOf is Text for an option that has a few values. The first is the fallback.
func (r *Reader) OneOf(key string, words ...string) string {
	word := r.Text(key, words[0])
	if !slices.Contains(words, word) {
		r.Refuse(key, `is "`+word+`"; write one of `+strings.Join(words, ", "))
		return words[0]
	}
	return word
}

// Refuse says that an option can't be used, and why.
func (r *Reader) Refuse(key, why string) {
	if r.problem == "" {
		r.problem = "option " + key + ": " + why
	}
}

// Problem is what is wrong with the options; "" if nothing is. An option that was
// not asked for is wrong if its key begins with one of the prefixes; others are
// another parser's.
func (r *Reader) Problem(prefixes ...string) string {
	for _, o := range r.options {
		for _, p := range prefixes {
			if strings.HasPrefix(o.Key, p) && !slices.Contains(r.known, o.Key) {
				r.Refuse(o.Key, "is not known here; the options are "+strings.Join(r.known, ", "))
			}
		}
	}
	return r.problem
}

// ReasoningPrefix is what the keys begin with that Reasoning reads.
const ReasoningPrefix = "reasoning_"

// Reasoning reads how thoughts are written:
//
//	reasoning_open, reasoning_close  the tags, <think> and </think>; empty: none
//	reasoning_start                  content or reasoning: where a session starts whose prompt is not known
//	reasoning_once                   true: the tags count once, at the start of the output; else they are prose
//
// start is the fallback of reasoning_start, open and close are those of the marks.
func Reasoning(r *Reader, start, open, close string) turn.Config {
	other := "reasoning"
	if start == other {
		other = "content"
	}
	c := turn.Config{
		Think:       r.Marker("reasoning_open", open),
		EndThink:    r.Marker("reasoning_close", close),
		PromptOpens: r.OneOf("reasoning_start", start, other) == "reasoning",
		Once:        r.OneOf("reasoning_once", "false", "true") == "true",
	}
	switch {
	case c.EndThink == "" && (c.Think != "" || c.PromptOpens):
		r.Refuse("reasoning_close", "is empty; a thought that is opened needs a marker that ends it")
	case c.Think == "" && c.Once:
		r.Refuse("reasoning_once", "is true, but reasoning_open is empty; name the marker that opens the thought")
	}
	return c
}

// Built is a grammar made from options, or what is wrong with them.
type Built struct {
	Grammar *turn.Grammar
	Problem string
}

// Parser makes a session's parser. Where the options can't be used it answers a
// fatal ERROR, with the reason in a NOTE.
func (b *Built) Parser(s *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	if b.Problem != "" {
		return &refusal{b.Problem}
	}
	opened := *s
	opened.Start = b.startChannel(s)
	return b.Grammar.Parser(&opened, kind)
}

// startChannel refines START. The host decides it by the markers of the manifest, which
// does not know of markers from options: of them only the prompt's tail tells. A
// tail that ends with the opener, up to white space, leaves a thought open; one
// that ends with opener and closer, with nothing but white space between, the
// answer.
func (b *Built) startChannel(s *abi.OpenBlock) abi.Channel {
	think, endThink := b.Grammar.Think, b.Grammar.EndThink
	if s.Start == abi.ChannelReasoning || s.Start == abi.ChannelResponse || think == "" || s.PromptTail == "" {
		return s.Start
	}
	tail := trimSpaceRight(s.PromptTail)
	if strings.HasSuffix(tail, think) {
		return abi.ChannelReasoning
	}
	if before, ok := strings.CutSuffix(tail, endThink); ok && strings.HasSuffix(trimSpaceRight(before), think) {
		return abi.ChannelResponse
	}
	return abi.ChannelContent
}

func trimSpaceRight(s string) string { return strings.TrimRight(s, " \t\r\n") }

type refusal struct{ problem string }

// Step implements sdk.Parser.
func (r *refusal) Step(w *sdk.Window) {
	if r.problem != "" {
		w.Note(r.problem)
		w.Error(abi.CodeBadOpen, abi.FlagFatal)
		r.problem = ""
	}
	w.Text(w.Len())
}

// Cache keeps what was built: sessions of one model have the same options.
type Cache struct {
	mu    sync.Mutex
	built map[string]*Built
}

// GetOrBuild gives what build makes of the session's options, under a name.
func (c *Cache) GetOrBuild(name string, s *abi.OpenBlock, build func() *Built) *Built {
	key := name
	for _, o := range s.Options {
		key += "\x00" + o.Key + "=" + o.Value
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.built[key]
	if b == nil {
		if c.built == nil || len(c.built) == maxBuilt {
			c.built = map[string]*Built{}
		}
		b = build()
		c.built[key] = b
	}
	return b
}

// maxBuilt is how many grammars a Cache keeps.
const maxBuilt = 64
