package stream

// Kinds of anomalies: what an answer should not have had. They are stable names,
// for metrics.
const (
	anomalyCallCut        = "call_cut"           // given up after its name went out
	anomalyCallDropped    = "call_dropped"       // given up before anything of it went out
	anomalyCallNameless   = "call_nameless"      // of an engine that reads calls itself; never sent
	anomalyCallSuppressed = "call_suppressed"    // not asked for: tool_choice none, or of another tool; or one too many
	anomalyUnknownTool    = "unknown_tool"       // a call of a tool that was not offered
	anomalyUnsound        = "arguments_unsound"  // arguments that are no JSON object
	anomalyKeyRepeated    = "key_repeated"       // left out: the arguments had it already
	anomalyRepaired       = "arguments_repaired" // control characters, commas, strings and words that were read leniently
	anomalyOverlong       = "value_overlong"     // a value, or guided JSON, that was too long to be held
	anomalyIDReplaced     = "id_replaced"        // the grammar's id was used already, or came too late
	anomalyGuidedVoid     = "guided_void"        // guided JSON that is no call; it is text
	anomalyUnanswered     = "text_unanswered"    // text of which nothing was left for the client; it is content
	anomalyFault          = "parser_fault"       // a parser failed
	anomalyParserError    = "parser_error"       // a parser met what its grammar does not permit
	anomalyParserNote     = "parser_note"        // a parser says what it made good
	anomalyNVExt          = "nvext_ignored"      // of an engine: no object, or ids that are no list
	anomalyNoFinish       = "finish_reason_missing"
)

// Anomalies lists the kinds that Hooks.Anomaly can be told of.
var Anomalies = []string{
	anomalyCallCut, anomalyCallDropped, anomalyCallNameless, anomalyCallSuppressed, anomalyUnknownTool,
	anomalyUnsound, anomalyKeyRepeated, anomalyRepaired, anomalyOverlong, anomalyIDReplaced, anomalyGuidedVoid,
	anomalyUnanswered, anomalyFault, anomalyParserError, anomalyParserNote, anomalyNVExt, anomalyNoFinish,
}
