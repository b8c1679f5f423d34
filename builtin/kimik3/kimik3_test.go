package kimik3

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/sdk/sdktest"
)

var vocabulary = []string{
	"<|open|>think<|sep|>", "<|close|>think<|sep|>", "<|close|>think", "<|open|>response<|sep|>", "<|close|>response<|sep|>",
	"<|open|>tools<|sep|>", "<|close|>tools<|sep|>", "<|open|> tools <|sep|>",
	`<|open|>call tool="f" index="1"<|sep|>`, `<|open|>call tool="word" index="raw"<|sep|>`, `<|open|>call`, `<|open|>call tool="`, "<|close|>call<|sep|>",
	`<|open|>argument key="a" type="string"<|sep|>`, `<|open|>argument key="f" type="number"<|sep|>`, "<|close|>argument<|sep|>", "<|close|> argument <|sep|>",
	`<|open|>json type="object"<|sep|>`, "<|close|>json<|sep|>", `{"a":"b"}`, `{"a":"`, `"}`, "12", "null",
	"<|close|>message<|sep|>", `<|open|>message role="assistant"<|sep|>`, "<|end_of_msg|>", "<|open|>", "<|close|>", "<|sep|>",
	`<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="a" type="string"<|sep|>`,
	"<|close|>argument<|sep|><|close|>call<|sep|>", "<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>",
	`"`, "'", "\n", "\n\n", " ",
}

func TestParser(t *testing.T) {
	sdktest.Run(t, &Module, sdktest.Config{Cases: "testdata/cases.json", Vocabulary: vocabulary, MaxHold: 1 << 20})
}

func TestFieldReports(t *testing.T) {
	sdktest.Run(t, &Module, sdktest.Config{Cases: "testdata/field_reports.json"})
}

func TestRules(t *testing.T) {
	sdktest.Run(t, &Module, sdktest.Config{Cases: "testdata/rules.json"})
}

func FuzzParser(f *testing.F) { sdktest.Fuzz(f, &Module, sdktest.Config{Vocabulary: vocabulary}) }
