package backend

import (
	"net/http"
	"strconv"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
	"github.com/turnkey-parsers/turnkey/host/openai"
)

// Codes of an Error.
const (
	CodeUnreachable = "engine_unreachable" // no connection, or it broke before the first byte
	CodeTimeout     = "engine_timeout"     // one of the configured timeouts passed
	CodeStatus      = "engine_status"      // the engine answered with another status than 200
	CodeProtocol    = "engine_protocol"    // what the engine sent can't be read
	CodeBroken      = "engine_broken"      // the answer broke off
	CodeReported    = "engine_error"       // the engine reported an error in its answer
	CodeAborted     = "engine_aborted"     // the engine gave up on a choice
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
	// Cause is the error underneath, for the log.
	Cause error
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

// StatusError is the error for a status that an engine answered, and its body. A
// 4xx passes with its message; of the 5xx only those that say "later" keep their
// status.
func StatusError(status int, body []byte) *Error {
	e := &Error{Status: http.StatusInternalServerError, Code: CodeStatus,
		Message: "the engine answered with status " + strconv.Itoa(status), Said: messageOf(body)}
	switch {
	case status == openai.StatusClientClosed: // not by us: its proxy lost it
		e.Status = http.StatusBadGateway
	case status >= 400 && status < 500:
		e.Status, e.Public = status, true
		if status == http.StatusUnprocessableEntity {
			e.Status = http.StatusBadRequest
		}
	case status == http.StatusServiceUnavailable || status == openai.StatusOverloaded:
		e.Status = status
	case status < 400:
		e.Status, e.Code = http.StatusBadGateway, CodeProtocol
	}
	return e
}

// ReportedError is the error for an error object in place of a chunk. It is shown
// to the client only if its code says that it is of the client's making.
func ReportedError(object openai.Raw) *Error {
	e := &Error{Status: http.StatusInternalServerError, Code: CodeReported, Message: "the engine reported an error", Said: messageOf(object)}
	switch code := codeOf(object); {
	case code >= 400 && code < 500 && code != openai.StatusClientClosed:
		e.Status, e.Public = code, true
		if code == http.StatusUnprocessableEntity {
			e.Status = http.StatusBadRequest
		}
	case code == http.StatusServiceUnavailable || code == openai.StatusOverloaded:
		e.Status = code
	}
	return e
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
	if inner := jsonx.Get(v, "error"); !jsonx.IsNull(inner) {
		return inner
	}
	if kind, _ := jsonx.String(jsonx.Get(v, "object")); kind == "error" {
		return v
	}
	return nil
}

// messageOf finds the message in the forms of error bodies that engines use.
func messageOf(body openai.Raw) string {
	v, err := jsonx.Check(body)
	if err != nil {
		return ""
	}
	for _, name := range []string{"error", "detail", "message"} {
		if inner := jsonx.Get(v, name); !jsonx.IsNull(inner) {
			v = inner
		}
	}
	s, _ := jsonx.String(v)
	return s
}

func codeOf(object openai.Raw) int {
	for _, name := range []string{"code", "status_code", "status"} {
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
