package jinja

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"
)

func (e constExpr) eval(*rendering) Value { return e.value }

func (e *nameExpr) eval(r *rendering) Value {
	r.step()
	r.line = e.line
	if v, ok := r.scope.lookup(e.name); ok {
		return v
	}
	return undefined{"'" + e.name + "' is undefined"}
}

func evalAll(r *rendering, list []expr) []Value {
	r.sized(itemBytes * len(list))
	values := make([]Value, len(list))
	for i, e := range list {
		values[i] = e.eval(r)
	}
	return values
}

func (e *listExpr) eval(r *rendering) Value  { return &List{evalAll(r, e.items)} }
func (e *tupleExpr) eval(r *rendering) Value { return tuple(evalAll(r, e.items)) }

func (e *dictExpr) eval(r *rendering) Value {
	r.sized(2 * itemBytes * len(e.keys))
	d := &Dict{}
	for i := range e.keys {
		key := e.keys[i].eval(r)
		r.line = e.line
		setDictItem(r, d, key, e.values[i].eval(r))
	}
	return d
}

func setDictItem(r *rendering, d *Dict, key, v Value) {
	checkHashable(r, key)
	d.set(key, v)
}

func checkHashable(r *rendering, key Value) {
	if !hashable(r, key, 0) {
		r.failf("unhashable type: '%s'", typeName(key))
	}
}

func (e *attributeExpr) eval(r *rendering) Value {
	owner := e.owner.eval(r)
	r.step()
	r.line = e.line
	return attributeOf(r, owner, e.name)
}

// attributeOf is owner.name: a method or a property first, then an item.
func attributeOf(r *rendering, owner Value, name string) Value {
	requireDefined(r, owner)
	if v, ok := propertyOf(r, owner, name); ok {
		return v
	}
	if d, ok := owner.(*Dict); ok {
		if v, ok := d.get(name); ok {
			return v
		}
	}
	return noAttribute(owner, "attribute", name)
}

// requireDefined fails for what is undefined.
func requireDefined(r *rendering, v Value) {
	if u, ok := v.(undefined); ok {
		r.failf("%s", u.hint)
	}
}

func (e *itemExpr) eval(r *rendering) Value {
	owner := e.owner.eval(r)
	if s, ok := e.key.(*sliceExpr); ok {
		return s.of(r, e.line, owner)
	}
	key := e.key.eval(r)
	r.step()
	r.line = e.line
	return itemAt(r, owner, key)
}

// itemAt is owner[key]: an item first, then a method or a property.
func itemAt(r *rendering, owner, key Value) Value {
	requireDefined(r, owner)
	if name, ok := text(key); ok {
		r.scan(name)
	}
	if v, ok := lookUpItem(r, owner, key); ok {
		return v
	}
	name, ok := text(key)
	if !ok {
		return noAttribute(owner, "element", stringOf(r, key))
	}
	if v, ok := propertyOf(r, owner, name); ok {
		return v
	}
	return noAttribute(owner, "attribute", name)
}

func lookUpItem(r *rendering, owner, key Value) (Value, bool) {
	if d, ok := owner.(*Dict); ok {
		if !hashable(r, key, 0) {
			return nil, false
		}
		return d.get(key)
	}
	n, ok := numberOf(key)
	if !ok || n.isFloat || n.i != nil {
		return nil, false
	}
	if s, ok := text(owner); ok {
		return characterAt(r, s, n.small)
	}
	size, sized := length(owner)
	i := n.small
	if i < 0 {
		i += int64(size)
	}
	if !sized || i < 0 || i >= int64(size) {
		return nil, false
	}
	switch v := owner.(type) {
	case *List:
		return v.Items[i], true
	case tuple:
		return v[i], true
	case span:
		return v.at(int(i)), true
	}
	return nil, false
}

// characterAt is the i-th character of s, which is counted from the end where i is
// negative.
func characterAt(r *rendering, s string, i int64) (Value, bool) {
	if i < 0 {
		r.scan(s)
		i += int64(utf8.RuneCountInString(s))
	}
	if i < 0 {
		return nil, false
	}
	r.walk(s[:min(i, int64(len(s)))])
	for _, c := range s {
		if i == 0 {
			return string(c), true
		}
		i--
	}
	return nil, false
}

func (e *sliceExpr) eval(*rendering) Value { return nil } // it stands in an itemExpr only

// of is owner[start:stop:step].
func (e *sliceExpr) of(r *rendering, line int, owner Value) Value {
	var bounds [3]Value
	for i, part := range e.parts {
		if part != nil {
			bounds[i] = part.eval(r)
		}
	}
	r.line = line
	requireDefined(r, owner)
	switch v := owner.(type) {
	case *List:
		return &List{sliceItems(r, v.Items, bounds)}
	case tuple:
		return tuple(sliceItems(r, v, bounds))
	case span:
		return &List{sliceItems(r, itemsOf(r, v), bounds)}
	}
	if s, ok := text(owner); ok {
		return sliceText(r, s, bounds)
	}
	return undefined{"'" + typeName(owner) + " object' can't be sliced"}
}

func sliceItems(r *rendering, items []Value, bounds [3]Value) []Value {
	start, n, step := sliceBounds(r, len(items), bounds)
	r.sizedItems(n)
	out := make([]Value, n)
	for i := range out {
		out[i] = items[start+i*step]
	}
	return out
}

func sliceText(r *rendering, s string, bounds [3]Value) Value {
	r.charge(2 * runeBytes * len(s))
	characters := []rune(s)
	start, n, step := sliceBounds(r, len(characters), bounds)
	out := make([]rune, n)
	for i := range out {
		out[i] = characters[start+i*step]
	}
	return string(out)
}

// runeBytes is what a character takes where a text is taken apart.
const runeBytes = 4

// sliceBounds gives the first position of a slice, how many there are, and how far
// they are apart.
func sliceBounds(r *rendering, size int, bounds [3]Value) (start, n, step int) {
	step = 1
	if bounds[2] != nil {
		if step = sliceIndex(r, bounds[2]); step == 0 {
			r.failf("slice step cannot be zero")
		}
	}
	low, high := 0, size
	if step < 0 {
		low, high = -1, size-1
	}
	clamp := func(v Value, otherwise int) int {
		if v == nil {
			return otherwise
		}
		i := sliceIndex(r, v)
		if i < 0 {
			i += size
		}
		return max(low, min(i, high))
	}
	if step > 0 {
		start = clamp(bounds[0], 0)
		n = (clamp(bounds[1], size) - start + step - 1) / step
	} else {
		start = clamp(bounds[0], size-1)
		n = (start - clamp(bounds[1], -1) - step - 1) / -step
	}
	return start, max(n, 0), step
}

// farthest is beyond every position; bounds are cut to it.
const farthest = math.MaxInt32

func sliceIndex(r *rendering, v Value) int {
	n, ok := numberOf(v)
	if !ok || n.isFloat {
		r.failf("slice indices must be integers or None")
	}
	return int(max(-farthest, min(n.small, farthest)))
}

func (e *unaryExpr) eval(r *rendering) Value {
	v := e.operand.eval(r)
	r.line = e.line
	requireDefined(r, v)
	n, ok := numberOf(v)
	switch {
	case !ok:
		r.failf("bad operand type for unary %s: '%s'", e.op, typeName(v))
	case e.op == "+" && n.isFloat:
		return n.f
	case e.op == "+":
		return whole(n.big())
	case n.isFloat:
		return -n.f
	}
	return whole(new(big.Int).Neg(n.big()))
}

func (e *binaryExpr) eval(r *rendering) Value {
	left := e.left.eval(r)
	right := e.right.eval(r)
	r.step()
	r.line = e.line
	return binaryOperation(r, e.op, left, right)
}

func (e *concatExpr) eval(r *rendering) Value {
	var b strings.Builder
	for _, item := range e.items {
		s := stringOf(r, item.eval(r))
		r.grown(b.Len()+len(s), len(s))
		b.WriteString(s)
	}
	return b.String()
}

func (e *logicExpr) eval(r *rendering) Value {
	left := e.left.eval(r)
	if truth(left) == e.isOr {
		return left
	}
	return e.right.eval(r)
}

func (e *notExpr) eval(r *rendering) Value { return !truth(e.operand.eval(r)) }

func (e *conditionExpr) eval(r *rendering) Value {
	if truth(e.test.eval(r)) {
		return e.then.eval(r)
	}
	if e.otherwise == nil {
		return undefined{"the inline if-expression evaluated to false and no else section was defined"}
	}
	return e.otherwise.eval(r)
}

func (e *compareExpr) eval(r *rendering) Value {
	left := e.first.eval(r)
	for _, c := range e.rest {
		right := c.value.eval(r)
		r.step()
		r.line = c.line
		if !compareValues(r, c.op, left, right) {
			return false
		}
		left = right
	}
	return true
}

func compareValues(r *rendering, op string, a, b Value) bool {
	switch op {
	case "==":
		return equal(r, a, b)
	case "!=":
		return !equal(r, a, b)
	case "in":
		return containsItem(r, b, a)
	case "not in":
		return !containsItem(r, b, a)
	}
	return compareOrder(r, op, a, b)
}

func compareOrder(r *rendering, op string, a, b Value) bool {
	order := orderOf(r, op, a, b)
	switch op {
	case "<":
		return order == -1
	case "<=":
		return order == -1 || order == 0
	case ">":
		return order == 1
	}
	return order == 1 || order == 0
}

// orderOf gives -1, 0 or 1; 2 where the two have no order (NaN).
func orderOf(r *rendering, op string, a, b Value) int {
	requireDefined(r, a)
	requireDefined(r, b)
	r.step()
	if x, ok := numberOf(a); ok {
		if y, ok := numberOf(b); ok {
			return compareNumbers(x, y)
		}
	}
	if x, ok := text(a); ok {
		if y, ok := text(b); ok {
			r.scan(x[:min(len(x), len(y))])
			return strings.Compare(x, y)
		}
	}
	x, y, ok := sequences(a, b)
	if !ok {
		r.failf("'%s' not supported between instances of '%s' and '%s'", op, typeName(a), typeName(b))
	}
	r.enter()
	defer r.leave()
	for i := range min(len(x), len(y)) {
		if !equal(r, x[i], y[i]) {
			return orderOf(r, op, x[i], y[i])
		}
	}
	return max(-1, min(len(x)-len(y), 1))
}

func sequences(a, b Value) (x, y []Value, ok bool) {
	switch a := a.(type) {
	case *List:
		if b, ok := b.(*List); ok {
			return a.Items, b.Items, true
		}
	case tuple:
		if b, ok := b.(tuple); ok {
			return a, b, true
		}
	}
	return nil, nil, false
}

// containsItem is "item in v".
func containsItem(r *rendering, v, item Value) bool {
	if s, ok := text(v); ok {
		part, ok := text(item)
		if !ok {
			r.failf("'in <string>' requires string as left operand, not %s", typeName(item))
		}
		r.scan(s)
		return strings.Contains(s, part)
	}
	if d, ok := v.(*Dict); ok {
		checkHashable(r, item)
		return d.find(item) >= 0
	}
	next := iterateOver(r, v)
	for {
		got, ok := next()
		if !ok {
			return false
		}
		if r.step(); equal(r, got, item) {
			return true
		}
	}
}

// iterateOver goes through v as a for loop does.
func iterateOver(r *rendering, v Value) func() (Value, bool) {
	switch v := v.(type) {
	case undefined:
		return overItems(nil)
	case *List:
		return overItems(v.Items)
	case tuple:
		return overItems(v)
	case *Dict:
		return overItems(v.keys)
	case *dictView:
		return overItems(v.items)
	case *iterator:
		return v.next
	case span:
		n, i := v.len(), 0
		return func() (Value, bool) {
			if i >= n {
				return nil, false
			}
			i++
			return v.at(i - 1), true
		}
	case *loopState:
		return func() (Value, bool) { ok := v.advance(); return v.current, ok }
	}
	s, ok := text(v)
	if !ok {
		r.failf("'%s' object is not iterable", typeName(v))
	}
	return func() (Value, bool) {
		if s == "" {
			return nil, false
		}
		_, n := utf8.DecodeRuneInString(s)
		c := s[:n]
		s = s[n:]
		return c, true
	}
}

func overItems(items []Value) func() (Value, bool) {
	i := 0
	return func() (Value, bool) {
		if i >= len(items) {
			return nil, false
		}
		i++
		return items[i-1], true
	}
}

// itemsOf collects what iterate gives. The list is not to be changed.
func itemsOf(r *rendering, v Value) []Value {
	switch v := v.(type) {
	case *List:
		return v.Items
	case tuple:
		return v
	}
	next := iterateOver(r, v)
	var items []Value
	for {
		item, ok := next()
		if !ok {
			return items
		}
		items = append(items, item)
		r.grown(itemBytes*len(items), itemBytes)
	}
}

// arguments are those of a call.
type arguments struct {
	positional []Value
	names      []string
	named      []Value
}

func (e *argumentExprs) eval(r *rendering) *arguments {
	a := &arguments{names: e.names}
	if len(e.positional) > 0 {
		a.positional = evalAll(r, e.positional)
	}
	if len(e.named) > 0 {
		a.named = evalAll(r, e.named)
	}
	if e.spread != nil {
		more := itemsOf(r, e.spread.eval(r))
		r.sizedItems(len(more))
		a.positional = append(a.positional, more...)
	}
	if e.spreadNamed != nil {
		d, ok := e.spreadNamed.eval(r).(*Dict)
		if !ok {
			r.failf("argument after ** must be a mapping")
		}
		r.sizedItems(2 * len(d.keys))
		a.names = slices.Clone(a.names)
		for i, k := range d.keys {
			a.names = append(a.names, stringOf(r, k))
			a.named = append(a.named, d.values[i])
		}
	}
	return a
}

// keyword gives the argument of that name, or the position-th one.
func (a *arguments) keyword(position int, name string) (Value, bool) {
	if position >= 0 && position < len(a.positional) {
		return a.positional[position], true
	}
	if i := slices.Index(a.names, name); i >= 0 {
		return a.named[i], true
	}
	return nil, false
}

func (e *callExpr) eval(r *rendering) Value {
	callee := e.callee.eval(r)
	args := e.args.eval(r)
	r.line = e.line
	return callValue(r, callee, args)
}

func callValue(r *rendering, callee Value, args *arguments) Value {
	r.step()
	switch f := callee.(type) {
	case *function:
		return f.call(r, args)
	case *macro:
		return f.call(r, args, nil)
	case *loopState:
		return callLoop(r, f, args)
	}
	requireDefined(r, callee)
	r.failf("'%s' object is not callable", typeName(callee))
	return nil
}

func callLoop(r *rendering, l *loopState, args *arguments) Value {
	if l.again == nil || len(args.positional) != 1 {
		r.failf("the loop must have the 'recursive' marker to be called recursively, with what to loop over")
	}
	return l.again(args.positional[0], l.depth+1)
}
