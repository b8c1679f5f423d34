package birch_test

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/examples/plugins/birch"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

func TestBirch(t *testing.T) {
	sdktest.Run(t, &birch.Module, sdktest.Config{
		Cases:      "testdata/cases.json",
		Client:     conform.Assemble, // what a client of turnkey gets, from host/conform
		Vocabulary: []string{"<think>", "</think>", "<call>", "</call>", "ring", `{"a":`, `"x"`, "}", "{}", `\`, "\n\n"},
	})
}
