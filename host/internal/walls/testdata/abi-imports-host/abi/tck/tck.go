package tck

import _ "github.com/turnkey-parsers/turnkey/host/framing"
