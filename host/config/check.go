package config

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// checkSettings fills in what follows from other settings and refuses what can't work.
func checkSettings(cfg *Config, env map[string]string, d *decoder) {
	if _, _, err := net.SplitHostPort(cfg.Listen); err != nil {
		d.addProblem("listen", "want HOST:PORT, got %q", cfg.Listen)
	}
	if cfg.OverloadStatus < 500 || cfg.OverloadStatus > 599 {
		d.addProblem("overload_status", "want a status from 500 to 599, got %d", cfg.OverloadStatus)
	}
	if cfg.Limits.Requests < 0 {
		d.addProblem("limits.requests", "want 0 or more, got %d", cfg.Limits.Requests)
	}
	if e := cfg.Tracing.Endpoint; e != "" && !isAddress(e) {
		d.addProblem("tracing.endpoint", "want an address such as http://127.0.0.1:4318, got %q", e)
	}
	cfg.Admin.Key.checkKey("admin.key", d)
	checkModules(&cfg.Modules, d)
	upstreams := checkUpstreams(cfg, env, d)
	checkModels(cfg, upstreams, d)
}

func isAddress(s string) bool {
	a, err := url.Parse(s)
	return err == nil && (a.Scheme == "http" || a.Scheme == "https") && a.Host != ""
}

// checkKey refuses a key that no header can carry, such as one with the line feed at
// the end of the file that it was read from.
func (s Secret) checkKey(path string, d *decoder) {
	if strings.ContainsFunc(string(s), func(r rune) bool { return r <= ' ' || r > '~' }) {
		d.addProblem(path, "the key holds white space or other characters that a header can't carry")
	}
}

func checkModules(m *Modules, d *decoder) {
	if m.Keep < 1 {
		d.addProblem("modules.keep", "want 1 or more, got %d", m.Keep)
	}
	if m.Faults.Count < 1 {
		d.addProblem("modules.faults.count", "want 1 or more, got %d", m.Faults.Count)
	}
	for _, backoff := range []time.Duration{m.Faults.Window, m.Faults.Backoff, m.Faults.MaxBackoff} {
		if backoff <= 0 {
			d.addProblem("modules.faults", "window, backoff and max_backoff can't be 0")
			break
		}
	}
	checkLimits("modules.limits.shipped", &m.Limits.Shipped, d)
	checkLimits("modules.limits.third_party", &m.Limits.ThirdParty, d)
	checkRules(m.Rules, d)
	checkProcesses(m.Processes, d)
}

func checkLimits(path string, l *ModuleLimits, d *decoder) {
	for _, n := range []int{l.TableElements, l.SessionsPerInstance, l.Instances, l.FuelStart, l.FuelCall, l.FuelByte, l.FuelHeld, l.FuelMost, l.FuelConstraint, l.Events} {
		if n < 0 {
			d.addProblem(path, "a limit can't be negative: %d", n)
		}
	}
}

func checkRules(rules []ModuleRule, d *decoder) {
	seen := map[string]bool{}
	for i, r := range rules {
		path := "modules.rules[" + r.Name + "]"
		switch {
		case r.Name == "":
			d.addProblem(fmt.Sprintf("modules.rules[%d].name", i), "is needed")
		case seen[r.Name]:
			d.addProblem(path, "there are two of this name")
		case r.Rollout == "canary" && (r.Percent < 1 || r.Percent > 100):
			d.addProblem(path+".percent", "want 1 to 100, got %d", r.Percent)
		case r.MaxFaults < 1 || r.MaxDifferences < 1:
			d.addProblem(path, "max_faults and max_differences are 1 or more")
		case r.PromoteAfter < 0:
			d.addProblem(path+".promote_after", "want 0 or more, got %d", r.PromoteAfter)
		}
		seen[r.Name] = true
	}
}

func checkProcesses(processes []Process, d *decoder) {
	for i, p := range processes {
		if len(p.Command) == 0 {
			d.addProblem(fmt.Sprintf("modules.processes[%d].command", i), "is needed")
		}
		for _, e := range p.Env {
			if !strings.Contains(e.Reveal(), "=") {
				d.addProblem(fmt.Sprintf("modules.processes[%d].env", i), "want NAME=VALUE each")
			}
		}
	}
}

func checkUpstreams(cfg *Config, env map[string]string, d *decoder) map[string]*Upstream {
	byName := map[string]*Upstream{}
	for i := range cfg.Upstreams {
		u := &cfg.Upstreams[i]
		path := fmt.Sprintf("upstreams[%d]", i)
		if u.Name == "" {
			d.addProblem(path+".name", "is needed")
			continue
		}
		path = "upstreams[" + u.Name + "]"
		if byName[u.Name] != nil {
			d.addProblem(path, "there are two of this name")
		}
		byName[u.Name] = u
		switch {
		case u.APIKey != "" && u.APIKeyEnv != "":
			d.addProblem(path+".api_key_env", "give api_key or api_key_env, not both")
		case u.APIKeyEnv != "":
			u.APIKey = Secret(env[u.APIKeyEnv])
			if u.APIKey == "" {
				d.addProblem(path+".api_key_env", "the environment variable %s is not set", u.APIKeyEnv)
			}
		}
		if u.Kind != "openai" {
			continue
		}
		u.APIKey.checkKey(path+".api_key", d)
		if !isAddress(u.BaseURL) {
			d.addProblem(path+".base_url", "want an address such as http://127.0.0.1:8000/v1, got %q", u.BaseURL)
		}
		u.BaseURL = strings.TrimRight(u.BaseURL, "/")
	}
	return byName
}

func checkModels(cfg *Config, upstreams map[string]*Upstream, d *decoder) {
	if len(cfg.Models) == 0 {
		d.addProblem("models", "at least one model is needed")
	}
	seen := map[string]bool{}
	for i := range cfg.Models {
		m := &cfg.Models[i]
		if m.Name == "" {
			d.addProblem(fmt.Sprintf("models[%d].name", i), "is needed")
			continue
		}
		path := "models[" + m.Name + "]"
		if seen[m.Name] {
			d.addProblem(path, "there are two of this name")
		}
		seen[m.Name] = true
		if m.Parser != "" && (m.ToolParser != "" || m.ReasoningParser != "") {
			d.addProblem(path+".parser", "give parser, or tool_parser and reasoning_parser, not both")
		}
		if m.ParserVersion == "" {
			m.ParserVersion = cfg.ParserVersion
		}
		if m.ReasoningField == "" {
			m.ReasoningField = cfg.ReasoningField
		}
		checkUpstreamOf(m, path, cfg, upstreams, d)
	}
}

func checkUpstreamOf(m *Model, path string, cfg *Config, upstreams map[string]*Upstream, d *decoder) {
	if m.Upstream == "" && len(cfg.Upstreams) == 1 {
		m.Upstream = cfg.Upstreams[0].Name
	}
	u := upstreams[m.Upstream]
	switch {
	case u != nil:
		if m.EngineProfile == "" {
			m.EngineProfile = u.Profile
		}
		if u.API == "completions" && m.ChatTemplate == "" {
			d.addProblem(path+".chat_template", "is needed: the upstream %s is asked by its completions API, with the rendered prompt", u.Name)
		}
	case m.Upstream == "":
		d.addProblem(path+".upstream", "is needed: there are %d upstreams", len(cfg.Upstreams))
	default:
		d.addProblem(path+".upstream", "there is no upstream %q; %s", m.Upstream, suggestKey(m.Upstream, sortedKeys(upstreams)))
	}
}

// Upstream gives the upstream of a model of this configuration.
func (c *Config) Upstream(m *Model) *Upstream {
	for i := range c.Upstreams {
		if c.Upstreams[i].Name == m.Upstream {
			return &c.Upstreams[i]
		}
	}
	return nil
}
