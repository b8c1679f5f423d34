package scenario

import (
	"encoding/json"
	"reflect"
	"slices"
)

// equalJSON compares JSON values; numbers by their digits.
func equalJSON(a, b any) bool { return reflect.DeepEqual(a, b) }

// containsJSON is the deep subset: every member given in want must be in got and
// contain what is given; lists compare place by place; null is absent or null.
func containsJSON(got, want any) bool {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return false
		}
		for k, v := range w {
			if !containsJSON(g[k], v) {
				return false
			}
		}
		return true
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return false
		}
		for i := range w {
			if !containsJSON(g[i], w[i]) {
				return false
			}
		}
		return true
	}
	return equalJSON(got, want)
}

func showJSON(v any) string { return shorten(string(encodeJSON(v))) }

// matchesEvents says whether the events seen are those wanted. Events that may be
// missing are tried with and without.
func (c *Choice) matchesEvents(got []seen, mode string) bool {
	joined := c.Joined || mode == batch
	if joined {
		got = joinByKind(got)
	}
	var free []int
	for i, e := range *c.Events {
		if e.Optional || e.Cut {
			free = append(free, i)
		}
	}
	for set := range 1 << len(free) {
		missing := map[int]bool{}
		for bit, i := range free {
			missing[i] = set&(1<<bit) == 0
		}
		want := c.wantedEvents(missing, mode)
		if joined {
			slices.SortStableFunc(want, func(a, b Event) int { return kindOrder(a.Kind) - kindOrder(b.Kind) })
		}
		want = mergeNeighbours(want)
		if len(want) == len(got) && allMatch(want, got) {
			return true
		}
	}
	return false
}

// wantedEvents leaves out what is missing; a batch answer has no cut call.
func (c *Choice) wantedEvents(missing map[int]bool, mode string) []Event {
	var out []Event
	for i, e := range *c.Events {
		if !missing[i] && (mode == stream || !e.Cut) {
			out = append(out, e)
		}
	}
	return out
}

func allMatch(want []Event, got []seen) bool {
	for i := range want {
		if !want[i].matches(&got[i]) {
			return false
		}
	}
	return true
}

// matches compares one event. A cut call shows its name and a beginning of its
// arguments that is no whole JSON value.
func (e *Event) matches(s *seen) bool {
	if e.Kind != s.kind {
		return false
	}
	if e.Kind != "tool_call" {
		return e.Text == s.text
	}
	if e.Name != s.name || (e.ID != "" && e.ID != s.id) {
		return false
	}
	if e.Cut {
		return !json.Valid([]byte(s.args))
	}
	if e.ArgumentsText != nil && *e.ArgumentsText != s.args {
		return false
	}
	if e.Arguments == nil {
		return true
	}
	want, err1 := decodeJSON(e.Arguments)
	got, err2 := decodeJSON([]byte(s.args))
	return err1 == nil && err2 == nil && equalJSON(want, got)
}

func kindOrder(kind string) int {
	return slices.Index([]string{"reasoning", "text", "tool_call"}, kind)
}

// joinByKind puts what is of one kind together: reasoning, text, calls.
func joinByKind(events []seen) []seen {
	var out observed
	for _, kind := range []string{"reasoning", "text"} {
		for _, e := range events {
			if e.kind == kind {
				out.appendText(kind, e.text)
			}
		}
	}
	for _, e := range events {
		if e.kind == "tool_call" {
			out.events = append(out.events, e)
		}
	}
	return out.events
}

// mergeNeighbours merges neighbouring runs of text or reasoning.
func mergeNeighbours(events []Event) []Event {
	var out []Event
	for _, e := range events {
		if e.Kind != "tool_call" {
			if e.Text == "" {
				continue
			}
			if n := len(out); n > 0 && out[n-1].Kind == e.Kind {
				out[n-1].Text += e.Text
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

// isFrameOf tells whether a frame is of a kind that an order names.
func isFrameOf(f map[string]any, kind string) bool {
	switch kind {
	case "metadata":
		return f["nvext"] != nil
	case "usage":
		return f["usage"] != nil
	case "error":
		return f["error"] != nil
	}
	choices, _ := f["choices"].([]any)
	for _, c := range choices {
		choice, _ := c.(map[string]any)
		delta, _ := choice["delta"].(map[string]any)
		calls, _ := delta["tool_calls"].([]any)
		if kind == "finish" && choice["finish_reason"] != nil || kind == "call" && len(calls) > 0 ||
			kind == "text" && contentOf(delta) != "" || kind == "reasoning" && reasoningOf(delta) != "" {
			return true
		}
	}
	return false
}

// outOfOrder says which item of an order is out of place, "" if none is. The first
// time a kind is named its first frame in the stream counts, then the next.
func outOfOrder(order []any, frames []map[string]any) string {
	at := 0
	last := map[string]int{}
	for _, item := range order {
		kind, isKind := item.(string)
		from, found := at, -1
		if isKind {
			from = 0
			if l, again := last[kind]; again {
				from = max(at, l+1)
			}
		}
		for i := from; i < len(frames) && found < 0; i++ {
			if isKind && isFrameOf(frames[i], kind) || !isKind && containsJSON(frames[i], item) {
				found = i
			}
		}
		if kind == "done" {
			found = len(frames) // that it is there, once and last, is always checked
		}
		if found < at {
			return showJSON(item)
		}
		at = found
		last[kind] = found
	}
	return ""
}
