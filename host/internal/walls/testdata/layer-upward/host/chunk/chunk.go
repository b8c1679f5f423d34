package chunk

import _ "github.com/turnkey-parsers/turnkey/host/stream"
