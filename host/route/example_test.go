package route_test

import (
	"context"
	"fmt"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/route"
)

// A required call is constrained by the family's structural tag where the engine can
// enforce one, else by a JSON schema of the calls: the output is bare JSON then.
func ExampleModel_Decide() {
	chat, err := openai.DecodeRequest([]byte(`{"model":"m","messages":[{"role":"user","content":"Hi"}],"tool_choice":"required",
		"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]}`))
	if err != nil {
		panic(err)
	}
	qwen := family("qwen:unified") // described in route_test.go; its tag says what it is for
	for _, canTag := range []bool{true, false} {
		m := route.Model{Parsers: route.NewParsers(qwen, qwen), CanGuide: func(k backend.GuidedKind) bool { return canTag || k == backend.GuidedJSON }}
		plan, refused := m.Decide(context.Background(), chat)
		if refused != nil {
			panic(refused)
		}
		fmt.Printf("%s, %s\n", plan.Route, plan.Guided.Value)
	}
	// Output:
	// unified, {"for":"f"}
	// unified, {"type":"array","minItems":1,"items":{"anyOf":[{"type":"object","properties":{"name":{"type":"string","enum":["f"]},"parameters":{"type":"object"}},"required":["name","parameters"]}]}}
}
