package jinja

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxRange is how long a range may be, as in Python's sandbox.
const maxRange = 100_000

// globals are the functions that every template sees.
var globals = map[string]Value{
	"range":           &function{"range", makeRange},
	"dict":            &function{"dict", makeDict},
	"namespace":       &function{"namespace", makeNamespace},
	"joiner":          &function{"joiner", makeJoiner},
	"cycler":          &function{"cycler", makeCycler},
	"raise_exception": &function{"raise_exception", raiseException},
	"strftime_now":    &function{"strftime_now", formatNow},
}

func makeRange(r *rendering, a *arguments) Value {
	s := span{step: 1}
	switch n := len(a.positional); n {
	case 1:
		s.stop = int64(integerOf(r, a.positional[0]))
	case 2, 3:
		s.start, s.stop = int64(integerOf(r, a.positional[0])), int64(integerOf(r, a.positional[1]))
		if n == 3 {
			s.step = int64(integerOf(r, a.positional[2]))
		}
	default:
		r.failf("range expected 1 to 3 arguments, got %d", n)
	}
	if s.step == 0 {
		r.failf("range() arg 3 must not be zero")
	}
	if s.len() > maxRange {
		r.failf("Range too big. The sandbox blocks ranges larger than MAX_RANGE (%d).", maxRange)
	}
	return s
}

func makeDict(r *rendering, a *arguments) Value {
	d := &Dict{}
	if len(a.positional) > 0 {
		if from, ok := a.positional[0].(*Dict); ok {
			d = from.copied(r)
		} else {
			for _, item := range itemsOf(r, a.positional[0]) {
				r.sizedItems(4)
				pair := itemsOf(r, item)
				if len(pair) != 2 {
					r.failf("dictionary update sequence element has length %d; 2 is required", len(pair))
				}
				setDictItem(r, d, pair[0], pair[1])
			}
		}
	}
	r.sizedItems(2 * len(a.names))
	r.spend(4 * len(a.names))
	for i, name := range a.names {
		d.set(name, a.named[i])
	}
	return d
}

func makeNamespace(r *rendering, a *arguments) Value {
	return &namespace{makeDict(r, a).(*Dict)}
}

func makeJoiner(r *rendering, a *arguments) Value {
	separator, used := stringOf(r, a.take(0, "sep", ", ")), false
	return &function{"joiner", func(*rendering, *arguments) Value {
		if !used {
			used = true
			return ""
		}
		return separator
	}}
}

func makeCycler(r *rendering, a *arguments) Value {
	if len(a.positional) == 0 {
		r.failf("at least one item has to be provided")
	}
	at := 0
	members := &Dict{}
	members.set("current", a.positional[0])
	members.set("next", &function{"next", func(*rendering, *arguments) Value {
		v := a.positional[at]
		at = (at + 1) % len(a.positional)
		members.set("current", a.positional[at])
		return v
	}})
	members.set("reset", &function{"reset", func(*rendering, *arguments) Value {
		at = 0
		members.set("current", a.positional[0])
		return nil
	}})
	return &namespace{members}
}

func raiseException(r *rendering, a *arguments) Value {
	panic(failure{&RaisedError{stringOf(r, a.take(0, "message", ""))}})
}

// longestDirective is how long the text of a directive of two characters may be.
const longestDirective = 24

func formatNow(r *rendering, a *arguments) Value {
	format := requireText(r, a.take(0, "format", undefined{"strftime_now needs a format"}))
	r.sized(longestDirective * len(format) / 2)
	r.spend(4 * strings.Count(format, "%"))
	return formatTime(r.now, format)
}

// directives of strftime that have a layout of Go's.
var timeLayouts = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'c': "Mon Jan _2 15:04:05 2006", 'd': "02", 'D': "01/02/06",
	'e': "_2", 'F': "2006-01-02", 'h': "Jan", 'H': "15", 'I': "03", 'j': "002", 'm': "01", 'M': "04", 'p': "PM",
	'R': "15:04", 'S': "05", 'T': "15:04:05", 'x': "01/02/06", 'X': "15:04:05", 'y': "06", 'Y': "2006",
}

// formatTime is strftime in the C locale.
func formatTime(t time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		unpadded := format[i] == '-' && i+1 < len(format)
		if unpadded {
			i++
		}
		s := timeDirective(t, format[i])
		if unpadded && s != "" {
			s = strings.TrimLeft(s[:len(s)-1], "0 ") + s[len(s)-1:]
		}
		b.WriteString(s)
	}
	return b.String()
}

func timeDirective(t time.Time, c byte) string {
	if layout, ok := timeLayouts[c]; ok {
		return t.Format(layout)
	}
	switch c {
	case '%':
		return "%"
	case 'f':
		return fmt.Sprintf("%06d", t.Nanosecond()/1000)
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 's':
		return strconv.FormatInt(t.Unix(), 10)
	case 'u':
		return strconv.Itoa((int(t.Weekday())+6)%7 + 1)
	case 'w':
		return strconv.Itoa(int(t.Weekday()))
	case 'z', 'Z':
		return "" // datetime.now() has no zone
	}
	return "%" + string(c)
}
