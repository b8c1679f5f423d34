package chunk

import (
	_ "github.com/labstack/echo/v4"

	_ "github.com/turnkey-parsers/turnkey/host/stream"
)
