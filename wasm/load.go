package wasm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/wasm/meter"
)

// compileAndCheck compiles and checks the module, and leaves one instance in the pool.
func (m *Module) compileAndCheck(ctx context.Context) error {
	if err := exceeds("ModuleBytes", m.build.size, m.limits.ModuleBytes); err != nil {
		return err
	}
	var err error
	if m.manifest, err = m.build.Manifest(); err != nil {
		return err
	}
	metered, err := m.metered()
	if err != nil {
		return err
	}
	code, err := m.runtime.compile(ctx, metered, &m.limits)
	if err != nil {
		return err
	}
	m.code = newSharedCode(code)
	if err := m.checkImports(); err != nil {
		return err
	}
	if err := m.checkExports(); err != nil {
		return err
	}
	i, err := m.pool.acquire(false)
	if err != nil {
		return err
	}
	defer m.pool.release(i)
	return i.checkIdentity()
}

// metered is the module's code with the counter that bounds its calls.
func (m *Module) metered() ([]byte, error) {
	binary, err := m.build.Bytes()
	if err != nil {
		return nil, err
	}
	work.metered.Add(1)
	metered, err := meter.Rewrite(binary, meter.Options{
		Start: m.limits.Fuel.Start, TableElements: m.limits.TableElements})
	return metered, asLimitError(err)
}

// sharedCode is compiled code that more than one Module may use.
type sharedCode struct {
	wazero.CompiledModule
	users atomic.Int32
}

func newSharedCode(code wazero.CompiledModule) *sharedCode {
	c := &sharedCode{CompiledModule: code}
	c.users.Store(1)
	return c
}

func (c *sharedCode) addUser() *sharedCode {
	c.users.Add(1)
	return c
}

// removeUser frees the code with its last user.
func (c *sharedCode) removeUser() {
	if c.users.Add(-1) == 0 {
		c.Close(context.Background())
	}
}

func asLimitError(err error) error {
	var tables *meter.TableError
	if errors.As(err, &tables) {
		return &LimitError{Limit: "TableElements", Max: int64(tables.Max), Value: int64(tables.Elements)}
	}
	return err
}

func (m *Module) checkImports() error {
	for _, f := range m.code.ImportedFunctions() {
		module, name, _ := f.Import()
		if module != wasiModule {
			return fmt.Errorf("import %s.%s: a parser may import nothing but %s", module, name, wasiModule)
		}
		want, ok := wasiSignatures[name]
		if !ok {
			return fmt.Errorf("import %s.%s: there is no such function", module, name)
		}
		if got := signature(f.ParamTypes(), f.ResultTypes()); got != want {
			return fmt.Errorf("import %s.%s has the signature %s, want %s", module, name, got, want)
		}
	}
	for _, mem := range m.code.ImportedMemories() {
		module, name, _ := mem.Import()
		return fmt.Errorf("import %s.%s: a parser has its own memory", module, name)
	}
	return nil
}

// requiredExports are the functions that a module has to export.
var requiredExports = []struct{ name, signature string }{
	{abi.ExportABI, "() → i32"},
	{abi.ExportManifest, "() → i64"},
	{abi.ExportAlloc, "(i32) → i32"},
	{abi.ExportOpen, "(i32, i32, i32) → i64"},
	{abi.ExportPush, "(i32, i32, i32, i32, i32) → i64"},
	{abi.ExportFinish, "(i32, i32, i32) → i64"},
	{abi.ExportClose, "(i32) → ()"},
}

// optionalExports are the functions that a module may export.
var optionalExports = []struct{ name, signature string }{
	{abi.ExportInitialize, "() → ()"},
	{abi.ExportConstraint, "(i32, i32) → i64"},
}

func (m *Module) checkExports() error {
	mem, ok := m.code.ExportedMemories()[abi.ExportMemory]
	if !ok {
		return errors.New(`the module does not export its memory as "memory"`)
	}
	if err := exceeds("MemoryPages", mem.Min(), m.limits.MemoryPages); err != nil {
		return err
	}
	has := m.code.ExportedFunctions()
	for _, e := range requiredExports {
		f, ok := has[e.name]
		if !ok {
			return fmt.Errorf("the module does not export %s", e.name)
		}
		if err := checkExport(f, e.name, e.signature); err != nil {
			return err
		}
	}
	for _, e := range optionalExports {
		if f, ok := has[e.name]; ok {
			if err := checkExport(f, e.name, e.signature); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkExport(f api.FunctionDefinition, name, want string) error {
	if got := signature(f.ParamTypes(), f.ResultTypes()); got != want {
		return fmt.Errorf("export %s has the signature %s, want %s", name, got, want)
	}
	return nil
}

// signature writes a function's type as "(i32, i64) → i32".
func signature(params, results []api.ValueType) string {
	if len(results) == 1 {
		return "(" + typeNames(params) + ") → " + typeNames(results)
	}
	return "(" + typeNames(params) + ") → (" + typeNames(results) + ")"
}

func typeNames(types []api.ValueType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = api.ValueTypeName(t)
	}
	return strings.Join(names, ", ")
}
