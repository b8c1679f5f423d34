package typing

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// maxDigits is the longest whole number that an exponent or a fraction is
// expanded to.
const maxDigits = 1024

// appendNumber appends a number of one of the types. Where fractions are admitted it
// is appended as it stands; an integer may be written with a fraction or an
// exponent as long as it is exactly whole.
func appendNumber(dst, bare []byte, types typeSet) ([]byte, bool) {
	var s scan.JSON
	if n, _ := s.Scan(bare); n < len(bare) || !s.AtEnd() {
		return dst, false
	}
	if types&typeFraction != 0 {
		return append(dst, bare...), true
	}
	return appendWhole(dst, bare)
}

// appendWhole appends a JSON number as an integer, if it is one, without going through
// a floating-point number: on its digits and its exponent alone.
func appendWhole(dst, number []byte) ([]byte, bool) {
	mantissa, exponent, scaled := cutAt(number, "eE")
	digits, fraction, dotted := cutAt(mantissa, ".")
	if !scaled && !dotted {
		return append(dst, number...), true
	}
	negative := digits[0] == '-'
	if negative {
		digits = digits[1:]
	}
	all := append(append(make([]byte, 0, len(digits)+len(fraction)), digits...), fraction...)
	shift := clampedInt(exponent) - len(fraction)
	all = bytes.TrimLeft(all, "0")
	if len(all) == 0 {
		return append(dst, '0'), true
	}
	trimmed := bytes.TrimRight(all, "0")
	shift += len(all) - len(trimmed)
	if shift < 0 || len(trimmed)+shift > maxDigits {
		return dst, false
	}
	if negative {
		dst = append(dst, '-')
	}
	dst = append(dst, trimmed...)
	for range shift {
		dst = append(dst, '0')
	}
	return dst, true
}

func cutAt(b []byte, chars string) (before, after []byte, found bool) {
	i := bytes.IndexAny(b, chars)
	if i < 0 {
		return b, nil, false
	}
	return b[:i], b[i+1:], true
}

// clampedInt reads an exponent. What is beyond any sense stays beyond it.
func clampedInt(b []byte) int {
	const most = 1 << 40
	negative := len(b) > 0 && b[0] == '-'
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	n := 0
	for _, c := range b {
		n = min(n*10+int(c-'0'), most)
	}
	if negative {
		return -n
	}
	return n
}
