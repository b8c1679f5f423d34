package jinja

import (
	"math"
	"math/big"
	"strings"
	"unicode/utf8"
)

// maxBits bounds integers: Python's have no bound, and no template needs larger
// ones.
const maxBits = 4096

func binaryOperation(r *rendering, op string, a, b Value) Value {
	requireDefined(r, a)
	if s, ok := text(a); ok && op == "%" {
		return formatPercent(r, s, b)
	}
	requireDefined(r, b)
	x, isNumber := numberOf(a)
	if y, ok := numberOf(b); ok && isNumber {
		if x.isFloat || y.isFloat || op == "/" || op == "**" && y.big().Sign() < 0 {
			return floatOperation(r, op, x.f, y.f)
		}
		return integerOperation(r, op, x.big(), y.big())
	}
	if op == "+" {
		if v, ok := joinValues(r, a, b); ok {
			return v
		}
	}
	if op == "*" {
		if v, ok := repeatValue(r, a, b); ok {
			return v
		}
		if v, ok := repeatValue(r, b, a); ok {
			return v
		}
	}
	r.failf("unsupported operand type(s) for %s: '%s' and '%s'", op, typeName(a), typeName(b))
	return nil
}

func integerOperation(r *rendering, op string, a, b *big.Int) Value {
	result := new(big.Int)
	switch op {
	case "+":
		result.Add(a, b)
	case "-":
		result.Sub(a, b)
	case "*":
		result.Mul(a, b)
	case "//", "%":
		if b.Sign() == 0 {
			r.failf("integer modulo by zero")
		}
		rest := new(big.Int)
		result.QuoRem(a, b, rest)
		if rest.Sign() != 0 && rest.Sign() != b.Sign() {
			result.Sub(result, big.NewInt(1))
			rest.Add(rest, b)
		}
		if op == "%" {
			result = rest
		}
	case "**":
		if b.BitLen() > 16 || a.BitLen()*int(b.Int64()) > maxBits {
			r.breach("ValueBytes", maxBits/8)
		}
		result.Exp(a, b, nil)
	}
	if result.BitLen() > maxBits {
		r.breach("ValueBytes", maxBits/8)
	}
	return whole(result)
}

func floatOperation(r *rendering, op string, a, b float64) Value {
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "**":
		return math.Pow(a, b)
	}
	if b == 0 {
		r.failf("division by zero")
	}
	switch op {
	case "/":
		return a / b
	case "//":
		return math.Floor(a / b)
	}
	rest := math.Mod(a, b)
	if rest != 0 && (rest < 0) != (b < 0) {
		rest += b
	}
	return rest
}

// joinValues is a + b of texts and sequences.
func joinValues(r *rendering, a, b Value) (Value, bool) {
	if x, ok := text(a); ok {
		y, ok := text(b)
		if !ok {
			return nil, false
		}
		_, safeA := a.(markup)
		_, safeB := b.(markup)
		if safeA && !safeB {
			y = escapeHTML(y)
		} else if safeB && !safeA {
			x = escapeHTML(x)
		}
		r.sized(len(x) + len(y))
		if safeA || safeB {
			return markup(x + y), true
		}
		return x + y, true
	}
	x, y, ok := sequences(a, b)
	if !ok {
		return nil, false
	}
	r.sized(itemBytes * (len(x) + len(y)))
	items := append(append(make([]Value, 0, len(x)+len(y)), x...), y...)
	if _, ok := a.(tuple); ok {
		return tuple(items), true
	}
	return &List{items}, true
}

// repeatValue is a * n of texts and sequences.
func repeatValue(r *rendering, a, n Value) (Value, bool) {
	count, ok := numberOf(n)
	if !ok || count.isFloat {
		return nil, false
	}
	times := int(max(0, min(count.small, farthest)))
	if s, ok := text(a); ok {
		r.sized(times * len(s))
		return strings.Repeat(s, times), true
	}
	var items []Value
	switch v := a.(type) {
	case *List:
		items = v.Items
	case tuple:
		items = v
	default:
		return nil, false
	}
	r.sized(times * len(items) * itemBytes)
	out := make([]Value, 0, times*len(items))
	for range times {
		out = append(out, items...)
	}
	if _, ok := a.(tuple); ok {
		return tuple(out), true
	}
	return &List{out}, true
}

var htmlEscapes = strings.NewReplacer("&", "&amp;", ">", "&gt;", "<", "&lt;", "'", "&#39;", `"`, "&#34;")

func escapeHTML(s string) string { return htmlEscapes.Replace(s) }

// runeCount is len(s) to Python.
func runeCount(s string) int { return utf8.RuneCountInString(s) }
