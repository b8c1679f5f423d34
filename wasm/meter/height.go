package meter

// The operand stack of a function, at its highest, is what a compiled frame may
// have to keep across a call besides the locals. It is charged when the function
// is entered, so that the depth of a recursion is bounded in bytes.

// signature is how many values a function takes and gives.
type signature struct{ params, results int }

// stack follows the height of the operand stack. Dead code may take it below
// zero; where that code ends it is right again.
type stack struct{ now, most int }

func (s *stack) changeBy(by int) {
	s.now += by
	s.most = max(s.most, s.now)
}

// heightChanges is what instructions of one byte, and no other immediates than an index or
// a constant, do to the height.
var heightChanges = func() (m [256]int) {
	set := func(from, to byte, by int) {
		for op := int(from); op <= int(to); op++ {
			m[op] = by
		}
	}
	set(0x0d, 0x0e, -1) // br_if, br_table
	set(0x1a, 0x1a, -1) // drop
	set(0x1b, 0x1c, -2) // select
	set(0x20, 0x20, +1) // local.get
	set(0x21, 0x21, -1) // local.set
	set(0x23, 0x23, +1) // global.get
	set(0x24, 0x24, -1) // global.set
	set(0x26, 0x26, -2) // table.set
	set(0x36, 0x3e, -2) // stores
	set(0x3f, 0x3f, +1) // memory.size
	set(0x41, 0x44, +1) // constants
	set(0x46, 0x4f, -1) // comparisons of i32, and so on: all that take two
	set(0x51, 0x66, -1)
	set(0x6a, 0x78, -1)
	set(0x7c, 0x8a, -1)
	set(0x92, 0x98, -1)
	set(0xa0, 0xa6, -1)
	set(0xd0, 0xd0, +1) // ref.null
	set(0xd2, 0xd2, +1) // ref.func
	return m
}()

// miscHeightChanges is the same for prefix 0xfc.
var miscHeightChanges = map[uint32]int{8: -3, 10: -3, 11: -3, 12: -3, 14: -3, 15: -1, 16: +1, 17: -3}

// applyCall is a call of a function of that signature.
func (s *stack) applyCall(t signature) {
	s.now -= t.params
	s.changeBy(t.results)
}
