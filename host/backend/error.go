package backend

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// Codes of an Error. The page host/TROUBLESHOOTING.md tells each.
const (
	CodeUnreachable = "engine_unreachable" // no connection, or it broke before the first byte
	CodeTimeout     = "engine_timeout"     // one of the configured timeouts passed, or the engine's own
	CodeStatus      = "engine_status"      // the engine answered with another status than 200
	CodeProtocol    = "engine_protocol"    // what the engine sent can't be read
	CodeBroken      = "engine_broken"      // the connection broke in the answer
	CodeIncomplete  = "engine_incomplete"  // the answer ended in good order, but is not finished
	CodeReported    = "engine_error"       // the engine reported an error in its answer
	CodeAborted     = "engine_aborted"     // the engine gave up on a choice
	CodeOverloaded  = "engine_overloaded"  // the engine has too much to do, or is not ready yet
	CodeAuth        = "upstream_auth"      // the engine refused the host's own key
	CodeUnsupported = "unsupported"        // the engine can't be asked this
	CodeCancelled   = "request_cancelled"  // the caller went away
)

// Error is a failure of an engine.
type Error struct {
	// Status is the HTTP status for the client, if nothing was sent yet.
	Status int
	// Message is the host's own words.
	Message string
	// Said is the engine's words, where it gave any. They may quote the prompt.
	Said string
	// Code is a stable word.
	Code string
	// Public says that the error is of the client's making, which is to read of it.
	Public bool
	// Named is what else the engine's error object says, for a client to act on.
	Named Named
	// Retry are the headers by which the engine says when to ask again; nil: none.
	Retry http.Header
	// Cause is the error underneath, for the log.
	Cause error
}

// Named are members of an engine's error object. They hold words and numbers for
// programs, and no text of a prompt.
type Named struct {
	Type  string
	Param string
	// Code is a JSON string or number; nil where the engine gave none.
	Code openai.Raw
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Shown is what a client may read; "" where the error is not for it.
func (e *Error) Shown() string {
	switch {
	case !e.Public:
		return ""
	case e.Said != "":
		return e.Said
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Cause }

// StatusError is the error for a status that an engine answered, with its headers and
// its body.
func StatusError(status int, header http.Header, body []byte) *Error {
	e := &Error{Code: CodeStatus, Message: "the engine answered with status " + strconv.Itoa(status), Retry: retryHeaders(header)}
	if v, err := jsonx.Check(body); err == nil {
		e.read(v)
	}
	if status < 400 {
		e.Status, e.Code = http.StatusBadGateway, CodeProtocol
		return e
	}
	e.judge(status)
	return e
}

// ReportedError is the error for an error object in place of a chunk.
func ReportedError(object openai.Raw) *Error {
	e := &Error{Code: CodeReported, Message: "the engine reported an error"}
	e.read(object)
	e.judge(statusOf(object))
	return e
}

// judge decides by the engine's status, 0 where it gave none, what the client is told:
// a 4xx passes with the engine's words, the key's refusal never does, since the key is
// not the client's; of the 5xx those pass on which a client acts in another way.
func (e *Error) judge(status int) {
	e.Status = http.StatusInternalServerError
	if told := statusOfType[e.Named.Type]; told != 0 && (status == 0 || status == http.StatusInternalServerError) {
		status = told
	}
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		e.Status, e.Code = http.StatusBadGateway, CodeAuth
		e.Message = "the engine refused the key that it was sent (api_key): status " + strconv.Itoa(status)
	case status == http.StatusUnprocessableEntity:
		e.Status, e.Public = http.StatusBadRequest, true
	case status == openai.StatusClientClosed, status == http.StatusBadGateway: // its proxy lost it
		e.Status = http.StatusBadGateway
	case status >= 400 && status < 500, status == http.StatusNotImplemented:
		e.Status, e.Public = status, true
	case status == http.StatusServiceUnavailable, status == openai.StatusOverloaded:
		e.Status, e.Code = status, CodeOverloaded
	case status == http.StatusGatewayTimeout:
		e.Status, e.Code = status, CodeTimeout
	case e.saysOverload():
		e.Status, e.Code = http.StatusServiceUnavailable, CodeOverloaded
	}
}

// saysOverload says whether the engine's words are those of overload.
func (e *Error) saysOverload() bool {
	for _, s := range []string{e.Named.Type, string(e.Named.Code), e.Said} {
		if strings.Contains(strings.ToLower(s), "overload") {
			return true
		}
	}
	return false
}

// retryHeaders are the headers that tell clients when to ask again: the standard's,
// and two that OpenAI's own clients heed.
func retryHeaders(header http.Header) (kept http.Header) {
	for _, name := range []string{"Retry-After", "Retry-After-Ms", "X-Should-Retry"} {
		if v := header.Get(name); v != "" {
			if kept == nil {
				kept = http.Header{}
			}
			kept.Set(name, v)
		}
	}
	return kept
}

// Cancelled is the error for an answer that its caller gave up.
func Cancelled(cause error) *Error {
	return &Error{Status: openai.StatusClientClosed, Code: CodeCancelled, Message: "the request was cancelled", Cause: cause}
}

// ErrorObject gives the error object of a body that is one, in the forms that
// engines use; nil for any other.
func ErrorObject(body []byte) openai.Raw {
	v, err := jsonx.Check(body)
	if err != nil || !jsonx.IsObject(v) {
		return nil
	}
	kind, _ := jsonx.String(jsonx.Get(v, "object"))
	switch inner := jsonx.Get(v, "error"); {
	case jsonx.IsObject(inner):
		return inner
	case !jsonx.IsNull(inner), kind == "error":
		return v
	}
	return nil
}

// read takes over what an error body says, in the forms that engines use: OpenAI's
// (an object in error), flat ones (vLLM's before 2025, SGLang's, TensorRT-LLM's),
// TGI's (a text in error, error_type), FastAPI's (detail, a text or a list of them).
func (e *Error) read(v openai.Raw) {
	if inner := jsonx.Get(v, "error"); jsonx.IsObject(inner) {
		v = inner
	}
	e.Said = messageOf(v)
	if place := jsonx.Get(firstOf(jsonx.Get(v, "detail")), "loc"); place != nil {
		e.Named.Param = pathOf(place)
	}
	for _, m := range []struct {
		name string
		dst  *string
	}{{"error_type", &e.Named.Type}, {"type", &e.Named.Type}, {"param", &e.Named.Param}} {
		if s, ok := jsonx.String(jsonx.Get(v, m.name)); ok {
			*m.dst = s
		}
	}
	code := jsonx.Get(v, "code")
	if _, number := jsonx.Int(code); (number || jsonx.IsString(code)) && len(code) <= maxCode {
		e.Named.Code = bytes.Clone(code)
	}
}

// maxCode bounds an engine's code, in bytes: what is longer is text.
const maxCode = 100

// messageOf finds the message in an error object, which may be wrapped once more.
func messageOf(v openai.Raw) string {
	for range maxWraps {
		if s, ok := jsonx.String(v); ok {
			return s
		}
		next := openai.Raw(nil)
		for _, name := range []string{"message", "error", "detail", "msg"} {
			if inner := firstOf(jsonx.Get(v, name)); !jsonx.IsNull(inner) {
				next = inner
				break
			}
		}
		v = next
	}
	return ""
}

// maxWraps is how deep a message is looked for.
const maxWraps = 5

// firstOf is the first element of a list, or the value itself where it is none.
func firstOf(v openai.Raw) openai.Raw {
	if !jsonx.IsArray(v) {
		return v
	}
	list := jsonx.ArrayOf(v)
	first, _ := list.Next()
	return first
}

// pathOf writes FastAPI's place of an error, ["body","messages",0,"role"], as a
// member's name: messages.0.role.
func pathOf(place openai.Raw) string {
	var parts []string
	for a := jsonx.ArrayOf(place); ; {
		v, ok := a.Next()
		if !ok {
			return strings.Join(parts, ".")
		}
		part := string(v)
		if s, ok := jsonx.String(v); ok {
			part = s
		}
		if part != "body" || len(parts) > 0 {
			parts = append(parts, part)
		}
	}
}

// statusOf is the HTTP status that an error object tells by a number; 0: it tells none.
func statusOf(object openai.Raw) int {
	for _, name := range []string{"code", "status_code", "statusCode", "status"} {
		v := jsonx.Get(object, name)
		if s, ok := jsonx.String(v); ok {
			v = openai.Raw(s)
		}
		if n, ok := jsonx.Int(v); ok && n >= 100 && n < 600 {
			return int(n)
		}
	}
	return 0
}

// statusOfType are the error types that go with one status, of OpenAI, Anthropic, vLLM
// and llamacpp: they say more than no status, and than 500.
var statusOfType = map[string]int{
	"invalid_request_error":     http.StatusBadRequest,
	"BadRequestError":           http.StatusBadRequest,
	"exceed_context_size_error": http.StatusBadRequest,
	"authentication_error":      http.StatusUnauthorized,
	"permission_error":          http.StatusForbidden,
	"not_found_error":           http.StatusNotFound,
	"NotFoundError":             http.StatusNotFound,
	"rate_limit_error":          http.StatusTooManyRequests,
	"insufficient_quota":        http.StatusTooManyRequests,
	"overloaded_error":          openai.StatusOverloaded,
	"timeout_error":             http.StatusGatewayTimeout,
}
