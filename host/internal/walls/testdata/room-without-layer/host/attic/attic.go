package attic

import _ "strings"
