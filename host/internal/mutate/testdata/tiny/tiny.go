// Package tiny is for the tests of command mutate: its own test knows Sum and Prefix
// well, and does not know Later.
package tiny

import "bytes"

// Sum adds the numbers below n.
func Sum(n int) int {
	sum := 0
	for i := range n {
		sum += i
	}
	return sum
}

// Prefix is a copy of the first byte.
func Prefix(text []byte) []byte {
	if len(text) == 0 {
		return nil
	}
	return bytes.Clone(text[:1])
}

// Later is tested by nobody.
func Later(n int) bool { return n > 3 }

// Forever ends for numbers above 0.
func Forever(n int) {
	for n > 0 {
		n--
	}
}
