// Package wat builds small WebAssembly modules for tests: the sections by method
// calls, the code from flat text, an instruction a line or several between
// semicolons.
package wat

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Module is a module under construction. Imports come before functions.
type Module struct {
	types, imports, funcs, tables, memories, globals, exports, elems, codes, datas, customs [][]byte

	start    []byte
	imported int
}

// Import imports a function and gives its index.
func (m *Module) Import(module, name, params, results string) uint32 {
	m.imports = append(m.imports, concat(lengthPrefixed(module), lengthPrefixed(name), []byte{0}, uleb(m.typeIndex(params, results))))
	m.imported++
	return uint32(m.imported - 1)
}

// Func adds a function, exported unless export is "", and gives its index. The
// types are names with blanks between.
func (m *Module) Func(export, params, results, locals, code string) uint32 {
	index := uint32(m.imported + len(m.funcs))
	m.funcs = append(m.funcs, uleb(m.typeIndex(params, results)))
	body := uleb(uint32(len(strings.Fields(locals))))
	for _, t := range valueTypes(locals) {
		body = append(body, 1, t)
	}
	body = append(append(body, Assemble(code)...), 0x0b)
	m.codes = append(m.codes, concat(uleb(uint32(len(body))), body))
	m.addExport(export, 0, index)
	return index
}

// Memory adds a memory of min to max pages; max 0 is none.
func (m *Module) Memory(export string, min, max uint32) {
	m.memories = append(m.memories, limits(min, max))
	m.addExport(export, 2, 0)
}

// Table adds a table of functions and gives its index.
func (m *Module) Table(min, max uint32) uint32 {
	m.tables = append(m.tables, concat([]byte{0x70}, limits(min, max)))
	return uint32(len(m.tables) - 1)
}

// Global adds a mutable global and gives its index.
func (m *Module) Global(export, typ, init string) uint32 {
	index := uint32(len(m.globals))
	m.globals = append(m.globals, concat(valueTypes(typ), []byte{1}, Assemble(init), []byte{0x0b}))
	m.addExport(export, 3, index)
	return index
}

// Start sets the start function.
func (m *Module) Start(f uint32) { m.start = uleb(f) }

// Elem puts functions into table 0.
func (m *Module) Elem(offset int, funcs ...uint32) {
	e := concat([]byte{0}, Assemble(fmt.Sprint("i32.const ", offset)), []byte{0x0b}, uleb(uint32(len(funcs))))
	for _, f := range funcs {
		e = append(e, uleb(f)...)
	}
	m.elems = append(m.elems, e)
}

// Data puts bytes into memory.
func (m *Module) Data(offset int, data string) {
	m.datas = append(m.datas, concat([]byte{0}, Assemble(fmt.Sprint("i32.const ", offset)), []byte{0x0b}, lengthPrefixed(data)))
}

// PassiveData adds a data segment for memory.init.
func (m *Module) PassiveData(data string) {
	m.datas = append(m.datas, concat([]byte{1}, lengthPrefixed(data)))
}

// Custom adds a custom section.
func (m *Module) Custom(name, content string) {
	m.customs = append(m.customs, append(lengthPrefixed(name), content...))
}

// Export exports something by kind (0 function, 1 table, 2 memory, 3 global).
func (m *Module) Export(name string, kind byte, index uint32) { m.addExport(name, kind, index) }

func (m *Module) addExport(name string, kind byte, index uint32) {
	if name != "" {
		m.exports = append(m.exports, concat(lengthPrefixed(name), []byte{kind}, uleb(index)))
	}
}

// Bytes gives the binary module.
func (m *Module) Bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	for _, c := range m.customs {
		out = section(out, 0, c)
	}
	out = vector(out, 1, m.types)
	out = vector(out, 2, m.imports)
	out = vector(out, 3, m.funcs)
	out = vector(out, 4, m.tables)
	out = vector(out, 5, m.memories)
	out = vector(out, 6, m.globals)
	out = vector(out, 7, m.exports)
	if m.start != nil {
		out = section(out, 8, m.start)
	}
	out = vector(out, 9, m.elems)
	if len(m.datas) > 0 {
		out = section(out, 12, uleb(uint32(len(m.datas))))
	}
	out = vector(out, 10, m.codes)
	return vector(out, 11, m.datas)
}

func (m *Module) typeIndex(params, results string) uint32 {
	p, r := valueTypes(params), valueTypes(results)
	t := concat([]byte{0x60}, uleb(uint32(len(p))), p, uleb(uint32(len(r))), r)
	for i, have := range m.types {
		if string(have) == string(t) {
			return uint32(i)
		}
	}
	m.types = append(m.types, t)
	return uint32(len(m.types) - 1)
}

func limits(min, max uint32) []byte {
	if max == 0 {
		return concat([]byte{0}, uleb(min))
	}
	return concat([]byte{1}, uleb(min), uleb(max))
}

func section(out []byte, id byte, content []byte) []byte {
	out = append(append(out, id), uleb(uint32(len(content)))...)
	return append(out, content...)
}

func vector(out []byte, id byte, items [][]byte) []byte {
	if len(items) == 0 {
		return out
	}
	content := uleb(uint32(len(items)))
	for _, item := range items {
		content = append(content, item...)
	}
	return section(out, id, content)
}

func concat(parts ...[]byte) []byte {
	var out []byte
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func uleb(v uint32) []byte { return binary.AppendUvarint(nil, uint64(v)) }

func sleb(v int64) []byte {
	var out []byte
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

func lengthPrefixed(s string) []byte { return append(uleb(uint32(len(s))), s...) }

var typeBytes = map[string]byte{
	"i32": 0x7f, "i64": 0x7e, "f32": 0x7d, "f64": 0x7c, "v128": 0x7b, "funcref": 0x70, "externref": 0x6f,
}

func valueTypes(names string) []byte {
	var out []byte
	for _, n := range strings.Fields(names) {
		t, ok := typeBytes[n]
		if !ok {
			panic("wat: no type " + n)
		}
		out = append(out, t)
	}
	return out
}

// Assemble gives the bytes of flat code. Every token is an instruction's name, a
// byte (0x…), a block's type (a value type, or nothing), or a number: LEB128,
// signed behind a const. "memarg" stands for alignment and offset 0.
func Assemble(code string) []byte {
	var out []byte
	for _, line := range strings.FieldsFunc(code, func(r rune) bool { return r == '\n' || r == ';' }) {
		line, _, _ = strings.Cut(line, "#")
		tokens := strings.Fields(line)
		if len(tokens) == 0 {
			continue
		}
		for i, t := range tokens {
			out = append(out, assembleToken(t, i, tokens)...)
		}
		if isBlock(tokens[0]) && len(tokens) == 1 {
			out = append(out, 0x40)
		}
	}
	return out
}

func isBlock(name string) bool { return name == "block" || name == "loop" || name == "if" }

func assembleToken(t string, i int, line []string) []byte {
	if op, ok := instructions[t]; ok && i == 0 {
		return op
	}
	if b, ok := typeBytes[t]; ok {
		return []byte{b}
	}
	if t == "memarg" {
		return []byte{0, 0}
	}
	if strings.HasPrefix(t, "0x") {
		v, err := strconv.ParseUint(t[2:], 16, 8)
		if err != nil {
			panic("wat: " + t)
		}
		return []byte{byte(v)}
	}
	v, err := strconv.ParseInt(t, 10, 64)
	if err != nil {
		panic("wat: no instruction " + t)
	}
	if strings.HasSuffix(line[0], ".const") {
		return sleb(v)
	}
	return uleb(uint32(v))
}

var instructions = map[string][]byte{
	"unreachable": {0x00}, "nop": {0x01}, "block": {0x02}, "loop": {0x03}, "if": {0x04}, "else": {0x05},
	"end": {0x0b}, "br": {0x0c}, "br_if": {0x0d}, "br_table": {0x0e}, "return": {0x0f},
	"call": {0x10}, "call_indirect": {0x11}, "return_call": {0x12}, "return_call_indirect": {0x13},
	"drop": {0x1a}, "select": {0x1b},
	"local.get": {0x20}, "local.set": {0x21}, "local.tee": {0x22}, "global.get": {0x23}, "global.set": {0x24},
	"table.get": {0x25, 0}, "table.set": {0x26, 0},
	"i32.load": {0x28, 2}, "i64.load": {0x29, 3}, "i32.load8_u": {0x2d, 0},
	"i32.store": {0x36, 2}, "i64.store": {0x37, 3}, "i32.store8": {0x3a, 0}, "i32.store16": {0x3b, 1},
	"memory.size": {0x3f, 0}, "memory.grow": {0x40, 0},
	"i32.const": {0x41}, "i64.const": {0x42},
	"i32.eqz": {0x45}, "i32.eq": {0x46}, "i32.ne": {0x47}, "i32.lt_s": {0x48}, "i32.lt_u": {0x49},
	"i32.gt_u": {0x4b}, "i32.ge_u": {0x4f}, "i64.eqz": {0x50},
	"i32.add": {0x6a}, "i32.sub": {0x6b}, "i32.mul": {0x6c}, "i32.div_s": {0x6d}, "i32.rem_u": {0x70},
	"i32.and": {0x71}, "i32.xor": {0x73}, "i32.shl": {0x74},
	"i64.add": {0x7c}, "i64.sub": {0x7d}, "i64.mul": {0x7e}, "i64.or": {0x84}, "i64.shl": {0x86},
	"i32.wrap_i64": {0xa7}, "i64.extend_i32_u": {0xad},
	"ref.null": {0xd0}, "ref.is_null": {0xd1}, "ref.func": {0xd2},
	"memory.init": {0xfc, 8}, "data.drop": {0xfc, 9}, "memory.copy": {0xfc, 10, 0, 0}, "memory.fill": {0xfc, 11, 0},
	"table.init": {0xfc, 12}, "elem.drop": {0xfc, 13}, "table.copy": {0xfc, 14, 0, 0}, "table.grow": {0xfc, 15, 0},
	"table.size": {0xfc, 16, 0}, "table.fill": {0xfc, 17, 0},
}
