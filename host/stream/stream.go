// Package stream runs a request: it ties the engine's stream, the parsers and
// the rules for chunks together, per request and per choice, and gives the
// client's chunks in order, or their sum.
//
// One goroutine runs a request: it calls Prepare, Start, and then Next or Complete,
// and everything of the request (choices, parser sessions, the queue of outputs) is
// its own. Only Close may be called by another goroutine, also while Next waits for
// the engine. A Model is read only and shared by requests; its Hooks are called on
// the requests' goroutines, many at once. RATIONALE.md says why.
package stream

import (
	"context"
	"crypto/rand"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/route"
)

// Model is a served model, shared by requests.
type Model struct {
	// Name is what clients call the model.
	Name string
	// EngineModel is the engine's name for it; "" is the client's.
	EngineModel string
	Backend     backend.Backend
	Route       route.Model
	EOSTokenIDs []int64

	Arguments framing.Arguments
	Invalid   framing.InvalidArguments
	Unknown   framing.UnknownTools
	OnFault   parse.FaultPolicy
	// NoRepair takes arguments as they stand: see framing.Config.
	NoRepair  bool
	BlankText BlankText
	// NamedStop: a named tool choice finishes with stop, as OpenAI's own does.
	NamedStop bool
	// CutIsLength: an answer that the model ended in the middle of its only call
	// finishes with length, so that a client can tell.
	CutIsLength bool
	// ShortIDs: call ids of nine characters.
	ShortIDs bool
	// AlwaysUsage ends every stream with usage, asked for or not.
	AlwaysUsage bool

	Limits   Limits
	Timeouts Timeouts
	Hooks    Hooks
}

// Limits bound an answer. Zero is no limit.
type Limits struct {
	// Text is the raw text of one choice, in bytes.
	Text int
	// Held is what one choice may hold back, in bytes.
	Held int
}

func (l Limits) held() int {
	if l.Held <= 0 {
		return math.MaxInt
	}
	return l.Held
}

// Timeouts bound an answer in time. Zero is no limit.
type Timeouts struct {
	Idle  time.Duration // longest silence of the engine within an answer
	Total time.Duration // the whole answer
}

// Hooks tell an operator what happens. All are optional.
type Hooks struct {
	// Anomaly counts what should not have happened, by its kind in Anomalies.
	Anomaly func(kind string, n int)
	// Metrics gets the engine's metrics, when the output they ride on leaves.
	Metrics func(chunk.Metrics)
	// Log is for details that no client sees. They hold no text of the model.
	Log *slog.Logger
	// Warned remembers what is warned of once a model; copies of a Model share it.
	// Without it there are no such warnings.
	Warned *sync.Map
}

// warnOnce warns of a model's setup.
func (h *Hooks) warnOnce(msg string) {
	if h.Warned == nil {
		return
	}
	if _, warned := h.Warned.LoadOrStore(msg, true); !warned {
		h.warn(msg)
	}
}

func (h *Hooks) anomaly(name string, n int) {
	if h.Anomaly != nil && n > 0 {
		h.Anomaly(name, n)
	}
}

func (h *Hooks) info(msg string, args ...any) {
	if h.Log != nil {
		h.Log.Info(msg, args...)
	}
}

func (h *Hooks) warn(msg string, args ...any) {
	if h.Log != nil {
		h.Log.Warn(msg, args...)
	}
}

// Operator is one request in progress: Prepare makes it, Start asks the engine,
// then either Next is called until io.EOF, or Complete once. Close ends it in
// any state. It is used by one goroutine, but for Close.
type Operator struct {
	model *Model
	plan  *route.Plan
	chat  *openai.ChatRequest

	id      string
	created time.Time

	run *run
}

// Prepare decides about a request. Nothing was sent to the engine yet: the error
// is the refusal, with its status.
func (m *Model) Prepare(ctx context.Context, r *openai.ChatRequest) (*Operator, *openai.Error) {
	plan, err := m.Route.Decide(ctx, r)
	if err != nil {
		return nil, err
	}
	if len(r.Tools) > 0 && m.Route.Parsers.Tool == "" && plan.Route == route.Pass {
		m.Hooks.warnOnce("tools are offered, but the model has no tool parser: no call is read")
	}
	if skip := r.SkipSpecialTokens; skip != nil && *skip && plan.SpecialTokens() {
		m.Hooks.warnOnce("a client wants skip_special_tokens, but the parser needs them: the engine is asked to keep them")
	}
	return &Operator{model: m, plan: plan, chat: r, id: "chatcmpl-" + rand.Text(), created: time.Now()}, nil
}

// ID is the completion's id, which also names the request in logs.
func (o *Operator) ID() string { return o.id }

// Plan is what was decided.
func (o *Operator) Plan() *route.Plan { return o.plan }

// Silent says that the answer may hold text back for long, so that a streaming
// client needs keep-alive comments.
func (o *Operator) Silent() bool { return o.plan.NonEmpty }

// Start sends the request to the engine and returns once the engine has accepted
// it. The error is a *backend.Error or the context's.
func (o *Operator) Start(ctx context.Context) error {
	run, err := startRun(ctx, o)
	if err != nil {
		return err
	}
	o.run = run
	return nil
}

// Next gives the next chunk for the client: what is not to be seen has been taken
// off. io.EOF is the clean end. Any other error ends the answer: it is typed
// (*backend.Error, *parse.FaultError, *parse.StrictError, *LimitError, a
// context's), nothing follows it, and Next gives it again. An item is valid until
// the next call.
func (o *Operator) Next() (*chunk.Item, error) { return o.run.nextItem() }

// Complete reads the whole answer and gives it as one. The error is as in Next.
func (o *Operator) Complete() (*openai.Completion, error) { return foldRun(o.run) }

// Close ends the request: the engine stops generating, parser sessions are
// closed. It may be called twice.
func (o *Operator) Close() {
	if o.run != nil {
		o.run.close()
	}
}

func (o *Operator) frame() openai.Frame {
	name := o.chat.Model
	if name == "" {
		name = o.model.Name
	}
	return openai.Frame{ID: o.id, Created: o.created.Unix(), Model: name}
}

func (o *Operator) request() *backend.Request {
	p := o.plan
	return &backend.Request{
		ID: o.id, Chat: o.chat, Model: o.model.EngineModel,
		Prompt: p.Prompt, RawText: p.RawText(), ShowTools: p.ShowTools, SpecialTokens: p.SpecialTokens(), StopText: p.StopText(),
		TokenIDs: o.wantsIDs(),
		Guided:   p.Guided, TemplateArgs: p.TemplateArgs, EOSTokenIDs: o.model.EOSTokenIDs,
	}
}

// wantsIDs says whether the engine's token ids are of use: the client asked for
// them, or they tell the end token from text that looks like it.
func (o *Operator) wantsIDs() bool {
	for _, field := range []string{chunk.FieldIDs, chunk.FieldPromptIDs, chunk.FieldAlignment} {
		if o.chat.NVExt.Wants(field) {
			return true
		}
	}
	return len(o.model.EOSTokenIDs) > 0 && len(o.plan.EOSTexts()) > 0
}
