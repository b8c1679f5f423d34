package jinja

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Limits bound one rendering. Zero values mean the defaults.
type Limits struct {
	// Steps is how many operations a rendering may take; copying 64 bytes is one,
	// too. Real prompts take some thousands to some hundred thousand.
	Steps int
	// Depth is how deep macros may call one another, and values may nest.
	Depth int
	// OutputBytes is how long the prompt may become, ValueBytes how large a single
	// value (for lists: 16 bytes an item).
	OutputBytes, ValueBytes int
	// AllocatedBytes bounds all that a rendering makes, kept or not.
	AllocatedBytes int
}

// DefaultLimits suit prompts of up to about a million tokens.
func DefaultLimits() Limits {
	return Limits{Steps: 8_000_000, Depth: 128, OutputBytes: 16 << 20, ValueBytes: 16 << 20, AllocatedBytes: 256 << 20}
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	for _, f := range []struct {
		field *int
		value int
	}{{&l.Steps, d.Steps}, {&l.Depth, d.Depth}, {&l.OutputBytes, d.OutputBytes}, {&l.ValueBytes, d.ValueBytes}, {&l.AllocatedBytes, d.AllocatedBytes}} {
		if *f.field <= 0 {
			*f.field = f.value
		}
	}
	return l
}

// Template is a compiled template. It is safe for concurrent use.
type Template struct {
	body []statement
}

// Compile reads a template. The error is a *SyntaxError.
func Compile(source string) (t *Template, err error) {
	tokens, err := lex(source)
	if err != nil {
		return nil, err
	}
	defer func() {
		if f, ok := recover().(parseFailure); ok {
			t, err = nil, f.err
		} else if f != (parseFailure{}) {
			panic(f)
		}
	}()
	p := &statementParser{expressionParser: expressionParser{cursor: cursor{tokens: tokens}}}
	body, _ := p.statements()
	if len(p.unknown) > 0 {
		return nil, p.unknown[0]
	}
	return &Template{body}, nil
}

// Input is what a rendering is given.
type Input struct {
	// Variables are the names that the template sees. They are not changed.
	Variables map[string]Value
	// Now is what strftime_now tells.
	Now    time.Time
	Limits Limits
}

// Render gives the prompt. The error is a *RenderError, a *RaisedError, a
// *LimitError or that of the context, which is looked at now and then.
func (t *Template) Render(ctx context.Context, in Input) (prompt string, err error) {
	r := &rendering{budget: budget{ctx: ctx, limits: in.Limits.withDefaults()}, now: in.Now}
	r.out = &output{}
	r.scope = &scope{vars: map[string]Value{}, parent: &scope{vars: in.Variables, parent: &scope{vars: globals}}}
	defer r.end()
	defer func() {
		if caught := recover(); caught != nil {
			prompt, err = "", r.failed(caught)
		}
	}()
	r.run(t.body)
	return r.out.text.String(), nil
}

// failure is thrown to end a rendering, and caught in Render.
type failure struct{ err error }

// failed makes an error of what ended a rendering. Anything else than a failure is
// a fault of this package; it must not end the process, whatever a template does.
func (r *rendering) failed(caught any) error {
	if f, ok := caught.(failure); ok {
		return f.err
	}
	return &RenderError{r.line, fmt.Sprintf("the renderer failed: %v", caught)}
}

// rendering is one run of a template.
type rendering struct {
	budget
	now   time.Time
	scope *scope
	out   *output
}

// budget is what a rendering may still use up, and where it is.
type budget struct {
	ctx       context.Context
	limits    Limits
	steps     int
	looked    int // at which step the context was looked at
	allocated int
	heavy     bool
	depth     int
	line      int
}

// output is where text goes: the prompt, or what a macro gives back.
type output struct{ text strings.Builder }

// scope holds the names of a block and of what is around it.
type scope struct {
	vars   map[string]Value
	parent *scope
}

func (s *scope) lookup(name string) (Value, bool) {
	for ; s != nil; s = s.parent {
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	return nil, false
}

func (s *scope) set(name string, v Value) {
	if s.vars == nil {
		s.vars = map[string]Value{}
	}
	s.vars[name] = v
}

// push opens a scope; the caller puts the one before back.
func (r *rendering) push() (before *scope) {
	before = r.scope
	r.scope = &scope{parent: before}
	return before
}

// step counts one operation.
func (b *budget) step() { b.spend(1) }

// spend counts steps.
func (b *budget) spend(steps int) {
	b.steps += steps
	if b.steps > b.limits.Steps {
		b.breach("Steps", b.limits.Steps)
	}
	if b.steps >= b.looked+contextSteps {
		b.looked = b.steps
		if b.ctx.Err() != nil {
			panic(failure{context.Cause(b.ctx)})
		}
	}
}

// contextSteps is how many steps apart the context is looked at.
const contextSteps = 1024

// scan counts the steps of going through text as fast as a machine can; walk, those of
// looking at each of its characters.
func (b *budget) scan(s string) { b.spend(1 + len(s)/64) }
func (b *budget) walk(s string) { b.spend(1 + len(s)/8) }

// scanTexts counts the steps of going through those of the values that are texts.
func (b *budget) scanTexts(values []Value) {
	for _, v := range values {
		if s, ok := text(v); ok {
			b.scan(s)
		}
	}
}

// charge counts bytes that are made or copied.
func (b *budget) charge(bytes int) {
	b.allocated += bytes
	if b.allocated > b.limits.AllocatedBytes {
		b.breach("AllocatedBytes", b.limits.AllocatedBytes)
	}
	if b.allocated > lightBytes && !b.heavy {
		b.becomeHeavy()
	}
	b.spend(1 + bytes/64)
}

// lightBytes is how much a rendering may make before it waits for its turn among those
// that make more: together they must not take the process's memory.
const lightBytes = 32 << 20

var heavyRenderings = make(chan struct{}, 4)

func (b *budget) becomeHeavy() {
	select {
	case heavyRenderings <- struct{}{}:
		b.heavy = true
	case <-b.ctx.Done():
		panic(failure{context.Cause(b.ctx)})
	}
}

// end gives back what a rendering has taken.
func (b *budget) end() {
	if b.heavy {
		<-heavyRenderings
	}
}

// itemBytes is what an item of a list takes.
const itemBytes = 16

// sized counts a value before it is made, and refuses one that is too large.
func (b *budget) sized(bytes int) {
	if bytes < 0 || bytes > b.limits.ValueBytes {
		b.breach("ValueBytes", b.limits.ValueBytes)
	}
	b.charge(bytes)
}

// grown counts what is added to a value, and refuses one that becomes too large.
func (b *budget) grown(total, added int) {
	if total > b.limits.ValueBytes {
		b.breach("ValueBytes", b.limits.ValueBytes)
	}
	b.charge(added)
}

// sizedItems counts a sequence before it is made.
func (b *budget) sizedItems(n int) {
	b.sized(itemBytes * n)
	b.spend(n / 2)
}

// nested refuses values that nest too deeply.
func (b *budget) nested(depth int) {
	b.step()
	if depth > b.limits.Depth {
		b.breach("Depth", b.limits.Depth)
	}
}

// enter counts a call; leave counts it off.
func (b *budget) enter() {
	b.depth++
	if b.depth > b.limits.Depth {
		b.breach("Depth", b.limits.Depth)
	}
}

func (b *budget) leave() { b.depth-- }

func (b *budget) breach(limit string, most int) {
	panic(failure{&LimitError{limit, b.line, most}})
}

func (b *budget) failf(format string, args ...any) {
	panic(failure{&RenderError{b.line, fmt.Sprintf(format, args...)}})
}

// emit writes text to where it goes.
func (r *rendering) emit(s string) {
	if s == "" {
		return
	}
	r.charge(len(s))
	r.out.text.WriteString(s)
	if r.out.text.Len() > r.limits.OutputBytes {
		r.breach("OutputBytes", r.limits.OutputBytes)
	}
}

// capture gives what body writes.
func (r *rendering) capture(body []statement) string {
	before := r.out
	r.out = &output{}
	r.run(body)
	text := r.out.text.String()
	r.out = before
	return text
}

func (r *rendering) run(body []statement) jump {
	for _, s := range body {
		r.step()
		if j := s.exec(r); j != jumpNone {
			return j
		}
	}
	return jumpNone
}

func (t textNode) exec(r *rendering) jump {
	r.emit(string(t))
	return jumpNone
}

func (n *outputNode) exec(r *rendering) jump {
	r.line = n.line
	r.emit(stringOf(r, n.value.eval(r)))
	return jumpNone
}

func (n *ifNode) exec(r *rendering) jump {
	for i := range n.branches {
		r.line = n.branches[i].line
		if truth(n.branches[i].test.eval(r)) {
			return r.run(n.branches[i].body)
		}
	}
	return r.run(n.otherwise)
}

func (n *setNode) exec(r *rendering) jump {
	r.line = n.line
	r.assign(&n.target, n.value.eval(r))
	return jumpNone
}

func (n *setBlockNode) exec(r *rendering) jump {
	r.line = n.line
	before := r.push()
	var v Value = r.capture(n.body)
	r.scope = before
	if n.filter != nil {
		v = r.filtered(n.filter, v)
	}
	r.assign(&n.target, v)
	return jumpNone
}

// filtered runs a chain of filters whose first one has no input of its own.
func (r *rendering) filtered(chain expr, input Value) Value {
	f := chain.(*filterExpr)
	if f.input != nil {
		input = r.filtered(f.input, input)
	}
	return f.apply(r, input)
}

func (n *filterBlockNode) exec(r *rendering) jump {
	r.line = n.line
	before := r.push()
	text := r.capture(n.body)
	r.scope = before
	r.emit(stringOf(r, r.filtered(n.filter, text)))
	return jumpNone
}

func (n *scopeNode) exec(r *rendering) jump {
	values := make([]Value, len(n.values))
	for i, e := range n.values {
		r.line = n.line
		values[i] = e.eval(r)
	}
	before := r.push()
	for i := range n.targets {
		r.assign(&n.targets[i], values[i])
	}
	j := r.run(n.body)
	r.scope = before
	return j
}

func (n *jumpNode) exec(*rendering) jump {
	if n.isBreak {
		return jumpBreak
	}
	return jumpContinue
}

func (r *rendering) assign(t *target, v Value) {
	switch {
	case t.member != "":
		owner, _ := r.scope.lookup(t.name)
		ns, ok := owner.(*namespace)
		if !ok {
			r.failf("cannot assign attribute on non-namespace object")
		}
		ns.members.set(t.member, v)
	case t.list != nil:
		r.unpack(t.list, v)
	default:
		r.scope.set(t.name, v)
	}
}

func (r *rendering) unpack(targets []target, v Value) {
	items := itemsOf(r, v)
	switch {
	case len(items) < len(targets):
		r.failf("not enough values to unpack (expected %d, got %d)", len(targets), len(items))
	case len(items) > len(targets):
		r.failf("too many values to unpack (expected %d)", len(targets))
	}
	for i := range targets {
		r.assign(&targets[i], items[i])
	}
}
