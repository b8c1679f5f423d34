package wasm

import "testing"

// For the tests at the level of whole streams, which are in package wasm_test as
// they import the host's packages.

type HandGuest = handGuest

var (
	Bad            = bad
	Hand           = hand
	One            = one
	Reply          = reply
	Event          = event
	Answer         = answer
	GoGuestBytes   = goGuestBytes
	NewTestRuntime = newRuntime
	CompileGuest   = compile
	HostileLimits  = hostileLimits
	WhileWaiting   = whileCollecting
)

const (
	PushedOff = pushedOff
	PushedLen = pushedLen
	PushedEnd = pushedEnd
	AnswerAt  = answerAt
	WASI      = wasiModule
)

// Neighbours is how many streams run beside a hostile one.
func Neighbours() int { return neighbours }

// Hostiles are the guests that go wrong in the instance, by what makes them do it.
func Hostiles(add func(name string, guest func(testing.TB) []byte, trigger string)) {
	for _, h := range hostiles {
		if !h.callOnly {
			add(h.name, h.guest, h.trigger)
		}
	}
}
