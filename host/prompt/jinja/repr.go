package jinja

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// display is str(v) of a value that needs no rendering to be counted: none that
// is nested.
func display(v Value) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case int64:
		return strconv.FormatInt(v, 10)
	case *big.Int:
		return v.String()
	case float64:
		return floatRepr(v)
	case string:
		return v
	case markup:
		return string(v)
	case undefined:
		return ""
	}
	return ""
}

// floatRepr writes a float as Python does: the shortest digits that read back the
// same, with an exponent from 1e16 on and below 1e-4.
func floatRepr(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if strings.IndexByte(s, '.') < 0 {
		s += ".0"
	}
	return s
}

// writer builds the text of a value and charges for it.
type writer struct {
	r *rendering
	b strings.Builder
}

func (w *writer) write(s string) {
	w.r.charge(len(s))
	w.b.WriteString(s)
	if w.b.Len() > w.r.limits.ValueBytes {
		w.r.breach("ValueBytes", w.r.limits.ValueBytes)
	}
}

// stringOf is str(v).
func stringOf(r *rendering, v Value) string {
	switch v := v.(type) {
	case string:
		return v
	case markup:
		return string(v)
	case nil, bool, int64, *big.Int, float64, undefined:
		return display(v)
	}
	w := &writer{r: r}
	w.repr(v, 0)
	return w.b.String()
}

// repr writes repr(v).
func (w *writer) repr(v Value, depth int) {
	w.r.nested(depth)
	switch v := v.(type) {
	case string:
		w.write(stringRepr(v))
	case markup:
		w.write("Markup(" + stringRepr(string(v)) + ")")
	case undefined:
		w.write("Undefined")
	case *List:
		w.sequence("[", v.Items, "]", depth)
	case tuple:
		if len(v) == 1 {
			w.sequence("(", v, ",)", depth)
			return
		}
		w.sequence("(", v, ")", depth)
	case *Dict:
		w.dict(v, depth)
	case *dictView:
		w.sequence(v.kind+"([", v.items, "])", depth)
	case span:
		if v.step != 1 {
			w.write(fmt.Sprintf("range(%d, %d, %d)", v.start, v.stop, v.step))
			return
		}
		w.write(fmt.Sprintf("range(%d, %d)", v.start, v.stop))
	case *namespace:
		w.write("<Namespace ")
		w.dict(v.members, depth)
		w.write(">")
	case *macro:
		w.write("<Macro " + stringRepr(v.name) + ">")
	case *iterator:
		w.write("<" + v.kind + " object>")
	case *loopState:
		w.write(fmt.Sprintf("<LoopContext %d/%d>", v.index+1, v.length()))
	case *function:
		w.write("<function " + v.name + ">")
	default:
		w.write(display(v))
	}
}

func (w *writer) sequence(open string, items []Value, end string, depth int) {
	w.write(open)
	for i, item := range items {
		if i > 0 {
			w.write(", ")
		}
		w.repr(item, depth+1)
	}
	w.write(end)
}

func (w *writer) dict(d *Dict, depth int) {
	w.write("{")
	for i, k := range d.keys {
		if i > 0 {
			w.write(", ")
		}
		w.repr(k, depth+1)
		w.write(": ")
		w.repr(d.values[i], depth+1)
	}
	w.write("}")
}

// stringRepr is repr of a string: single quotes unless these need escapes and
// double ones do not.
func stringRepr(s string) string {
	quote := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		quote = '"'
	}
	b := make([]byte, 0, len(s)+2)
	b = append(b, quote)
	for _, r := range s {
		switch {
		case r == rune(quote) || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r < 0x20 || 0x7f <= r && r < 0xa0 || r == 0xad:
			b = fmt.Appendf(b, `\x%02x`, r)
		case unicode.IsPrint(r):
			b = utf8.AppendRune(b, r)
		case r <= 0xff:
			b = fmt.Appendf(b, `\x%02x`, r)
		case r <= 0xffff:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = fmt.Appendf(b, `\U%08x`, r)
		}
	}
	return string(append(b, quote))
}

// jsonStyle are the arguments of tojson.
type jsonStyle struct {
	indent      string // of one level; none: all on one line
	pretty      bool
	item, colon string
	ascii, sort bool
}

// json writes v as json.dumps does.
func (w *writer) json(v Value, s *jsonStyle, depth int) {
	w.r.nested(depth)
	switch v := v.(type) {
	case nil:
		w.write("null")
	case bool:
		w.write(strings.ToLower(display(v)))
	case float64:
		w.write(jsonFloat(v))
	case int64, *big.Int:
		w.write(display(v))
	case string:
		w.write(jsonString(v, s.ascii))
	case markup:
		w.write(jsonString(string(v), s.ascii))
	case *List:
		w.jsonArray(v.Items, s, depth)
	case tuple:
		w.jsonArray(v, s, depth)
	case *Dict:
		w.jsonObject(v, s, depth)
	default:
		w.r.failf("Object of type %s is not JSON serializable", typeName(v))
	}
}

func jsonFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return floatRepr(f)
}

func (w *writer) jsonArray(items []Value, s *jsonStyle, depth int) {
	if len(items) == 0 {
		w.write("[]")
		return
	}
	w.write("[")
	for i, item := range items {
		w.jsonBreak(s, i > 0, depth+1)
		w.json(item, s, depth+1)
	}
	w.jsonEnd(s, depth)
	w.write("]")
}

func (w *writer) jsonObject(d *Dict, s *jsonStyle, depth int) {
	if len(d.keys) == 0 {
		w.write("{}")
		return
	}
	if s.sort {
		d = sortedByKey(w.r, d)
	}
	w.write("{")
	for i, k := range d.keys {
		w.jsonBreak(s, i > 0, depth+1)
		w.write(jsonString(w.jsonKey(k), s.ascii))
		w.write(s.colon)
		w.json(d.values[i], s, depth+1)
	}
	w.jsonEnd(s, depth)
	w.write("}")
}

// jsonKey makes a string of a key as json.dumps does.
func (w *writer) jsonKey(k Value) string {
	switch k := k.(type) {
	case nil:
		return "null"
	case bool:
		return strings.ToLower(display(k))
	case float64:
		return jsonFloat(k)
	case tuple:
		w.r.failf("keys must be str, int, float, bool or None, not tuple")
	}
	return display(k)
}

func (w *writer) jsonBreak(s *jsonStyle, more bool, depth int) {
	if more {
		w.write(s.item)
	}
	if s.pretty {
		w.write("\n" + strings.Repeat(s.indent, depth))
	}
}

func (w *writer) jsonEnd(s *jsonStyle, depth int) {
	if s.pretty {
		w.write("\n" + strings.Repeat(s.indent, depth))
	}
}

const hexDigits = "0123456789abcdef"

func jsonString(s string, ascii bool) string {
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r >= 0x20 && (r < 0x7f || !ascii):
			b = utf8.AppendRune(b, r)
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\f':
			b = append(b, `\f`...)
		case r == '\b':
			b = append(b, `\b`...)
		case r == 0x7f:
			b = append(b, 0x7f)
		case r > 0xffff:
			r -= 0x10000
			b = appendHex(appendHex(b, 0xd800+r>>10), 0xdc00+r&0x3ff)
		default:
			b = appendHex(b, r)
		}
	}
	return string(append(b, '"'))
}

func appendHex(b []byte, r rune) []byte {
	return append(b, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
