package openai

import (
	"errors"
	"fmt"
	"strings"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// internal are members that have a meaning inside of some host or engine only.
// They are dropped when a chunk is read, so that none can reach a client.
var internal = map[string]bool{
	"llm_metrics": true, "model_eos": true, "message_boundary": true,
}

// Decode reads an engine's chunk into c and forgets what c held; the slices of c
// are reused, so keep none of them over the next Decode. Strings and raw values
// are copies: data may be reused. An error means that data is not JSON, or that a
// member which must be read has another type.
func (c *Chunk) Decode(data []byte) error {
	v, err := jsonx.Check(data)
	if err != nil {
		return err
	}
	if !jsonx.IsObject(v) {
		return errors.New("a chunk must be a JSON object")
	}
	*c = Chunk{Choices: c.Choices[:0], Extra: c.Extra[:0], last: c.Frame}
	for o := jsonx.ObjectOf(v); ; {
		name, value, ok := o.Next()
		if !ok {
			return nil
		}
		if isFlatError(name, value) {
			c.Error = v
			continue
		}
		if err := c.decodeMember(name, value); err != nil {
			return err
		}
	}
}

// isFlatError says whether a member makes all of its object an error: vLLM's and
// SGLang's object, TGI's text.
func isFlatError(name []byte, v Raw) bool {
	return string(name) == "object" && string(v) == `"error"` || string(name) == "error" && jsonx.IsString(v)
}

func (c *Chunk) decodeMember(name []byte, v Raw) error {
	switch string(name) {
	case "id":
		return again(&c.ID, c.last.ID, "id", v)
	case "object":
	case "created":
		c.Created, _ = jsonx.Int(v)
	case "model":
		return again(&c.Model, c.last.Model, "model", v)
	case "service_tier":
		return again(&c.ServiceTier, c.last.ServiceTier, "service_tier", v)
	case "system_fingerprint":
		return again(&c.SystemFingerprint, c.last.SystemFingerprint, "system_fingerprint", v)
	case "choices":
		return c.decodeChoices(v)
	case "usage":
		c.Usage = decodeUsage(v)
	case "nvext":
		c.NVExt = v
	case "prompt_logprobs":
		c.PromptLogprobs = v
	case "prompt_token_ids":
		c.PromptTokenIDs = v
	case "error":
		if !jsonx.IsNull(v) {
			c.Error = v
		}
	default:
		c.Extra = keep(c.Extra, name, v)
	}
	return nil
}

func (c *Chunk) decodeChoices(v Raw) error {
	if !jsonx.IsArray(v) && !jsonx.IsNull(v) {
		return wrongType("choices", "a list")
	}
	for a := jsonx.ArrayOf(v); ; {
		element, ok := a.Next()
		if !ok {
			return nil
		}
		if len(c.Choices) < cap(c.Choices) {
			c.Choices = c.Choices[:len(c.Choices)+1]
		} else {
			c.Choices = append(c.Choices, Choice{})
		}
		if err := c.Choices[len(c.Choices)-1].decodeChoice(element); err != nil {
			return err
		}
	}
}

func (c *Choice) decodeChoice(v Raw) error {
	*c = Choice{Extra: c.Extra[:0], Delta: Delta{ToolCalls: c.Delta.ToolCalls[:0], Extra: c.Delta.Extra[:0]}}
	if !jsonx.IsObject(v) {
		return wrongType("choices[]", "an object")
	}
	for o := jsonx.ObjectOf(v); ; {
		name, value, ok := o.Next()
		if !ok {
			return nil
		}
		if err := c.decodeMember(name, value); err != nil {
			return err
		}
	}
}

func (c *Choice) decodeMember(name []byte, v Raw) error {
	switch string(name) {
	case "index":
		n, ok := jsonx.Int(v)
		if !ok || n < 0 || n >= maxChoices {
			return wrongType("choices[].index", fmt.Sprintf("a whole number below %d", maxChoices))
		}
		c.Index = int(n)
	case "message": // some engines repeat the whole answer in their last chunk
	case "delta":
		return c.Delta.decodeDelta(v)
	case "text":
		return text(&c.Text, "choices[].text", v)
	case "finish_reason":
		return text(&c.FinishReason, "choices[].finish_reason", v)
	case "logprobs":
		if !jsonx.IsNull(v) {
			c.Logprobs = v
		}
	case "token_ids":
		c.TokenIDs = v
	case "stop_reason":
		c.StopReason = v
	case "matched_stop":
		c.MatchedStop = v
	default:
		c.Extra = keep(c.Extra, name, v)
	}
	return nil
}

// maxIndex bounds the call numbers of an engine. Choices have a parser each: no
// more of them are taken than a request can ask for.
const maxIndex = 1<<16 - 1

func (d *Delta) decodeDelta(v Raw) error {
	if !jsonx.IsObject(v) && !jsonx.IsNull(v) {
		return wrongType("choices[].delta", "an object")
	}
	for o := jsonx.ObjectOf(v); ; {
		name, value, ok := o.Next()
		if !ok {
			return nil
		}
		if err := d.decodeMember(name, value); err != nil {
			return err
		}
	}
}

func (d *Delta) decodeMember(name []byte, v Raw) error {
	switch string(name) {
	case "role":
		return text(&d.Role, "choices[].delta.role", v)
	case "content":
		if jsonx.IsArray(v) {
			d.Parts = v
			return nil
		}
		return text(&d.Content, "choices[].delta.content", v)
	case "reasoning_content", "reasoning":
		if d.Reasoning != "" { // some engines send both, with the same text
			return nil
		}
		return text(&d.Reasoning, "choices[].delta.reasoning_content", v)
	case "refusal":
		return text(&d.Refusal, "choices[].delta.refusal", v)
	case "tool_calls":
		return d.decodeCalls(v)
	default:
		d.Extra = keep(d.Extra, name, v)
	}
	return nil
}

func (d *Delta) decodeCalls(v Raw) error {
	if !jsonx.IsArray(v) && !jsonx.IsNull(v) {
		return wrongType("choices[].delta.tool_calls", "a list")
	}
	for a := jsonx.ArrayOf(v); ; {
		element, ok := a.Next()
		if !ok {
			return nil
		}
		call := ToolCall{Index: len(d.ToolCalls)}
		if err := call.decodeToolCall(element); err != nil {
			return err
		}
		d.ToolCalls = append(d.ToolCalls, call)
	}
}

func (t *ToolCall) decodeToolCall(v Raw) error {
	if !jsonx.IsObject(v) {
		return wrongType("choices[].delta.tool_calls[]", "an object")
	}
	for o := jsonx.ObjectOf(v); ; {
		name, value, ok := o.Next()
		if !ok {
			return nil
		}
		var err error
		switch string(name) {
		case "index":
			n, ok := jsonx.Int(value)
			if !ok || n < 0 || n > maxIndex {
				return wrongType("choices[].delta.tool_calls[].index", "a small whole number")
			}
			t.Index = int(n)
		case "id":
			err = text(&t.ID, "choices[].delta.tool_calls[].id", value)
		case "type":
			err = text(&t.Type, "choices[].delta.tool_calls[].type", value)
		case "function":
			err = t.decodeFunction(value)
		default:
			t.Extra = keep(t.Extra, name, value)
		}
		if err != nil {
			return err
		}
	}
}

func (t *ToolCall) decodeFunction(v Raw) error {
	if !jsonx.IsObject(v) && !jsonx.IsNull(v) {
		return wrongType("choices[].delta.tool_calls[].function", "an object")
	}
	if err := text(&t.Name, "choices[].delta.tool_calls[].function.name", jsonx.Get(v, "name")); err != nil {
		return err
	}
	arguments := jsonx.Get(v, "arguments")
	if jsonx.IsObject(arguments) { // some engines send the object itself
		t.Arguments = string(arguments)
		return nil
	}
	return text(&t.Arguments, "choices[].delta.tool_calls[].function.arguments", arguments)
}

// decodeUsage reads a usage, nil where it is none: an answer does not fail for
// its bill. The three totals, where they are there, must be counts.
func decodeUsage(v Raw) *Usage {
	if !jsonx.IsObject(v) {
		return nil
	}
	u := &Usage{Raw: v}
	for o := jsonx.ObjectOf(v); ; {
		name, value, ok := o.Next()
		if !ok {
			return u
		}
		counted := true
		switch string(name) {
		case "prompt_tokens":
			u.PromptTokens, counted = tokens(value)
		case "completion_tokens":
			u.CompletionTokens, counted = tokens(value)
		case "total_tokens":
			u.TotalTokens, counted = tokens(value)
		case "prompt_tokens_details":
			u.CachedTokens, _ = tokens(jsonx.Get(value, "cached_tokens"))
		case usageDetails:
			u.ReasoningTokens, _ = tokens(jsonx.Get(value, usageReasoning))
		}
		if !counted {
			return nil
		}
	}
}

// tokens reads a count of tokens; null is none.
func tokens(v Raw) (int64, bool) {
	if jsonx.IsNull(v) {
		return 0, true
	}
	n, ok := jsonx.Int(v)
	return max(n, 0), ok && n >= 0
}

// text reads a string; null and absent are "".
func text(dst *string, where string, v Raw) error {
	if jsonx.IsNull(v) {
		return nil
	}
	s, ok := jsonx.String(v)
	if !ok {
		return wrongType(where, "a string")
	}
	*dst = s
	return nil
}

// again is text for what is mostly the same in each chunk: it keeps the string.
func again(dst *string, last, where string, v Raw) error {
	if jsonx.IsString(v) && string(v[1:len(v)-1]) == last && strings.IndexByte(last, '\\') < 0 {
		*dst = last
		return nil
	}
	return text(dst, where, v)
}

func keep(list []Member, name []byte, v Raw) []Member {
	if internal[string(name)] {
		return list
	}
	return append(list, Member{Name: string(name), Value: v})
}

func wrongType(where, want string) error {
	return fmt.Errorf("%s must be %s", where, want)
}
