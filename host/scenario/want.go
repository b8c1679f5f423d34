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

func (v *verdict) recordFailure(want string, got string) {
	v.failures = append(v.failures, "want "+want+", got "+got)
}

// checkAnswer compares an answer with what is wanted.
func (w *Want) checkAnswer(a *answer, v *verdict) {
	for _, text := range w.Never {
		if strings.Contains(a.body, text) {
			v.recordFailure("never "+showJSON(text), excerptAround(a.body, text))
		}
	}
	if a.mode == batch && w.ErrorFrame != nil {
		w.checkFailure(a, v)
	} else if w.checkStatus(a, v) {
		w.checkContent(a, v)
	}
	v.addProtocolFaults(a)
}

// addProtocolFaults takes over the breaches of the protocol.
func (v *verdict) addProtocolFaults(a *answer) {
	for _, f := range a.faults {
		v.failures = append(v.failures, "want "+f)
	}
}

// checkFailure is for the batch answer of a stream that ends in an error.
func (w *Want) checkFailure(a *answer, v *verdict) {
	want := w.StatusBatch
	if want == nil {
		want = &status{class: "5xx"}
	}
	if !want.matchesCode(a.status) {
		v.recordFailure("status "+want.String(), fmt.Sprint(a.status)+" "+shorten(a.body))
	}
	w.checkError(a, v)
}

func (w *Want) checkError(a *answer, v *verdict) {
	body := strings.ToLower(a.body)
	for _, text := range w.ErrorContains {
		if !strings.Contains(body, strings.ToLower(text)) {
			v.recordFailure("an error that says "+showJSON(text), shorten(a.body))
		}
	}
}

// checkStatus says whether there is an answer to look at.
func (w *Want) checkStatus(a *answer, v *verdict) bool {
	want := w.Status
	if want == nil {
		want = &status{code: http.StatusOK}
	}
	if !want.matchesCode(a.status) {
		v.recordFailure("status "+want.String(), fmt.Sprint(a.status)+" "+shorten(a.body))
		return false
	}
	if a.status != http.StatusOK {
		w.checkError(a, v)
		return false
	}
	return true
}

func (w *Want) checkContent(a *answer, v *verdict) {
	if a.mode == stream {
		a.checkStream()
		w.checkFrames(a, v)
	}
	w.checkChoices(a, v)
	w.checkNVExt(a, v)
	w.checkUsage(a, v)
}

func (w *Want) checkFrames(a *answer, v *verdict) {
	w.checkErrorFrame(a, v)
	for _, text := range w.Once {
		if n := strings.Count(a.body, text); n != 1 {
			v.recordFailure(showJSON(text)+" once", fmt.Sprintf("%d times", n))
		}
	}
	if w.Frames != nil {
		if len(w.Frames) != len(a.frames) {
			v.recordFailure(fmt.Sprintf("%d frames", len(w.Frames)), fmt.Sprintf("%d", len(a.frames)))
		}
		for i := range min(len(w.Frames), len(a.frames)) {
			if !containsJSON(a.frames[i], w.Frames[i]) {
				v.recordFailure(fmt.Sprintf("frame %d %s", i, showJSON(w.Frames[i])), showJSON(a.frames[i]))
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
		if item := outOfOrder(order, a.frames); item != "" {
			v.recordFailure("order "+showJSON(order), item+" out of place in "+showJSON(a.frames))
		}
	}
}

func (w *Want) checkErrorFrame(a *answer, v *verdict) {
	var got map[string]any
	for _, f := range a.frames {
		if f["error"] != nil {
			got = f
		}
	}
	switch {
	case w.ErrorFrame == nil && got != nil:
		v.recordFailure("no error frame", showJSON(got))
	case w.ErrorFrame != nil && got == nil:
		v.recordFailure("an error frame "+showJSON(w.ErrorFrame), "none")
	case w.ErrorFrame != nil && !containsJSON(got, w.ErrorFrame):
		v.recordFailure("an error frame "+showJSON(w.ErrorFrame), showJSON(got))
	}
}

func (w *Want) checkChoices(a *answer, v *verdict) {
	if w.Choices == nil {
		return
	}
	for index := range a.choices {
		if _, ok := w.Choices[index]; !ok {
			v.recordFailure("no choice "+index, "one")
		}
	}
	for _, index := range sortedKeys(w.Choices) {
		c := w.Choices[index]
		o := a.choices[index]
		if o == nil {
			if a.mode == batch || c.Events == nil || len(*c.Events) > 0 {
				v.recordFailure("choice "+index, "none")
				continue
			}
			o = &observed{} // an answer that failed before it began
		}
		if c.Events != nil && !c.matchesEvents(o.events, a.mode) {
			v.recordFailure("choice "+index+" "+showWanted(*c.Events), showSeen(o.events))
		}
		if c.FinishReason != nil {
			if want, _ := decodeJSON(c.FinishReason); !equalJSON(o.finish, want) {
				v.recordFailure("choice "+index+" finish_reason "+showJSON(want), showJSON(o.finish))
			}
		}
	}
}

func (w *Want) checkNVExt(a *answer, v *verdict) {
	if w.NVExt == nil {
		return
	}
	if want, _ := decodeJSON(w.NVExt); !equalJSON(want, a.nvext) {
		v.recordFailure("nvext "+showJSON(want), showJSON(a.nvext))
	}
}

func (w *Want) checkUsage(a *answer, v *verdict) {
	if w.Usage == nil {
		return
	}
	want, _ := decodeJSON(w.Usage)
	got := a.usage
	if want == nil && a.mode == batch {
		return
	}
	if g, ok := got.(map[string]any); ok && want != nil {
		if _, expected := want.(map[string]any)["completion_tokens_details"]; !expected {
			g = copyOf(g)
			delete(g, "completion_tokens_details")
			got = g
		}
	}
	if !equalJSON(want, got) {
		v.recordFailure("usage "+showJSON(want), showJSON(got))
	}
}

// cancelWait is how long the engine waits to see its request cancelled: on an idle
// machine it takes milliseconds.
var cancelWait = 10 * time.Second

// checkEngine compares what the engine was sent.
func (w *Want) checkEngine(e *engine, v *verdict) {
	requests := e.receivedRequests()
	if w.EngineRequests != nil && len(requests) != *w.EngineRequests {
		v.recordFailure(fmt.Sprintf("%d engine requests", *w.EngineRequests), fmt.Sprint(len(requests)))
	}
	looks := w.EngineRequest != nil || w.EngineRequestLacks != nil || w.EngineRequestHas != nil || w.EngineRequestHasNot != nil || w.EngineCancelled
	if !looks {
		return
	}
	if len(requests) == 0 {
		v.recordFailure("an engine request", "none")
		return
	}
	last := requests[len(requests)-1]
	w.checkEngineRequest(last.body, v)
	if w.EngineCancelled {
		select {
		case <-last.cancelled:
		case <-time.After(cancelWait):
			v.recordFailure("the engine's request cancelled", "none of that")
		}
	}
}

func (w *Want) checkEngineRequest(body []byte, v *verdict) {
	value, err := decodeJSON(body)
	got, ok := value.(map[string]any)
	if err != nil || !ok {
		v.recordFailure("an engine request that is a JSON object", shorten(string(body)))
		return
	}
	if w.EngineRequest != nil && !containsJSON(got, map[string]any(w.EngineRequest)) {
		v.recordFailure("engine request "+showJSON(w.EngineRequest), showJSON(got))
	}
	for _, member := range w.EngineRequestLacks {
		if value, ok := got[member]; ok {
			v.recordFailure("an engine request without "+member, showJSON(value))
		}
	}
	text := compactJSON(body)
	for _, t := range w.EngineRequestHas {
		if !strings.Contains(text, t) {
			v.recordFailure("an engine request with "+t, shorten(text))
		}
	}
	for _, t := range w.EngineRequestHasNot {
		if strings.Contains(text, t) {
			v.recordFailure("an engine request without "+t, excerptAround(text, t))
		}
	}
}

func excerptAround(text, part string) string {
	at := strings.Index(text, part)
	return shorten("…" + strings.ToValidUTF8(text[max(0, at-60):min(len(text), at+len(part)+60)], "") + "…")
}

func showWanted(events []Event) string {
	var out []string
	for _, e := range events {
		switch {
		case e.Kind != "tool_call":
			out = append(out, e.Kind+" "+showJSON(e.Text))
		case e.ArgumentsText != nil:
			out = append(out, "call "+e.Name+" "+showJSON(*e.ArgumentsText))
		case e.Cut:
			out = append(out, "call "+e.Name+" (cut)")
		default:
			out = append(out, "call "+e.Name+" "+string(e.Arguments))
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func showSeen(events []seen) string {
	var out []string
	for _, e := range events {
		if e.kind == "tool_call" {
			out = append(out, "call "+e.name+" "+showJSON(e.args))
		} else {
			out = append(out, e.kind+" "+showJSON(e.text))
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func compactJSON(body []byte) string {
	var raw json.RawMessage
	if json.Unmarshal(body, &raw) != nil {
		return string(body)
	}
	return string(encodeJSON(raw))
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func copyOf(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	copyAll(out, m)
	return out
}
