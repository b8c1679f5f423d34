// Package dsmltest holds what the dialects of DSML are tested with.
package dsmltest

import (
	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

// Config is the vocabulary of the dialect whose block has that name and whose tags
// have space behind the bars.
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
	}
}
