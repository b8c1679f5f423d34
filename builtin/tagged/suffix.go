package tagged

import (
	"bytes"
	"strings"
	"sync"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/opening"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/builtin/internal/turn"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// suffixedFamily is the family whose tags carry a suffix, which is another for each
// checkpoint.
const suffixedFamily = "hy_v3"

// newSuffixed makes its parser: with the suffix that the option says, or the prompt,
// or else the first tag of the output.
func newSuffixed(s *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	open := *s
	suffix, known := "", false
	for _, o := range s.Options {
		if o.Key == "suffix" {
			suffix, known = ":"+strings.TrimPrefix(o.Value, ":"), o.Value != ""
		}
	}
	if at := strings.LastIndex(s.PromptTail, "think:"); !known && at >= 0 {
		if n, v := suffixLen([]byte(s.PromptTail[at+len("think"):])); v == scan.Yes {
			suffix, known = s.PromptTail[at+len("think"):][:n], true
		}
	}
	if known && open.Start <= abi.ChannelContent {
		switch tail := strings.TrimSpace(s.PromptTail); {
		case strings.HasSuffix(tail, "</think"+suffix+">"):
			open.Start = abi.ChannelResponse
		case strings.HasSuffix(tail, "<think"+suffix+">"):
			open.Start = abi.ChannelReasoning
		}
	}
	o := opening.For(&open, kind, sdk.StartOf(&open))
	p := &suffixed{StartChannel: o.StartChannel, open: open, kind: kind}
	if known || s.Mode != abi.ModeNative {
		p.choose(suffix)
	}
	return p
}

// suffixed reads prose up to the first tag, and goes on with the grammar of its suffix.
type suffixed struct {
	opening.StartChannel
	open   abi.OpenBlock
	kind   sdk.Kind
	parser sdk.Parser // once the suffix is known
}

func (p *suffixed) choose(suffix string) { p.parser = suffixGrammar(suffix).Parser(&p.open, p.kind) }

// Step implements sdk.Parser.
func (p *suffixed) Step(w *sdk.Window) {
	for p.parser == nil {
		at := bytes.IndexByte(w.Bytes(), '<')
		if at < 0 {
			at = w.Len()
		}
		p.emitProse(w, at)
		n, suffix, v := matchSuffixedTag(w.Bytes(), w.Final)
		quoted := v == scan.Yes && isQuote(w.Prev())
		switch {
		case w.Len() == 0:
			p.watch(w)
			return
		case v == scan.Wait, quoted && w.Len() == n && !w.Final:
			return
		case v == scan.No, quoted && w.Len() > n && w.Bytes()[n] == w.Prev():
			p.emitProse(w, 1)
		default:
			p.choose(string(suffix))
		}
	}
	p.parser.Step(w)
}

func isQuote(c byte) bool { return c == '"' || c == '`' || c == '\'' }

func (p *suffixed) watch(w *sdk.Window) {
	kind := abi.Text
	if p.InThought() {
		kind = abi.Reasoning
	}
	w.Watch(kind, tagStart)
}

var tagStart = []byte{'<'}

// InThought says whether the prompt left a thought open.
func (p *suffixed) InThought() bool { return p.Channel() == abi.ChannelReasoning }

func (p *suffixed) emitProse(w *sdk.Window, n int) {
	if p.InThought() {
		w.Reasoning(n)
	} else {
		w.Text(n)
	}
}

// suffixedTags are the beginnings of the tags that may come first.
var suffixedTags = scan.NewSet("<think", "</think", "<tool_calls", "</tool_calls", "<tool_call", "</tool_call")

// maxSuffix is the longest suffix in bytes.
const maxSuffix = 64

// matchSuffixedTag asks whether b begins with a tag. n is its length.
func matchSuffixedTag(b []byte, final bool) (n int, suffix []byte, v scan.Verdict) {
	id, v := suffixedTags.MatchPrefix(b, final)
	if v != scan.Yes {
		return 0, nil, v
	}
	n = suffixedTags.Len(id)
	end, v := suffixLen(b[n:])
	if v == scan.Wait && final {
		v = scan.No
	}
	return n + end + 1, b[n : n+end], v
}

// suffixLen is the length of the suffix that b begins with, before a tag's end; 0 for none.
func suffixLen(b []byte) (n int, v scan.Verdict) {
	for n < len(b) && n < maxSuffix && b[n] != '>' && b[n] != '<' && !scan.IsSpace(b[n]) && (n > 0 || b[0] == ':') {
		n++
	}
	switch {
	case n == len(b) && n < maxSuffix:
		return 0, scan.Wait
	case n == maxSuffix || n == 1 || b[n] != '>':
		return 0, scan.No
	}
	return n, scan.Yes
}

// bareGrammar is the grammar of tags without a suffix.
var bareGrammar = lazyGrammar(suffixConfig(""))

// suffixGrammar is the grammar of tags with that suffix.
func suffixGrammar(suffix string) *turn.Grammar {
	if suffix == "" {
		return bareGrammar()
	}
	lastSuffix.Lock()
	defer lastSuffix.Unlock()
	if lastSuffix.grammar == nil || lastSuffix.suffix != suffix {
		lastSuffix.suffix, lastSuffix.grammar = suffix, turn.New(suffixConfig(suffix))
	}
	return lastSuffix.grammar
}

// lastSuffix is the grammar that was built last. A checkpoint has one suffix, so the
// others need not be kept.
var lastSuffix struct {
	sync.Mutex
	suffix  string
	grammar *turn.Grammar
}

func suffixConfig(suffix string) turn.Config {
	tag := func(name string) string { return "<" + name + suffix + ">" }
	return turn.Config{
		Think: tag("think"), EndThink: tag("/think"),
		Block: toolblock.Config{Open: tag("tool_calls"), Close: tag("/tool_calls"), XML: &toolblock.XML{
			Function: tag("tool_call"), NameEnd: tag("tool_sep"), NameEndOptional: true, FunctionClose: tag("/tool_call"),
			Parameter: tag("arg_key"), KeyEnd: tag("/arg_key"), Value: tag("arg_value"), ParameterClose: tag("/arg_value"),
			Verbatim: true,
		}},
	}
}
