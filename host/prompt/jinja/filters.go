package jinja

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// filter is one of Jinja's filters; a holds the arguments behind the input.
type filter func(r *rendering, input Value, a *arguments) Value

func (e *filterExpr) eval(r *rendering) Value { return e.apply(r, e.input.eval(r)) }

func (e *filterExpr) apply(r *rendering, input Value) Value {
	args := e.args.eval(r)
	r.step()
	r.line = e.line
	if e.run == nil {
		r.failf("no filter named '%s'", e.name)
	}
	return e.run.on(r, input, args)
}

// on runs a filter, which mostly goes through the texts that it is given.
func (f filter) on(r *rendering, input Value, a *arguments) Value {
	if s, ok := text(input); ok {
		r.scan(s)
	}
	r.scanTexts(a.positional)
	r.scanTexts(a.named)
	return f(r, input, a)
}

// filters are those of the reference that are deterministic. Filled in init, since
// some of them look filters up.
var filters map[string]filter

func init() {
	filters = map[string]filter{
		"abs": filterAbs, "attr": filterAttr, "batch": filterBatch, "capitalize": textFilter(capitalize),
		"center": filterCenter, "count": filterLength, "d": filterDefault, "default": filterDefault,
		"dictsort": filterDictSort, "e": filterEscape, "escape": filterEscape, "first": filterFirst,
		"float": filterFloat, "forceescape": filterEscape, "format": filterFormat, "groupby": filterGroupBy,
		"indent": filterIndent, "int": filterInt, "items": filterItems, "join": filterJoin, "last": filterLast,
		"length": filterLength, "list": filterList, "lower": textFilter(lower), "map": filterMap,
		"max": filterMax, "min": filterMin, "reject": selecting(false, false), "rejectattr": selecting(false, true),
		"replace": filterReplace, "reverse": filterReverse, "round": filterRound, "safe": filterSafe,
		"select": selecting(true, false), "selectattr": selecting(true, true), "slice": filterSlice, "sort": filterSort,
		"string": filterString, "sum": filterSum, "title": textFilter(titleWords), "tojson": filterToJSON,
		"trim": filterTrim, "truncate": filterTruncate, "unique": filterUnique, "upper": textFilter(upper),
		"urlencode": filterURLEncode, "wordcount": filterWordCount,
	}
}

// take gives an optional argument.
func (a *arguments) take(position int, name string, otherwise Value) Value {
	if v, ok := a.keyword(position, name); ok {
		return v
	}
	return otherwise
}

func integerOf(r *rendering, v Value) int {
	n, ok := numberOf(v)
	if !ok || n.isFloat {
		r.failf("'%s' object cannot be interpreted as an integer", typeName(v))
	}
	return int(max(-farthest, min(n.small, farthest)))
}

func requireText(r *rendering, v Value) string {
	s, ok := text(v)
	if !ok {
		requireDefined(r, v)
		r.failf("expected a string, not '%s'", typeName(v))
	}
	return s
}

func textFilter(change func(string) string) filter {
	return func(r *rendering, input Value, _ *arguments) Value {
		s := stringOf(r, input)
		r.sized(len(s))
		r.walk(s)
		return change(s)
	}
}

func filterAbs(r *rendering, v Value, _ *arguments) Value {
	requireDefined(r, v)
	n, ok := numberOf(v)
	switch {
	case !ok:
		r.failf("bad operand type for abs(): '%s'", typeName(v))
	case n.isFloat:
		return math.Abs(n.f)
	}
	return whole(new(big.Int).Abs(n.big()))
}

func filterAttr(r *rendering, v Value, a *arguments) Value {
	name := requireText(r, a.take(0, "name", undefined{"attr needs a name"}))
	requireDefined(r, v)
	if found, ok := propertyOf(r, v, name); ok {
		return found
	}
	return noAttribute(v, "attribute", name)
}

func filterCenter(r *rendering, v Value, a *arguments) Value {
	return padText(r, stringOf(r, v), integerOf(r, a.take(0, "width", int64(80))), " ", alignCenter)
}

func filterDefault(_ *rendering, v Value, a *arguments) Value {
	_, missing := v.(undefined)
	if missing || truth(a.take(1, "boolean", false)) && !truth(v) {
		return a.take(0, "default_value", "")
	}
	return v
}

func filterEscape(r *rendering, v Value, _ *arguments) Value {
	if m, ok := v.(markup); ok {
		return m
	}
	s := stringOf(r, v)
	r.walk(s)
	s = escapeHTML(s)
	r.sized(len(s))
	return markup(s)
}

func filterSafe(r *rendering, v Value, _ *arguments) Value { return markup(stringOf(r, v)) }

func filterString(r *rendering, v Value, _ *arguments) Value {
	if m, ok := v.(markup); ok {
		return m
	}
	return stringOf(r, v)
}

func filterFloat(r *rendering, v Value, a *arguments) Value {
	otherwise := a.take(0, "default", 0.0)
	if n, ok := numberOf(v); ok {
		return n.f
	}
	if s, ok := text(v); ok {
		if f, ok := parseFloat(s); ok {
			return f
		}
	}
	return otherwise
}

func parseFloat(s string) (float64, bool) {
	f, err := strconv.ParseFloat(strings.TrimFunc(s, isSpace), 64)
	if err != nil && !math.IsInf(f, 0) || strings.ContainsAny(s, "xXpP_") {
		return 0, false
	}
	return f, true
}

func filterInt(r *rendering, v Value, a *arguments) Value {
	otherwise := a.take(0, "default", int64(0))
	if n, ok := numberOf(v); ok {
		if !n.isFloat {
			return whole(n.big())
		}
		return truncated(n.f, otherwise)
	}
	s, ok := text(v)
	if !ok {
		return otherwise
	}
	s = strings.ReplaceAll(strings.TrimFunc(s, isSpace), "_", "")
	base := integerOf(r, a.take(1, "base", int64(10)))
	if base != 10 {
		s = strings.TrimPrefix(strings.ToLower(s), map[int]string{2: "0b", 8: "0o", 16: "0x"}[base])
	}
	if base < 2 || base > 36 || len(s) > maxBits/4 {
		return otherwise
	}
	if i, ok := new(big.Int).SetString(s, base); ok {
		return whole(i)
	}
	if f, ok := parseFloat(s); ok {
		return truncated(f, otherwise)
	}
	return otherwise
}

func truncated(f float64, otherwise Value) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return otherwise
	}
	i, _ := big.NewFloat(f).Int(nil)
	return whole(i)
}

func filterFormat(r *rendering, v Value, a *arguments) Value {
	if len(a.named) == 0 {
		return formatPercent(r, stringOf(r, v), tuple(a.positional))
	}
	d := &Dict{}
	for i, name := range a.names {
		d.set(name, a.named[i])
	}
	return formatPercent(r, stringOf(r, v), d)
}

func filterIndent(r *rendering, v Value, a *arguments) Value {
	pad, ok := text(a.take(0, "width", int64(4)))
	if !ok {
		width := integerOf(r, a.take(0, "width", int64(4)))
		r.sized(max(0, width))
		pad = strings.Repeat(" ", max(0, width))
	}
	first, blank := truth(a.take(1, "first", false)), truth(a.take(2, "blank", false))
	s := stringOf(r, v) + "\n" // the reference does so, to keep a line break at the end
	lines := splitLines(r, s)
	r.sized(len(s) + len(lines)*len(pad))
	for i, line := range lines {
		if i > 0 && (blank || line != "") {
			lines[i] = pad + line
		}
	}
	out := strings.Join(lines, "\n")
	if first {
		out = pad + out
	}
	return out
}

func filterReplace(r *rendering, v Value, a *arguments) Value {
	old, replacement := a.take(0, "old", nil), a.take(1, "new", nil)
	return replaceText(r, stringOf(r, v), stringOf(r, old), stringOf(r, replacement), a.take(2, "count", nil))
}

// replaceText is s.replace(old, replacement, count).
func replaceText(r *rendering, s, old, replacement string, count Value) Value {
	n := -1
	if count != nil {
		n = integerOf(r, count)
	}
	found := strings.Count(s, old)
	if n >= 0 {
		found = min(found, n)
	}
	r.charge(len(s))
	r.sized(len(s) + found*max(0, len(replacement)-len(old)))
	return strings.Replace(s, old, replacement, n)
}

func filterRound(r *rendering, v Value, a *arguments) Value {
	n, ok := numberOf(v)
	if !ok {
		requireDefined(r, v)
		r.failf("type %s doesn't define __round__ method", typeName(v))
	}
	precision := integerOf(r, a.take(0, "precision", int64(0)))
	method := stringOf(r, a.take(1, "method", "common"))
	if method == "common" && !n.isFloat && precision >= 0 {
		return v // the reference gives the integer back
	}
	scale := math.Pow(10, float64(precision))
	switch method {
	case "common":
		if precision >= 0 && precision < 300 {
			f, _ := strconv.ParseFloat(strconv.FormatFloat(n.f, 'f', precision, 64), 64)
			return f
		}
		return math.RoundToEven(n.f*scale) / scale
	case "ceil":
		return math.Ceil(n.f*scale) / scale
	case "floor":
		return math.Floor(n.f*scale) / scale
	}
	r.failf("method must be common, ceil or floor")
	return nil
}

func filterTrim(r *rendering, v Value, a *arguments) Value {
	s := stringOf(r, v)
	if cut := a.take(0, "chars", nil); cut != nil {
		set := stringOf(r, cut)
		r.spend(1 + len(s)*len(set)/64)
		return strings.Trim(s, set)
	}
	return strings.TrimFunc(s, isSpace)
}

func filterTruncate(r *rendering, v Value, a *arguments) Value {
	size := integerOf(r, a.take(0, "length", int64(255)))
	if size < runeCount(stringOf(r, a.take(2, "end", "..."))) {
		r.failf("truncate: the length is less than that of what marks the end")
	}
	if n, ok := length(v); ok && n <= size+integerOf(r, a.take(3, "leeway", int64(5))) {
		return v // lists and mappings, too
	}
	whole := stringOf(r, v)
	r.charge(2 * runeBytes * len(whole))
	s := []rune(whole)
	killWords, end := truth(a.take(1, "killwords", false)), stringOf(r, a.take(2, "end", "..."))
	leeway := integerOf(r, a.take(3, "leeway", int64(5)))
	if len(s) <= size+leeway {
		return string(s)
	}
	kept := string(s[:max(0, size-runeCount(end))])
	if !killWords {
		if i := strings.LastIndexByte(kept, ' '); i >= 0 {
			kept = kept[:i]
		}
	}
	return kept + end
}

func filterURLEncode(r *rendering, v Value, _ *arguments) Value {
	quote := func(s string, query bool) string {
		r.charge(3 * len(s))
		r.walk(s)
		var b strings.Builder
		for i := range len(s) {
			switch c := s[i]; {
			case c == ' ' && query:
				b.WriteByte('+')
			case c < 0x80 && (unicode.IsLetter(rune(c)) || isDigit(c)) || strings.IndexByte("_.-~", c) >= 0 || c == '/' && !query:
				b.WriteByte(c)
			default:
				b.WriteString("%" + strings.ToUpper(string([]byte{hexDigits[c>>4], hexDigits[c&15]})))
			}
		}
		r.sized(b.Len())
		return b.String()
	}
	pairs, isDict := v.(*Dict)
	if !isDict {
		return quote(stringOf(r, v), false)
	}
	parts := make([]string, len(pairs.keys))
	for i, k := range pairs.keys {
		parts[i] = quote(stringOf(r, k), true) + "=" + quote(stringOf(r, pairs.values[i]), true)
	}
	return strings.Join(parts, "&")
}

func filterWordCount(r *rendering, v Value, _ *arguments) Value {
	s := stringOf(r, v)
	r.charge(itemBytes * len(s) / 2)
	return int64(len(strings.FieldsFunc(s, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })))
}

// filterToJSON is tojson of Hugging Face's environment: json.dumps with ASCII
// escapes off and nothing escaped for HTML.
func filterToJSON(r *rendering, v Value, a *arguments) Value {
	s := &jsonStyle{item: ", ", colon: ": "}
	s.ascii = truth(a.take(0, "ensure_ascii", false))
	if indent := a.take(1, "indent", nil); indent != nil {
		s.pretty, s.item = true, ","
		if spaces, ok := text(indent); ok {
			s.indent = spaces
		} else {
			width := max(0, integerOf(r, indent))
			r.sized(width)
			s.indent = strings.Repeat(" ", width)
		}
	}
	if separators := a.take(2, "separators", nil); separators != nil {
		pair := itemsOf(r, separators)
		if len(pair) != 2 {
			r.failf("separators must be a pair")
		}
		s.item, s.colon = requireText(r, pair[0]), requireText(r, pair[1])
	}
	s.sort = truth(a.take(3, "sort_keys", false))
	w := &writer{r: r}
	w.json(v, s, 0)
	return w.b.String()
}
