package wasm

import _ "github.com/turnkey-parsers/turnkey/sdk"
