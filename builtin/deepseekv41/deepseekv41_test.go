package deepseekv41

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/builtin/internal/dsml/dsmltest"
	"github.com/turnkey-parsers/turnkey/builtin/internal/familytest"
)

const (
	header = `<｜DSML｜ invoke name="f">`
	param  = `<｜DSML｜ parameter name="a" string="true">`
)

var config = dsmltest.Config("calls", " ")

func TestFamily(t *testing.T) { familytest.Run(t, &Module, config) }

func FuzzFamily(f *testing.F) { familytest.Fuzz(f, &Module, config) }
