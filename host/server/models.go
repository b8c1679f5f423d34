package server

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/sync/errgroup"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/config"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/prompt"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// served is a model that clients can ask for.
type served struct {
	stream  stream.Model // without parsers: they are those that are live when a request begins
	parsers parserNames
	engine  string // HOST:PORT, for the log; "" for recorded answers
	// reasoningNames are the members in which clients get reasoning.
	reasoningNames []string
	release        func() // lets go of idle connections to the engine
}

// buildModels makes the models. The modules that they need are compiled side by side.
func (s *Server) buildModels(ctx context.Context, r *registry.Registry) error {
	var group errgroup.Group
	models := make([]*served, len(s.cfg.Models))
	for i := range s.cfg.Models {
		group.Go(func() (err error) {
			models[i], err = s.buildModel(ctx, r, &s.cfg.Models[i])
			if err != nil {
				err = fmt.Errorf("model %s: %w", s.cfg.Models[i].Name, err)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, m := range models {
		s.models[m.stream.Name] = m
		s.order = append(s.order, m.stream.Name)
	}
	s.unrequire = r.Require(s.checkModels)
	return s.checkModels(ctx, r.View())
}

// buildModel makes a model, and compiles the modules that it needs.
func (s *Server) buildModel(ctx context.Context, r *registry.Registry, c *config.Model) (*served, error) {
	m := &served{reasoningNames: reasoningNames(c.ReasoningField)}
	var err error
	if m.parsers, err = configuredParsers(c, r.View()); err != nil {
		return nil, err
	}
	engine, profile, release, err := s.engineFor(c)
	if err != nil {
		return nil, err
	}
	m.release = release
	if address, err := url.Parse(s.cfg.Upstream(c).BaseURL); err == nil {
		m.engine = address.Host
	}
	m.stream = s.streamModel(c)
	m.stream.Backend = engine
	if m.stream.Route, err = s.routeModel(c, profile); err != nil {
		return nil, err
	}
	if err := m.checkParsers(ctx, r.View()); err != nil { // here, so that models compile side by side
		return nil, err
	}
	return m, s.warnOfUnknownStart(ctx, m, r.View())
}

// reasoningNames are the members of the setting reasoning_field.
func reasoningNames(field string) []string {
	if field == "both" {
		return []string{openai.FieldReasoningContent, openai.FieldReasoning}
	}
	return []string{field}
}

// modelNames are the names of a model, the surest first.
func modelNames(c *config.Model) []string {
	if c.UpstreamModel == "" {
		return []string{c.Name}
	}
	return []string{c.UpstreamModel, c.Name}
}

// warnOfUnknownStart warns of a model whose thoughts may be taken for content, or the
// other way round. Recorded answers have no prompt.
func (s *Server) warnOfUnknownStart(ctx context.Context, m *served, v *registry.View) error {
	parsers, _, err := m.parsers.resolveParsers(ctx, v)
	if err != nil {
		return err
	}
	route := m.stream.Route
	if route.Parsers = parsers; m.engine != "" && route.StartUnknown() {
		s.log.Warn("it is not known whether the prompt opens the thought: give the model its chat_template, or say prompt_opens: reasoning or none", "model", m.stream.Name)
	}
	return nil
}

// streamModel is what a model's configuration says of its streams, without the engine
// and the route.
func (s *Server) streamModel(c *config.Model) stream.Model {
	parser, reasoning := c.Families()
	m := stream.Model{
		Name: c.Name, EngineModel: c.UpstreamModel, EOSTokenIDs: c.EOSTokenIDs,
		Arguments:   c.Policies.Arguments,
		Invalid:     c.Policies.InvalidArgs,
		Unknown:     c.Policies.UnknownTools,
		BlankText:   c.Policies.BlankText,
		OnFault:     c.Policies.OnParserFault,
		NoRepair:    !c.Policies.RepairArguments,
		NamedStop:   c.Policies.NamedFinish == "stop",
		CutIsLength: c.Policies.CutFinish == "length",
		ShortIDs:    c.Policies.ShortCallIDs,
		AlwaysUsage: s.cfg.StreamUsage,
		Limits:      stream.Limits{Text: int(s.cfg.Limits.TextPerChoice), Held: int(s.cfg.Limits.Held)},
		Timeouts:    stream.Timeouts{Idle: s.cfg.Timeouts.Idle, Total: s.cfg.Timeouts.Total},
		Hooks:       s.metrics.streamHooks(c.Name, cmp.Or(parser, reasoning)),
	}
	m.Hooks.Log = s.log.With("model", c.Name)
	return m
}

// routeModel is what a model's configuration says of the way of its requests.
func (s *Server) routeModel(c *config.Model, profile *backend.Profile) (route.Model, error) {
	version, err := route.ParseVersion(route.SettingVersion, c.ParserVersion)
	if err != nil {
		return route.Model{}, err
	}
	m := route.Model{
		Version: version, CanGuide: profile.CanGuide,
		Guided:         c.Policies.Guided,
		TurnGrammar:    c.Policies.TurnGrammar,
		Thinking:       c.Thinking,
		Opens:          c.PromptOpens,
		Names:          modelNames(c),
		ToolsUnderNone: c.Policies.ToolsOnNone,
	}
	for key, value := range c.Options {
		m.Options = append(m.Options, abi.Option{Key: key, Value: value})
	}
	slices.SortFunc(m.Options, func(a, b abi.Option) int { return strings.Compare(a.Key, b.Key) })
	if c.ChatTemplate != "" {
		m.Render, err = s.promptRenderer(c)
	}
	return m, err
}

// promptRenderer makes the function that renders the prompt to know its end. A
// template that fails, whatever it is given, leaves the end unknown; that is said once.
func (s *Server) promptRenderer(c *config.Model) (func(context.Context, *openai.ChatRequest, route.PromptRequest) (prompt.Prompt, bool), error) {
	t, err := prompt.Load(c.ChatTemplate)
	if err != nil {
		return nil, err
	}
	var warn sync.Once
	return func(ctx context.Context, r *openai.ChatRequest, asked route.PromptRequest) (prompt.Prompt, bool) {
		in := prompt.Input{Args: asked.Args, Continue: asked.Continue}
		for i := range r.Messages {
			in.Messages = append(in.Messages, r.Messages[i].WithThoughts(openai.FieldReasoningContent, openai.FieldReasoning))
		}
		if r.ToolChoice.Mode != openai.ToolChoiceNone || c.Policies.ToolsOnNone {
			for i := range r.Tools {
				in.Tools = append(in.Tools, r.Tools[i].Raw)
			}
		}
		p, err := t.RenderTurn(ctx, in)
		if err != nil && ctx.Err() == nil {
			warn.Do(func() {
				s.log.Warn("the chat template can't be rendered: the family's default says where reasoning begins", "model", c.Name)
			})
		}
		return p, err == nil
	}, nil
}

type modelObject struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"`
	Created int64         `json:"created"`
	OwnedBy string        `json:"owned_by"`
	Turnkey modelMetadata `json:"turnkey"`
}

type modelMetadata struct {
	ToolParser      string       `json:"tool_parser,omitempty"`
	ReasoningParser string       `json:"reasoning_parser,omitempty"`
	ParserVersion   string       `json:"parser_version"`
	Modules         []moduleInfo `json:"modules"`
}

type moduleInfo struct {
	Module  string `json:"module"`
	Version string `json:"version"`
	Engine  string `json:"engine"`
	Origin  string `json:"origin"`
	SHA256  string `json:"sha256,omitempty"`
}

func (m *served) modelObject(created time.Time, v *registry.View) modelObject {
	name := m.stream.Name
	o := modelObject{ID: name, Object: "model", Created: created.Unix(), OwnedBy: "turnkey",
		Turnkey: modelMetadata{ParserVersion: m.stream.Route.Version.String(), Modules: []moduleInfo{}}}
	parsers, infos, err := m.parsers.resolveParsers(context.Background(), v)
	if err != nil { // only while the registry is closed: a change that breaks a model is refused
		return o
	}
	o.Turnkey.ToolParser, o.Turnkey.ReasoningParser = parsers.Tool, parsers.Reasoning
	for _, i := range infos {
		o.Turnkey.Modules = append(o.Turnkey.Modules, moduleInfo{i.Manifest.Module, i.Manifest.Version, i.Engine, i.Origin, i.SHA256})
	}
	return o
}

func (s *Server) listModels(c echo.Context) error {
	data := make([]modelObject, len(s.order))
	for i, name := range s.order {
		data[i] = s.models[name].modelObject(s.started, s.registry.View())
	}
	return c.JSON(http.StatusOK, map[string]any{"object": "list", "data": data})
}

func (s *Server) oneModel(c echo.Context) error {
	name := c.Param("*")
	if plain, err := url.PathUnescape(name); err == nil { // a name may hold what a path escapes
		name = plain
	}
	if s.models[name] == nil {
		return unknownModel(name)
	}
	return c.JSON(http.StatusOK, s.models[name].modelObject(s.started, s.registry.View()))
}
