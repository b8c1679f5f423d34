package jinja

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// TestAsPython compares small templates with what jinja2 3.1.6 gives for them in
// Hugging Face's setting. testdata/python.json was written by it: each template
// with what it rendered to, or with the error.
func TestAsPython(t *testing.T) {
	text, err := os.ReadFile("testdata/python.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Variables jsonx.Raw
		Cases     []struct{ Template, Want, Error string }
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	vars := map[string]Value{}
	for _, m := range jsonx.Members(file.Variables) {
		if vars[m.Name], err = Decode(m.Value); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range file.Cases {
		t.Run(c.Template, func(t *testing.T) {
			got := ""
			template, err := Compile(c.Template)
			if err == nil {
				got, err = template.Render(context.Background(), Input{Variables: vars, Now: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)})
			}
			switch {
			case c.Error != "" && err == nil:
				t.Errorf("%q, and Python fails: %s", got, c.Error)
			case c.Error == "" && err != nil:
				t.Errorf("%v, want %q", err, c.Want)
			case c.Error == "" && got != c.Want:
				t.Errorf("\n got %q\nwant %q", got, c.Want)
			}
		})
	}
}
