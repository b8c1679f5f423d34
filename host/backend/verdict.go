package backend

import (
	"net/http"
	"slices"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// Verdict is why a choice ended, in terms that no engine owns.
type Verdict struct {
	// Finish is the reason for the parser; abi.FinishEOS is a confirmed end of the
	// model's turn, whatever grammar was installed.
	Finish abi.Finish
	// StopReason is the user's stop that was hit, a string or a number; else nil.
	StopReason openai.Raw
	// Err is set where the engine gave up: the answer is not finished.
	Err *Error
}

// Evidence is how an engine tells which stop ended a choice.
type Evidence uint8

const (
	EvidenceNone        Evidence = iota // it doesn't tell
	EvidenceStopReason                  // stop_reason: null is the tokenizer's EOS, else the stop
	EvidenceMatchedStop                 // matched_stop: the stop; missing says nothing
	EvidenceNVExt                       // nvext.stop_reason: a user's stop; missing says nothing
)

// repetition is vLLM's stop_reason where it ended a choice that repeats itself.
const repetition = "repetition_detected"

// Verdict reads why a choice of c ended. It must have a finish reason.
func (p *Profile) Verdict(r *Request, c *openai.Chunk, choice *openai.Choice) Verdict {
	switch choice.FinishReason {
	case openai.FinishStop:
		return p.stopVerdict(r, c, choice)
	case openai.FinishLength, openai.FinishContentFilter: // both are cuts
		return Verdict{Finish: abi.FinishLength}
	case "abort", "cancelled", "canceled", "error", "timeout":
		return Verdict{Finish: abi.FinishTransport, Err: &Error{Status: http.StatusBadGateway, Code: CodeAborted,
			Message: "the engine gave up on the answer: " + choice.FinishReason}}
	}
	return Verdict{}
}

func (p *Profile) stopVerdict(r *Request, c *openai.Chunk, choice *openai.Choice) Verdict {
	switch p.Evidence {
	case EvidenceStopReason:
		if jsonx.IsNull(choice.StopReason) {
			return eos(r)
		}
		return p.matched(r, choice.StopReason)
	case EvidenceMatchedStop:
		if !jsonx.IsNull(choice.MatchedStop) {
			return p.matched(r, choice.MatchedStop)
		}
	case EvidenceNVExt:
		if stop := jsonx.Get(c.NVExt, "stop_reason"); !jsonx.IsNull(stop) {
			return Verdict{Finish: abi.FinishUserStop, StopReason: stop}
		}
	}
	return Verdict{}
}

// matched judges a stop that the engine names: a string is a stop string, a
// number a token id. An id that the request asked for is the user's even if it is
// the model's as well.
func (p *Profile) matched(r *Request, stop openai.Raw) Verdict {
	if s, ok := jsonx.String(stop); ok && s == repetition {
		return Verdict{}
	}
	id, isID := jsonx.Int(stop)
	switch {
	case !isID && !jsonx.IsString(stop):
		return Verdict{}
	case isID && endsTurn(r, id):
		return eos(r)
	case isID && !p.AnyStopIsUser && len(r.EOSTokenIDs) == 0 && !slices.Contains(r.Chat.StopTokenIDs, id):
		return Verdict{} // it may be one of the model's: nobody said
	}
	return Verdict{Finish: abi.FinishUserStop, StopReason: stop}
}

// endsTurn says whether a token is one of the model's end, and not also a stop that the
// request asked for.
func endsTurn(r *Request, id int64) bool {
	return slices.Contains(r.EOSTokenIDs, id) && !slices.Contains(r.Chat.StopTokenIDs, id)
}

// eosByID judges the end of a choice of which the engine, by its profile, tells nothing:
// the id of an end token is evidence wherever it stands, in a member that another engine
// uses or as the last of the choice's tokens.
func eosByID(r *Request, choice *openai.Choice, lastToken int64) Verdict {
	for _, stop := range []openai.Raw{choice.StopReason, choice.MatchedStop} {
		if id, ok := jsonx.Int(stop); ok && endsTurn(r, id) {
			return eos(r)
		}
	}
	if endsTurn(r, lastToken) {
		return eos(r)
	}
	return Verdict{}
}

func eos(r *Request) Verdict {
	if r.Chat.IgnoreEOS {
		return Verdict{}
	}
	return Verdict{Finish: abi.FinishEOS}
}
