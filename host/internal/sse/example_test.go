package sse_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/turnkey-parsers/turnkey/host/internal/sse"
)

// What one side appends, the other reads.
func ExampleReader() {
	var b []byte
	b = sse.AppendField(b, "event", "note")
	b = sse.AppendData(b, []byte(`{"n":1}`))
	b = append(b, sse.DoneEvent...)
	events := sse.NewReader(strings.NewReader(string(b)), 1<<20)
	for {
		event, err := events.Next()
		if err == io.EOF {
			return
		}
		fmt.Printf("%q %s\n", event.Name, event.Data)
	}
	// Output:
	// "note" {"n":1}
	// "" [DONE]
}
