package stream_test

import "testing"

func TestT32_TextCallTextKeepTheirOrder(t *testing.T) {
	lines := []string{role, text(`Look: <tool_call>{"name":"open_vent","arguments":{"house":1}}</tool_call> and done.`), finish("stop"), usage}
	for name, model := range routes(t) {
		t.Run(name, func(t *testing.T) {
			for _, l := range [][]string{lines, cuts(lines)} {
				r, _ := both(t, scene{model: model, request: tools, lines: l})
				if got := r.op.Plan().Route.String(); got != name {
					t.Fatalf("route %s", got)
				}
				r.want(t, 0, "tool_calls", "text:Look: ", `call:open_vent {"house":1}`, "text: and done.")
			}
		})
	}
}
