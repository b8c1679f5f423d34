package tiny

import "testing"

func TestTiny(t *testing.T) {
	if Sum(4) != 6 || Prefix(nil) != nil {
		t.Error("wrong")
	}
	Forever(3)
	text := []byte("ab")
	first := Prefix(text)
	text[0] = 'x'
	if string(first) != "a" {
		t.Error("not the first byte, or no copy")
	}
}
