package jinja

import (
	"slices"
	"strconv"
	"strings"
)

// Filters over sequences and mappings; those over texts and numbers are in filters.go.

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
	r.sizedItems(len(items))
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
	r.sizedItems(3 * len(d.keys))
	return newGenerator(r, nil, overItems(d.items()))
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
		r.grown(b.Len()+len(s), len(separator)+len(s))
		b.WriteString(s)
	}
	return b.String()
}

// attributeGetter reads an attribute by its path: names and positions with points
// between.
func attributeGetter(r *rendering, path Value, otherwise Value) func(Value) Value {
	var steps []Value
	if s, ok := text(path); ok {
		r.charge(len(s) + itemBytes*strings.Count(s, "."))
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
			r.step()
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
	return mapItems(r, v, func(item Value) Value { return run.on(r, item, rest) })
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
			r.walk(s)
			return lower(s)
		}
		return v
	}
}

// sortItems sorts items by key, stably.
func sortItems(r *rendering, items []Value, key func(Value) Value, reverse bool) []Value {
	r.sizedItems(4 * len(items))
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
	var keysOf []func(Value) Value
	for _, by := range attributes {
		keysOf = append(keysOf, sortKeyOf(r, by, caseSensitive))
	}
	if attributes != nil {
		key = func(v Value) Value {
			r.sizedItems(len(keysOf))
			keys := make(tuple, len(keysOf))
			for i, keyOf := range keysOf {
				keys[i] = keyOf(v)
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
	r.sizedItems(3 * len(d.keys))
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
		for to < len(items) && equal(r, key(get(items[to])), key(get(items[from]))) {
			to++
		}
		groups = append(groups, tuple{get(items[from]), &List{items[from:to]}})
		from = to
	}
	return &List{groups}
}

func filterUnique(r *rendering, v Value, a *arguments) Value {
	key := sortKeyOf(r, a.take(1, "attribute", nil), truth(a.take(0, "case_sensitive", false)))
	next, seen := iterateOver(r, v), map[hashedKey]bool{}
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
				r.sizedItems(6)
				seen[h] = true
				return item, true
			}
		}
	})
}

func filterReverse(r *rendering, v Value, _ *arguments) Value {
	if s, ok := text(v); ok {
		r.charge(2 * runeBytes * len(s))
		characters := []rune(s)
		slices.Reverse(characters)
		return string(characters)
	}
	items := itemsOf(r, v)
	r.sizedItems(len(items))
	items = slices.Clone(items)
	slices.Reverse(items)
	return &iterator{next: overItems(items), kind: "list_reverseiterator"}
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
		r.sizedItems(size + 4)
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
	r.sizedItems(len(items) + 4*count)
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
		r.step()
		sum = binaryOperation(r, "+", sum, item)
	}
	return sum
}
