package jinja

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// method is a method of a value of Python's; self is the value.
type method[T any] func(r *rendering, self T, a *arguments) Value

// propertyOf gives a method or an attribute of a value. What would change a value
// is not safe in the sandbox: it is undefined, and says why where it is called.
func propertyOf(r *rendering, owner Value, name string) (Value, bool) {
	switch v := owner.(type) {
	case *loopState:
		return v.attribute(name)
	case *namespace:
		return v.members.get(name)
	case *macro:
		switch name {
		case "name":
			return v.name, true
		case "arguments":
			return v.parameterNames(), true
		}
		return nil, false
	case *Dict:
		return bound(dictMethods, v, name, "dict")
	case *List:
		return bound(listMethods, v.Items, name, "list")
	case tuple:
		return bound(tupleMethods, []Value(v), name, "tuple")
	case float64:
		if name == "is_integer" {
			return &function{name, func(*rendering, *arguments) Value { return v == math.Trunc(v) && !math.IsInf(v, 0) }}, true
		}
	}
	if s, ok := text(owner); ok {
		return boundText(s, name)
	}
	return nil, false
}

func bound[T any](methods map[string]method[T], self T, name, kind string) (Value, bool) {
	m, ok := methods[name]
	if !ok {
		return nil, false
	}
	if m == nil {
		return undefined{"access to attribute '" + name + "' of '" + kind + "' object is unsafe."}, true
	}
	return &function{name, func(r *rendering, a *arguments) Value { return m(r, self, a) }}, true
}

// boundText is bound for texts. Most methods of a text go through it, and through the
// texts that they are given.
func boundText(s, name string) (Value, bool) {
	found, ok := bound(stringMethods, s, name, "str")
	f, isFunction := found.(*function)
	if !isFunction {
		return found, ok
	}
	return &function{name, func(r *rendering, a *arguments) Value {
		r.scan(s)
		r.scanTexts(a.positional)
		r.scanTexts(a.named)
		return f.call(r, a)
	}}, true
}

var dictMethods = map[string]method[*Dict]{
	"get": func(r *rendering, d *Dict, a *arguments) Value {
		key := a.take(0, "key", nil)
		checkHashable(r, key)
		if v, ok := d.get(key); ok {
			return v
		}
		return a.take(1, "default", nil)
	},
	"items": func(r *rendering, d *Dict, _ *arguments) Value {
		r.sizedItems(3 * len(d.keys))
		return &dictView{"dict_items", d.items()}
	},
	"keys":   func(_ *rendering, d *Dict, _ *arguments) Value { return &dictView{"dict_keys", d.keys} },
	"values": func(_ *rendering, d *Dict, _ *arguments) Value { return &dictView{"dict_values", d.values} },
	"copy": func(r *rendering, d *Dict, _ *arguments) Value {
		return d.copied(r)
	},
	"clear": nil, "pop": nil, "popitem": nil, "setdefault": nil, "update": nil,
}

var tupleMethods = map[string]method[[]Value]{
	"index": func(r *rendering, items []Value, a *arguments) Value {
		wanted := a.take(0, "value", nil)
		for i, item := range items {
			if equal(r, item, wanted) {
				return int64(i)
			}
		}
		r.failf("value is not in list")
		return nil
	},
	"count": func(r *rendering, items []Value, a *arguments) Value {
		n, wanted := int64(0), a.take(0, "value", nil)
		for _, item := range items {
			if equal(r, item, wanted) {
				n++
			}
		}
		return n
	},
}

var listMethods = map[string]method[[]Value]{
	"index": tupleMethods["index"], "count": tupleMethods["count"],
	"copy": func(r *rendering, items []Value, _ *arguments) Value {
		r.sizedItems(len(items))
		return &List{slices.Clone(items)}
	},
	"append": nil, "clear": nil, "extend": nil, "insert": nil, "pop": nil, "remove": nil, "reverse": nil, "sort": nil,
}

// onText makes a method of a function of the string alone.
func onText(change func(string) string) method[string] {
	return func(r *rendering, s string, _ *arguments) Value {
		r.sized(len(s))
		r.walk(s)
		return change(s)
	}
}

// everyRune makes a method that asks something of all characters.
func everyRune(holds func(rune) bool) method[string] {
	return func(r *rendering, s string, _ *arguments) Value {
		r.walk(s)
		return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return !holds(c) })
	}
}

// stripping makes strip, lstrip or rstrip.
func stripping(left, right bool) method[string] {
	return func(r *rendering, s string, a *arguments) Value {
		in := isSpace
		if cut := a.take(0, "chars", nil); cut != nil {
			set := requireText(r, cut)
			r.spend(1 + len(s)*len(set)/64)
			in = func(c rune) bool { return strings.ContainsRune(set, c) }
		}
		if left {
			s = strings.TrimLeftFunc(s, in)
		}
		if right {
			s = strings.TrimRightFunc(s, in)
		}
		return s
	}
}

// searchRange gives the part of s that the arguments start and end, the second and
// third, leave to be searched, and how many characters stand before it.
func searchRange(r *rendering, s string, a *arguments) (part string, before int, ok bool) {
	start, end := a.take(1, "start", nil), a.take(2, "end", nil)
	if start == nil && end == nil {
		return s, 0, true
	}
	r.charge(2 * runeBytes * len(s))
	characters := []rune(s)
	from, n, _ := sliceBounds(r, len(characters), [3]Value{start, end, nil})
	beyond := start != nil && sliceIndex(r, start) > len(characters)
	return string(characters[from : from+n]), from, !beyond
}

// affix makes startswith or endswith, which take a string or a tuple of them.
func affix(has func(s, part string) bool) method[string] {
	return func(r *rendering, s string, a *arguments) Value {
		s, _, ok := searchRange(r, s, a)
		if !ok {
			return false
		}
		wanted := a.take(0, "prefix", nil)
		if list, ok := wanted.(tuple); ok {
			return slices.ContainsFunc(list, func(v Value) bool { return has(s, requireText(r, v)) })
		}
		return has(s, requireText(r, wanted))
	}
}

// finding makes find, rfind, index or rindex.
func finding(search func(s, part string) int, mustExist bool) method[string] {
	return func(r *rendering, s string, a *arguments) Value {
		s, before, ok := searchRange(r, s, a)
		at := search(s, requireText(r, a.take(0, "sub", nil)))
		if !ok {
			at = -1
		}
		if at < 0 && mustExist {
			r.failf("substring not found")
		}
		if at < 0 {
			return int64(-1)
		}
		return int64(before + utf8.RuneCountInString(s[:at]))
	}
}

// partitioning makes partition or rpartition.
func partitioning(search func(s, part string) int, last bool) method[string] {
	return func(r *rendering, s string, a *arguments) Value {
		separator := requireText(r, a.take(0, "sep", nil))
		at := search(s, separator)
		switch {
		case separator == "":
			r.failf("empty separator")
		case at >= 0:
			return tuple{s[:at], separator, s[at+len(separator):]}
		case last:
			return tuple{"", "", s}
		}
		return tuple{s, "", ""}
	}
}

const (
	alignLeft   = '<'
	alignRight  = '>'
	alignCenter = '^'
)

// padText fills s up to a width. Where an odd number of characters is to be set on
// both sides, Python's center sets the larger half to the left of an odd width.
func padText(r *rendering, s string, width int, fill string, align rune) string {
	missing := width - runeCount(s)
	if missing <= 0 {
		return s
	}
	r.sized(len(s) + missing*len(fill))
	left := 0
	switch align {
	case alignRight:
		left = missing
	case alignCenter:
		left = missing/2 + missing&width&1
	}
	return strings.Repeat(fill, left) + s + strings.Repeat(fill, missing-left)
}

func padding(align rune) method[string] {
	return func(r *rendering, s string, a *arguments) Value {
		return padText(r, s, integerOf(r, a.take(0, "width", int64(0))), requireText(r, a.take(1, "fillchar", " ")), align)
	}
}

var stringMethods map[string]method[string]

func init() {
	stringMethods = map[string]method[string]{
		"capitalize": onText(capitalize), "casefold": onText(lower), "lower": onText(lower),
		"upper": onText(upper), "title": onText(titleLetters), "swapcase": onText(swapCase),
		"strip": stripping(true, true), "lstrip": stripping(true, false), "rstrip": stripping(false, true),
		"startswith": affix(strings.HasPrefix), "endswith": affix(strings.HasSuffix),
		"find": finding(strings.Index, false), "rfind": finding(strings.LastIndex, false),
		"index": finding(strings.Index, true), "rindex": finding(strings.LastIndex, true),
		"partition": partitioning(strings.Index, false), "rpartition": partitioning(strings.LastIndex, true),
		"center": padding(alignCenter), "ljust": padding(alignLeft), "rjust": padding(alignRight),
		"isascii":    func(_ *rendering, s string, _ *arguments) Value { return isASCII(s) },
		"expandtabs": methodExpandTabs,
		"isspace":    everyRune(isSpace), "isalpha": everyRune(unicode.IsLetter), "isdigit": everyRune(unicode.IsDigit),
		"isdecimal": everyRune(unicode.IsDigit), "isnumeric": everyRune(unicode.IsNumber),
		"isalnum": everyRune(func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }),
		"islower": func(r *rendering, s string, a *arguments) Value { return tests["lower"](r, s, a) },
		"isupper": func(r *rendering, s string, a *arguments) Value { return tests["upper"](r, s, a) },
		"split":   methodSplit, "rsplit": methodRightSplit, "splitlines": methodSplitLines, "join": methodJoin,
		"replace": methodReplace, "count": methodCount, "format": methodFormat, "zfill": methodZeroFill,
		"removeprefix": func(r *rendering, s string, a *arguments) Value {
			return strings.TrimPrefix(s, requireText(r, a.take(0, "prefix", nil)))
		},
		"removesuffix": func(r *rendering, s string, a *arguments) Value {
			return strings.TrimSuffix(s, requireText(r, a.take(0, "suffix", nil)))
		},
	}
}

func methodReplace(r *rendering, s string, a *arguments) Value {
	old, replacement := requireText(r, a.take(0, "old", nil)), requireText(r, a.take(1, "new", nil))
	return replaceText(r, s, old, replacement, a.take(2, "count", nil))
}

func methodCount(r *rendering, s string, a *arguments) Value {
	part := requireText(r, a.take(0, "sub", nil))
	s, _, ok := searchRange(r, s, a)
	if !ok {
		return int64(0)
	}
	return int64(strings.Count(s, part))
}

func methodJoin(r *rendering, s string, a *arguments) Value {
	var b strings.Builder
	for i, item := range itemsOf(r, a.take(0, "iterable", nil)) {
		part, ok := text(item)
		if !ok {
			r.failf("sequence item %d: expected str instance, %s found", i, typeName(item))
		}
		if i > 0 {
			b.WriteString(s)
		}
		r.grown(b.Len()+len(part), len(s)+len(part))
		b.WriteString(part)
	}
	return b.String()
}

// methodExpandTabs sets each tab to the next column that is a multiple of its size.
func methodExpandTabs(r *rendering, s string, a *arguments) Value {
	size := max(0, min(integerOf(r, a.take(0, "tabsize", int64(8))), maxWidth))
	var b strings.Builder
	column := 0
	for _, c := range s {
		switch c {
		case '\t':
			spaces := 0
			if size > 0 {
				spaces = size - column%size
			}
			r.grown(b.Len()+spaces, spaces)
			b.WriteString(strings.Repeat(" ", spaces))
			column += spaces
		case '\n', '\r':
			b.WriteRune(c)
			column = 0
		default:
			b.WriteRune(c)
			column++
		}
	}
	r.charge(b.Len())
	return b.String()
}

func methodZeroFill(r *rendering, s string, a *arguments) Value {
	sign := ""
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, s = s[:1], s[1:]
	}
	return sign + padText(r, s, integerOf(r, a.take(0, "width", int64(0)))-len(sign), "0", alignRight)
}

// listOfStrings makes a list of strings and charges for it.
func listOfStrings(r *rendering, parts []string) *List {
	r.sizedItems(len(parts))
	items := make([]Value, len(parts))
	for i, p := range parts {
		items[i] = p
	}
	return &List{items}
}

// splitArguments gives separator ("" for white space) and how many cuts at most
// (-1: any number).
func splitArguments(r *rendering, a *arguments) (separator string, most int) {
	most = integerOf(r, a.take(1, "maxsplit", int64(-1)))
	v := a.take(0, "sep", nil)
	if v == nil {
		return "", most
	}
	if separator = requireText(r, v); separator == "" {
		r.failf("empty separator")
	}
	return separator, most
}

// appendPart adds a part of a text to those that are to be a list.
func appendPart(r *rendering, parts []string, part string) []string {
	r.grown(itemBytes*(len(parts)+1), itemBytes)
	return append(parts, part)
}

func methodSplit(r *rendering, s string, a *arguments) Value {
	separator, most := splitArguments(r, a)
	if separator != "" {
		r.sizedItems(strings.Count(s, separator))
		if most < 0 {
			return listOfStrings(r, strings.Split(s, separator))
		}
		return listOfStrings(r, strings.SplitN(s, separator, most+1))
	}
	var parts []string
	s = strings.TrimLeftFunc(s, isSpace)
	for s != "" {
		end := strings.IndexFunc(s, isSpace)
		if end < 0 || len(parts) == most {
			parts = append(parts, strings.TrimRightFunc(s, isSpace))
			if len(parts)-1 == most && end >= 0 {
				parts[len(parts)-1] = s // the rest keeps what is behind it
			}
			break
		}
		parts = appendPart(r, parts, s[:end])
		s = strings.TrimLeftFunc(s[end:], isSpace)
	}
	return listOfStrings(r, parts)
}

func methodRightSplit(r *rendering, s string, a *arguments) Value {
	separator, most := splitArguments(r, a)
	if most < 0 {
		return methodSplit(r, s, a)
	}
	var parts []string
	for len(parts) < most {
		end, next := strings.LastIndex(s, separator), len(separator)
		if separator == "" {
			s = strings.TrimRightFunc(s, isSpace)
			end, next = strings.LastIndexFunc(s, isSpace), 0
		}
		if end < 0 {
			break
		}
		part := s[end+next:]
		if separator == "" {
			part = strings.TrimLeftFunc(part, isSpace)
		}
		parts, s = appendPart(r, parts, part), s[:end]
	}
	if separator == "" {
		s = strings.TrimRightFunc(s, isSpace)
	}
	if separator != "" || s != "" {
		parts = append(parts, s)
	}
	slices.Reverse(parts)
	return listOfStrings(r, parts)
}

func methodSplitLines(r *rendering, s string, a *arguments) Value {
	if !truth(a.take(0, "keepends", false)) {
		return listOfStrings(r, splitLines(r, s))
	}
	var parts []string
	for s != "" {
		_, end := lineEnd(s)
		parts = appendPart(r, parts, s[:end])
		s = s[end:]
	}
	return listOfStrings(r, parts)
}

// splitLines cuts at what Python takes for line ends.
func splitLines(r *rendering, s string) []string {
	r.walk(s)
	var lines []string
	for s != "" {
		length, end := lineEnd(s)
		lines = appendPart(r, lines, s[:length])
		s = s[end:]
	}
	return lines
}

// lineEnd gives the length of the first line, without and with its end.
func lineEnd(s string) (length, end int) {
	for i, c := range s {
		switch {
		case c == '\r' && strings.HasPrefix(s[i+1:], "\n"):
			return i, i + 2
		case '\n' <= c && c <= '\r', 0x1c <= c && c <= 0x1e, c == 0x85, c == 0x2028, c == 0x2029:
			return i, i + utf8.RuneLen(c)
		}
	}
	return len(s), len(s)
}

func capitalize(s string) string {
	c, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToTitle(c)) + lower(s[n:])
}

// titleLetters is str.title(): a letter is large where none stands before it.
func titleLetters(s string) string {
	inWord := false
	return strings.Map(func(c rune) rune {
		before := inWord
		inWord = unicode.IsLetter(c)
		if before {
			return unicode.ToLower(c)
		}
		return unicode.ToTitle(c)
	}, s)
}

// titleWords is the filter title, which has its own notion of words.
func titleWords(s string) string {
	atStart := true
	return strings.Map(func(c rune) rune {
		first := atStart
		atStart = c == '-' || isSpace(c) || strings.ContainsRune("({[<", c)
		if first {
			return unicode.ToUpper(c)
		}
		return unicode.ToLower(c)
	}, s)
}

func swapCase(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsUpper(c) {
			return unicode.ToLower(c)
		}
		return unicode.ToUpper(c)
	}, s)
}
