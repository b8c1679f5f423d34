package scan

import (
	_ "fmt"
	_ "strings"
)
