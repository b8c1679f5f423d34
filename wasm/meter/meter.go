// Package meter rewrites a core WebAssembly module so that its host can bound
// what a call into it computes.
//
// The rewritten module has one more mutable i64 global, exported as tk_fuel. It
// is counted down at every function entry and every loop head, before bulk
// operations by their size, and before calls of imported functions; when it falls
// below zero the guest traps. The host sets it before each call. Globals are
// appended after all others, so every index stays what it was.
//
// The package also refuses what would make a compiler allocate far more than the
// module is long. It knows the core language, version 2 (SIMD included), and tail
// calls; whatever else it meets it refuses, with the place.
package meter

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/turnkey-parsers/turnkey/abi"
)

// Options bound a module.
type Options struct {
	// Start is the fuel that the start function gets, in units: the initial value
	// of tk_fuel.
	Start int64
	// TableElements is how many elements all tables together may have.
	TableElements uint32
}

// Error says why a module was refused.
type Error struct {
	Offset int // in the module, bytes
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("byte %#x of the module: %s", e.Offset, e.Reason) }

// TableError says that a module's tables begin with more elements than allowed.
type TableError struct{ Elements, Max uint64 }

func (e *TableError) Error() string {
	return fmt.Sprintf("its tables have %d elements, more than %d", e.Elements, e.Max)
}

const header = "\x00asm\x01\x00\x00\x00"

// Rewrite gives the metered module. Custom sections are left out, but for the
// names of functions. An error is an *Error or a *TableError.
func Rewrite(module []byte, options Options) ([]byte, error) {
	if len(module) < len(header) || string(module[:len(header)]) != header {
		return nil, &Error{0, "no core WebAssembly module of version 1"}
	}
	w := &rewriter{
		options: options,
		in:      reader{b: module, at: len(header)},
		out:     append(make([]byte, 0, len(module)+len(module)/4), header...),
	}
	if err := w.rewriteSections(); err != nil {
		return nil, err
	}
	return w.out, nil
}

// Section ids.
const (
	secCustom    = 0
	secType      = 1
	secImport    = 2
	secFunction  = 3
	secTable     = 4
	secMemory    = 5
	secGlobal    = 6
	secExport    = 7
	secStart     = 8
	secElement   = 9
	secCode      = 10
	secData      = 11
	secDataCount = 12
)

// rank is a section's place in the order that the format asks for; 0 is unknown.
var rank = [...]int{
	secType: 1, secImport: 2, secFunction: 3, secTable: 4, secMemory: 5, secGlobal: 6,
	secExport: 7, secStart: 8, secElement: 9, secDataCount: 10, secCode: 11, secData: 12,
}

// rewriter walks the module once, section by section.
type rewriter struct {
	options Options
	in      reader
	out     []byte
	last    int // rank of the last section written

	signatures []signature // of each type
	imports    []uint32    // type of each imported function
	types      []uint32    // type of each function that the module defines
	globals    uint32      // globals of the module itself
	locals     int         // locals of all functions so far
}

func (w *rewriter) rewriteSections() error {
	r := &w.in
	for r.at < len(r.b) && r.err == nil {
		start := r.at
		id := r.readByte()
		size := r.readCount("a section")
		if r.err != nil {
			break
		}
		body := reader{b: r.b[:r.at+int(size)], at: r.at}
		r.at += int(size)
		if id == secCustom {
			w.customSection(&body)
			continue
		}
		if int(id) >= len(rank) || rank[id] == 0 {
			return &Error{start, fmt.Sprintf("section %d is unknown or needs a feature that is not allowed", id)}
		}
		if rank[id] <= w.last {
			return &Error{start, fmt.Sprintf("section %d is out of order", id)}
		}
		w.supplyMissing(rank[id])
		w.last = rank[id]
		content := w.rewriteSection(id, &body)
		if body.err == nil && body.at != len(body.b) {
			body.fail("the section goes on behind its end")
		}
		if body.err != nil {
			return body.err
		}
		w.emitSection(id, content)
	}
	if r.err != nil {
		return r.err
	}
	w.supplyMissing(len(rank))
	return nil
}

func (w *rewriter) emitSection(id byte, content []byte) {
	w.out = append(w.out, id)
	w.out = binary.AppendUvarint(w.out, uint64(len(content)))
	w.out = append(w.out, content...)
}

// supplyMissing writes the global and the export section where the module has none.
func (w *rewriter) supplyMissing(next int) {
	if w.last < rank[secGlobal] && next > rank[secGlobal] {
		w.emitSection(secGlobal, w.withGlobals(nil))
	}
	if w.last < rank[secExport] && next > rank[secExport] {
		w.emitSection(secExport, w.withExport(0, nil))
	}
}

// rewriteSection gives the new content of a section.
func (w *rewriter) rewriteSection(id byte, r *reader) []byte {
	whole := r.b[r.at:]
	switch id {
	case secType:
		w.typeSection(r)
	case secImport:
		w.importSection(r)
	case secFunction:
		for n := r.readCount("functions"); n > 0 && r.err == nil; n-- {
			w.types = append(w.types, r.readU32())
		}
	case secTable:
		return w.tableSection(r)
	case secMemory:
		for n := r.readCount("memories"); n > 0 && r.err == nil; n-- {
			r.readLimits()
		}
	case secGlobal:
		return w.globalSection(r)
	case secExport:
		return w.exportSection(r)
	case secStart, secDataCount:
		r.readU32()
	case secElement:
		for n := r.readCount("element segments"); n > 0 && r.err == nil; n-- {
			w.elementSegment(r)
		}
	case secCode:
		return w.codeSection(r)
	case secData:
		for n := r.readCount("data segments"); n > 0 && r.err == nil; n-- {
			w.dataSegment(r)
		}
	}
	return whole
}

// maxParams is the most parameters or results of a function.
const maxParams = 1000

func (w *rewriter) typeSection(r *reader) {
	for n := r.readCount("types"); n > 0 && r.err == nil; n-- {
		if form := r.readByte(); form != 0x60 {
			r.fail("type form %#x is not allowed, only functions are", form)
		}
		params := r.readValueTypes("parameters")
		w.signatures = append(w.signatures, signature{params, r.readValueTypes("results")})
	}
}

func (w *rewriter) importSection(r *reader) {
	for n := r.readCount("imports"); n > 0 && r.err == nil; n-- {
		module, name := r.readName(), r.readName()
		if kind := r.readByte(); kind != 0 {
			r.fail("import %s.%s: only functions can be imported", module, name)
		}
		w.imports = append(w.imports, r.readU32())
	}
}

// typeOf is the type of a function, or one that is not there.
func (w *rewriter) typeOf(f uint32) uint64 {
	n := uint32(len(w.imports))
	switch {
	case f < n:
		return uint64(w.imports[f])
	case f-n < uint32(len(w.types)):
		return uint64(w.types[f-n])
	}
	return math.MaxUint64
}

func (w *rewriter) signatureOf(r *reader, t uint64) signature {
	if t >= uint64(len(w.signatures)) {
		r.fail("a function's type is not declared")
		return signature{}
	}
	return w.signatures[t]
}

// tableSection bounds what the tables can grow to.
func (w *rewriter) tableSection(r *reader) []byte {
	type table struct {
		kind byte
		min  uint32
		max  uint64
	}
	var tables []table
	sum := uint64(0)
	n := r.readCount("tables")
	for i := uint32(0); i < n && r.err == nil; i++ {
		kind := r.readByte()
		if kind != typeFuncref && kind != typeExternref {
			r.fail("table type %#x is not allowed", kind)
		}
		least, most := r.readLimits()
		tables = append(tables, table{kind, least, most})
		sum += uint64(least)
	}
	most := uint64(w.options.TableElements)
	if r.err == nil && sum > most {
		r.err = &TableError{sum, most}
	}
	if r.err != nil {
		return nil
	}
	out := binary.AppendUvarint(nil, uint64(n))
	for _, t := range tables {
		spare := (most - sum) / uint64(n)
		out = append(out, t.kind, 1)
		out = binary.AppendUvarint(out, uint64(t.min))
		out = binary.AppendUvarint(out, min(t.max, uint64(t.min)+spare))
	}
	return out
}

func (w *rewriter) globalSection(r *reader) []byte {
	n := r.readCount("globals")
	start := r.at
	for i := uint32(0); i < n && r.err == nil; i++ {
		r.readValueType()
		if mutable := r.readByte(); mutable > 1 {
			r.fail("mutability %#x of a global", mutable)
		}
		r.readConstant(i) // may read those before it
	}
	w.globals = n
	return w.withGlobals(r.b[start:])
}

// withGlobals appends the fuel and a scratch global to the module's own.
func (w *rewriter) withGlobals(own []byte) []byte {
	out := binary.AppendUvarint(nil, uint64(w.globals)+2)
	out = append(out, own...)
	out = append(out, typeI64, 1, opI64Const)
	out = appendSigned(out, w.options.Start)
	return append(out, opEnd, typeI32, 1, opI32Const, 0, opEnd)
}

func (w *rewriter) fuelGlobal() uint32    { return w.globals }
func (w *rewriter) scratchGlobal() uint32 { return w.globals + 1 }

func (w *rewriter) exportSection(r *reader) []byte {
	n := r.readCount("exports")
	start := r.at
	for i := uint32(0); i < n && r.err == nil; i++ {
		name := r.readName()
		kind, index := r.readByte(), r.readU32()
		if name == abi.ExportFuel {
			r.fail("the module exports %s itself; that name is the host's", name)
		}
		if kind == 3 && index >= w.globals {
			r.fail("export %s: there is no global %d", name, index)
		}
		if kind > 3 {
			r.fail("export %s is of kind %d", name, kind)
		}
	}
	return w.withExport(n, r.b[start:])
}

func (w *rewriter) withExport(n uint32, own []byte) []byte {
	out := binary.AppendUvarint(nil, uint64(n)+1)
	out = append(out, own...)
	out = append(out, byte(len(abi.ExportFuel)))
	out = append(out, abi.ExportFuel...)
	out = append(out, 3)
	return binary.AppendUvarint(out, uint64(w.fuelGlobal()))
}

func (w *rewriter) elementSegment(r *reader) {
	flags := r.readU32()
	if flags > 7 {
		r.fail("element segment of kind %d", flags)
		return
	}
	passive, explicit, exprs := flags&1 != 0, flags&2 != 0, flags&4 != 0
	if !passive {
		if explicit {
			r.readU32()
		}
		r.readConstant(w.globals)
	}
	if passive || explicit {
		if kind := r.readByte(); exprs && kind != typeFuncref && kind != typeExternref || !exprs && kind != 0 {
			r.fail("element kind %#x", kind)
		}
	}
	for n := r.readCount("elements"); n > 0 && r.err == nil; n-- {
		if exprs {
			r.readConstant(w.globals)
		} else {
			r.readU32()
		}
	}
}

func (w *rewriter) dataSegment(r *reader) {
	flags := r.readU32()
	if flags > 2 {
		r.fail("data segment of kind %d", flags)
		return
	}
	if flags == 2 {
		r.readU32()
	}
	if flags != 1 {
		r.readConstant(w.globals)
	}
	r.skipBytes(int(r.readCount("bytes of data")))
}

// customSection keeps the names of functions, if they are well-formed: traps are
// reported with them. Everything else in custom sections is not needed to run.
func (w *rewriter) customSection(r *reader) {
	if r.readName() != "name" {
		return
	}
	for r.at < len(r.b) && r.err == nil {
		id := r.readByte()
		size := r.readCount("names")
		if r.err != nil {
			return
		}
		sub := reader{b: r.b[:r.at+int(size)], at: r.at}
		r.at = len(sub.b)
		if id == 1 {
			w.functionNames(&sub)
			return
		}
	}
}

func (w *rewriter) functionNames(r *reader) {
	whole := r.b[r.at:]
	for n := r.readCount("names"); n > 0 && r.err == nil; n-- {
		r.readU32()
		r.readName()
	}
	if r.err != nil || r.at != len(r.b) {
		return
	}
	content := append([]byte{4}, "name\x01"...)
	content = binary.AppendUvarint(content, uint64(len(whole)))
	w.emitSection(secCustom, append(content, whole...))
}
