package meter

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// Value types.
const (
	typeI32       = 0x7f
	typeI64       = 0x7e
	typeF32       = 0x7d
	typeF64       = 0x7c
	typeV128      = 0x7b
	typeFuncref   = 0x70
	typeExternref = 0x6f
)

// reader reads a module's binary format. After its first error it reads zeros.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &Error{r.at, fmt.Sprintf(format, args...)}
	}
}

func (r *reader) readByte() byte {
	if r.err != nil || r.at >= len(r.b) {
		r.fail("the module is cut short")
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *reader) skipBytes(n int) {
	if n > len(r.b)-r.at {
		r.fail("the module is cut short")
		return
	}
	r.at += n
}

// readU32 reads an unsigned LEB128 number of at most 32 bits.
func (r *reader) readU32() uint32 {
	v := uint32(0)
	for shift := 0; shift < 35; shift += 7 {
		b := r.readByte()
		if shift == 28 && b > 0x0f {
			break
		}
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.fail("a number has more than 32 bits")
	return 0
}

// readSigned reads a signed LEB128 number of at most that many bits.
func (r *reader) readSigned(bits int) (v int64) {
	for n := 0; n < (bits+6)/7; n++ {
		b := r.readByte()
		v |= int64(b&0x7f) << (7 * n)
		if b < 0x80 {
			if shift := 7 * (n + 1); shift < 64 {
				v = v << (64 - shift) >> (64 - shift)
			}
			return v
		}
	}
	r.fail("a number has more than %d bits", bits)
	return 0
}

// readCount reads how many of something follow. Each takes a byte at least.
func (r *reader) readCount(what string) uint32 {
	n := r.readU32()
	if uint64(n) > uint64(len(r.b)-r.at) {
		r.fail("%d %s can't be in the %d bytes that are left", n, what, len(r.b)-r.at)
		return 0
	}
	return n
}

func (r *reader) readName() string {
	n := int(r.readCount("bytes of a name"))
	name := string(r.b[r.at : r.at+n])
	if !utf8.ValidString(name) {
		r.fail("a name is not UTF-8")
		return ""
	}
	r.at += n
	return name
}

func (r *reader) readValueType() {
	switch t := r.readByte(); t {
	case typeI32, typeI64, typeF32, typeF64, typeV128, typeFuncref, typeExternref:
	default:
		r.fail("value type %#x is not allowed", t)
	}
}

func (r *reader) readValueTypes(what string) int {
	n := r.readCount(what)
	if n > maxParams {
		r.fail("%d %s, more than %d", n, what, maxParams)
	}
	for i := uint32(0); i < n && r.err == nil; i++ {
		r.readValueType()
	}
	return int(n)
}

// readLimits reads the least and the most of a table or memory.
func (r *reader) readLimits() (least uint32, most uint64) {
	switch flags := r.readByte(); flags {
	case 0:
		return r.readU32(), math.MaxUint32
	case 1:
		least = r.readU32()
		return least, uint64(r.readU32())
	default:
		r.fail("limits of kind %#x (shared or 64-bit) are not allowed", flags)
		return 0, 0
	}
}

// readConstant reads over a constant expression, which may read that many globals.
func (r *reader) readConstant(globals uint32) {
	for r.err == nil {
		switch op := r.readByte(); op {
		case opEnd:
			return
		case opI32Const:
			r.readSigned(32)
		case opI64Const:
			r.readSigned(64)
		case 0x43: // f32.const
			r.skipBytes(4)
		case 0x44: // f64.const
			r.skipBytes(8)
		case opGlobalGet:
			if i := r.readU32(); i >= globals {
				r.fail("there is no global %d", i)
			}
		case 0xd0: // ref.null
			r.readRefType()
		case opRefFunc:
			r.readU32()
		case prefixSIMD:
			if sub := r.readByte(); sub != 12 { // v128.const
				r.fail("vector instruction %d in a constant expression", sub)
			}
			r.skipBytes(16)
		default:
			r.fail("instruction %#x in a constant expression", op)
		}
	}
}

func (r *reader) readRefType() {
	if t := r.readByte(); t != typeFuncref && t != typeExternref {
		r.fail("reference type %#x is not allowed", t)
	}
}

func appendSigned(dst []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}
