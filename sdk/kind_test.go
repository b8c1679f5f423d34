package sdk

import (
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

func TestSplitName(t *testing.T) {
	for _, c := range []struct {
		name, family    string
		kind            Kind
		calls, thoughts bool
	}{
		{"larch", "larch", Unified, true, true},
		{"larch_tools", "larch", Tools, true, false},
		{"larch_reasoning", "larch", Reasoning, false, true},
		{"larch_batch", "larch", Batch, true, false},
		{"larch_2", "larch_2", Unified, true, true},
		{"", "", Unified, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			family, kind := SplitName(c.name)
			if family != c.family || kind != c.kind || kind.Calls() != c.calls || kind.Thoughts() != c.thoughts {
				t.Errorf("family %q, kind %d, calls %v, thoughts %v", family, kind, kind.Calls(), kind.Thoughts())
			}
		})
	}
}

func TestFamily(t *testing.T) {
	var built []Kind
	open := Family("larch", func(_ *abi.OpenBlock, kind Kind) Parser {
		built = append(built, kind)
		return nil
	})
	for _, name := range []string{"larch_batch", "larch", "fir", "larch_2", "fir_tools"} {
		open(&abi.OpenBlock{Parser: name})
	}
	if len(built) != 2 || built[0] != Batch || built[1] != Unified {
		t.Errorf("built %v", built)
	}
}
