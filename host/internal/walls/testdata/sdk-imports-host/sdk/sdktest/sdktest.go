package sdktest

import _ "github.com/turnkey-parsers/turnkey/host/parse"
