package builtin

import _ "github.com/turnkey-parsers/turnkey/builtin/oak"
