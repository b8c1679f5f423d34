package server

import (
	"context"
	"fmt"
	"slices"

	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/host/config"
	"github.com/turnkey-parsers/turnkey/host/prompt"
	"github.com/turnkey-parsers/turnkey/host/registry"
	"github.com/turnkey-parsers/turnkey/host/route"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// parserNames are the parsers that a model is configured with, "" for none.
type parserNames struct {
	tool, reasoning string
	auto            *autoNames // what the parser is found by, where it is not configured
}

// autoNames are what View.Auto finds a model's parser by.
type autoNames struct{ engineName, template, name string }

func (a *autoNames) find(v *registry.View) (string, error) {
	return v.Auto(a.engineName, a.template, a.name)
}

// autoParser in a model's configuration stands for the parser that suggests
// itself for a model of its name.
const autoParser = "auto"

func configuredParsers(c *config.Model, v *registry.View) (n parserNames, err error) {
	n.tool, n.reasoning = c.Families()
	if c.Parser != autoParser {
		return n, v.CheckWhole(c.Parser)
	}
	n.auto = &autoNames{engineName: c.UpstreamModel, name: c.Name}
	if c.ChatTemplate != "" {
		if n.auto.template, err = prompt.Text(c.ChatTemplate); err != nil {
			return n, err
		}
	}
	n.tool, err = n.auto.find(v)
	n.reasoning = n.tool
	return n, err
}

// resolveParsers gives the parsers as they are in a view, and their modules, each once.
func (n *parserNames) resolveParsers(ctx context.Context, v *registry.View) (p route.Parsers, infos []*registry.Info, err error) {
	if n.auto != nil {
		suggested, err := n.auto.find(v)
		if err == nil && suggested != n.tool {
			err = fmt.Errorf("parser %s suggests itself for it in place of %s", suggested, n.tool)
		}
		if err != nil {
			return p, nil, fmt.Errorf("parser: auto: %w", err)
		}
	}
	var families [2]*parser.Family
	for i, name := range []string{n.tool, n.reasoning} {
		if name == "" {
			continue
		}
		if families[i], err = v.Family(ctx, name); err != nil {
			return p, nil, err
		}
		info, err := v.Info(name)
		if err != nil {
			return p, nil, err
		}
		if !slices.Contains(infos, info) {
			infos = append(infos, info)
		}
	}
	return route.NewParsers(families[0], families[1]), infos, nil
}

// checkParsers says whether the model can be served with what is in the view.
func (m *served) checkParsers(ctx context.Context, v *registry.View) error {
	parsers, _, err := m.parsers.resolveParsers(ctx, v)
	if err != nil {
		return err
	}
	route := m.stream.Route
	route.Parsers = parsers
	if err := route.Check(); err != nil {
		return err
	}
	return route.CheckOptions()
}

// checkModels says whether all models can be served with what is in the view.
func (s *Server) checkModels(ctx context.Context, v *registry.View) error {
	for _, name := range s.order {
		if err := s.models[name].checkParsers(ctx, v); err != nil {
			return fmt.Errorf("model %s: %w", name, err)
		}
	}
	return nil
}

// leaseModel gives the model for one request, with the parsers that are live now. They
// stay until the lease is released.
func (s *Server) leaseModel(ctx context.Context, m *served) (*stream.Model, *registry.Lease, error) {
	l, err := s.registry.Lease(ctx, m.parsers.tool, m.parsers.reasoning)
	if err != nil {
		return nil, nil, fmt.Errorf("model %s: %w", m.stream.Name, err)
	}
	model := m.stream
	model.Route.Parsers = route.NewParsers(l.Families[0], l.Families[1])
	return &model, l, nil
}
