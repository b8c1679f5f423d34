package jinja

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// layout is what a conversion asks for: Python's printf and format languages share
// most of it.
type layout struct {
	fill              string
	align             rune // 0: as the type does
	sign              byte
	alternate, commas bool
	width, precision  int // precision -1: none
	verb              byte
}

// maxWidth bounds what a format may ask for.
const maxWidth = 1 << 20

// formatPercent is s % values.
func formatPercent(r *rendering, s string, values Value) Value {
	args, isTuple := values.(tuple)
	if !isTuple {
		args = tuple{values}
	}
	members, isDict := values.(*Dict)
	var b strings.Builder
	used := 0
	take := func() Value {
		if used == len(args) {
			r.failf("not enough arguments for format string")
		}
		used++
		return args[used-1]
	}
	for {
		before, rest, found := strings.Cut(s, "%")
		b.WriteString(before)
		if !found {
			break
		}
		get := take
		if name, after, ok := strings.Cut(rest, ")"); ok && rest[0] == '(' {
			if !isDict {
				r.failf("format requires a mapping")
			}
			v, ok := members.get(name[1:])
			if !ok {
				r.failf("KeyError: %s", name[1:])
			}
			rest, used = after, len(args)
			get = func() Value { return v }
		}
		var l layout
		l, s = readPercentLayout(r, rest, take)
		if l.verb == '%' {
			b.WriteByte('%')
			continue
		}
		out := formatValue(r, get(), &l)
		r.sized(b.Len() + len(out))
		b.WriteString(out)
	}
	if used < len(args) && !isDict {
		r.failf("not all arguments converted during string formatting")
	}
	r.charge(b.Len())
	return b.String()
}

// readPercentLayout reads the conversion behind a percent sign.
func readPercentLayout(r *rendering, s string, take func() Value) (l layout, rest string) {
	l = layout{fill: " ", align: alignRight, precision: -1}
	for s != "" && strings.IndexByte("-+ #0", s[0]) >= 0 {
		switch s[0] {
		case '-':
			l.align = alignLeft
		case '#':
			l.alternate = true
		case '0':
			l.fill = "0"
		default:
			l.sign = s[0]
		}
		s = s[1:]
	}
	l.width, s = readFormatNumber(r, s, 0, take)
	if strings.HasPrefix(s, ".") {
		l.precision, s = readFormatNumber(r, s[1:], 0, take)
	}
	s = strings.TrimLeft(s, "hlL")
	if s == "" {
		r.failf("incomplete format")
	}
	l.verb = s[0]
	return l, s[1:]
}

func readFormatNumber(r *rendering, s string, otherwise int, take func() Value) (n int, rest string) {
	if strings.HasPrefix(s, "*") && take != nil {
		n, rest = integerOf(r, take()), s[1:]
	} else {
		digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
		if digits == 0 {
			return otherwise, s
		}
		n, _ = strconv.Atoi(s[:digits])
		rest = s[digits:]
	}
	if n > maxWidth || n < 0 {
		r.failf("width or precision too big")
	}
	return n, rest
}

// formatValue writes one value as a layout asks.
func formatValue(r *rendering, v Value, l *layout) string {
	s, isNumber := "", true
	switch l.verb {
	case 's', 'r', 'a':
		isNumber = false
		s = stringOf(r, v)
		if l.verb != 's' {
			w := &writer{r: r}
			w.repr(v, 0)
			s = w.b.String()
		}
		if l.precision >= 0 && l.precision < runeCount(s) {
			s = string([]rune(s)[:l.precision])
		}
	case 'c':
		isNumber = false
		if t, ok := text(v); ok && runeCount(t) == 1 {
			s = t
		} else {
			s = string(rune(integerOf(r, v)))
		}
	case 'd', 'i', 'u', 'x', 'X', 'o', 'b':
		s = formatInteger(r, v, l)
	case 'f', 'F', 'e', 'E', 'g', 'G', 'n':
		s = formatFloat(r, v, l)
	default:
		r.failf("unsupported format character '%c'", l.verb)
	}
	if !isNumber {
		if l.fill == "0" && l.align == alignRight {
			return padText(r, s, l.width, " ", alignRight)
		}
		return padText(r, s, l.width, l.fill, l.align)
	}
	if l.sign != 0 && s[0] != '-' {
		s = string(l.sign) + s
	}
	if l.fill == "0" && l.align != alignLeft {
		sign := ""
		if s[0] == '-' || s[0] == '+' || s[0] == ' ' {
			sign, s = s[:1], s[1:]
		}
		return sign + padText(r, s, l.width-len(sign), "0", alignRight)
	}
	return padText(r, s, l.width, l.fill, l.align)
}

func formatInteger(r *rendering, v Value, l *layout) string {
	n, ok := numberOf(v)
	if !ok {
		r.failf("%%%c format: a real number is required, not %s", l.verb, typeName(v))
	}
	i := n.big()
	if n.isFloat {
		if l.verb != 'd' && l.verb != 'i' && l.verb != 'u' {
			r.failf("%%%c format: an integer is required, not float", l.verb)
		}
		i, _ = big.NewFloat(n.f).Int(nil)
	}
	base, prefix := 10, ""
	switch l.verb {
	case 'x', 'X':
		base, prefix = 16, "0"+string(l.verb)
	case 'o':
		base, prefix = 8, "0o"
	case 'b':
		base, prefix = 2, "0b"
	}
	s := new(big.Int).Abs(i).Text(base)
	if l.verb == 'X' {
		s = strings.ToUpper(s)
	}
	if l.commas {
		s = withCommas(s)
	}
	if l.alternate {
		s = prefix + s
	}
	if i.Sign() < 0 {
		s = "-" + s
	}
	return s
}

func formatFloat(r *rendering, v Value, l *layout) string {
	n, ok := numberOf(v)
	if !ok {
		r.failf("must be real number, not %s", typeName(v))
	}
	precision := l.precision
	if precision < 0 {
		precision = 6
	}
	r.sized(precision + 400)
	verb := l.verb
	if verb == 'F' {
		verb = 'f'
	}
	if verb == 'g' || verb == 'G' {
		precision = max(precision, 1)
	}
	s := floatRepr(n.f)
	if verb != 'n' || l.precision >= 0 {
		s = strconv.FormatFloat(n.f, cmp.Or(map[byte]byte{'n': 'g'}[verb], verb), precision, 64)
	}
	if verb == 'n' && strings.Trim(s, "-0123456789") == "" {
		s += ".0"
	}
	if whole, fraction, _ := strings.Cut(s, "."); l.commas {
		s = withCommas(whole) + strings.TrimSuffix("."+fraction, ".")
	}
	return s
}

// withCommas sets a comma between groups of three digits.
func withCommas(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// methodFormat is str.format().
func methodFormat(r *rendering, s string, a *arguments) Value {
	var b strings.Builder
	automatic := 0
	for s != "" {
		i := strings.IndexAny(s, "{}")
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		if i+1 < len(s) && s[i+1] == s[i] {
			b.WriteByte(s[i])
			s = s[i+2:]
			continue
		}
		end := strings.IndexByte(s[i:], '}')
		if s[i] == '}' || end < 0 {
			r.failf("single '%c' encountered in format string", s[i])
		}
		out := formatField(r, s[i+1:i+end], a, &automatic)
		r.sized(b.Len() + len(out))
		b.WriteString(out)
		s = s[i+end+1:]
	}
	r.charge(b.Len())
	return b.String()
}

// formatField writes a replacement field: NAME!CONVERSION:LAYOUT.
func formatField(r *rendering, field string, a *arguments, automatic *int) string {
	field, spec, _ := strings.Cut(field, ":")
	path, conversion, _ := strings.Cut(field, "!")
	v := formatArgument(r, path, a, automatic)
	switch conversion {
	case "":
	case "r", "a":
		w := &writer{r: r}
		w.repr(v, 0)
		v = w.b.String()
	case "s":
		v = stringOf(r, v)
	default:
		r.failf("unknown conversion specifier %s", conversion)
	}
	if spec == "" {
		return stringOf(r, v)
	}
	return formatValue(r, v, readFormatLayout(r, spec, v))
}

// formatArgument finds what a field names: a position or a name, and attributes
// and items of it.
func formatArgument(r *rendering, path string, a *arguments, automatic *int) Value {
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	name, rest := path[:end], path[end:]
	position, err := strconv.Atoi(name)
	if name == "" {
		position, err = *automatic, nil
		*automatic++
	}
	if err != nil {
		position = -1
	}
	v, ok := a.keyword(position, name)
	if !ok {
		r.failf("no argument %q for the format string", name)
	}
	for rest != "" {
		if after, ok := strings.CutPrefix(rest, "["); ok {
			key, after, closed := strings.Cut(after, "]")
			if !closed {
				r.failf("missing ']' in format string")
			}
			if i, err := strconv.ParseInt(key, 10, 64); err == nil {
				v = itemAt(r, v, i)
			} else {
				v = itemAt(r, v, key)
			}
			rest = after
			continue
		}
		rest = rest[1:]
		if end = strings.IndexAny(rest, ".["); end < 0 {
			end = len(rest)
		}
		v, rest = attributeOf(r, v, rest[:end]), rest[end:]
	}
	return v
}

// readFormatLayout reads a format specification.
func readFormatLayout(r *rendering, spec string, v Value) *layout {
	l := &layout{fill: " ", precision: -1}
	if _, n := utf8.DecodeRuneInString(spec); len(spec) > n && strings.IndexByte("<>^=", spec[n]) >= 0 {
		l.fill, l.align, spec = spec[:n], rune(spec[n]), spec[n+1:]
	} else if strings.IndexByte("<>^=", spec[0]) >= 0 {
		l.align, spec = rune(spec[0]), spec[1:]
	}
	if spec != "" && strings.IndexByte("+- ", spec[0]) >= 0 {
		if spec[0] != '-' {
			l.sign = spec[0]
		}
		spec = spec[1:]
	}
	if rest, ok := strings.CutPrefix(spec, "#"); ok {
		l.alternate, spec = true, rest
	}
	if rest, ok := strings.CutPrefix(spec, "0"); ok && l.align == 0 {
		l.fill, spec = "0", rest
	}
	l.width, spec = readFormatNumber(r, spec, 0, nil)
	if rest, ok := strings.CutPrefix(spec, ","); ok {
		l.commas, spec = true, rest
	}
	if strings.HasPrefix(spec, ".") {
		l.precision, spec = readFormatNumber(r, spec[1:], 0, nil)
	}
	_, isNumber := numberOf(v)
	switch {
	case len(spec) == 1:
		l.verb = spec[0]
		if n, _ := numberOf(v); n.isFloat && strings.IndexByte("dxXobc", l.verb) >= 0 {
			r.failf("Unknown format code '%c' for object of type 'float'", l.verb)
		}
	case spec != "":
		r.failf("invalid format specifier")
	case !isNumber:
		l.verb = 's'
	default:
		l.verb = 'd'
		if n, _ := numberOf(v); n.isFloat {
			l.verb = 'n' // as repr writes it
		}
	}
	if l.align == 0 {
		l.align = alignLeft
		if isNumber {
			l.align = alignRight
		}
	}
	if l.verb == '%' {
		r.failf("the format of percentages is not supported")
	}
	return l
}
