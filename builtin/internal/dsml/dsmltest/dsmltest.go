// Package dsmltest holds what the dialects of DSML are tested with.
package dsmltest

import (
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

// Config is the vocabulary of the dialect whose block has that name and whose tags
// have space behind the bars, and what must not leak from it.
func Config(block, space string) sdktest.Config {
	open, end := "<｜DSML｜"+space, "</｜DSML｜"+space
	blockOpen, blockClose := open+block+">", end+block+">"
	invoke, invokeClose := open+`invoke name="`, end+"invoke>"
	parameter, parameterClose := open+"parameter", end+"parameter>"
	header, param := invoke+`f">`, parameter+` name="a" string="true">`
	return sdktest.Config{
		Vocabulary: []string{
			"<think>", "</think>", blockOpen, blockClose, "\n\n" + blockOpen + "\n", "\n\n",
			header, "\n\n" + header, invoke, invokeClose, invokeClose + "\n",
			param, parameter + ` name="b" string="false">`, parameter + ` name="a">`, parameter, parameterClose,
			header + param + "x" + parameterClose + invokeClose, blockOpen + header + param,
			header + `{"a": "`, `"}`, open + "other>", "｜DSML｜", "\n", "</",
		},
		MaxHold: 1 << 20,
		Leaks:   leaks(blockOpen, blockClose, invoke, invokeClose, parameterClose),
	}
}

// leaks finds, in native mode, the markers in what was emitted though the input had no quotation
// that could protect them.
func leaks(markers ...string) func(s *abi.OpenBlock, input, text, reasoning string) string {
	return func(s *abi.OpenBlock, input, text, reasoning string) string {
		if len(s.Tools) == 0 || s.Mode != abi.ModeNative || strings.HasSuffix(s.Parser, "_reasoning") {
			return ""
		}
		for _, attribute := range []string{`name="f"`, `name="a"`, `name="b"`, `string="true"`, `string="false"`, `name="`} {
			input = strings.ReplaceAll(input, attribute, "")
		}
		if strings.ContainsAny(input, "\"'`") {
			return ""
		}
		for _, emitted := range []string{text, reasoning} {
			for _, marker := range markers {
				if i := strings.Index(emitted, marker); i >= 0 {
					return emitted[i:]
				}
			}
		}
		return ""
	}
}
