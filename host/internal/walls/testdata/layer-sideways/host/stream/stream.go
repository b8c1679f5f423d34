package stream

import _ "github.com/turnkey-parsers/turnkey/host/registry"
