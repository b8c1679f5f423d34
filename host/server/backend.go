package server

import (
	"errors"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/config"
)

// backend makes the engine of a model.
func (s *Server) backend(c *config.Model) (backend.Backend, *backend.Profile, error) {
	return nil, nil, errors.New("not built yet")
}
