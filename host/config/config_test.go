package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/route"
)

const one = `
upstreams: [{name: e, base_url: "http://127.0.0.1:8000/v1/", profile: vllm}]
models:
  - name: m
    parser: f
`

func TestDefaults(t *testing.T) {
	cfg, err := Load(Sources{Data: []byte(one)})
	if err != nil {
		t.Fatal(err)
	}
	m := cfg.Models[0]
	got := fmt.Sprint(cfg.Listen, cfg.Engine, cfg.ParserVersion, cfg.Timeouts.FirstByte, cfg.Timeouts.Keepalive, cfg.Limits.Body,
		m.ParserVersion, m.Upstream, m.EngineProfile, m.Policies.Arguments, m.Policies.RepairArguments, m.Policies.Guided, cfg.Upstreams[0].BaseURL)
	want := fmt.Sprint("127.0.0.1:8080", "wasm", "auto", 10*time.Minute, time.Duration(0), Size(45e6),
		"auto", "e", "vllm", framing.Eager, true, route.GuidedPolicy(0), "http://127.0.0.1:8000/v1")
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDemonstrationIsBuiltIn(t *testing.T) {
	cfg, err := Load(Sources{})
	if err != nil {
		t.Fatal(err)
	}
	if !cfg.Demo || len(cfg.Models) != 2 || cfg.Upstream(&cfg.Models[0]).Kind != "replay" {
		t.Errorf("got %+v", cfg)
	}
}

func TestLaterSourcesWin(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.String("listen", "unused", "")
	flags.String("engine", "unused", "")
	if err := flags.Parse([]string{"--engine", "native"}); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "turnkey.yaml")
	text := one + "listen: 127.0.0.1:1\nengine: wasm\ntimeouts: {idle: 1500ms}\nlimits: {body: 2MiB}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := Load(Sources{Environ: []string{"TURNKEY_CONFIG=" + file, "TURNKEY_LISTEN=127.0.0.1:2", "TURNKEY_ENGINE=wasm",
		"TURNKEY_TIMEOUTS_FIRST_BYTE=20ms", "TURNKEY_STREAM_USAGE=true", "TURNKEY_LIMITS_REQUESTS=7", "TURNKEY_LIMITS_BODI=1", "OTHER=x"}, Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintln(cfg.Listen, cfg.Engine, cfg.Timeouts.Idle, cfg.Timeouts.FirstByte, cfg.StreamUsage, cfg.Limits.Requests, cfg.Limits.Body)
	if want := "127.0.0.1:2 native 1.5s 20ms true 7 2097152\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(cfg.Warnings) != 1 || !strings.Contains(cfg.Warnings[0], "did you mean TURNKEY_LIMITS_BODY?") {
		t.Errorf("warnings: %q", cfg.Warnings)
	}
}

func TestWhatCannotWorkIsRefused(t *testing.T) {
	for _, c := range []struct {
		name, add string
		want      []string
	}{
		{"unknown key", "lissten: x", []string{"lissten", "did you mean listen?"}},
		{"unknown key far from all", "zzzzzzzzzz: x", []string{"zzzzzzzzzz", "valid here:", "upstreams"}},
		{"unknown nested key", "timeouts: {idel: 1s}", []string{"timeouts.idel", "idle"}},
		{"unknown policy", "models: [{name: m, policies: {argument: whole}}]", []string{"models[m].policies.argument:", "did you mean arguments?"}},
		{"value not permitted", "engine: native2", []string{"engine", "native2", "wasm, native"}},
		{"bad profile", "models: [{name: m, engine_profile: vlm}]", []string{"models[m].engine_profile", "vlm", "vllm"}},
		{"bare duration", "timeouts: {idle: 500}", []string{"timeouts.idle", "500ms"}},
		{"no duration", "timeouts: {idle: soon}", []string{"timeouts.idle", `"soon"`}},
		{"bad size", "limits: {body: 3 apples}", []string{"limits.body", "3 apples"}},
		{"negative size", "limits: {body: -3}", []string{"limits.body"}},
		{"not a bool", "stream_usage: 3", []string{"stream_usage", "true or false"}},
		{"not a number", "overload_status: x", []string{"overload_status", "whole number"}},
		{"status out of range", "overload_status: 200", []string{"overload_status", "500 to 599"}},
		{"group for text", "listen: {a: 1}", []string{"listen", "a group"}},
		{"text for group", "log: loud", []string{"log:", "group of settings"}},
		{"text for list", "models: m", []string{"models:", "list"}},
		{"list item of another type", "models: [m]", []string{"models[0]", "group of settings"}},
		{"bad eos id", "models: [{name: m, eos_token_ids: [a]}]", []string{"models[m].eos_token_ids[0]"}},
		{"nested option", "models: [{name: m, options: {a: [1]}}]", []string{"models[m].options.a"}},
		{"no models", "models: []", []string{"models", "at least one"}},
		{"no name", "models: [{parser: x}]", []string{"models[0].name"}},
		{"same name twice", "models: [{name: m}, {name: m}]", []string{"models[m]", "two"}},
		{"two kinds of parser", "models: [{name: m, parser: a, tool_parser: b}]", []string{"models[m].parser", "tool_parser"}},
		{"completions without a template", "upstreams: [{name: e, base_url: 'http://h/v1', api: completions}]", []string{"models[m].chat_template", "completions"}},
		{"unknown upstream", "models: [{name: m, upstream: ee}]", []string{"models[m].upstream", `"ee"`, "did you mean e?"}},
		{"no upstream", "upstreams: []", []string{"models[m].upstream"}},
		{"bad address", "upstreams: [{name: e, base_url: 'localhost:8000'}]", []string{"upstreams[e].base_url"}},
		{"two upstreams of a name", "upstreams: [{name: e, kind: replay}, {name: e, kind: replay}]", []string{"upstreams[e]"}},
		{"two keys", "upstreams: [{name: e, kind: replay, api_key: a, api_key_env: b}]", []string{"upstreams[e].api_key_env"}},
		{"key not set", "upstreams: [{name: e, kind: replay, api_key_env: NO_SUCH}]", []string{"NO_SUCH"}},
		{"key with a line feed", `admin: {key: "SECRET\n"}`, []string{"admin.key", "white space"}},
		{"key of the engine with a space", "upstreams: [{name: e, base_url: 'http://x/v1', api_key: 'SECRET b'}]", []string{"upstreams[e].api_key", "white space"}},
		{"collector without a scheme", "tracing: {endpoint: 'localhost:4318'}", []string{"tracing.endpoint", "http://"}},
		{"bad listen", "listen: '8080'", []string{"listen", "HOST:PORT"}},
		{"no previous version", "modules: {keep: 0}", []string{"modules.keep"}},
		{"no fault allowed", "modules: {faults: {count: 0}}", []string{"modules.faults.count"}},
		{"no quarantine", "modules: {faults: {backoff: 0}}", []string{"modules.faults", "backoff"}},
		{"negative limit", "modules: {limits: {third_party: {fuel_call: -1}}}", []string{"modules.limits.third_party", "-1"}},
		{"rule without a name", "modules: {rules: [{shadow: true}]}", []string{"modules.rules[0].name"}},
		{"two rules of a name", "modules: {rules: [{name: a}, {name: a}]}", []string{"modules.rules[a]", "two"}},
		{"canary of none", "modules: {rules: [{name: a, rollout: canary, percent: 0}]}", []string{"modules.rules[a].percent"}},
		{"trial without end", "modules: {rules: [{name: a, max_faults: 0}]}", []string{"modules.rules[a]", "max_faults"}},
		{"negative promotion", "modules: {rules: [{name: a, promote_after: -1}]}", []string{"modules.rules[a].promote_after"}},
		{"unknown rollout", "modules: {rules: [{name: a, rollout: slow}]}", []string{"modules.rules[a].rollout", "canary"}},
		{"process without a command", "modules: {processes: [{name: p}]}", []string{"modules.processes[0].command"}},
		{"process with half a variable", "modules: {processes: [{name: p, command: [x], env: [SECRET]}]}", []string{"modules.processes[0].env", "NAME=VALUE"}},
		{"broken YAML", "listen: [", []string{"yaml"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := map[string]string{"upstreams": `upstreams: [{name: e, base_url: "http://127.0.0.1:8000/v1"}]`, "models": "models: [{name: m}]"}
			key, _, _ := strings.Cut(c.add, ":")
			delete(base, key)
			_, err := Load(Sources{Data: []byte(base["upstreams"] + "\n" + base["models"] + "\n" + c.add + "\n")})
			wantRefused(t, err, c.want)
		})
	}
}

func wantRefused(t *testing.T, err error, want []string) {
	t.Helper()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %q", err)
	}
}

func TestMissingFile(t *testing.T) {
	_, err := Load(Sources{File: "/no/such/turnkey.yaml"})
	wantRefused(t, err, []string{"/no/such/turnkey.yaml"})
}

func TestParserVersionFromTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want string   // the version
		bad  []string // or what the refusal says
	}{
		{nil, "auto", nil},
		{[]string{"TURNKEY_PARSER_VERSION="}, "auto", nil},
		{[]string{"TURNKEY_PARSER_VERSION=1"}, "1", nil},
		{[]string{"DYN_PARSER_VERSION=2"}, "2", nil},
		{[]string{"TURNKEY_PARSER_VERSION=2", "DYN_PARSER_VERSION=2"}, "2", nil},
		{[]string{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=TRUE"}, "2", nil},
		{[]string{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=off"}, "auto", nil},
		{[]string{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=off", "TURNKEY_PARSER_VERSION=1"}, "1", nil},
		{[]string{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=1", "TURNKEY_PARSER_VERSION=2"}, "2", nil},
		{[]string{"TURNKEY_PARSER_VERSION=v2"}, "", []string{"TURNKEY_PARSER_VERSION", "auto"}},
		{[]string{"TURNKEY_PARSER_VERSION=on"}, "", []string{"TURNKEY_PARSER_VERSION"}},
		{[]string{"TURNKEY_PARSER_VERSION= 2"}, "", []string{"TURNKEY_PARSER_VERSION", `" 2"`}},
		{[]string{"TURNKEY_PARSER_VERSION=2\xff"}, "", []string{"TURNKEY_PARSER_VERSION", `\xff`}},
		{[]string{"DYN_PARSER_VERSION=v1"}, "", []string{"DYN_PARSER_VERSION"}},
		{[]string{"TURNKEY_PARSER_VERSION=1", "DYN_PARSER_VERSION=2"}, "", []string{"TURNKEY_PARSER_VERSION", "DYN_PARSER_VERSION"}},
		{[]string{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=perhaps"}, "", []string{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2", "true", "false"}},
		{[]string{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2=yes", "TURNKEY_PARSER_VERSION=1"}, "", []string{"DYN_ENABLE_EXPERIMENTAL_PARSERS_V2", "TURNKEY_PARSER_VERSION"}},
		{[]string{"TURNKEY_LISTEN=\xff"}, "", []string{"TURNKEY_LISTEN", "UTF-8"}},
	} {
		cfg, err := Load(Sources{Data: []byte(one), Environ: c.env})
		if c.bad != nil {
			wantRefused(t, err, c.bad)
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.env, err)
		} else if cfg.Models[0].ParserVersion != c.want {
			t.Errorf("%q: got %s, want %s", c.env, cfg.Models[0].ParserVersion, c.want)
		}
	}
}

func TestModelsOwnVersionWins(t *testing.T) {
	cfg, err := Load(Sources{Data: []byte(one + "    parser_version: 1\n"), Environ: []string{"TURNKEY_PARSER_VERSION=2"}})
	if err != nil || cfg.Models[0].ParserVersion != "1" {
		t.Errorf("got %v, %v", cfg, err)
	}
}

func TestSecretsAreNotShown(t *testing.T) {
	cfg, err := Load(Sources{Data: []byte(`{upstreams: [{name: e, kind: replay, api_key_env: K}], models: [{name: m}], admin: {key: hush-b}, modules: {processes: [{command: [x], env: [A=hush-c]}]}}`), Environ: []string{"K=hush-a"}})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Upstreams[0].APIKey.Reveal() != "hush-a" {
		t.Error("the key of the environment is not used")
	}
	for _, shown := range []string{fmt.Sprintf("%v", *cfg), fmt.Sprintf("%+v", *cfg), fmt.Sprintf("%#v", cfg.Upstreams)} {
		if strings.Contains(shown, "hush") {
			t.Errorf("a secret in %s", shown)
		}
	}
}

func TestReferenceIsComplete(t *testing.T) {
	for _, s := range Reference() {
		if s.Doc == "" || s.Type == "" {
			t.Errorf("%s has no documentation", s.Path)
		}
	}
	if n := len(Reference()); n < 50 {
		t.Errorf("%d settings", n)
	}
}
