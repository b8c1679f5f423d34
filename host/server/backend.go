package server

import (
	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/backend/openai"
	"github.com/turnkey-parsers/turnkey/host/config"
)

// backend makes the engine of a model. Silence within an answer and its whole
// time are the stream's to watch, for every kind of engine.
func (s *Server) backend(c *config.Model) (backend.Backend, *backend.Profile, error) {
	profile, err := backend.ProfileByName(c.EngineProfile)
	if err != nil {
		return nil, nil, err
	}
	u := s.cfg.Upstream(c)
	b, err := openai.New(openai.Config{
		BaseURL: u.BaseURL, APIKey: u.APIKey.Reveal(), Profile: profile,
		Connect: s.cfg.Timeouts.Connect, FirstByte: s.cfg.Timeouts.FirstByte,
		OverloadStatus: s.cfg.OverloadStatus,
	})
	if err != nil {
		return nil, nil, err
	}
	s.idle = append(s.idle, b.Close)
	return b, profile, nil
}
