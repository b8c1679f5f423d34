package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
)

// checkStream checks the frames against the protocol and merges them.
func (a *answer) checkStream() {
	failed := false
	var first map[string]any
	for i, f := range a.frames {
		if failed {
			a.recordFault("nothing but [DONE] after the error frame, got %s", showJSON(f))
			return
		}
		if f["error"] != nil {
			failed = true
			a.checkError(f)
			continue
		}
		if first == nil {
			first = f
			a.checkFrame(f)
		}
		for _, k := range []string{"id", "created", "model", "object"} {
			if !equalJSON(f[k], first[k]) {
				a.recordFault("the same %s in all frames, got %s and %s", k, showJSON(first[k]), showJSON(f[k]))
			}
		}
		if isEmptyFrame(f) {
			a.recordFault("frames that say something, got %s", showJSON(f))
		}
		choices, ok := f["choices"].([]any)
		if !ok {
			a.recordFault("a list of choices in every frame, got %s", showJSON(f))
		}
		for _, c := range choices {
			choice, _ := c.(map[string]any)
			a.mergeChoice(choice, i)
		}
		a.mergeMetadata(f)
	}
}

func (a *answer) checkFrame(f map[string]any) {
	if id, _ := f["id"].(string); !strings.HasPrefix(id, "chatcmpl-") || len(id) == len("chatcmpl-") {
		a.recordFault(`an id "chatcmpl-…", got %s`, showJSON(f["id"]))
	}
	if !equalJSON(f["object"], "chat.completion.chunk") {
		a.recordFault(`object "chat.completion.chunk", got %s`, showJSON(f["object"]))
	}
	if n, ok := f["created"].(json.Number); !ok || strings.ContainsAny(n.String(), ".eE-") {
		a.recordFault("created in whole seconds, got %s", showJSON(f["created"]))
	}
	if m, _ := f["model"].(string); m == "" {
		a.recordFault("a model, got %s", showJSON(f["model"]))
	}
}

func (a *answer) mergeChoice(choice map[string]any, at int) {
	index := fmt.Sprint(choice["index"])
	o := a.choices[index]
	delta, _ := choice["delta"].(map[string]any)
	role := delta["role"]
	if o == nil {
		o = &observed{calls: map[string]int{}}
		a.choices[index] = o
		if role != "assistant" {
			a.recordFault("the role assistant on choice %s's first delta, got %s", index, showJSON(choice))
		}
	} else if role != nil {
		a.recordFault("a role on choice %s's first delta only, got another in frame %d", index, at)
	}
	finished := o.finish
	if reason := choice["finish_reason"]; reason != nil {
		if finished != nil {
			a.recordFault("one finish reason for choice %s, got %s after %s", index, showJSON(reason), showJSON(finished))
		}
		o.finish = reason
	}
	before := len(o.events)
	appended := o.appendText("reasoning", reasoningOf(delta))
	appended = o.appendText("text", contentOf(delta)) || appended
	calls, _ := delta["tool_calls"].([]any)
	for _, c := range calls {
		call, _ := c.(map[string]any)
		a.mergeCall(o, index, call)
	}
	if finished != nil && (appended || len(calls) > 0 || len(o.events) > before) {
		a.recordFault("nothing said after choice %s's finish reason, got %s", index, showJSON(delta))
	}
}

// appendText adds text to the last event of its kind, or opens one.
func (o *observed) appendText(kind, text string) bool {
	if text == "" {
		return false
	}
	if n := len(o.events); n > 0 && o.events[n-1].kind == kind {
		o.events[n-1].text += text
	} else {
		o.events = append(o.events, seen{kind: kind, text: text})
	}
	return true
}

func (a *answer) mergeCall(o *observed, choice string, call map[string]any) {
	index := fmt.Sprint(call["index"])
	function, _ := call["function"].(map[string]any)
	arguments, _ := function["arguments"].(string)
	at, known := o.calls[index]
	if known {
		if len(call) != 2 || len(function) != 1 || function["arguments"] == nil {
			a.recordFault("only index and function.arguments on a call's later deltas, got %s", showJSON(call))
		}
		o.events[at].args += arguments
		return
	}
	if want := fmt.Sprint(len(o.calls)); index != want {
		a.recordFault("call index %s in choice %s, got %s", want, choice, index)
	}
	id, _ := call["id"].(string)
	name, _ := function["name"].(string)
	if id == "" || call["type"] != "function" || name == "" {
		a.recordFault("id, type and name on a call's first delta, got %s", showJSON(call))
	}
	o.calls[index] = len(o.events)
	a.addCall(o, seen{kind: "tool_call", name: name, id: id, args: arguments})
}

// mergeMetadata folds a frame's nvext and usage into the answer's: token ids
// are appended, all else is replaced whole.
func (a *answer) mergeMetadata(f map[string]any) {
	if f["usage"] != nil {
		a.usage = f["usage"]
	}
	incoming, ok := f["nvext"].(map[string]any)
	if !ok {
		if f["nvext"] != nil {
			a.recordFault("nvext that is an object, got %s", showJSON(f["nvext"]))
		}
		return
	}
	merged, _ := a.nvext.(map[string]any)
	if merged == nil {
		merged = map[string]any{}
	}
	for k, v := range incoming {
		list, isList := v.([]any)
		if before, ok := merged[k].([]any); k == "completion_token_ids" && ok && isList {
			v = append(before[:len(before):len(before)], list...)
		}
		merged[k] = v
	}
	a.nvext = merged
}

// readCompletion checks the document of a batch answer and reads it.
func (a *answer) readCompletion() {
	d := a.object
	if !equalJSON(d["object"], "chat.completion") {
		a.recordFault(`object "chat.completion", got %s`, showJSON(d["object"]))
	}
	if id, _ := d["id"].(string); !strings.HasPrefix(id, "chatcmpl-") {
		a.recordFault(`an id "chatcmpl-…", got %s`, showJSON(d["id"]))
	}
	if d["error"] != nil {
		a.recordFault("no error in an answer of status 200, got %s", showJSON(d["error"]))
	}
	a.mergeMetadata(d)
	choices, _ := d["choices"].([]any)
	if len(choices) == 0 {
		a.recordFault("choices, got %s", showJSON(d))
	}
	for _, c := range choices {
		choice, _ := c.(map[string]any)
		a.readMessage(choice)
	}
}

func (a *answer) readMessage(choice map[string]any) {
	index := fmt.Sprint(choice["index"])
	if a.choices[index] != nil {
		a.recordFault("each choice once, got choice %s twice", index)
	}
	o := &observed{finish: choice["finish_reason"], calls: map[string]int{}}
	a.choices[index] = o
	m, _ := choice["message"].(map[string]any)
	if m["role"] != "assistant" {
		a.recordFault("a message of the assistant, got %s", showJSON(choice))
	}
	if content, ok := m["content"]; !ok || content == "" {
		a.recordFault("content null where there is no text, got %s", showJSON(m))
	}
	o.appendText("reasoning", reasoningOf(m))
	o.appendText("text", contentOf(m))
	value, given := m["tool_calls"]
	calls, _ := value.([]any)
	if given && len(calls) == 0 {
		a.recordFault("no tool_calls member without a call, got %s", showJSON(m))
	}
	for _, c := range calls {
		call, _ := c.(map[string]any)
		function, _ := call["function"].(map[string]any)
		id, _ := call["id"].(string)
		name, _ := function["name"].(string)
		arguments, isText := function["arguments"].(string)
		if id == "" || name == "" || call["type"] != "function" || !isText {
			a.recordFault("id, type, name and arguments of a call, got %s", showJSON(call))
		}
		a.addCall(o, seen{kind: "tool_call", name: name, id: id, args: arguments})
	}
}

// addCall adds a call, whose id is unlike those of the choice's other calls.
func (a *answer) addCall(o *observed, call seen) {
	for _, e := range o.events {
		if e.kind == call.kind && e.id == call.id {
			a.recordFault("call ids unlike each other, got %q twice", call.id)
		}
	}
	o.events = append(o.events, call)
}

// checkError checks the shape of an error object.
func (a *answer) checkError(object map[string]any) {
	e, _ := object["error"].(map[string]any)
	message, _ := e["message"].(string)
	kind, _ := e["type"].(string)
	if message == "" || kind == "" || e["code"] == nil {
		a.recordFault(`{"error":{"message","type","code"}}, got %s`, showJSON(object))
	}
	if object["choices"] != nil {
		a.recordFault("an error without choices, got %s", showJSON(object))
	}
}

func reasoningOf(delta map[string]any) string {
	for _, k := range []string{"reasoning_content", "reasoning"} {
		if text, _ := delta[k].(string); text != "" {
			return text
		}
	}
	return ""
}

// contentOf gives the text of a content that is a string or a list of parts.
func contentOf(delta map[string]any) string {
	if text, ok := delta["content"].(string); ok {
		return text
	}
	var b strings.Builder
	parts, _ := delta["content"].([]any)
	for _, p := range parts {
		part, _ := p.(map[string]any)
		text, _ := part["text"].(string)
		b.WriteString(text)
	}
	return b.String()
}

// isEmptyFrame says whether a frame holds none of what a client could use.
func isEmptyFrame(f map[string]any) bool {
	if f["usage"] != nil || f["nvext"] != nil || f["prompt_logprobs"] != nil {
		return false
	}
	choices, _ := f["choices"].([]any)
	for _, c := range choices {
		choice, _ := c.(map[string]any)
		delta, _ := choice["delta"].(map[string]any)
		calls, _ := delta["tool_calls"].([]any)
		parts, _ := delta["content"].([]any)
		if choice["finish_reason"] != nil || choice["logprobs"] != nil || delta["role"] != nil || delta["refusal"] != nil ||
			contentOf(delta) != "" || reasoningOf(delta) != "" || len(calls) > 0 || len(parts) > 0 {
			return false
		}
	}
	return true
}
