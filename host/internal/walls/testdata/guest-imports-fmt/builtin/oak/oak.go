package oak

import _ "github.com/turnkey-parsers/turnkey/sdk/scan"
