// Package conform runs cases through the host's own parse session and framing:
// what a client of turnkey would get; and so the turns that chat templates render.
package conform

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/typing"
)

// Assemble is a cases.Client: it runs chunks through a parser and the host's parse
// session and framing, and gives what a client would put together: text,
// reasoning and calls in order, each call at the place of its first delta. A
// dropped call is absent, and a call whose arguments are unsound has {}.
//
// Of the case it takes the open block, the tools and the finish reason. The error
// is the one that the request would end with; the pieces before it are given too.
func Assemble(e parser.Engine, c *cases.Case, chunks []string) ([]cases.Piece, error) {
	return AssembleTraced(e, c, chunks, nil)
}

// AssembleTraced is Assemble, and writes each event of the parser to trace, if that is not
// nil: its span of the raw text, where the text is accounted for, and what was dropped.
func AssembleTraced(e parser.Engine, c *cases.Case, chunks []string, trace io.Writer) ([]cases.Piece, error) {
	tracer := newTracer(trace)
	s, err := c.OpenBlock(e.Parser().Name)
	if err != nil {
		return nil, err
	}
	tools, err := framingTools(c.Tools)
	if err != nil {
		return nil, err
	}
	framer := framing.New(framing.Config{
		Tools: typing.NewTools(tools), Typing: e.Parser().Typing, Lead: e.Parser().Lead, Guided: c.Mode, NamedTool: c.NamedTool,
	})
	session, events, err := parse.Open(parse.Config{Engine: e, Open: s, Policy: parse.FaultIsError, Sent: framer.Sent, OnNote: tracer.traceNote})
	if err != nil {
		return nil, requestError(err)
	}
	defer session.Close()
	a := assembly{calls: map[int]int{}}
	defer func() { tracer.traceDrops(framer.Counts()) }()
	tracer.traceStep("open", session, events)
	a.addDeltas(framer.Apply(events, nil))
	for _, chunk := range chunks {
		events, err = session.Push(chunk)
		tracer.traceStep(fmt.Sprintf("push %q", chunk), session, events)
		if err != nil {
			a.addDeltas(framer.Apply(events, nil))
			return a.completedPieces(), requestError(err)
		}
		a.addDeltas(framer.Apply(events, nil))
	}
	events, err = session.Finish(c.Finish)
	tracer.traceStep("finish", session, events)
	a.addDeltas(framer.Finish(framer.Apply(events, nil)))
	return a.completedPieces(), requestError(err)
}

// requestError makes a broken turn grammar match cases.ErrMalformedCall.
func requestError(err error) error {
	var strict *parse.StrictError
	if errors.As(err, &strict) {
		return malformedCall{err}
	}
	return err
}

// malformedCall is an error that also matches cases.ErrMalformedCall.
type malformedCall struct{ error }

func (m malformedCall) Unwrap() error { return m.error }

func (m malformedCall) Is(target error) bool { return target == cases.ErrMalformedCall }

// framingTools gives the names and parameters of OpenAI tool objects.
func framingTools(tools []json.RawMessage) ([]typing.Tool, error) {
	out := make([]typing.Tool, len(tools))
	for i, raw := range tools {
		var tool struct {
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		}
		if err := json.Unmarshal(raw, &tool); err != nil {
			return nil, fmt.Errorf("tools[%d]: %w", i, err)
		}
		out[i] = typing.Tool{Name: tool.Function.Name, Parameters: tool.Function.Parameters}
	}
	return out, nil
}

// assembly puts deltas together as a client does.
type assembly struct {
	pieces []cases.Piece
	done   []bool      // by piece: a call that was completed, or no call
	calls  map[int]int // piece by the call's index
}

func (a *assembly) addDeltas(deltas []framing.Delta) {
	for _, d := range deltas {
		switch d.Kind {
		case framing.Content:
			a.pieces, a.done = append(a.pieces, cases.Piece{Kind: cases.KindText, Text: d.Text}), append(a.done, true)
		case framing.Reasoning:
			a.pieces, a.done = append(a.pieces, cases.Piece{Kind: cases.KindReasoning, Text: d.Text}), append(a.done, true)
		case framing.CallHead:
			a.calls[d.Index] = len(a.pieces)
			a.pieces, a.done = append(a.pieces, cases.Piece{Kind: cases.KindToolCall, Name: d.Name, ID: d.ID}), append(a.done, false)
		case framing.CallArgs:
			call := &a.pieces[a.calls[d.Index]]
			call.Arguments = append(call.Arguments, d.Text...)
		case framing.CallEnd:
			at := a.calls[d.Index]
			a.done[at] = true
			if d.Unsound {
				a.pieces[at].Arguments = json.RawMessage("{}")
			}
		}
	}
}

// completedPieces gives the pieces without the calls that were never completed.
func (a *assembly) completedPieces() []cases.Piece {
	var out []cases.Piece
	for i, e := range a.pieces {
		if a.done[i] {
			out = append(out, e)
		}
	}
	return cases.MergePieces(out)
}
