package prompt

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/prompt/jinja"
)

// thoughtNames are the names by which a message's thought is known.
var thoughtNames = [...]string{"reasoning_content", "reasoning"}

// useEngineForm brings a message into the form in which engines hand it to a template.
func (t *Template) useEngineForm(message *jinja.Dict, mended bool) {
	content, _ := message.Get("content")
	if t.wantsParts {
		message.Set("content", contentParts(content))
	} else {
		message.Set("content", contentString(content))
	}
	for i, name := range thoughtNames {
		if thought, ok := memberOf[string](message, name); ok {
			message.Set(thoughtNames[1-i], thought)
			break
		}
	}
	if role, _ := message.Get("role"); role == "developer" && mended {
		message.Set("role", "system")
	}
	eachFunction(message, func(function *jinja.Dict) {
		arguments, _ := function.Get("arguments")
		text, isText := arguments.(string)
		if arguments == nil || isText && (mended || strings.TrimSpace(text) == "") {
			function.Set("arguments", &jinja.Dict{})
		}
	})
}

// contentParts is a message's content as a list of parts.
func contentParts(content jinja.Value) jinja.Value {
	switch c := content.(type) {
	case nil:
		return &jinja.List{}
	case string:
		return &jinja.List{Items: []jinja.Value{textPart(c)}}
	case *jinja.List:
		for i, part := range c.Items {
			if text, ok := partText(part); ok {
				c.Items[i] = textPart(text)
			}
		}
	}
	return content
}

func textPart(text string) jinja.Value {
	part := &jinja.Dict{}
	part.Set("type", "text")
	part.Set("text", text)
	return part
}

// contentString is a message's content as a string: its text parts, joined by line
// feeds.
func contentString(content jinja.Value) jinja.Value {
	list, ok := content.(*jinja.List)
	if !ok {
		if content == nil {
			return ""
		}
		return content
	}
	var texts []string
	for _, part := range list.Items {
		if text, ok := partText(part); ok {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// partText is the text of a part of content that is a text.
func partText(part jinja.Value) (string, bool) {
	if text, ok := part.(string); ok { // some clients send bare strings
		return text, true
	}
	kind, _ := memberOf[string](part, "type")
	if kind != "text" && kind != "input_text" && kind != "output_text" {
		return "", false
	}
	return memberOf[string](part, "text")
}

// readArguments makes objects of the arguments of a message's calls. Templates read
// them so, where the API has them as text; engines convert them likewise.
func (d *decoder) readArguments(message *jinja.Dict) {
	eachFunction(message, func(function *jinja.Dict) {
		text, ok := memberOf[string](function, "arguments")
		if !ok {
			return
		}
		if args, err := d.decode(jsonx.Raw(text)); err == nil {
			if object, ok := args.(*jinja.Dict); ok {
				function.Set("arguments", object)
			}
		}
	})
}

// eachFunction visits the functions of a message's calls.
func eachFunction(message *jinja.Dict, visit func(function *jinja.Dict)) {
	calls, _ := memberOf[*jinja.List](message, "tool_calls")
	if calls == nil {
		return
	}
	for _, call := range calls.Items {
		if function, ok := memberOf[*jinja.Dict](call, "function"); ok {
			visit(function)
		}
	}
}

func memberOf[T any](v jinja.Value, name string) (found T, ok bool) {
	object, _ := v.(*jinja.Dict)
	if object == nil {
		return found, false
	}
	value, _ := object.Get(name)
	found, ok = value.(T)
	return found, ok
}
