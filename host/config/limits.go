package config

import (
	"reflect"
	"strconv"
	"time"

	"github.com/turnkey-parsers/turnkey/wasm"
)

// wasmPage is the unit of a module's memory in wasm.Limits.
const wasmPage = 64 << 10

// limitPair is one limit, as the configuration and as the engine has it: pointers
// to whole numbers, the engine's in units of so many of the configuration's.
type limitPair struct {
	configured, engine any
	unit               int64
}

func limitPairs(c *ModuleLimits, l *wasm.Limits) []limitPair {
	return []limitPair{
		{&c.Module, &l.ModuleBytes, 1}, {&c.CompileTime, &l.CompileTime, 1}, {&c.Memory, &l.MemoryPages, wasmPage},
		{&c.TableElements, &l.TableElements, 1}, {&c.SessionsPerInstance, &l.SessionsPerInstance, 1}, {&c.Instances, &l.Instances, 1},
		{&c.FuelStart, &l.Fuel.Start, 1}, {&c.FuelCall, &l.Fuel.Call, 1}, {&c.FuelByte, &l.Fuel.Byte, 1}, {&c.FuelHeld, &l.Fuel.Held, 1},
		{&c.FuelMost, &l.Fuel.Most, 1}, {&c.FuelConstraint, &l.Fuel.Constraint, 1},
		{&c.Events, &l.Events, 1}, {&c.Literals, &l.LiteralBytes, 1}, {&c.Held, &l.HeldBytes, 1}, {&c.Replay, &l.ReplayBytes, 1},
	}
}

// Over gives the limits of a class of modules with what is configured set over
// them.
func (c ModuleLimits) Over(class wasm.Limits) wasm.Limits {
	for _, p := range limitPairs(&c, &class) {
		if n := wholeNumber(p.configured); n != 0 {
			setWholeNumber(p.engine, (n+p.unit-1)/p.unit)
		}
	}
	return class
}

// limitsOf gives a class's limits in the configuration's units.
func limitsOf(class wasm.Limits) (c ModuleLimits) {
	for _, p := range limitPairs(&c, &class) {
		setWholeNumber(p.configured, wholeNumber(p.engine)*p.unit)
	}
	return c
}

func wholeNumber(pointer any) int64 {
	v := reflect.ValueOf(pointer).Elem()
	if v.CanUint() {
		return int64(v.Uint())
	}
	return v.Int()
}

func setWholeNumber(pointer any, n int64) {
	v := reflect.ValueOf(pointer).Elem()
	if v.CanUint() {
		v.SetUint(uint64(n))
		return
	}
	v.SetInt(n)
}

// classDefaults are the defaults of settings that the engine knows, by path.
func classDefaults() map[string]string {
	defaults := map[string]string{}
	for path, class := range map[string]wasm.Limits{"modules.limits.shipped": wasm.Shipped(), "modules.limits.third_party": wasm.ThirdParty()} {
		limits := reflect.ValueOf(limitsOf(class))
		keys, byKey := settingsOf(limits.Type())
		for _, key := range keys {
			defaults[joinPath(path, key)] = formatValue(limits.FieldByIndex(byKey[key].Index))
		}
	}
	return defaults
}

// formatValue gives a value as a file would say it.
func formatValue(v reflect.Value) string {
	switch v.Type() {
	case durationType:
		return formatDuration(time.Duration(v.Int()))
	case sizeType:
		return formatSize(v.Int())
	}
	return strconv.FormatInt(v.Int(), 10)
}

// formatDuration leaves out the units of which there are none: 1m, not 1m0s.
func formatDuration(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if d != 0 && d%unit.length == 0 {
			return strconv.FormatInt(int64(d/unit.length), 10) + unit.name
		}
	}
	return d.String()
}

func formatSize(bytes int64) string {
	for _, unit := range []string{"GiB", "MiB", "KiB"} {
		for _, u := range units {
			if u.name == unit && bytes != 0 && bytes%u.bytes == 0 {
				return strconv.FormatInt(bytes/u.bytes, 10) + unit
			}
		}
	}
	return strconv.FormatInt(bytes, 10)
}
