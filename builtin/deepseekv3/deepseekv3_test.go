package deepseekv3

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var config = sdktest.Config{
	Cases:      "testdata/cases.json",
	Vocabulary: []string{"<think>", "</think>", "\n", "\n\n"},
}

func TestParser(t *testing.T) { sdktest.Run(t, &Module, config) }
