package scenario

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// verdict gathers what is wrong with a run.
type verdict struct{ failures []string }

func (v *verdict) fail(want string, got string) {
	v.failures = append(v.failures, "want "+want+", got "+got)
}

// judge compares an answer with what is wanted.
func (w *Want) judge(a *answer, v *verdict) {
	for _, text := range w.Never {
		if strings.Contains(a.body, text) {
			v.fail("never "+show(text), around(a.body, text))
		}
	}
	if a.mode == batch && w.ErrorFrame != nil {
		w.judgeFailure(a, v)
	} else if w.judgeStatus(a, v) {
		w.judgeAnswer(a, v)
	}
	v.protocol(a)
}

// protocol takes over the breaches of the protocol.
func (v *verdict) protocol(a *answer) {
	for _, f := range a.faults {
		v.failures = append(v.failures, "want "+f)
	}
}

// judgeFailure is for the batch answer of a stream that ends in an error.
func (w *Want) judgeFailure(a *answer, v *verdict) {
	want := w.StatusBatch
	if want == nil {
		want = &status{class: "5xx"}
	}
	if !want.fits(a.status) {
		v.fail("status "+want.String(), fmt.Sprint(a.status)+" "+shorten(a.body))
	}
	w.judgeError(a, v)
}

func (w *Want) judgeError(a *answer, v *verdict) {
	body := strings.ToLower(a.body)
	for _, text := range w.ErrorContains {
		if !strings.Contains(body, strings.ToLower(text)) {
			v.fail("an error that says "+show(text), shorten(a.body))
		}
	}
}

// judgeStatus says whether there is an answer to look at.
func (w *Want) judgeStatus(a *answer, v *verdict) bool {
	want := w.Status
	if want == nil {
		want = &status{code: http.StatusOK}
	}
	if !want.fits(a.status) {
		v.fail("status "+want.String(), fmt.Sprint(a.status)+" "+shorten(a.body))
		return false
	}
	if a.status != http.StatusOK {
		w.judgeError(a, v)
		return false
	}
	return true
}

func (w *Want) judgeAnswer(a *answer, v *verdict) {
	if a.mode == stream {
		a.checkStream()
		w.judgeStream(a, v)
	}
	w.judgeChoices(a, v)
	w.judgeNVExt(a, v)
	w.judgeUsage(a, v)
}

func (w *Want) judgeStream(a *answer, v *verdict) {
	w.judgeErrorFrame(a, v)
	for _, text := range w.Once {
		if n := strings.Count(a.body, text); n != 1 {
			v.fail(show(text)+" once", fmt.Sprintf("%d times", n))
		}
	}
	if w.Frames != nil {
		if len(w.Frames) != len(a.frames) {
			v.fail(fmt.Sprintf("%d frames", len(w.Frames)), fmt.Sprintf("%d", len(a.frames)))
		}
		for i := range min(len(w.Frames), len(a.frames)) {
			if !contains(a.frames[i], w.Frames[i]) {
				v.fail(fmt.Sprintf("frame %d %s", i, show(w.Frames[i])), show(a.frames[i]))
			}
		}
	}
	orders := w.Order
	if len(orders) > 0 {
		if _, nested := orders[0].([]any); !nested {
			orders = []any{w.Order}
		}
	}
	for _, o := range orders {
		order, _ := o.([]any)
		if item := inOrder(order, a.frames); item != "" {
			v.fail("order "+show(order), item+" out of place in "+show(a.frames))
		}
	}
}

func (w *Want) judgeErrorFrame(a *answer, v *verdict) {
	var got map[string]any
	for _, f := range a.frames {
		if f["error"] != nil {
			got = f
		}
	}
	switch {
	case w.ErrorFrame == nil && got != nil:
		v.fail("no error frame", show(got))
	case w.ErrorFrame != nil && got == nil:
		v.fail("an error frame "+show(w.ErrorFrame), "none")
	case w.ErrorFrame != nil && !contains(got, w.ErrorFrame):
		v.fail("an error frame "+show(w.ErrorFrame), show(got))
	}
}

func (w *Want) judgeChoices(a *answer, v *verdict) {
	if w.Choices == nil {
		return
	}
	for index := range a.choices {
		if _, ok := w.Choices[index]; !ok {
			v.fail("no choice "+index, "one")
		}
	}
	for _, index := range keys(w.Choices) {
		c := w.Choices[index]
		o := a.choices[index]
		if o == nil {
			if a.mode == batch || c.Events == nil || len(*c.Events) > 0 {
				v.fail("choice "+index, "none")
				continue
			}
			o = &observed{} // an answer that failed before it began
		}
		if c.Events != nil && !c.fits(o.events, a.mode) {
			v.fail("choice "+index+" "+shownWant(*c.Events), shownSeen(o.events))
		}
		if c.FinishReason != nil {
			if want, _ := decode(c.FinishReason); !equal(o.finish, want) {
				v.fail("choice "+index+" finish_reason "+show(want), show(o.finish))
			}
		}
	}
}

func (w *Want) judgeNVExt(a *answer, v *verdict) {
	if w.NVExt == nil {
		return
	}
	if want, _ := decode(w.NVExt); !equal(want, a.nvext) {
		v.fail("nvext "+show(want), show(a.nvext))
	}
}

func (w *Want) judgeUsage(a *answer, v *verdict) {
	if w.Usage == nil {
		return
	}
	want, _ := decode(w.Usage)
	got := a.usage
	if want == nil && a.mode == batch {
		return
	}
	if g, ok := got.(map[string]any); ok && want != nil {
		if _, expected := want.(map[string]any)["completion_tokens_details"]; !expected {
			g = clone(g)
			delete(g, "completion_tokens_details")
			got = g
		}
	}
	if !equal(want, got) {
		v.fail("usage "+show(want), show(got))
	}
}

// judgeEngine compares what the engine was sent.
func (w *Want) judgeEngine(e *engine, v *verdict) {
	requests := e.got()
	if w.EngineRequests != nil && len(requests) != *w.EngineRequests {
		v.fail(fmt.Sprintf("%d engine requests", *w.EngineRequests), fmt.Sprint(len(requests)))
	}
	looks := w.EngineRequest != nil || w.EngineRequestLacks != nil || w.EngineRequestHas != nil || w.EngineRequestHasNot != nil || w.EngineCancelled
	if !looks {
		return
	}
	if len(requests) == 0 {
		v.fail("an engine request", "none")
		return
	}
	last := requests[len(requests)-1]
	w.judgeEngineRequest(last.body, v)
	if w.EngineCancelled {
		select {
		case <-last.cancelled:
		case <-time.After(time.Second):
			v.fail("the engine's request cancelled within a second", "none of that")
		}
	}
}

func (w *Want) judgeEngineRequest(body []byte, v *verdict) {
	value, err := decode(body)
	got, ok := value.(map[string]any)
	if err != nil || !ok {
		v.fail("an engine request that is a JSON object", shorten(string(body)))
		return
	}
	if w.EngineRequest != nil && !contains(got, map[string]any(w.EngineRequest)) {
		v.fail("engine request "+show(w.EngineRequest), show(got))
	}
	for _, member := range w.EngineRequestLacks {
		if value, ok := got[member]; ok {
			v.fail("an engine request without "+member, show(value))
		}
	}
	text := compact(body)
	for _, t := range w.EngineRequestHas {
		if !strings.Contains(text, t) {
			v.fail("an engine request with "+t, shorten(text))
		}
	}
	for _, t := range w.EngineRequestHasNot {
		if strings.Contains(text, t) {
			v.fail("an engine request without "+t, around(text, t))
		}
	}
}

func around(text, part string) string {
	at := strings.Index(text, part)
	return shorten("…" + strings.ToValidUTF8(text[max(0, at-60):min(len(text), at+len(part)+60)], "") + "…")
}

func shownWant(events []Event) string {
	var out []string
	for _, e := range events {
		switch {
		case e.Kind != "tool_call":
			out = append(out, e.Kind+" "+show(e.Text))
		case e.ArgumentsText != nil:
			out = append(out, "call "+e.Name+" "+show(*e.ArgumentsText))
		case e.Cut:
			out = append(out, "call "+e.Name+" (cut)")
		default:
			out = append(out, "call "+e.Name+" "+string(e.Arguments))
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func shownSeen(events []seen) string {
	var out []string
	for _, e := range events {
		if e.kind == "tool_call" {
			out = append(out, "call "+e.name+" "+show(e.args))
		} else {
			out = append(out, e.kind+" "+show(e.text))
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func compact(body []byte) string {
	var raw json.RawMessage
	if json.Unmarshal(body, &raw) != nil {
		return string(body)
	}
	return string(encode(raw))
}

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func clone(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	copyAll(out, m)
	return out
}
