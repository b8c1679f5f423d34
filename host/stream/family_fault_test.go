package stream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/builtin"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
	"github.com/turnkey-parsers/turnkey/sdk/native"
)

// startAt is an engine whose sessions start in a channel that the case names.
type startAt struct {
	*faulty
	start abi.Channel
}

func (s *startAt) Open(open *abi.OpenBlock) (parser.Source, abi.Answer, error) {
	at := *open
	at.Start = s.start
	return s.faulty.Open(&at)
}

// offsets is a log handler that keeps the offset of the fault.
type offsets struct {
	at   int64
	each func(msg string) // called for each record; may be nil
}

func (o *offsets) Enabled(context.Context, slog.Level) bool { return true }
func (o *offsets) WithAttrs([]slog.Attr) slog.Handler       { return o }
func (o *offsets) WithGroup(string) slog.Handler            { return o }
func (o *offsets) Handle(_ context.Context, r slog.Record) error {
	if o.each != nil {
		o.each(r.Message)
	}
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "offset" {
			o.at = int64(a.Value.Uint64())
		}
		return true
	})
	return nil
}

// familyCase is a case of a shipped family as a request of this package.
type familyCase struct {
	*cases.Case
	engine  parser.Engine
	request string
	lines   []string
	raw     string
	total   int // token ids
}

func familyCases(t *testing.T) (all []familyCase) {
	t.Helper()
	var set manifest.Set
	for _, m := range builtin.Modules {
		d, err := manifest.Parse([]byte(m.Manifest))
		if err != nil {
			t.Fatal(err)
		}
		set = append(set, d)
	}
	files, err := filepath.Glob("../../builtin/*/testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range files {
		file, err := cases.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range file.Cases {
			c := &file.Cases[i]
			found, ok := set.Find(c.Family)
			if !ok || found.Parser.Kind != manifest.Unified {
				continue
			}
			at := slices.Index(set, found.Manifest)
			e, err := native.Parser(builtin.Modules[at], found.Parser.Name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, newFamilyCase(c, e))
		}
	}
	return all
}

func newFamilyCase(c *cases.Case, e parser.Engine) familyCase {
	f := familyCase{Case: c, engine: e, request: fields("completion_token_ids")}
	if len(c.Tools) > 0 {
		b, _ := json.Marshal(c.Tools)
		f.request += `,"tools":` + string(b)
	}
	switch c.Mode {
	case abi.ModeGuidedRequired:
		f.request += `,"tool_choice":"required"`
	case abi.ModeGuidedNamed:
		f.request += fmt.Sprintf(`,"tool_choice":{"type":"function","function":{"name":%q}}`, c.NamedTool)
	}
	f.raw = c.Input
	for rest := f.raw; rest != ""; {
		n := min(7, len(rest))
		for n < len(rest) && !utf8.RuneStart(rest[n]) {
			n++
		}
		f.lines = append(f.lines, strings.Replace(text(rest[:n]), `"finish_reason"`, fmt.Sprintf(`"token_ids":[%d],"finish_reason"`, f.total), 1))
		rest, f.total = rest[n:], f.total+1
	}
	f.lines = append(f.lines, finish("stop"))
	return f
}

// run plays the case with a fault after some events; it gives how many events
// there were, and the offset of the fault.
func (f *familyCase) run(t *testing.T, after int, arguments framing.Arguments) (r *result, events int, offset int64) {
	log := &offsets{at: -1}
	bad := &faulty{Engine: f.engine, after: after}
	model := func(m *stream.Model) {
		m.Route.Parsers = route.Parsers{Tool: "t", Reasoning: "t", Unified: &startAt{bad, f.Start}}
		m.Route.Guided, m.Arguments = route.GuideByJSON, arguments
		m.Hooks.Log = slog.New(log)
	}
	return play(t, scene{model: model, request: f.request, lines: f.lines}), bad.given, log.at
}

// A fault after every event of every case of every family that ships: what was
// accounted for is said once, the rest of the raw text once, every token id once
// and in order, and no call is there that the parser had not made.
func TestEveryFamilyAfterAFault(t *testing.T) {
	var runs atomic.Int64
	t.Cleanup(func() { // when the cases have run
		if runs.Load() < 1000 {
			t.Errorf("only %d faults were driven", runs.Load())
		}
		t.Logf("%d faults", runs.Load())
	})
	for _, f := range familyCases(t) {
		t.Run(f.Family+"/"+f.Name, func(t *testing.T) {
			t.Parallel()
			for _, arguments := range []framing.Arguments{framing.Eager, framing.Whole} {
				whole, total, _ := f.run(t, 1<<30, arguments)
				if whole.err != nil {
					t.Fatal(whole.err)
				}
				runs.Add(int64(total))
				for after := int(arguments); after < total; after += 1 + 3*int(arguments) { // the policy changes little
					r, _, offset := f.run(t, after, arguments)
					if err := f.check(whole, r, offset); err != nil {
						t.Fatalf("after %d of %d events, at byte %d: %v\nraw   %q\nwhole %q\ngot   %q", after, total, offset, err, f.raw, whole.view(0).events, r.view(0).events)
					}
				}
			}
		})
	}
}

func (f *familyCase) check(whole, r *result, offset int64) error {
	if r.err != nil || r.counts["parser_fault"] != 1 || offset < 0 {
		return fmt.Errorf("error %v, %d faults", r.err, r.counts["parser_fault"])
	}
	if ids := r.ids(); len(ids) != f.total || !slices.IsSorted(ids) || len(ids) > 0 && (ids[0] != 0 || ids[len(ids)-1] != f.total-1) {
		return fmt.Errorf("token ids %v of %d", ids, f.total)
	}
	a, b := kinds(whole.view(0)), kinds(r.view(0))
	if !strings.HasPrefix(a.reasoning, b.reasoning) {
		return fmt.Errorf("reasoning %q", b.reasoning)
	}
	if !restored(a.content, b.content, f.raw, int(offset), f.Mode != abi.ModeNative) {
		return fmt.Errorf("content %q", b.content)
	}
	for i, c := range b.calls {
		if i >= len(a.calls) || c != a.calls[i] && (i < len(b.calls)-1 || !strings.HasPrefix(a.calls[i], c)) {
			return fmt.Errorf("calls %q", b.calls)
		}
	}
	if b.finish == "tool_calls" && (len(b.calls) == 0 || !slices.Contains(a.calls, b.calls[0])) {
		return fmt.Errorf("finish %s", b.finish)
	}
	return nil
}

// restored says whether content is a beginning of the content without a fault,
// and then the raw text from some place on that was accounted for, to its end.
// White space beside guided JSON, which is left out where it stands alone, may
// stand between the two.
func restored(whole, content, raw string, offset int, guided bool) bool {
	for from := min(offset, len(raw)); from >= 0; from-- {
		before, ok := strings.CutSuffix(content, raw[from:])
		if guided {
			before = strings.TrimSpace(before)
		}
		if ok && strings.HasPrefix(whole, before) {
			return true
		}
	}
	return false
}

type kindsOf struct {
	reasoning, content, finish string
	calls                      []string
}

func kinds(v *view) (k kindsOf) {
	k.finish = v.finish
	for _, e := range v.events {
		switch kind, text, _ := strings.Cut(e, ":"); kind {
		case "reasoning":
			k.reasoning += text
		case "text":
			k.content += text
		default:
			k.calls = append(k.calls, text)
		}
	}
	return k
}

// ids are the token ids of all frames.
func (r *result) ids() (ids []int) {
	for _, f := range r.frames {
		if !strings.Contains(f, `"completion_token_ids"`) {
			continue
		}
		var c struct {
			NVExt struct {
				IDs []int `json:"completion_token_ids"`
			}
		}
		if json.Unmarshal([]byte(f), &c) == nil {
			ids = append(ids, c.NVExt.IDs...)
		}
	}
	return ids
}
