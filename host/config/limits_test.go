package config

import (
	"reflect"
	"testing"

	"github.com/turnkey-parsers/turnkey/wasm"
)

// TestEveryLimitIsPaired keeps the two structs together: no limit of the engine is
// left out, and each survives the way there and back.
func TestEveryLimitIsPaired(t *testing.T) {
	var want wasm.Limits
	n := int64(1)
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		for i := range v.NumField() {
			switch f := v.Field(i); {
			case f.Kind() == reflect.Struct:
				fill(f)
			case f.CanUint():
				f.SetUint(uint64(n))
			default:
				f.SetInt(n)
			}
			n++
		}
	}
	fill(reflect.ValueOf(&want).Elem())
	if got := limitsOf(want).Over(wasm.Limits{}); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := (ModuleLimits{}).Over(wasm.ThirdParty()); got != wasm.ThirdParty() {
		t.Errorf("nothing configured changes limits: %+v", got)
	}
}

func TestPageTellsTheEnginesLimits(t *testing.T) {
	for path, want := range map[string]string{
		"modules.limits.shipped.fuel_held":        "1000",
		"modules.limits.third_party.compile_time": "20s",
		"modules.limits.shipped.memory":           "256MiB",
		"modules.limits.third_party.replay":       "0",
	} {
		got := "no such setting"
		for _, s := range Reference() {
			if s.Path == path {
				got = s.Default
			}
		}
		if got != want {
			t.Errorf("%s is %q on the page, want %q", path, got, want)
		}
	}
}
