package stream

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/typing"
)

// run is an answer in progress. What comes in is fed to it an item at a time;
// each item gives a queue of outputs, which is emptied before the next is read.
type run struct {
	operator *Operator
	clock    *clock
	engine   backend.Stream

	joiner     chunk.Joiner
	firstError chunk.FirstError
	usage      chunk.UsageHold
	rules      chunk.FinishRules
	maker      chunk.Maker

	tools   *typing.Tools
	usedIDs []string  // of the conversation's calls
	choices []*choice // in index order
	tokens  int       // ids in the nvext of the item that is fed

	note        annotation // of chunks that gave no output yet
	queue       []chunk.Item
	queued      int // items of the queue that were given
	outputNVExt []outputNVExt
	ended       bool
	ignored     int

	metrics []chunk.Metrics // those of the queue
	seen    chunk.Metrics   // the latest, with the tokens of all chunks
	first   time.Time       // of the first output
	mu      sync.Mutex      // held while an item is read and run, and to close
	closed  bool
}

func startRun(ctx context.Context, o *Operator) (*run, error) {
	clock := newClock(ctx, o.model.Timeouts)
	engine, err := o.model.Backend.Stream(clock.ctx, o.request())
	if err != nil {
		err = clock.causeOf(err)
		clock.stop()
		return nil, err
	}
	chat, plan := o.chat, o.plan
	r := &run{
		operator: o, clock: clock, engine: engine,
		joiner: chunk.Joiner{Wants: wantedFields(chat)},
		usage: chunk.UsageHold{
			Final:   !chat.Stream || chat.IncludeUsage || o.model.AlwaysUsage,
			Running: chat.IncludeUsage && chat.ContinuousUsage,
		},
		rules: chunk.FinishRules{
			CallsOff:    len(chat.Tools) == 0 || plan.CallsOff,
			KeepStop:    o.model.NamedStop && chat.ToolChoice.Mode == openai.ToolChoiceNamed,
			TurnGrammar: plan.TurnGrammar,
			CutIsLength: o.model.CutIsLength,
		},
		maker:   chunk.Maker{Frame: o.frame()},
		usedIDs: usedIDs(chat.Messages),
	}
	if len(chat.Tools) > 0 {
		list := make([]typing.Tool, len(chat.Tools))
		for i, t := range chat.Tools {
			list[i] = typing.Tool{Name: t.Name, Parameters: t.Parameters}
		}
		r.tools = typing.NewTools(list)
	}
	return r, nil
}

// idForm is the form of ids that the host makes: the parser's, unless the operator
// asks for short ones.
func (o *Operator) idForm() string {
	if o.model.ShortIDs {
		return manifest.IDsShort
	}
	return o.plan.IDs()
}

// usedIDs lists the ids of the conversation's calls: a new one must be unlike
// them.
func usedIDs(messages []openai.InputMessage) (ids []string) {
	for _, m := range messages {
		for calls := jsonx.ArrayOf(jsonx.Get(m.Raw, "tool_calls")); ; {
			c, ok := calls.Next()
			if !ok {
				break
			}
			if id, ok := jsonx.String(jsonx.Get(c, "id")); ok {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// toolOffered says whether the request has a tool of that name.
func (r *run) toolOffered(name []byte) bool {
	return slices.ContainsFunc(r.operator.chat.Tools, func(t openai.Tool) bool { return t.Name == string(name) })
}

// wantedFields says which members of nvext the client asked for.
func wantedFields(chat *openai.ChatRequest) func(string) bool {
	if chat.NVExt.Raw == nil {
		return func(string) bool { return false }
	}
	query := slices.ContainsFunc(chat.NVExt.Annotations, func(a string) bool {
		return len(a) > len(queryInstance) && a[:len(queryInstance)] == queryInstance
	})
	return func(name string) bool {
		return chat.NVExt.Wants(name) || query && (name == "worker_id" || name == "token_ids")
	}
}

// queryInstance begins an annotation that asks for worker_id and token_ids.
const queryInstance = "query_instance_id:"

func (r *run) nextItem() (*chunk.Item, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed && !r.ended {
		r.firstError.Set(context.Canceled)
	}
	for {
		for r.queued < len(r.queue) {
			it := &r.queue[r.queued]
			r.queued++
			if r.isVisible(it) {
				return it, nil
			}
		}
		if err := r.firstError.Err(); err != nil {
			return nil, err
		}
		if r.ended {
			return nil, io.EOF
		}
		r.fillQueue()
	}
}

// isVisible says whether an output is for the client. Its metrics count either way.
func (r *run) isVisible(it *chunk.Item) bool {
	if it.Metrics != nil && r.operator.model.Hooks.Metrics != nil {
		r.operator.model.Hooks.Metrics(*it.Metrics)
	}
	it.Metrics = nil
	switch {
	case it.Event == chunk.EventPayloadUsage:
		return false
	case it.Data == nil:
		return it.Event != "" || len(it.Comments) > 0
	case chunk.VisibleToClient(it.Data):
		r.note.attachTo(it)
		return true
	}
	r.note.keep(it)
	return false
}

// annotation is what stood beside chunks that gave nothing for the client to see. It
// waits for the next that does: clients read an event's data, and choke on one without.
type annotation struct {
	id, event string
	comments  []string
}

// maxComments bounds the comments that wait; later ones are left out.
const maxComments = 16

func (a *annotation) keep(it *chunk.Item) {
	if it.ID != "" {
		a.id = it.ID
	}
	if it.Event != "" {
		a.event = it.Event
	}
	a.comments = append(a.comments, it.Comments[:min(len(it.Comments), maxComments-len(a.comments))]...)
}

func (a *annotation) attachTo(it *chunk.Item) {
	if a.id == "" && a.event == "" && a.comments == nil {
		return
	}
	if it.ID == "" {
		it.ID = a.id
	}
	if it.Event == "" {
		it.Event = a.event
	}
	it.Comments = append(a.comments, it.Comments...)
	*a = annotation{}
}

// fillQueue reads one item and fills the queue with what comes of it.
func (r *run) fillQueue() {
	r.queue, r.queued, r.metrics, r.outputNVExt = r.queue[:0], 0, r.metrics[:0], r.outputNVExt[:0]
	r.maker.Reset()
	r.joiner.Reset()
	it, err := r.engine.Next()
	r.clock.observeEngine()
	switch {
	case err == io.EOF:
		err = r.finishStream()
		r.ended = true
	case err != nil:
		err = r.clock.causeOf(err)
	default:
		if err = it.Failure(); err == nil {
			err = r.feedItem(&it)
		}
	}
	if err != nil {
		r.endWithError(err)
	}
}

// endWithError keeps the error: what would still have gone out is dropped.
func (r *run) endWithError(err error) {
	r.firstError.Set(err)
	r.queue, r.queued = r.queue[:0], 0
	r.releaseSessions()
}

// close ends the answer, also while another goroutine waits in nextItem.
func (r *run) close() {
	r.clock.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.releaseSessions()
}

// releaseSessions gives everything back, once.
func (r *run) releaseSessions() {
	if r.closed {
		return
	}
	r.closed = true
	r.clock.stop()
	r.engine.Close()
	for _, c := range r.choices {
		c.close()
		c.pipeline.reportAnomalies(&r.operator.model.Hooks)
		r.operator.model.Hooks.anomaly(anomalyCallNameless, c.engineCalls.countNameless())
	}
}

// feedItem runs one item through the choices.
func (r *run) feedItem(it *chunk.Item) error {
	if it.Data != nil {
		r.tokens = countTokenIDs(jsonx.Get(it.Data.NVExt, chunk.FieldIDs))
	}
	r.joiner.Collect(it)
	r.operator.model.Hooks.anomaly(anomalyNVExt, r.joiner.Ignored-r.ignored)
	r.ignored = r.joiner.Ignored
	switch {
	case it.Data == nil:
		r.queueAnnotations(it)
		return nil
	case it.Event == chunk.EventPayloadUsage: // a recorder's, not the client's
		r.queue = append(r.queue, chunk.Item{Event: it.Event, Data: r.maker.WithoutChoices(), Metrics: r.drainMetrics()})
		return nil
	}
	r.usage.Collect(it.Data)
	r.maker.AdoptFrame(it.Data.Frame)
	for i := range it.Data.Choices {
		in := &it.Data.Choices[i]
		if err := r.choiceAt(in.Index).feedItem(it, in); err != nil {
			return err
		}
	}
	r.attachNVExt()
	r.usage.DropRunning()
	r.queueAnnotations(it)
	return nil
}

// queueAnnotations passes an item's annotation: on the last output of the item, or alone.
// A name that is internal takes its comment with it.
func (r *run) queueAnnotations(it *chunk.Item) {
	if it.Event == chunk.EventMetrics {
		it.Event, it.Comments = "", nil
	}
	if it.ID == "" && it.Event == "" && len(it.Comments) == 0 {
		return
	}
	switch {
	case len(r.queue) > 0:
	case it.Data == nil:
		r.queue = append(r.queue, chunk.Item{})
	default:
		r.note.keep(it)
		return
	}
	last := &r.queue[len(r.queue)-1]
	last.ID, last.Event, last.Comments = it.ID, it.Event, it.Comments
}

// attachNVExt puts what is pending on the outputs of one input: nvext and usage on the
// last that has a choice, metrics on the first with reasoning, else on the last.
func (r *run) attachNVExt() {
	if len(r.queue) == 0 {
		return
	}
	last := len(r.queue) - 1
	carrier := &r.queue[last]
	if i := slices.IndexFunc(r.queue, hasReasoning); i >= 0 {
		carrier = &r.queue[i]
	}
	if m := r.drainMetrics(); m != nil {
		if hasReasoning(*carrier) {
			r.usage.CountReasoning(m.ChunkTokens)
		}
		carrier.Metrics = m
	}
	if r.first.IsZero() {
		r.first = time.Now()
	}
	if r.finishIsQueued() {
		r.offerTiming()
	}
	for _, b := range r.outputNVExt {
		b.attachTo(r, last)
	}
	c := r.queue[last].Data
	r.joiner.Attach(c, r.allFinished())
	c.Usage = r.usage.TakeRunning()
}

// outputNVExt is a member of nvext that belongs to one output of the queue.
type outputNVExt struct {
	at    int
	name  string
	value openai.Raw
}

// attachTo puts it on its output; on the last, through the joiner.
func (b *outputNVExt) attachTo(r *run, last int) {
	switch c := r.queue[b.at].Data; {
	case b.at == last:
		r.joiner.Offer(b.name, b.value)
	case !r.joiner.Wants(b.name):
	default:
		c.NVExt = append(jsonx.AppendMember([]byte{'{'}, b.name, b.value), '}')
	}
}

func hasReasoning(it chunk.Item) bool {
	return it.Data != nil && len(it.Data.Choices) > 0 && it.Data.Choices[0].Delta.Reasoning != ""
}

// allFinished says whether a finish reason is out, or in the queue.
func (r *run) allFinished() bool {
	return slices.ContainsFunc(r.choices, func(c *choice) bool { return c.reasonSent })
}

// choiceAt gives the choice of that index, made when it is first seen.
func (r *run) choiceAt(index int) *choice {
	at, ok := slices.BinarySearchFunc(r.choices, index, func(c *choice, index int) int { return c.index - index })
	if !ok {
		r.choices = slices.Insert(r.choices, at, newChoice(r, index))
	}
	return r.choices[at]
}

func (r *run) drainMetrics() *chunk.Metrics {
	m, ok := r.joiner.DrainMetrics()
	if !ok {
		return nil
	}
	sum := r.seen.ChunkTokens + m.ChunkTokens
	r.seen = m
	r.seen.ChunkTokens = sum
	r.metrics = append(r.metrics, m)
	return &r.metrics[len(r.metrics)-1]
}
