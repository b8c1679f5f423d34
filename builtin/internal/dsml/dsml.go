// Package dsml reads the turns of the DeepSeek models whose calls are written in
// DSML:
//
//	turn      = { text | thought | block | invoke } ;
//	thought   = "<think>" { text | block | invoke } "</think>" ;
//	block     = [ "\n\n" ] BLOCK { ws invoke } ws ENDBLOCK ;
//	invoke    = INVOKE name '">' ws ( { parameter ws } | object ws ) ENDINVOKE ;
//	parameter = PARAMETER key '"' [ ' string="' ( "true" | "false" ) '"' ] ">" value ENDPARAMETER ;
//
// The dialects differ in the block's name, in a space behind the bars, and in how
// a value ends: at the first closer, or at the one with which the whole body
// parses (see Config.Chosen). An invoke may stand without its block. An empty
// line directly before a block or such an invoke is framing in visible text; in
// a thought it is reasoning.
package dsml

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/builtin/internal/structag"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/guided"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

const (
	think    = "<think>"
	endThink = "</think>"
	// separator is what the model's encoder writes before each block.
	separator = "\n\n"
)

// maxHeld is how many bytes are held back to learn how a value ends.
const maxHeld = prose.MaxHeld

// maxHeader is the longest name in a header, in bytes: a longer one is malformed.
const maxHeader = 1024

// Config says how a dialect is written.
type Config struct {
	// Block is the name of the block's tag, Space what stands between the bars
	// and a tag's name.
	Block, Space string
	// Other is the name that a sibling's block has, which the model may write too; ""
	// for none.
	Other string
	// Chosen: the closer in a string value may be data. Headers are exact, and a
	// value ends at the closer with which the whole body parses.
	Chosen bool
	// Section is another grammar of calls that the family reads too, nil for none.
	Section *Section
}

// Section is a grammar of calls beside DSML.
type Section struct {
	// Calls and Strip are its markers in prose, as in prose.Markers.
	Calls, Strip []string
	// Bare says which of Calls open a call without a section round it.
	Bare []bool
	// Guided is its markup in guided modes, but for the think tags.
	Guided guided.Markup
	// New makes its reader, for a session with that prose.
	New func(s *abi.OpenBlock, m *prose.Machine) Reader
}

// Reader reads what stands behind a marker of its grammar.
type Reader interface {
	// Enter begins behind marker id of DSML, or at marker id of a Section's Calls, in a
	// thought or not.
	Enter(id int, thought bool)
	// Step reads on. It answers true once prose goes on.
	Step(w *sdk.Window) (over bool)
}

// Markers of DSML in prose, in the order of prose.Markers.Calls. Each comes with
// the separator, too.
const (
	callFramedBlock = iota
	callBlock
	callFramedOther
	callOther
	callFramedInvoke
	callInvoke
	ownCalls // how many they are; a Section's follow
)

// tags are a dialect's tags.
type tags struct {
	block, blockClose         string
	other, otherClose         string // the same where there is no other name
	invoke, invokeClose       string // invoke up to the name
	parameter, parameterClose string // parameter up to its attributes
}

func newTags(c Config) tags {
	open, end := "<｜DSML｜"+c.Space, "</｜DSML｜"+c.Space
	if c.Other == "" {
		c.Other = c.Block
	}
	return tags{
		block: open + c.Block + ">", blockClose: end + c.Block + ">",
		other: open + c.Other + ">", otherClose: end + c.Other + ">",
		invoke: open + `invoke name="`, invokeClose: end + "invoke>",
		parameter: open + "parameter", parameterClose: end + "parameter>",
	}
}

// Grammar is a Config with its tables. It does not change and may be shared.
type Grammar struct {
	Config
	tags
	prose  [2][2]*prose.Grammar // by whether thoughts, and whether calls, are read
	guided [2]*guided.Grammar   // by whether thoughts are read
	glue   *scan.Set            // what may follow a call without a block, behind white space
	in     [2]markers           // by whether the call stands in a thought
	after  *scan.Set            // DSML after a call, see stranded

	constraint *structag.Section
}

// markers are the sets that matter in a block. In a thought its closer is the
// last marker of each.
type markers struct {
	between *scan.Set // between the calls of a block
	params  *scan.Set // between the parameters of a call
	value   *scan.Set // in a value
	json    *jsonbody.Grammar
}

const (
	betweenInvoke = iota
	betweenClose
	betweenOtherClose
)

const (
	paramsParameter = iota
	paramsClose
	paramsBlockClose
	paramsInvoke
)

const (
	afterBlock = iota
	afterInvoke
	afterParameterClose
	afterInvokeClose
	afterBlockClose
)

const (
	valueClose = iota
	valueInvokeClose
	valueBlockClose
	valueParameter // chosen closers only
	valueOtherClose
	valueEndThink
)

// New builds the tables of c.
func New(c Config) *Grammar {
	g := &Grammar{Config: c, tags: newTags(c)}
	t := &g.tags
	g.constraint = newConstraint(c, t)
	calls := []string{separator + t.block, t.block, separator + t.other, t.other, separator + t.invoke, t.invoke}
	strip := []string{t.blockClose, t.otherClose, t.invokeClose, t.parameterClose}
	bare := []string{t.invoke, t.blockClose, t.otherClose, t.invokeClose, t.parameterClose}
	m := guided.Markup{
		Strip:   []string{t.blockClose, t.otherClose, t.invokeClose, t.parameterClose},
		Openers: []string{t.block, t.other},
		Headers: []guided.Header{{Marker: t.invoke, End: ">", Attributes: true}},
		Tags:    []string{t.invoke, t.parameter + " "},
	}
	if s := c.Section; s != nil {
		calls, strip = append(calls, s.Calls...), append(strip, s.Strip...)
		for i, marker := range s.Calls {
			if s.Bare[i] {
				bare = append(bare, marker)
			}
		}
		bare = append(bare, s.Strip...)
		m.Strip = append(m.Strip, s.Guided.Strip...)
		m.Headers = append(m.Headers, s.Guided.Headers...)
		m.Openers = append(m.Openers, s.Guided.Openers...)
	}
	g.glue = scan.NewSet(bare...)
	g.after = scan.NewSet(t.block, t.invoke, t.parameterClose, t.invokeClose, t.blockClose)
	for thoughts := range g.prose {
		p := prose.Markers{Tags: []string{t.invoke, t.parameter + " "}}
		if thoughts == 1 {
			p.Think, p.EndThink = []string{think}, []string{endThink}
			m.Think, m.EndThink = p.Think, p.EndThink
		}
		g.guided[thoughts] = guided.Compile(m)
		g.prose[thoughts][0] = prose.Compile(prose.Markers{Think: p.Think, EndThink: p.EndThink})
		p.Calls, p.Strip = calls, strip
		g.prose[thoughts][1] = prose.Compile(p)
	}
	g.in = [2]markers{t.markers(), t.markers(endThink)}
	return g
}

// markers builds the sets of a block that escape ends, too.
func (t *tags) markers(escape ...string) markers {
	set := func(all ...string) *scan.Set { return scan.NewSet(append(all, escape...)...) }
	return markers{
		between: set(t.invoke, t.blockClose, t.otherClose),
		params:  set(t.parameter, t.invokeClose, t.blockClose, t.invoke, t.otherClose),
		value:   set(t.parameterClose, t.invokeClose, t.blockClose, t.parameter, t.otherClose),
		json: jsonbody.Compile(jsonbody.Markers{
			Close: []string{t.invokeClose}, Break: append([]string{t.blockClose, t.otherClose, t.invoke}, escape...),
			Strict: true, CloserRequired: true,
		}),
	}
}
