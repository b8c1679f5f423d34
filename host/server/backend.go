package server

import (
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/backend/httpengine"
	"github.com/turnkey-parsers/turnkey/host/backend/replay"
	"github.com/turnkey-parsers/turnkey/host/config"
)

// engineFor makes the engine of a model, and a function that lets go of what it
// holds.
func (s *Server) engineFor(c *config.Model) (b backend.Backend, p *backend.Profile, release func(), err error) {
	u := s.cfg.Upstream(c)
	if u.Kind == "replay" {
		b, err := replay.New(replay.Config{Dir: u.Transcripts, Delay: u.TokenDelay})
		if err != nil {
			return nil, nil, nil, err
		}
		return b, b.Profile(), func() {}, nil
	}
	if p, err = backend.ProfileByName(string(c.EngineProfile)); err != nil {
		return nil, nil, nil, err
	}
	// Silence within an answer and its whole time are the stream's to watch.
	engine, err := httpengine.New(httpengine.Config{
		BaseURL: u.BaseURL, APIKey: u.APIKey.Reveal(), Profile: p, Completions: u.API == "completions",
		Connect: s.cfg.Timeouts.Connect, FirstByte: s.cfg.Timeouts.FirstByte,
		OverloadStatus: s.cfg.OverloadStatus, Transport: s.tracing.Transport,
	})
	if err != nil {
		return nil, nil, nil, err
	}
	return engine, p, engine.Close, nil
}
