package config

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

//go:generate go test . -run TestConfigurationPage -update

var update = flag.Bool("update", false, "write CONFIGURATION.md anew")

// TestConfigurationPage keeps CONFIGURATION.md true to the settings' tags.
func TestConfigurationPage(t *testing.T) {
	const file = "CONFIGURATION.md"
	want := renderPage()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is out of date: go generate ./host/config", file)
	}
}

const intro = `# Configuration

<!-- Written by go generate ./host/config from the settings' tags. -->

turnkey reads a YAML file (` + "`--config FILE` or `" + EnvConfig + "`" + `), then the environment, then flags; the later wins. Without a file it serves
a demonstration with recorded answers. A setting that does not exist, a value of the wrong type and a setting that can't work stop the start with one
line that names it.

- A length of time is written with its unit: ` + "`1500ms`, `30s`, `10m`; `0` switches a timeout off" + `.
- A size is a number of bytes, or has a unit: kB, MB, GB (powers of 1000), KiB, MiB, GiB (powers of 1024).
- ` + "`TURNKEY_PARSER_VERSION` is also understood as `DYN_PARSER_VERSION`, and as `DYN_ENABLE_EXPERIMENTAL_PARSERS_V2` (a boolean: true is 2)" + `.

` + "```yaml" + `
listen: 0.0.0.0:8080
upstreams:
  - name: gpu1
    base_url: http://10.0.0.7:8000/v1
    profile: vllm
    api_key_env: GPU1_KEY
models:
  - name: kimi-k2
    parser: kimi_k2
    policies: {arguments: whole}
` + "```" + `
`

func renderPage() string {
	var b strings.Builder
	b.WriteString(intro)
	group := "none yet"
	for _, s := range Reference() {
		if s.Type == "list of groups" {
			continue // its members follow
		}
		g := ""
		if at := strings.LastIndexByte(s.Path, '.'); at >= 0 {
			g = s.Path[:at]
		}
		if g != group {
			group = g
			title := g
			if title == "" {
				title = "Top level"
			}
			fmt.Fprintf(&b, "\n## %s\n\n", title)
			if strings.Contains(g, "[]") {
				b.WriteString("| setting | type | default | what it is for |\n| --- | --- | --- | --- |\n")
			} else {
				b.WriteString("| setting | environment | type | default | what it is for |\n| --- | --- | --- | --- | --- |\n")
			}
		}
		kind := s.Type
		if len(s.Values) > 0 {
			kind = "`" + strings.Join(s.Values, "`, `") + "`"
		}
		value := ""
		if s.Default != "" {
			value = "`" + s.Default + "`"
		}
		name := s.Path[strings.LastIndexByte(s.Path, '.')+1:]
		env := ""
		if s.Env != "" {
			env = "`" + s.Env + "`"
		}
		if strings.Contains(group, "[]") {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", name, kind, value, s.Doc)
		} else {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", name, env, kind, value, s.Doc)
		}
	}
	return b.String()
}
