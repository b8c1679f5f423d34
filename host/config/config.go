// Package config reads turnkey's configuration: a YAML file, then the
// environment (TURNKEY_…), then flags, each over the one before. It is strict:
// a key that does not exist, a value of the wrong type and a setting that can't
// work are errors that name the key.
//
// Every field of the types below carries its key (koanf), its default and what it
// is for (doc) in its tags; Reference lists them. The words that a setting takes
// are those of its type (words.go), or stand in a oneof tag where they are no more
// than text.
package config

import (
	"time"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/framing"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/parse"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// Config is the whole configuration, checked, with all defaults filled in.
type Config struct {
	Listen         string     `koanf:"listen" default:"127.0.0.1:8080" doc:"Address to serve on, HOST:PORT. Port 0 picks a free one."`
	Engine         string     `koanf:"engine" default:"wasm" oneof:"wasm native" doc:"How parsers run: as WebAssembly modules, or linked into the program."`
	ParserVersion  string     `koanf:"parser_version" default:"auto" oneof:"auto 1 2" doc:"Which parsing route models take that don't say: auto (the family's default), 1 (the jail) or 2 (unified or split)."`
	ReasoningField string     `koanf:"reasoning_field" default:"reasoning_content" oneof:"reasoning_content reasoning both" doc:"The member that carries reasoning to clients."`
	StreamUsage    bool       `koanf:"stream_usage" default:"false" doc:"Ends every stream with a usage chunk, whether the client asked for it or not."`
	NVExt          bool       `koanf:"nvext" default:"true" doc:"Whether nvext of requests is heeded; false: requests are served as if they had none."`
	OverloadStatus int        `koanf:"overload_status" default:"529" doc:"The HTTP status of overload: an engine's passes, and ours is given when limits.requests is reached."`
	Log            Log        `koanf:"log"`
	Tracing        Tracing    `koanf:"tracing"`
	Admin          Admin      `koanf:"admin"`
	Modules        Modules    `koanf:"modules"`
	Timeouts       Timeouts   `koanf:"timeouts"`
	Limits         Limits     `koanf:"limits"`
	Upstreams      []Upstream `koanf:"upstreams" doc:"The engines behind."`
	Models         []Model    `koanf:"models" doc:"The models served."`

	// Demo says that no configuration was given: this is the built-in one.
	Demo bool `koanf:"-"`
	// Warnings are settings that were understood to be mistakes of no
	// consequence, for the log.
	Warnings []string `koanf:"-"`
}

// Log says what is logged.
type Log struct {
	Level  string `koanf:"level" default:"info" oneof:"debug info warn error" doc:"The lowest level that is logged."`
	Format string `koanf:"format" default:"text" oneof:"text json" doc:"The form of log lines."`
	// EngineErrors is off by default: prompts stay out of logs.
	EngineErrors bool `koanf:"engine_errors" default:"false" doc:"Logs what an engine says of its failures as well. Engines like to quote prompts in such texts; their own logs have them in any case, with the completion's id as X-Request-Id."`
}

// Tracing says where spans of requests go.
type Tracing struct {
	Endpoint string `koanf:"endpoint" doc:"An OpenTelemetry collector's address for OTLP over HTTP, such as http://127.0.0.1:4318; empty: that of OTEL_EXPORTER_OTLP_ENDPOINT, and none if that is not set either. The other OTEL_ variables of the exporter, the sampler and the resource count as well. Spans hold no prompts and no answers."`
}

// Admin guards the operator's endpoints.
type Admin struct {
	Key Secret `koanf:"key" doc:"Bearer key of the admin endpoints; without one they are switched off."`
}

// Modules says where parser modules come from beside those that are built in.
type Modules struct {
	Dir       string        `koanf:"dir" doc:"Folder with .wasm modules of your own. It is watched: a file that changes is tested and takes over while streams run."`
	Cache     string        `koanf:"cache" doc:"Folder for compiled modules; empty: the user's cache folder."`
	Poll      time.Duration `koanf:"poll" default:"30s" doc:"Time between two looks at the folder, for network volumes that announce no changes; 0: none."`
	Debounce  time.Duration `koanf:"debounce" default:"300ms" doc:"How long the folder must be still after a change before it is read."`
	Keep      int           `koanf:"keep" default:"3" doc:"Replaced versions of a module that are kept for a rollback."`
	Keys      []string      `koanf:"keys" doc:"Public ed25519 keys, base64 or PEM. With any, a module of your own is loaded only if one of them has signed it: NAME.wasm.sig beside NAME.wasm."`
	Lock      string        `koanf:"lock" doc:"File of permitted modules, as sha256sum writes it, such as turnkey.lock; empty: all are."`
	Faults    Faults        `koanf:"faults"`
	Limits    Classes       `koanf:"limits"`
	Rules     []ModuleRule  `koanf:"rules" doc:"What modules of your own may do."`
	Processes []Process     `koanf:"processes" doc:"Parsers that run as processes of their own."`
}

// Faults say when a version of a module is taken out of service.
type Faults struct {
	Count      int           `koanf:"count" default:"5" doc:"So many faults within the window put a version in quarantine: the version before it takes new requests."`
	Window     time.Duration `koanf:"window" default:"1m" doc:"The time in which they are counted."`
	Backoff    time.Duration `koanf:"backoff" default:"1m" doc:"How long a quarantine is; each one of the same version is twice as long as the one before."`
	MaxBackoff time.Duration `koanf:"max_backoff" default:"1h" doc:"The longest quarantine."`
}

// Classes are the limits of modules by how far they are trusted.
type Classes struct {
	Shipped    ModuleLimits `koanf:"shipped"`
	ThirdParty ModuleLimits `koanf:"third_party"`
}

// ModuleLimits are what a module may use up; 0 is the class's own limit, from
// package wasm.
type ModuleLimits struct {
	Module              Size          `koanf:"module" doc:"A module's size."`
	CompileTime         time.Duration `koanf:"compile_time" doc:"Processor time to compile it."`
	Memory              Size          `koanf:"memory" doc:"Memory of an instance."`
	TableElements       int           `koanf:"table_elements" doc:"Elements of each of an instance's tables."`
	SessionsPerInstance int           `koanf:"sessions_per_instance" doc:"Sessions that share an instance."`
	Instances           int           `koanf:"instances" doc:"Instances of a module."`
	FuelStart           int           `koanf:"fuel_start" doc:"Units to start an instance; a million are at most about a millisecond, for which the garbage collector may have to wait."`
	FuelCall            int           `koanf:"fuel_call" doc:"Units of each call."`
	FuelByte            int           `koanf:"fuel_byte" doc:"Units more for each byte that a call hands in."`
	FuelHeld            int           `koanf:"fuel_held" doc:"Units more for each byte that the session holds back."`
	FuelMost            int           `koanf:"fuel_most" doc:"Units of a call, whatever its bytes add."`
	FuelConstraint      int           `koanf:"fuel_constraint" doc:"Units to build a constraint."`
	Events              int           `koanf:"events" doc:"Events of an answer."`
	Literals            Size          `koanf:"literals" doc:"Synthesised bytes of an answer."`
	Held                Size          `koanf:"held" doc:"Bytes that a session holds back."`
	Replay              Size          `koanf:"replay" doc:"Raw text kept of a session, to rebuild it after a neighbour's fault."`
}

// ModuleRule is what a module of your own may do.
type ModuleRule struct {
	Name           string `koanf:"name" doc:"The module's name, as its manifest says it."`
	Shadow         bool   `koanf:"shadow" default:"false" doc:"It may take the place of a built-in module, or of a built-in parser's name."`
	Trust          string `koanf:"trust" default:"third_party" oneof:"third_party shipped" doc:"Whose limits it has."`
	Rollout        string `koanf:"rollout" default:"live" oneof:"live shadow canary" doc:"How a new version takes over: at once; or on trial, beside the live version (shadow: compared, never sent) or with a share of new requests (canary), until it is promoted."`
	Percent        int    `koanf:"percent" default:"10" doc:"A canary's share of new requests."`
	MaxFaults      int    `koanf:"max_faults" default:"3" doc:"So many faults end a trial."`
	MaxDifferences int    `koanf:"max_differences" default:"10" doc:"So many answers that differ from the live version's end a trial."`
	PromoteAfter   int    `koanf:"promote_after" default:"0" doc:"So many answers on trial promote the version; 0: an administrator does."`
}

// Process is a parser that runs as a process of its own.
type Process struct {
	Name         string        `koanf:"name" doc:"What messages call it."`
	Command      []string      `koanf:"command" doc:"The executable and its arguments."`
	SHA256       string        `koanf:"sha256" doc:"The executable's digest; it is not started if its file has another."`
	Env          []Secret      `koanf:"env" doc:"Its whole environment, NAME=VALUE each."`
	StartTimeout time.Duration `koanf:"start_timeout" default:"10s" doc:"Longest time to start."`
	CallTimeout  time.Duration `koanf:"call_timeout" default:"2s" doc:"Longest time for one answer; then the process is killed."`
}

// Timeouts bound a request in time; 0 switches one off.
type Timeouts struct {
	Connect   time.Duration `koanf:"connect" default:"10s" doc:"Until the connection to the engine stands."`
	FirstByte time.Duration `koanf:"first_byte" default:"10m" doc:"From sending the request to the engine's first event: waiting in its queue and reading the prompt."`
	Idle      time.Duration `koanf:"idle" default:"5m" doc:"Longest silence of the engine within an answer."`
	Total     time.Duration `koanf:"total" default:"1h" doc:"The whole request."`
	Keepalive time.Duration `koanf:"keepalive" default:"0" doc:"A comment line is sent to a streaming client after a silence of this length; 0: none."`
	Body      time.Duration `koanf:"body" default:"2m" doc:"Until the client has sent its whole request."`
	Early     time.Duration `koanf:"early" default:"0" doc:"How long a stream's response headers wait for its first chunk, so that an early failure becomes a status; 0: not at all."`
	Drain     time.Duration `koanf:"drain" default:"30s" doc:"How long running requests may go on when the server is told to stop."`
	Write     time.Duration `koanf:"write" default:"1m" doc:"Longest wait for a client that does not read what it is sent."`
}

// Limits bound a request in size; 0 switches one off.
type Limits struct {
	Body          Size `koanf:"body" default:"45MB" doc:"A request's body."`
	TextPerChoice Size `koanf:"text_per_choice" default:"64MiB" doc:"The raw text of one choice."`
	Held          Size `koanf:"held" default:"8MiB" doc:"Text of one choice that is held back at a time."`
	Requests      int  `koanf:"requests" default:"4096" doc:"Requests running at a time; more are refused with overload_status."`
}

// Upstream is an engine.
type Upstream struct {
	Name        string        `koanf:"name" doc:"What models call it."`
	Kind        string        `koanf:"kind" default:"openai" oneof:"openai replay" doc:"openai: an engine that speaks the OpenAI chat API; replay: recorded answers."`
	API         string        `koanf:"api" default:"chat" oneof:"chat completions" doc:"Which API of the engine is asked: chat completions, or completions with the prompt that the model's chat_template renders."`
	BaseURL     string        `koanf:"base_url" doc:"The API's address, up to and with /v1."`
	APIKey      Secret        `koanf:"api_key" doc:"The key sent to the engine."`
	APIKeyEnv   string        `koanf:"api_key_env" doc:"The environment variable that holds the key."`
	Profile     Profile       `koanf:"profile" default:"openai" doc:"What kind of engine it is, which decides what it is sent."`
	Transcripts string        `koanf:"transcripts" doc:"Folder of recorded answers for replay; empty: those that are built in."`
	TokenDelay  time.Duration `koanf:"token_delay" default:"0" doc:"Time between two tokens of a replay, where a recording does not say."`
}

// Model is a model that clients can ask for.
type Model struct {
	Name            string            `koanf:"name" doc:"The name that clients ask for."`
	Upstream        string            `koanf:"upstream" doc:"The upstream's name; may be left out if there is one upstream."`
	UpstreamModel   string            `koanf:"upstream_model" doc:"The engine's name for the model, where it is another."`
	EngineProfile   Profile           `koanf:"engine_profile" doc:"The upstream's profile, for this model; empty: the upstream's."`
	Parser          string            `koanf:"parser" doc:"Parser family for reasoning and tool calls; auto: the one that suggests itself for upstream_model, else the one whose markers stand in chat_template, else the one for a model of this name."`
	ToolParser      string            `koanf:"tool_parser" doc:"Parser family for tool calls, where reasoning has another or none."`
	ReasoningParser string            `koanf:"reasoning_parser" doc:"Parser family for reasoning, where tool calls have another or none."`
	ParserVersion   string            `koanf:"parser_version" oneof:"auto 1 2" doc:"The parsing route; empty: the general parser_version."`
	ReasoningField  string            `koanf:"reasoning_field" oneof:"reasoning_content reasoning both" doc:"The member that carries reasoning to clients; empty: the general reasoning_field."`
	ChatTemplate    string            `koanf:"chat_template" doc:"The model's chat template, or the name of a file that holds it: with it the exact end of the prompt is known."`
	Thinking        openai.Thinking   `koanf:"thinking" doc:"Whether the model thinks where a request doesn't say; empty: the family's default."`
	PromptOpens     abi.Channel       `koanf:"prompt_opens" doc:"Which channel the prompt leaves open where the model is to think, if there is no chat_template to tell; empty: by the family."`
	EOSTokenIDs     []int64           `koanf:"eos_token_ids" doc:"The model's end-of-sequence token ids."`
	Options         map[string]string `koanf:"options" doc:"Options for the parser, as the family's documentation names them."`
	Policies        Policies          `koanf:"policies"`
}

// Policies are a model's choices where no answer is right for everyone.
type Policies struct {
	Arguments       framing.Arguments        `koanf:"arguments" default:"eager" doc:"When arguments of a call are sent: as they come, or when the call is complete."`
	OnParserFault   parse.FaultPolicy        `koanf:"on_parser_fault" default:"text" doc:"After a parser fault the rest goes out as text, or the request fails."`
	Guided          route.GuidedPolicy       `koanf:"guided" doc:"How a forced tool choice constrains the engine; empty: a structural tag where the family has one, else JSON."`
	TurnGrammar     bool                     `koanf:"turn_grammar" default:"false" doc:"The engine runs every request of this model under a grammar of the whole turn."`
	UnknownTools    framing.UnknownTools     `koanf:"unknown_tools" default:"pass" doc:"What becomes of a call of a tool that the request doesn't offer."`
	InvalidArgs     framing.InvalidArguments `koanf:"invalid_arguments" default:"raw" doc:"What becomes of a closed call whose arguments can't be read, not even leniently: the model's own bytes as arguments, {}, no call, or the whole call's raw text as content. But with raw, calls go out once they are complete."`
	BlankText       stream.BlankText         `koanf:"blank_text" default:"drop" doc:"What becomes of text before, between or behind calls and thoughts that is only white space, and of the white space that the answer behind a thought begins with."`
	ToolsOnNone     bool                     `koanf:"tools_under_none" default:"false" doc:"The tools stay in the prompt when tool_choice is none."`
	ShortCallIDs    bool                     `koanf:"short_call_ids" default:"false" doc:"Ids made for calls have nine characters, which some chat templates insist on."`
	RepairArguments bool                     `koanf:"repair_arguments" default:"true" doc:"Arguments with small faults are read leniently: a comma too many, Python's words and single quotation marks, raw control characters in strings. What goes out is JSON."`
	CutFinish       string                   `koanf:"cut_finish_reason" default:"stop" oneof:"stop length" doc:"The finish reason of an answer that the model ended in the middle of its only call."`
	NamedFinish     string                   `koanf:"named_finish_reason" default:"tool_calls" oneof:"tool_calls stop" doc:"The finish reason of a named tool choice's call."`
}

// Families are the parser families that the model uses: for tool calls and for
// reasoning; "" where it has none.
func (m *Model) Families() (tools, reasoning string) {
	if m.Parser != "" {
		return m.Parser, m.Parser
	}
	return m.ToolParser, m.ReasoningParser
}

// Secret is text that is never shown.
type Secret string

func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "[secret]"
}

// GoString keeps the secret out of %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalText keeps the secret out of encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Reveal gives the secret itself.
func (s Secret) Reveal() string { return string(s) }

// Size is a number of bytes: written as a plain number or with a unit, kB, MB,
// GB (powers of 1000) or KiB, MiB, GiB (powers of 1024).
type Size int64
