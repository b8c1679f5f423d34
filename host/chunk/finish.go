package chunk

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// FinishRules are a request's rules for finish reasons.
type FinishRules struct {
	// CallsOff: no call may leave, so the engine's tool_calls is a stop.
	CallsOff bool
	// KeepStop leaves stop as it is although calls went out.
	KeepStop bool
	// CutIsLength: a stop in the middle of a choice's only call is a length.
	CutIsLength bool
	// TurnGrammar: a confirmed model EOS permits strict completion.
	TurnGrammar bool
}

// ClientReason is the finish reason that a client is told for what the engine gave.
// calls says whether the choice sent a call that it completed, cut whether its
// text ended in the middle of one.
func (r *FinishRules) ClientReason(engine string, calls, cut bool) string {
	switch {
	case engine == openai.FinishStop && cut && !calls && r.CutIsLength:
		return openai.FinishLength
	case engine == openai.FinishStop && calls && !r.KeepStop:
		return openai.FinishToolCalls
	case engine == openai.FinishToolCalls && (!calls || r.CallsOff), engine == openai.FinishFunctionCall && r.CallsOff:
		return openai.FinishStop // a client that has no call to run would ask again, for ever
	}
	return engine
}

// MissingReason is the finish reason for a choice that never got one: none is made up
// but for a choice with calls, which a client has to run.
func (r *FinishRules) MissingReason(calls bool) string {
	switch {
	case !calls:
		return ""
	case r.KeepStop:
		return openai.FinishStop
	}
	return openai.FinishToolCalls
}

// ParserReason is the reason that a parser is told. Only a confirmed EOS of the model
// under a turn grammar permits it to complete what is not closed.
func (r *FinishRules) ParserReason(engine string, stop Stop) abi.Finish {
	switch engine {
	case openai.FinishLength, openai.FinishContentFilter:
		return abi.FinishLength
	case openai.FinishStop:
		if stop.Finish == abi.FinishEOS && !r.TurnGrammar {
			return abi.FinishUnknown
		}
		return stop.Finish
	}
	return abi.FinishUnknown
}
