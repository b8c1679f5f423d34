package config

import (
	"reflect"
	"slices"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// A setting whose type is listed here takes one of a few words, each of which
// stands for a value of that type. This is the one place where the words are
// written: they are read, checked and listed on the configuration page from here.
var wordsOf = map[reflect.Type]words{
	reflect.TypeFor[framing.Arguments]():        {{"eager", framing.Eager}, {"whole", framing.Whole}},
	reflect.TypeFor[framing.InvalidArguments](): {{"raw", framing.InvalidRaw}, {"empty", framing.InvalidEmpty}, {"drop", framing.InvalidDrop}, {"text", framing.InvalidText}},
	reflect.TypeFor[framing.UnknownTools]():     {{"pass", framing.UnknownPass}, {"text", framing.UnknownText}, {"drop", framing.UnknownDrop}},
	reflect.TypeFor[stream.BlankText]():         {{"drop", stream.BlankDrop}, {"keep", stream.BlankKeep}},
	reflect.TypeFor[parse.FaultPolicy]():        {{"text", parse.FaultToText}, {"error", parse.FaultIsError}},
	reflect.TypeFor[route.GuidedPolicy]():       {{"json", route.GuideByJSON}, {"structural_tag", route.GuideByTag}},
	reflect.TypeFor[openai.Thinking]():          {{"on", openai.ThinkingOn}, {"off", openai.ThinkingOff}},
	reflect.TypeFor[abi.Channel]():              {{"reasoning", abi.ChannelReasoning}, {"response", abi.ChannelResponse}, {"none", abi.ChannelContent}},
	reflect.TypeFor[Profile]():                  profileWords(),
}

type words []word

type word struct {
	text  string
	value any
}

// Profile names a profile of package backend.
type Profile string

func profileWords() words {
	var list words
	for _, name := range backend.ProfileNames() {
		list = append(list, word{name, Profile(name)})
	}
	return list
}

// permittedWords are the words that a setting takes, if these are few: those of its
// type, or of its oneof tag where it is text that means itself.
func permittedWords(f reflect.StructField) []string {
	list, ok := wordsOf[f.Type]
	if !ok {
		return strings.Fields(f.Tag.Get("oneof"))
	}
	texts := make([]string, len(list))
	for i, w := range list {
		texts[i] = w.text
	}
	return texts
}

// setWord gives a setting the value that its word stands for; "" leaves it as it
// is. It says whether the type takes words at all.
func (d *decoder) setWord(path string, raw any, v reflect.Value) bool {
	list, ok := wordsOf[v.Type()]
	if !ok {
		return false
	}
	text, isText := raw.(string)
	if isText && text == "" {
		return true
	}
	i := slices.IndexFunc(list, func(w word) bool { return isText && w.text == text })
	if i < 0 {
		d.addNotOneOf(path, describeValue(raw), permittedWords(reflect.StructField{Type: v.Type()}))
		return true
	}
	v.Set(reflect.ValueOf(list[i].value))
	return true
}

func (d *decoder) addNotOneOf(path, got string, allowed []string) {
	d.addProblem(path, "%s is not one of %s", got, strings.Join(allowed, ", "))
}
