package sdktest_test

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

// A parser's whole test: its cases, and random texts of the grammar's tokens, all
// at every split. TestStars is such a test; an Example has no *testing.T, so that
// this one is compiled only.
func ExampleRun() {
	_ = func(t *testing.T) { // func TestStars(t *testing.T)
		sdktest.Run(t, &stars, sdktest.Config{
			Cases:      "testdata/cases.json",
			Client:     prose, // or conform.Assemble of host/conform
			Vocabulary: []string{"*", "**", "a * b"},
			MaxHold:    4096,
		})
	}
}
