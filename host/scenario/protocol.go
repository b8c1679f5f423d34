package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
)

// checkStream checks the frames against the protocol and merges them.
func (a *answer) checkStream() {
	ids := map[string]bool{}
	failed := false
	var first map[string]any
	for i, f := range a.frames {
		if failed {
			a.fault("nothing but [DONE] after the error frame, got %s", show(f))
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
			if !equal(f[k], first[k]) {
				a.fault("the same %s in all frames, got %s and %s", k, show(first[k]), show(f[k]))
			}
		}
		if saysNothing(f) {
			a.fault("frames that say something, got %s", show(f))
		}
		choices, ok := f["choices"].([]any)
		if !ok {
			a.fault("a list of choices in every frame, got %s", show(f))
		}
		for _, c := range choices {
			choice, _ := c.(map[string]any)
			a.mergeChoice(choice, ids, i)
		}
		a.mergeMetadata(f)
	}
}

func (a *answer) checkFrame(f map[string]any) {
	if id, _ := f["id"].(string); !strings.HasPrefix(id, "chatcmpl-") || len(id) == len("chatcmpl-") {
		a.fault(`an id "chatcmpl-…", got %s`, show(f["id"]))
	}
	if !equal(f["object"], "chat.completion.chunk") {
		a.fault(`object "chat.completion.chunk", got %s`, show(f["object"]))
	}
	if n, ok := f["created"].(json.Number); !ok || strings.ContainsAny(n.String(), ".eE-") {
		a.fault("created in whole seconds, got %s", show(f["created"]))
	}
	if m, _ := f["model"].(string); m == "" {
		a.fault("a model, got %s", show(f["model"]))
	}
}

func (a *answer) mergeChoice(choice map[string]any, ids map[string]bool, at int) {
	index := fmt.Sprint(choice["index"])
	o := a.choices[index]
	delta, _ := choice["delta"].(map[string]any)
	role := delta["role"]
	if o == nil {
		o = &observed{calls: map[string]int{}}
		a.choices[index] = o
		if role != "assistant" {
			a.fault("the role assistant on choice %s's first delta, got %s", index, show(choice))
		}
	} else if role != nil {
		a.fault("a role on choice %s's first delta only, got another in frame %d", index, at)
	}
	finished := o.finish
	if reason := choice["finish_reason"]; reason != nil {
		if finished != nil {
			a.fault("one finish reason for choice %s, got %s after %s", index, show(reason), show(finished))
		}
		o.finish = reason
	}
	before := len(o.events)
	said := o.say("reasoning", reasoningOf(delta))
	said = o.say("text", contentOf(delta)) || said
	calls, _ := delta["tool_calls"].([]any)
	for _, c := range calls {
		call, _ := c.(map[string]any)
		a.mergeCall(o, index, call, ids)
	}
	if finished != nil && (said || len(calls) > 0 || len(o.events) > before) {
		a.fault("nothing said after choice %s's finish reason, got %s", index, show(delta))
	}
}

// say adds text to the last event of its kind, or opens one.
func (o *observed) say(kind, text string) bool {
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

func (a *answer) mergeCall(o *observed, choice string, call map[string]any, ids map[string]bool) {
	index := fmt.Sprint(call["index"])
	function, _ := call["function"].(map[string]any)
	arguments, _ := function["arguments"].(string)
	at, known := o.calls[index]
	if known {
		if len(call) != 2 || len(function) != 1 || function["arguments"] == nil {
			a.fault("only index and function.arguments on a call's later deltas, got %s", show(call))
		}
		o.events[at].args += arguments
		return
	}
	if want := fmt.Sprint(len(o.calls)); index != want {
		a.fault("call index %s in choice %s, got %s", want, choice, index)
	}
	id, _ := call["id"].(string)
	name, _ := function["name"].(string)
	if id == "" || call["type"] != "function" || name == "" {
		a.fault("id, type and name on a call's first delta, got %s", show(call))
	}
	if ids[id] {
		a.fault("call ids unlike each other, got %q twice", id)
	}
	ids[id] = true
	o.calls[index] = len(o.events)
	o.events = append(o.events, seen{kind: "tool_call", name: name, id: id, args: arguments})
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
			a.fault("nvext that is an object, got %s", show(f["nvext"]))
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
	if !equal(d["object"], "chat.completion") {
		a.fault(`object "chat.completion", got %s`, show(d["object"]))
	}
	if id, _ := d["id"].(string); !strings.HasPrefix(id, "chatcmpl-") {
		a.fault(`an id "chatcmpl-…", got %s`, show(d["id"]))
	}
	if d["error"] != nil {
		a.fault("no error in an answer of status 200, got %s", show(d["error"]))
	}
	a.mergeMetadata(d)
	ids := map[string]bool{}
	choices, _ := d["choices"].([]any)
	if len(choices) == 0 {
		a.fault("choices, got %s", show(d))
	}
	for _, c := range choices {
		choice, _ := c.(map[string]any)
		a.readMessage(choice, ids)
	}
}

func (a *answer) readMessage(choice map[string]any, ids map[string]bool) {
	index := fmt.Sprint(choice["index"])
	if a.choices[index] != nil {
		a.fault("each choice once, got choice %s twice", index)
	}
	o := &observed{finish: choice["finish_reason"], calls: map[string]int{}}
	a.choices[index] = o
	m, _ := choice["message"].(map[string]any)
	if m["role"] != "assistant" {
		a.fault("a message of the assistant, got %s", show(choice))
	}
	if content, ok := m["content"]; !ok || content == "" {
		a.fault("content null where there is no text, got %s", show(m))
	}
	o.say("reasoning", reasoningOf(m))
	o.say("text", contentOf(m))
	value, given := m["tool_calls"]
	calls, _ := value.([]any)
	if given && len(calls) == 0 {
		a.fault("no tool_calls member without a call, got %s", show(m))
	}
	for _, c := range calls {
		call, _ := c.(map[string]any)
		function, _ := call["function"].(map[string]any)
		id, _ := call["id"].(string)
		name, _ := function["name"].(string)
		arguments, isText := function["arguments"].(string)
		if id == "" || name == "" || call["type"] != "function" || !isText {
			a.fault("id, type, name and arguments of a call, got %s", show(call))
		}
		if ids[id] {
			a.fault("call ids unlike each other, got %q twice", id)
		}
		ids[id] = true
		o.events = append(o.events, seen{kind: "tool_call", name: name, id: id, args: arguments})
	}
}

// checkError checks the shape of an error object.
func (a *answer) checkError(object map[string]any) {
	e, _ := object["error"].(map[string]any)
	message, _ := e["message"].(string)
	kind, _ := e["type"].(string)
	if message == "" || kind == "" || e["code"] == nil {
		a.fault(`{"error":{"message","type","code"}}, got %s`, show(object))
	}
	if object["choices"] != nil {
		a.fault("an error without choices, got %s", show(object))
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

// saysNothing says whether a frame holds none of what a client could use.
func saysNothing(f map[string]any) bool {
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
