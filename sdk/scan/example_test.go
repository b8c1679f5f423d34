package scan_test

import (
	"fmt"

	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// A marker may be cut between two pieces of text: what may be its beginning waits.
func ExampleSet_Find() {
	markers := scan.NewSet("<tool_call>", "</tool_call>")
	for _, text := range []string{"Well. <tool_", "Well. <tool_call>{}", "Well. <tool"} {
		at, id, verdict := markers.Find([]byte(text), 0, false)
		switch verdict {
		case scan.Yes:
			fmt.Printf("%q is text, then comes %s\n", text[:at], markers.Marker(id))
		case scan.Wait:
			fmt.Printf("%q is text, %q waits\n", text[:at], text[at:])
		}
	}
	// Output:
	// "Well. " is text, "<tool_" waits
	// "Well. " is text, then comes <tool_call>
	// "Well. " is text, "<tool" waits
}

// A value ends where it is complete, however its text is cut. A marker inside a
// string is data.
func ExampleJSON_Scan() {
	var value scan.JSON
	for _, piece := range []string{`{"html": "</tool`, `_call>"`, `}</tool_call>`} {
		n, status := value.Scan([]byte(piece))
		fmt.Println(piece[:n], status == scan.Done)
	}
	// Output:
	// {"html": "</tool false
	// _call>" false
	// } true
}

// The members of a call are seen while they arrive.
func ExampleWalk() {
	text := []byte(`{"name": "open_vent", "arguments": {"house": 3`)
	var walk scan.Walk
	walk.Start(false)
	for at, from := 0, 0; ; {
		n, step := walk.Next(text, at)
		switch step {
		case scan.KeyBegins, scan.ValueBegins:
			from = n
		case scan.KeyEnds:
			fmt.Printf("key %s\n", text[from:n])
		case scan.ValueEnds:
			fmt.Printf("value %s\n", text[from:n])
		case scan.WalkMore:
			fmt.Printf("so far %s\n", text[from:n])
			return
		}
		at = n
	}
	// Output:
	// key "name"
	// value "open_vent"
	// key "arguments"
	// so far {"house": 3
}

// EachMember reads JSON that is whole.
func ExampleEachMember() {
	scan.EachMember([]byte(`{"type": "object", "required": ["house"]}`), func(name string, value []byte) {
		fmt.Println(name, string(value))
	})
	// Output:
	// type "object"
	// required ["house"]
}
