package meter

// Instructions that the meter looks at, and those that it writes.
const (
	opUnreachable        = 0x00
	opBlock              = 0x02
	opLoop               = 0x03
	opIf                 = 0x04
	opElse               = 0x05
	opEnd                = 0x0b
	opBrTable            = 0x0e
	opCall               = 0x10
	opCallIndirect       = 0x11
	opReturnCall         = 0x12
	opReturnCallIndirect = 0x13
	opSelectTyped        = 0x1c
	opLocalGet           = 0x20
	opLocalTee           = 0x22
	opGlobalGet          = 0x23
	opGlobalSet          = 0x24
	opMemorySize         = 0x3f
	opMemoryGrow         = 0x40
	opI32Const           = 0x41
	opI64Const           = 0x42
	opI64LtS             = 0x53
	opI64Sub             = 0x7d
	opI64ShrU            = 0x88
	opI64ExtendI32U      = 0xad
	opRefNull            = 0xd0
	opRefFunc            = 0xd2

	prefixMisc = 0xfc
	prefixSIMD = 0xfd
)

// readImmediates reads what follows an instruction's first byte, and charges what is
// charged by itself. Blocks have been read already.
func (b *body) readImmediates(at int, op byte) {
	r := b.r
	b.stack.changeBy(heightChanges[op])
	switch {
	case op == opBlock, op == opLoop, op == opIf, op == opElse, op == opEnd:
	case op <= 0x01, op == 0x0f, op == 0x1a, op == 0x1b, op == 0xd1:
		// unreachable, nop, return, drop, select, ref.is_null
	case op == 0x0c, op == 0x0d, op == 0x25, op == 0x26:
		r.readU32() // br, br_if, table.get, table.set
	case op >= opLocalGet && op <= opLocalTee:
		if i := r.readU32(); i >= uint32(b.locals) {
			r.fail("there is no local %d", i)
		}
	case op == opBrTable:
		for n := r.readCount("branch targets"); n > 0 && r.err == nil; n-- {
			r.readU32()
		}
		r.readU32()
	case op >= opCall && op <= opReturnCallIndirect:
		b.readCallImmediates(at, op)
	case op == opSelectTyped:
		if n := r.readByte(); n != 1 {
			r.fail("select of %d types", n)
		}
		r.readValueType()
	case op == opGlobalGet, op == opGlobalSet:
		if i := r.readU32(); i >= b.w.globals {
			r.fail("there is no global %d", i)
		}
	case op >= 0x28 && op <= 0x3e: // loads and stores
		r.readU32()
		r.readU32()
	case op == opMemorySize:
		r.readReserved()
	case op == opMemoryGrow:
		r.readReserved()
		b.charge(at, outward)
	case op >= opI32Const && op <= 0x44:
		r.skipConstant(op)
	case op >= 0x45 && op <= 0xc4: // numeric
		if isSlow(op) {
			b.chargeSlow(slowBytes)
		}
	case op == opRefNull:
		r.readRefType()
	case op == opRefFunc:
		r.readU32()
		b.charge(at, outward)
	case op == prefixMisc:
		b.readMisc(at)
	case op == prefixSIMD:
		b.readSIMD()
	default:
		r.at = at
		r.fail("instruction %#x is unknown or needs a feature that is not allowed", op)
	}
}

// readCallImmediates reads what follows call, call_indirect, return_call or
// return_call_indirect.
func (b *body) readCallImmediates(at int, op byte) {
	r := b.r
	if op == opCallIndirect || op == opReturnCallIndirect {
		b.stack.changeBy(-1)
		b.stack.applyCall(b.w.signatureOf(r, uint64(r.readU32())))
		r.readU32()
		return
	}
	f := r.readU32()
	if f < uint32(len(b.w.imports)) {
		b.charge(at, outward)
	}
	b.stack.applyCall(b.w.signatureOf(r, b.w.typeOf(f)))
}

// skipConstant reads the value of i32.const, i64.const, f32.const or f64.const.
func (r *reader) skipConstant(op byte) {
	switch op {
	case opI32Const:
		r.readSigned(32)
	case opI64Const:
		r.readSigned(64)
	case 0x43: // f32.const
		r.skipBytes(4)
	default: // f64.const
		r.skipBytes(8)
	}
}

// isSlow names the divisions, remainders and roots.
func isSlow(op byte) bool {
	return op >= 0x6d && op <= 0x70 || op >= 0x7f && op <= 0x82 ||
		op == 0x91 || op == 0x95 || op == 0x9f || op == 0xa3
}

// readMisc reads the instructions of prefix 0xfc.
func (b *body) readMisc(at int) {
	r := b.r
	sub := r.readU32()
	b.stack.changeBy(miscHeightChanges[sub])
	switch sub {
	case 0, 1, 2, 3, 4, 5, 6, 7: // saturating conversions
	case 8: // memory.init
		r.readU32()
		r.readReserved()
		b.chargeBulk(at, bytesShift)
	case 9, 13: // data.drop, elem.drop
		r.readU32()
	case 10: // memory.copy
		r.readReserved()
		r.readReserved()
		b.chargeBulk(at, bytesShift)
	case 11: // memory.fill
		r.readReserved()
		b.chargeBulk(at, bytesShift)
	case 12, 14: // table.init, table.copy
		r.readU32()
		r.readU32()
		b.chargeBulk(at, elemsShift)
	case 15: // table.grow
		r.readU32()
		b.charge(at, outward)
	case 16: // table.size
		r.readU32()
	case 17: // table.fill
		r.readU32()
		b.chargeBulk(at, elemsShift)
	default:
		r.at = at
		r.fail("instruction 0xfc %d is unknown or needs a feature that is not allowed", sub)
	}
}

// readSIMD reads the instructions of prefix 0xfd.
//
// Of what they do to the height only what raises it counts, and what takes two at
// once: the height may come out too high, but not too low.
func (b *body) readSIMD() {
	r := b.r
	at := r.at
	b.vectors = true
	switch sub := r.readU32(); {
	case sub > 0xff || r.err == nil && r.at-at != 1+int(sub>>7):
		r.at = at
		r.fail("vector instruction %#x is unknown, written too long, or needs a feature that is not allowed (relaxed SIMD)", sub)
	case sub <= 11, sub == 92, sub == 93: // loads, a store, load_zero
		r.readU32()
		r.readU32()
	case sub == 12: // v128.const
		b.stack.changeBy(+1)
		r.skipBytes(16)
	case sub == 13: // i8x16.shuffle
		r.skipBytes(16)
	case sub >= 21 && sub <= 34: // extract_lane, replace_lane
		r.skipBytes(1)
	case sub >= 84 && sub <= 91: // load_lane, store_lane
		r.readU32()
		r.readU32()
		r.skipBytes(1)
	}
}

// readReserved reads a byte that the format reserves.
func (r *reader) readReserved() {
	if v := r.readByte(); v != 0 {
		r.fail("reserved byte %#x", v)
	}
}
