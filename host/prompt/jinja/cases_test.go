package jinja

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// templatesFolder names a folder of published chat templates with their
// renderings. They belong to others, and are no part of this project.
const templatesFolder = "TURNKEY_TEMPLATES"

type renderingCase struct {
	Template, Name string
	Messages       []jsonx.Raw
	Tools          []jsonx.Raw
	Kwargs         jsonx.Raw
	BOS            string `json:"bos_token"`
	EOS            string `json:"eos_token"`
	Want           *string
	Error          string
}

// TestPublishedTemplates renders published templates and compares the prompts, byte
// for byte, with what Python gives.
func TestPublishedTemplates(t *testing.T) {
	folder := os.Getenv(templatesFolder)
	if folder == "" {
		t.Skipf("%s names no folder with jinja/*.jinja and cases.jsonl.gz", templatesFolder)
	}
	f, err := os.Open(filepath.Join(folder, "cases.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	compiled := map[string]*Template{}
	differ := map[string]int{}
	var steps, total, equal int
	for lines.Scan() {
		var c renderingCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		total++
		template, ok := compiled[c.Template]
		if !ok {
			source, err := os.ReadFile(filepath.Join(folder, "jinja", c.Template+".jinja"))
			if err != nil {
				t.Fatal(err)
			}
			if template, err = Compile(string(source)); err != nil {
				t.Errorf("%s: %v", c.Template, err)
			}
			compiled[c.Template] = template
		}
		if template == nil {
			continue
		}
		got, err := template.Render(context.Background(), c.input(t))
		_ = steps
		switch {
		case c.Want == nil && err != nil:
			equal++
		case c.Want == nil:
			if differ[c.Template]++; differ[c.Template] < 3 {
				t.Errorf("%s/%s: rendered, and Python fails: %s", c.Template, c.Name, c.Error)
			}
		case err != nil:
			if differ[c.Template]++; differ[c.Template] < 3 {
				t.Errorf("%s/%s: %v", c.Template, c.Name, err)
			}
		case got != *c.Want:
			if differ[c.Template]++; differ[c.Template] < 3 {
				t.Errorf("%s/%s:\n got %q\nwant %q", c.Template, c.Name, got, *c.Want)
			}
		default:
			equal++
		}
	}
	if err := errors.Join(lines.Err()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d renderings are equal", equal, total)
}

func (c *renderingCase) input(t *testing.T) Input {
	vars := map[string]Value{"bos_token": c.BOS, "eos_token": c.EOS}
	value := func(v jsonx.Raw) Value {
		d, err := Decode(v)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	list := func(raws []jsonx.Raw) Value {
		l := &List{}
		for _, v := range raws {
			l.Items = append(l.Items, value(v))
		}
		return l
	}
	for _, m := range jsonx.Members(c.Kwargs) {
		vars[m.Name] = value(m.Value)
	}
	vars["messages"] = list(c.Messages)
	for _, m := range vars["messages"].(*List).Items {
		calls, _ := m.(*Dict).Get("tool_calls")
		list, _ := calls.(*List)
		if list == nil {
			continue
		}
		for _, call := range list.Items {
			fn, ok := call.(*Dict).Get("function")
			if !ok {
				continue
			}
			args, _ := fn.(*Dict).Get("arguments")
			if s, ok := args.(string); ok {
				if v, err := jsonx.Check([]byte(s)); err == nil && jsonx.IsObject(v) {
					fn.(*Dict).Set("arguments", value(v))
				}
			}
		}
	}
	if c.Tools != nil {
		vars["tools"] = list(c.Tools)
	}
	return Input{Variables: vars, Now: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)}
}

func decodeText(s string) (Value, error) {
	v, err := jsonx.Check([]byte(s))
	if err != nil {
		return nil, err
	}
	return Decode(v)
}
