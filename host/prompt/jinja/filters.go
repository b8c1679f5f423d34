package jinja

import (
	"math"
	"math/big"
	"slices"
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
	return e.run(r, input, args)
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
	return undefined{"'" + typeName(v) + " object' has no attribute '" + name + "'"}
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
	s := escapeHTML(stringOf(r, v))
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

func filterFirst(r *rendering, v Value, _ *arguments) Value {
	if first, ok := iterateOver(r, v)(); ok {
		return first
	}
	return undefined{"No first item, sequence was empty."}
}

func filterLast(r *rendering, v Value, _ *arguments) Value {
	if it, ok := v.(*iterator); ok {
		r.failf("'%s' object is not reversible", it.kind)
	}
	items := itemsOf(r, v)
	if len(items) == 0 {
		return undefined{"No last item, sequence was empty."}
	}
	return items[len(items)-1]
}

func filterLength(r *rendering, v Value, _ *arguments) Value {
	n, ok := length(v)
	if !ok {
		r.failf("object of type '%s' has no len()", typeName(v))
	}
	return int64(n)
}

func filterList(r *rendering, v Value, _ *arguments) Value {
	items := itemsOf(r, v)
	r.sized(itemBytes * len(items))
	return &List{slices.Clone(items)}
}

func filterItems(r *rendering, v Value, _ *arguments) Value {
	if _, missing := v.(undefined); missing {
		return newGenerator(r, nil, overItems(nil))
	}
	d, ok := v.(*Dict)
	if !ok {
		r.failf("Can only get item pairs from a mapping.")
	}
	r.sized(3 * itemBytes * len(d.keys))
	return newGenerator(r, nil, overItems(d.items()))
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
	lines := splitLines(s)
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

func filterJoin(r *rendering, v Value, a *arguments) Value {
	separator := stringOf(r, a.take(0, "d", ""))
	if by, ok := a.keyword(1, "attribute"); ok && by != nil {
		v = mapItems(r, v, attributeGetter(r, by, nil))
	}
	var b strings.Builder
	for i, item := range itemsOf(r, v) {
		if i > 0 {
			b.WriteString(separator)
		}
		s := stringOf(r, item)
		r.sized(b.Len() + len(separator) + len(s))
		b.WriteString(s)
	}
	return b.String()
}

// attributeGetter reads an attribute by its path: names and positions with points
// between.
func attributeGetter(r *rendering, path Value, otherwise Value) func(Value) Value {
	var steps []Value
	if s, ok := text(path); ok {
		for part := range strings.SplitSeq(s, ".") {
			if i, err := strconv.ParseInt(part, 10, 64); err == nil && i >= 0 {
				steps = append(steps, i)
			} else {
				steps = append(steps, part)
			}
		}
	} else {
		steps = []Value{path}
	}
	return func(v Value) Value {
		for _, step := range steps {
			v = itemAt(r, v, step)
			if _, missing := v.(undefined); missing && otherwise != nil {
				v = otherwise
			}
		}
		return v
	}
}

// newGenerator makes an iterator that reads from v, if that is one.
func newGenerator(r *rendering, v Value, next func() (Value, bool)) *iterator {
	it := &iterator{next: next, kind: "generator"}
	if from, ok := v.(*iterator); ok {
		it.depth = from.depth + 1
		r.nested(it.depth)
	}
	return it
}

// iterateTruthy goes through v, or through nothing where v is false to Python:
// map and select take None, too.
func iterateTruthy(r *rendering, v Value) func() (Value, bool) {
	if !truth(v) {
		return overItems(nil)
	}
	return iterateOver(r, v)
}

func mapItems(r *rendering, v Value, change func(Value) Value) Value {
	next := iterateTruthy(r, v)
	return newGenerator(r, v, func() (Value, bool) {
		r.step()
		item, ok := next()
		if !ok {
			return nil, false
		}
		return change(item), true
	})
}

func filterMap(r *rendering, v Value, a *arguments) Value {
	if by, ok := a.keyword(-1, "attribute"); ok && len(a.positional) == 0 {
		return mapItems(r, v, attributeGetter(r, by, a.take(-1, "default", nil)))
	}
	if len(a.positional) == 0 {
		r.failf("map requires a filter argument")
	}
	name := requireText(r, a.positional[0])
	run := filters[name]
	if run == nil {
		r.failf("no filter named '%s'", name)
	}
	rest := &arguments{a.positional[1:], a.names, a.named}
	return mapItems(r, v, func(item Value) Value { return run(r, item, rest) })
}

// selecting makes select, reject, selectattr or rejectattr.
func selecting(wanted, byAttribute bool) filter {
	return func(r *rendering, v Value, a *arguments) Value {
		get := func(v Value) Value { return v }
		rest := a.positional
		if byAttribute {
			if len(rest) == 0 {
				r.failf("selectattr needs the name of an attribute")
			}
			get = attributeGetter(r, rest[0], nil)
			rest = rest[1:]
		}
		holds := func(v Value) bool { return truth(v) }
		if len(rest) > 0 {
			name := requireText(r, rest[0])
			run, args := tests[name], &arguments{rest[1:], a.names, a.named}
			if run == nil {
				r.failf("no test named '%s'", name)
			}
			holds = func(v Value) bool { return run(r, v, args) }
		}
		next := iterateTruthy(r, v)
		return newGenerator(r, v, func() (Value, bool) {
			for {
				r.step()
				item, ok := next()
				if !ok {
					return nil, false
				}
				if holds(get(item)) == wanted {
					return item, true
				}
			}
		})
	}
}

func filterMax(r *rendering, v Value, a *arguments) Value { return extremeOf(r, v, a, ">") }
func filterMin(r *rendering, v Value, a *arguments) Value { return extremeOf(r, v, a, "<") }

func extremeOf(r *rendering, v Value, a *arguments, op string) Value {
	items := itemsOf(r, v)
	if len(items) == 0 {
		return undefined{"No aggregated item, sequence was empty."}
	}
	key := sortKeyOf(r, a.take(-1, "attribute", nil), truth(a.take(0, "case_sensitive", false)))
	best, bestKey := items[0], key(items[0])
	for _, item := range items[1:] {
		if k := key(item); compareOrder(r, op, k, bestKey) {
			best, bestKey = item, k
		}
	}
	return best
}

// sortKeyOf is what a value is sorted by: the value or an attribute of it, texts
// without case unless it counts.
func sortKeyOf(r *rendering, attribute Value, caseSensitive bool) func(Value) Value {
	get := func(v Value) Value { return v }
	if attribute != nil {
		get = attributeGetter(r, attribute, nil)
	}
	return func(v Value) Value {
		v = get(v)
		if s, ok := text(v); ok && !caseSensitive {
			r.charge(len(s))
			return lower(s)
		}
		return v
	}
}

// sortItems sorts items by key, stably.
func sortItems(r *rendering, items []Value, key func(Value) Value, reverse bool) []Value {
	r.sized(2 * itemBytes * len(items))
	type keyed struct{ key, item Value }
	list := make([]keyed, len(items))
	for i, item := range items {
		list[i] = keyed{key(item), item}
	}
	slices.SortStableFunc(list, func(a, b keyed) int {
		order := orderOf(r, "<", a.key, b.key)
		if order > 1 {
			return 0
		}
		if reverse {
			return -order
		}
		return order
	})
	out := make([]Value, len(items))
	for i := range list {
		out[i] = list[i].item
	}
	return out
}

func filterSort(r *rendering, v Value, a *arguments) Value {
	var attributes []Value
	if by := a.take(2, "attribute", nil); by != nil {
		attributes = []Value{by}
		if s, ok := text(by); ok {
			attributes = nil
			for part := range strings.SplitSeq(s, ",") {
				attributes = append(attributes, part)
			}
		}
	}
	caseSensitive := truth(a.take(1, "case_sensitive", false))
	key := sortKeyOf(r, nil, caseSensitive)
	if attributes != nil {
		key = func(v Value) Value {
			keys := make(tuple, len(attributes))
			for i, by := range attributes {
				keys[i] = sortKeyOf(r, by, caseSensitive)(v)
			}
			return keys
		}
	}
	return &List{sortItems(r, itemsOf(r, v), key, truth(a.take(0, "reverse", false)))}
}

func filterDictSort(r *rendering, v Value, a *arguments) Value {
	d, ok := v.(*Dict)
	if !ok {
		requireDefined(r, v)
		r.failf("'%s' object has no attribute 'items'", typeName(v))
	}
	position := int64(0)
	switch stringOf(r, a.take(1, "by", "key")) {
	case "key":
	case "value":
		position = 1
	default:
		r.failf(`You can only sort by either "key" or "value"`)
	}
	r.sized(3 * itemBytes * len(d.keys))
	key := sortKeyOf(r, position, truth(a.take(0, "case_sensitive", false)))
	return &List{sortItems(r, d.items(), key, truth(a.take(2, "reverse", false)))}
}

// sortedByKey is the mapping with its members in the order of their names.
func sortedByKey(r *rendering, d *Dict) *Dict {
	sorted := &Dict{}
	for _, pair := range sortItems(r, d.items(), func(v Value) Value { return v.(tuple)[0] }, false) {
		sorted.set(pair.(tuple)[0], pair.(tuple)[1])
	}
	return sorted
}

func filterGroupBy(r *rendering, v Value, a *arguments) Value {
	by := a.take(0, "attribute", nil)
	caseSensitive := truth(a.take(2, "case_sensitive", false))
	get := attributeGetter(r, by, a.take(1, "default", nil))
	key := sortKeyOf(r, nil, caseSensitive)
	items := sortItems(r, itemsOf(r, v), func(v Value) Value { return key(get(v)) }, false)
	var groups []Value
	for from := 0; from < len(items); {
		to := from + 1
		for to < len(items) && equalCharged(r, key(get(items[to])), key(get(items[from]))) {
			to++
		}
		groups = append(groups, tuple{get(items[from]), &List{items[from:to]}})
		from = to
	}
	return &List{groups}
}

func filterUnique(r *rendering, v Value, a *arguments) Value {
	key := sortKeyOf(r, a.take(1, "attribute", nil), truth(a.take(0, "case_sensitive", false)))
	next, seen := iterateOver(r, v), map[string]bool{}
	return newGenerator(r, v, func() (Value, bool) {
		for {
			r.step()
			item, ok := next()
			if !ok {
				return nil, false
			}
			k := key(item)
			checkHashable(r, k)
			if h := hashKey(k); !seen[h] {
				r.sized(len(h))
				seen[h] = true
				return item, true
			}
		}
	})
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

func filterReverse(r *rendering, v Value, _ *arguments) Value {
	if s, ok := text(v); ok {
		r.charge(len(s))
		characters := []rune(s)
		slices.Reverse(characters)
		return string(characters)
	}
	items := slices.Clone(itemsOf(r, v))
	r.sized(itemBytes * len(items))
	slices.Reverse(items)
	return &iterator{next: overItems(items), kind: "list_reverseiterator"}
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

func filterBatch(r *rendering, v Value, a *arguments) Value {
	size := integerOf(r, a.take(0, "linecount", int64(0)))
	fill := a.take(1, "fill_with", nil)
	if size < 1 {
		r.failf("batch needs a line count over 0")
	}
	var batches []Value
	items := itemsOf(r, v)
	for chunk := range slices.Chunk(items, size) {
		r.sized(itemBytes * size)
		batch := slices.Clone(chunk)
		for fill != nil && len(batch) < size {
			batch = append(batch, fill)
		}
		batches = append(batches, &List{batch})
	}
	return newGenerator(r, nil, overItems(batches))
}

func filterSlice(r *rendering, v Value, a *arguments) Value {
	count := integerOf(r, a.take(0, "slices", int64(0)))
	fill := a.take(1, "fill_with", nil)
	if count < 1 || count > maxRange {
		r.failf("slice needs a number of slices over 0")
	}
	items := itemsOf(r, v)
	r.sized(itemBytes * (len(items) + 2*count))
	var out []Value
	at := 0
	for i := range count {
		n := len(items) / count
		if i < len(items)%count {
			n++
		}
		part := slices.Clone(items[at : at+n])
		if fill != nil && i >= len(items)%count {
			part = append(part, fill)
		}
		out = append(out, &List{part})
		at += n
	}
	return newGenerator(r, nil, overItems(out))
}

func filterSum(r *rendering, v Value, a *arguments) Value {
	if by := a.take(0, "attribute", nil); by != nil {
		v = mapItems(r, v, attributeGetter(r, by, nil))
	}
	sum := a.take(1, "start", int64(0))
	for _, item := range itemsOf(r, v) {
		sum = binaryOperation(r, "+", sum, item)
	}
	return sum
}

func filterTrim(r *rendering, v Value, a *arguments) Value {
	s := stringOf(r, v)
	r.charge(len(s))
	if cut := a.take(0, "chars", nil); cut != nil {
		return strings.Trim(s, stringOf(r, cut))
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
	s := []rune(stringOf(r, v))
	r.charge(len(s))
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
	r.charge(len(s))
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
