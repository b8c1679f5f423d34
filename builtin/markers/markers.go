package markers

import (
	_ "embed"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/option"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolblock"
	"github.com/turnkey-parsers/turnkey/builtin/internal/turn"
	"github.com/turnkey-parsers/turnkey/sdk"
)

//go:embed manifest.json
var described string

// Module is the module of the parser whose grammar is data.
var Module = sdk.Module{Manifest: described, New: sdk.Family("markers", newParser)}

var grammars option.Cache

func newParser(s *abi.OpenBlock, kind sdk.Kind) sdk.Parser {
	return grammars.GetOrBuild("markers", s, func() *option.Built { return buildGrammar(s) }).Parser(s, kind)
}

// callPrefix is what the keys begin with that say how calls are written.
const callPrefix = "call_"

func buildGrammar(s *abi.OpenBlock) *option.Built {
	r := option.NewReader(s)
	c := option.Reasoning(r, "content", "<think>", "</think>")
	c.Separator = r.Text("call_separator", "")
	c.Block = blockConfig(r)
	if problem := r.Problem(option.ReasoningPrefix, callPrefix); problem != "" {
		return &option.Built{Problem: problem}
	}
	return &option.Built{Grammar: turn.New(c)}
}

// Words of the options.
const (
	formJSON       = "json"
	formXML        = "xml"
	formStructured = "structured"

	nameInBody   = "body"
	nameInHeader = "header"

	idNone   = "none"
	idHeader = "header"
	idMember = "member"
	idBehind = "behind"

	feedsFrame = "line_feed"
	feedsKept  = "none"
)

// blockConfig reads how calls are written.
func blockConfig(r *option.Reader) toolblock.Config {
	form := r.OneOf("call_arguments", formJSON, formXML, formStructured)
	where := nameInBody
	if form != formJSON {
		where = nameInHeader
	}
	other := nameInHeader
	if where == other {
		other = nameInBody
	}
	switch where = r.OneOf("call_name", where, other); {
	case where == nameInHeader:
		return headerConfig(r, form)
	case form != formJSON:
		r.Refuse("call_name", "is body, but call_arguments is "+form+"; only a JSON body holds the name, write header")
	}
	id := r.OneOf("call_id", idNone, idMember)
	c := toolblock.Config{
		Open:  r.Required("call_open", "<tool_call>", "name the marker that opens a call"),
		Close: r.Marker("call_close", "</tool_call>"),
		JSON:  true,
		Members: toolblock.Members{
			Name: r.Text("call_name_key", ""),
		},
	}
	if key := r.Text("call_arguments_key", ""); key != "" {
		c.Members.Arguments = []string{key}
	}
	if key := r.Text("call_id_key", "id"); id == idMember {
		c.Members.ID = key
	}
	return c
}

// headerConfig reads how calls are written whose name stands between markers of its
// own.
func headerConfig(r *option.Reader, form string) toolblock.Config {
	x := &toolblock.XML{
		Function: r.Required("call_name_open", "<function=", "name the marker in front of a call's name"),
		NameEnd:  r.Required("call_name_close", ">", "name the marker behind a call's name"),
		JSON:     form == formJSON,
	}
	c := toolblock.Config{
		Open:  r.Marker("call_open", "<tool_call>"),
		Close: r.Marker("call_close", "</tool_call>"),
		XML:   x,
	}
	c.JSON = c.Open != "" && !strings.HasSuffix(c.Open, "{") && !strings.HasSuffix(c.Open, "[")
	if c.Open == "" && c.Close != "" {
		r.Refuse("call_close", "has a value, but call_open is empty; empty both where calls stand by themselves")
	}
	switch r.OneOf("call_id", idNone, idHeader, idBehind) {
	case idHeader:
		x.ID = toolblock.HeaderIsID
	case idBehind:
		x.ID, x.IDMark = toolblock.IDBehind, r.Required("call_id_open", "", "name the marker between a call's name and its id")
	}
	if x.FunctionClose = r.Marker("call_end", "</function>"); form == formJSON {
		return c
	}
	if x.FunctionClose == "" {
		r.Refuse("call_end", "is empty; without JSON arguments only a marker can end a call")
	}
	key, keyClose, value, valueClose := "<parameter=", ">", "", "</parameter>"
	if form == formStructured {
		key, keyClose, value, valueClose = "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"
	}
	x.Parameter = r.Required("call_key_open", key, "name the marker in front of an argument's key")
	// A ">" may end a name and a key alike.
	if x.KeyEnd = r.Text("call_key_close", keyClose); x.KeyEnd == "" {
		r.Refuse("call_key_close", "is empty; name the marker behind an argument's key")
	}
	x.Value = r.Text("call_value_open", value)
	x.ParameterClose = r.Required("call_value_close", valueClose, "name the marker behind an argument's value")
	x.Verbatim = r.OneOf("call_value_frame", feedsFrame, feedsKept) == feedsKept
	return c
}
