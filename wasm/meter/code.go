package meter

import "encoding/binary"

// Bounds on code. They keep a small module from making a compiler allocate or
// compute without end.
const (
	maxLocals    = 50_000    // of a function, parameters included
	maxAllLocals = 4_000_000 // of all functions
	maxBody      = 1 << 20   // bytes of a function
	maxDepth     = 10_000    // nested blocks
)

// What is charged, in units. A unit is a loop's turn: about a nanosecond. A
// function's entry takes much less, but more of the stack.
const (
	entryBase  = 16  // a function entry
	entryShift = 6   // and 1 for so many bytes of its body, 1 for each value of its frame
	smallFrame = 16  // of so many values; each further one costs
	largeFrame = 2   // so much more
	loopShift  = 8   // a loop's turn: 1, and 1 for so many bytes that are the loop's own
	slowBytes  = 32  // a division or root counts as so many bytes
	outward    = 100 // what leaves the guest: a call of an imported function, memory.grow

	bulkBase   = 2 // a bulk operation
	bytesShift = 4 // and 1 for so many bytes
	elemsShift = 1 // or elements
)

// charge is a place where fuel is taken.
type charge struct {
	at    int  // offset of the instruction that it goes before
	units int  // fixed
	sized bool // the operand on top of the stack, an i32, counts as well
	shift int  // units for the operand: operand >> shift
}

// body is one function while it is walked.
type body struct {
	w       *rewriter
	r       *reader
	locals  int // parameters included
	charges []charge
	blocks  []block
	stack   stack
	vectors bool // has values of 16 bytes
}

// block is a construct that is open.
type block struct {
	loop   int // the loop's charge, or -1
	own    int // bytes of the loop that are not in an inner loop
	height int // of the operand stack where it begins, without its parameters
	signature
}

func (w *rewriter) codeSection(r *reader) []byte {
	n := r.readCount("functions")
	if r.err == nil && int(n) != len(w.types) {
		r.fail("%d functions have code, %d are declared", n, len(w.types))
	}
	out := binary.AppendUvarint(make([]byte, 0, len(r.b)-r.at+(len(r.b)-r.at)/4), uint64(n))
	var scratch []byte
	for i := uint32(0); i < n && r.err == nil; i++ {
		size := int(r.readCount("bytes of code"))
		if size > maxBody {
			r.fail("function %d has %d bytes of code, more than %d", uint32(len(w.imports))+i, size, maxBody)
		}
		if r.err != nil {
			break
		}
		f := reader{b: r.b[:r.at+size], at: r.at}
		r.at += size
		scratch = w.rewriteFunction(scratch[:0], &f, i)
		if f.err != nil {
			r.err = f.err
			break
		}
		out = binary.AppendUvarint(out, uint64(len(scratch)))
		out = append(out, scratch...)
	}
	return out
}

// rewriteFunction appends the metered body of function i to out.
func (w *rewriter) rewriteFunction(out []byte, r *reader, i uint32) []byte {
	size := len(r.b) - r.at
	out, locals := w.readLocals(out, r, i)
	if r.err != nil {
		return out
	}
	b := body{w: w, r: r, locals: locals}
	b.charge(r.at, entryBase+size>>entryShift)
	b.readInstructions(w.signatures[w.types[i]].results)
	b.charges[0].units += b.frameUnits()
	at := b.charges[0].at
	for _, c := range b.charges {
		out = append(out, r.b[at:c.at]...)
		out = w.appendCharge(out, c, uint32(locals))
		at = c.at
	}
	return append(out, r.b[at:]...)
}

// readLocals gives how many locals a function has, with its parameters.
func (w *rewriter) readLocals(out []byte, r *reader, i uint32) ([]byte, int) {
	if t := w.types[i]; int64(t) >= int64(len(w.signatures)) {
		r.fail("function %d is of type %d, which is not declared", uint32(len(w.imports))+i, t)
		return out, 0
	}
	sum := uint64(w.signatures[w.types[i]].params)
	groups := r.readCount("locals")
	start := r.at
	for n := groups; n > 0 && r.err == nil; n-- {
		sum += uint64(r.readU32())
		r.readValueType()
	}
	if sum > maxLocals {
		r.fail("function %d has %d locals, more than %d", uint32(len(w.imports))+i, sum, maxLocals)
		return out, 0
	}
	if w.locals += int(sum); w.locals > maxAllLocals {
		r.fail("the functions have more than %d locals in all", maxAllLocals)
	}
	out = binary.AppendUvarint(out, uint64(groups)+1)
	out = append(out, r.b[start:r.at]...)
	return append(out, 1, typeI64), int(sum)
}

// readInstructions reads the instructions of a function and notes what is to be charged.
func (b *body) readInstructions(results int) {
	b.blocks = append(b.blocks, block{loop: -1, signature: signature{results: results}})
	for len(b.blocks) > 0 && b.r.err == nil {
		at := b.r.at
		op := b.r.readByte()
		b.readControl(op)
		b.readImmediates(at, op)
		if n := len(b.blocks); n > 0 {
			b.blocks[n-1].own += b.r.at - at
		}
	}
	if b.r.at != len(b.r.b) {
		b.r.fail("the function goes on behind its end")
	}
}

// readControl keeps track of blocks. A loop is charged at its head: behind its
// opening, where every turn begins.
func (b *body) readControl(op byte) {
	switch op {
	case opBlock, opLoop, opIf:
		if len(b.blocks) >= maxDepth {
			b.r.fail("more than %d nested blocks", maxDepth)
		}
		if op == opIf {
			b.stack.changeBy(-1)
		}
		opened := block{loop: -1, signature: b.readBlockType()}
		opened.height = b.stack.now - opened.params
		if op == opLoop {
			opened.loop = len(b.charges)
			b.charge(b.r.at, 1)
		}
		b.blocks = append(b.blocks, opened)
	case opElse:
		last := &b.blocks[len(b.blocks)-1]
		b.stack.now = last.height + last.params
	case opEnd:
		last := b.blocks[len(b.blocks)-1]
		b.blocks = b.blocks[:len(b.blocks)-1]
		b.stack.now = last.height
		b.stack.changeBy(last.results)
		if last.loop >= 0 {
			b.charges[last.loop].units += last.own >> loopShift
		} else if n := len(b.blocks); n > 0 {
			b.blocks[n-1].own += last.own
		}
	}
}

// readBlockType reads what a block takes and gives.
func (b *body) readBlockType() signature {
	v := b.r.readSigned(33)
	switch {
	case v == -0x40: // the empty type
		return signature{}
	case v < 0: // one value
		return signature{results: 1}
	}
	return b.w.signatureOf(b.r, uint64(v))
}

// frameUnits is what the values cost that a call of the function may keep on the
// stack. A large frame costs more than its share: the stack is copied when it
// grows, and the garbage collector can't step in then.
func (b *body) frameUnits() int {
	values := b.locals + b.stack.most
	if b.vectors {
		values *= 2
	}
	return values + largeFrame*max(0, values-smallFrame)
}

// chargeSlow counts an instruction that takes long as that many bytes more.
func (b *body) chargeSlow(bytes int) {
	if n := len(b.blocks); n > 0 {
		b.blocks[n-1].own += bytes
	}
}

func (b *body) charge(at, units int) {
	b.charges = append(b.charges, charge{at: at, units: units})
}

func (b *body) chargeBulk(at, shift int) {
	b.charges = append(b.charges, charge{at: at, units: bulkBase, sized: true, shift: shift})
}

// appendCharge appends the code that takes fuel.
func (w *rewriter) appendCharge(out []byte, c charge, left uint32) []byte {
	if c.sized {
		out = appendIndexed(out, opGlobalSet, w.scratchGlobal())
	}
	out = appendIndexed(out, opGlobalGet, w.fuelGlobal())
	out = append(out, opI64Const)
	out = appendSigned(out, int64(c.units))
	out = append(out, opI64Sub)
	if c.sized {
		out = appendIndexed(out, opGlobalGet, w.scratchGlobal())
		out = append(out, opI64ExtendI32U, opI64Const, byte(c.shift), opI64ShrU, opI64Sub)
	}
	out = appendIndexed(out, opLocalTee, left)
	out = appendIndexed(out, opGlobalSet, w.fuelGlobal())
	out = appendIndexed(out, opLocalGet, left)
	out = append(out, opI64Const, 0, opI64LtS, opIf, 0x40, opUnreachable, opEnd)
	if c.sized {
		out = appendIndexed(out, opGlobalGet, w.scratchGlobal())
	}
	return out
}

func appendIndexed(out []byte, op byte, index uint32) []byte {
	return binary.AppendUvarint(append(out, op), uint64(index))
}
