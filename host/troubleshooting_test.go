package host_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/config"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// The page names settings that there are, with values that they may have, and
// all kinds of anomalies.
func TestTroubleshootingPage(t *testing.T) {
	page, err := os.ReadFile("TROUBLESHOOTING.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	codesAreTold(t, text)
	named := 0
	for _, m := range regexp.MustCompile("`((?:policies|timeouts|limits|modules|admin|log|models|upstreams)(?:\\.[a-z_]+)+)(?:: ([a-z0-9_|. ]+))?`").FindAllStringSubmatch(text, -1) {
		s := setting(m[1])
		if s == nil {
			if m[1] != "limits.instances" && m[1] != "limits.fuel_most" && m[1] != "limits.fuel_constraint" { // codes
				t.Errorf("there is no setting %s", m[1])
			}
			continue
		}
		named++
		for _, v := range strings.Split(m[2], "|") {
			v = strings.TrimSpace(v)
			if v != "" && v != "true" && v != "false" && !slices.Contains(s.Values, v) {
				t.Errorf("%s can't be %q: %q", m[1], v, s.Values)
			}
		}
	}
	if named < 15 {
		t.Errorf("only %d settings are found on the page", named)
	}
	for _, m := range regexp.MustCompile("`(parser_version|nvext|stream_usage|overload_status|prompt_opens|chat_template|reasoning_parser|tool_parser|profile)(?:: ([a-z0-9]+))?`").FindAllStringSubmatch(text, -1) {
		if s := setting(m[1]); s == nil || len(s.Values) > 0 && m[2] != "" && !slices.Contains(s.Values, m[2]) {
			t.Errorf("%s", m[0])
		}
	}
	_, table, _ := strings.Cut(text, "## Anomalies")
	var kinds []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(table, -1) {
		kinds = append(kinds, m[1])
	}
	slices.Sort(kinds)
	if want := slices.Sorted(slices.Values(stream.Anomalies)); !slices.Equal(kinds, want) {
		t.Errorf("kinds of anomalies: the page has %q, there are %q", kinds, want)
	}
	for _, m := range regexp.MustCompile(`kind="([a-z_]+)"`).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(stream.Anomalies, m[1]) {
			t.Errorf("there is no anomaly %s", m[1])
		}
	}
}

// codesAreTold checks that the page tells every code of an engine's failure.
func codesAreTold(t *testing.T, page string) {
	for _, code := range []string{
		backend.CodeUnreachable, backend.CodeTimeout, backend.CodeStatus, backend.CodeProtocol, backend.CodeBroken,
		backend.CodeIncomplete, backend.CodeReported, backend.CodeAborted, backend.CodeOverloaded, backend.CodeAuth,
	} {
		if !strings.Contains(page, "`"+code+"`") {
			t.Errorf("the page does not tell the code %s", code)
		}
	}
}

// setting finds a setting, or a group of them, by its path or by the end of it.
func setting(name string) *config.Setting {
	for _, s := range config.Reference() {
		if s.Path == name || strings.HasSuffix(s.Path, "."+name) || strings.HasPrefix(s.Path, name+".") {
			return &s
		}
	}
	return nil
}
