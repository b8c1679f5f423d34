package jinja

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Value is a value of a template: nil (None), bool, int64, *big.Int, float64,
// string, *List, *Dict, and what a rendering makes beside these.
type Value any

// List is a mutable sequence to Python; no template can change it here.
type List struct{ Items []Value }

// Dict is a mapping that keeps the order of its members.
type Dict struct {
	keys   []Value
	values []Value
	index  map[hashedKey]int // position by key, from linearMembers on
}

// linearMembers is up to how many members a mapping is searched without an index.
const linearMembers = 8

// tuple is a fixed sequence.
type tuple []Value

// markup is text that says it is safe: what is added to it is escaped.
type markup string

// undefined is a name, an attribute or an item that is not there.
type undefined struct{ hint string }

// noAttribute is an attribute or an item that a value does not have. Its name, which may
// be any text, is not kept whole.
func noAttribute(owner Value, kind, name string) undefined {
	const shown = 80
	if len(name) > shown {
		name = name[:shown] + "…"
	}
	return undefined{"'" + typeName(owner) + " object' has no " + kind + " '" + name + "'"}
}

// namespace is what templates keep state in across scopes.
type namespace struct{ members *Dict }

// iterator is a generator of Python's: it is gone through once.
type iterator struct {
	next  func() (Value, bool)
	kind  string
	depth int // how many iterators this one reads through
}

// dictView is what keys(), values() and items() give.
type dictView struct {
	kind  string
	items []Value
}

// span is range(): a sequence that is not kept in memory.
type span struct{ start, stop, step int64 }

// function is a callable.
type function struct {
	name string
	call func(r *rendering, a *arguments) Value
}

// Set adds a member or gives it another value; it keeps its place then.
func (d *Dict) Set(name string, v Value) { d.set(name, v) }

func (d *Dict) set(key, v Value) {
	if i := d.find(key); i >= 0 {
		d.values[i] = v
		return
	}
	d.keys = append(d.keys, key)
	d.values = append(d.values, v)
	switch n := len(d.keys); {
	case d.index != nil:
		d.index[hashKey(key)] = n - 1
	case n > linearMembers:
		d.index = make(map[hashedKey]int, 2*n)
		for i, k := range d.keys {
			d.index[hashKey(k)] = i
		}
	}
}

// find is the position of a key, or -1.
func (d *Dict) find(key Value) int {
	if d.index != nil {
		if i, ok := d.index[hashKey(key)]; ok {
			return i
		}
		return -1
	}
	if name, ok := key.(string); ok {
		for i, k := range d.keys {
			if s, ok := k.(string); ok && s == name {
				return i
			}
		}
		return -1
	}
	wanted := hashKey(key)
	for i, k := range d.keys {
		if hashKey(k) == wanted {
			return i
		}
	}
	return -1
}

// Get gives the value of a member.
func (d *Dict) Get(name string) (Value, bool) { return d.get(name) }

func (d *Dict) get(key Value) (Value, bool) {
	if i := d.find(key); i >= 0 {
		return d.values[i], true
	}
	return nil, false
}

func (d *Dict) copied(r *rendering) *Dict {
	r.sized(4 * itemBytes * len(d.keys))
	r.spend(4 * len(d.keys))
	c := &Dict{}
	for i, k := range d.keys {
		c.set(k, d.values[i])
	}
	return c
}

func (d *Dict) items() []Value {
	pairs := make([]Value, len(d.keys))
	for i, k := range d.keys {
		pairs[i] = tuple{k, d.values[i]}
	}
	return pairs
}

// hashedKey is equal for keys that are equal to Python: 1, 1.0 and True are.
type hashedKey struct {
	kind byte
	text string
}

func hashKey(v Value) hashedKey {
	switch v := v.(type) {
	case string:
		return hashedKey{'s', v}
	case markup:
		return hashedKey{'s', string(v)}
	case nil:
		return hashedKey{kind: '0'}
	case tuple:
		var b strings.Builder
		for _, item := range v {
			key := hashKey(item)
			b.WriteByte(key.kind)
			b.WriteString(strconv.Itoa(len(key.text)) + ":" + key.text)
		}
		return hashedKey{'(', b.String()}
	}
	n, ok := numberOf(v)
	switch {
	case !ok:
		return hashedKey{}
	case n.isFloat && n.f == math.Trunc(n.f) && !math.IsInf(n.f, 0):
		whole, _ := big.NewFloat(n.f).Int(nil)
		return hashedKey{'n', whole.String()}
	case n.isFloat:
		return hashedKey{'n', floatRepr(n.f)}
	}
	return hashedKey{'n', n.big().String()}
}

// hashable says whether Python takes v as a key, and counts its parts.
func hashable(r *rendering, v Value, depth int) bool {
	r.compared(depth)
	switch v := v.(type) {
	case *List, *Dict, *dictView:
		return false
	case tuple:
		for _, item := range v {
			if !hashable(r, item, depth+1) {
				return false
			}
		}
		return true
	}
	if s, ok := text(v); ok {
		if depth > 0 {
			r.charge(len(s)) // the key of a tuple is a copy
		} else {
			r.scan(s)
		}
	}
	return true
}

// compared counts a part of values that are compared, or are keys.
func (b *budget) compared(depth int) {
	b.step()
	if depth > maxCompared {
		b.breach("Depth", maxCompared)
	}
}

// typeName is what Python calls the type of v.
func typeName(v Value) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int64, *big.Int:
		return "int"
	case float64:
		return "float"
	case string:
		return "str"
	case markup:
		return "Markup"
	case *List:
		return "list"
	case *Dict:
		return "dict"
	case tuple:
		return "tuple"
	case undefined:
		return "Undefined"
	case *namespace:
		return "Namespace"
	case *iterator:
		return v.kind
	case *dictView:
		return v.kind
	case span:
		return "range"
	case *macro:
		return "Macro"
	case *loopState:
		return "LoopContext"
	}
	return "function"
}

// truth is bool(v).
func truth(v Value) bool {
	switch v := v.(type) {
	case nil, undefined:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case *big.Int:
		return v.Sign() != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case markup:
		return v != ""
	}
	if n, ok := length(v); ok {
		return n > 0
	}
	return true
}

// hasLength says whether v has a length.
func hasLength(v Value) bool {
	if _, ok := text(v); ok {
		return true // its characters need not be counted
	}
	_, ok := length(v)
	return ok
}

// length is len(v), where v has one.
func length(v Value) (int, bool) {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v), true
	case markup:
		return utf8.RuneCountInString(string(v)), true
	case *List:
		return len(v.Items), true
	case tuple:
		return len(v), true
	case *Dict:
		return len(v.keys), true
	case *dictView:
		return len(v.items), true
	case span:
		return v.len(), true
	case undefined:
		return 0, true
	case *loopState:
		return v.length(), true
	}
	return 0, false
}

func (s span) len() int {
	switch {
	case s.step > 0 && s.start < s.stop:
		return int((s.stop - s.start + s.step - 1) / s.step)
	case s.step < 0 && s.start > s.stop:
		return int((s.start - s.stop - s.step - 1) / -s.step)
	}
	return 0
}

func (s span) at(i int) Value { return s.start + int64(i)*s.step }

// text is the string that v is, if it is one.
func text(v Value) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case markup:
		return string(v), true
	}
	return "", false
}

// number is a number, as arithmetic needs it.
type number struct {
	i       *big.Int // nil: it fits small
	small   int64
	f       float64
	isFloat bool
}

func numberOf(v Value) (number, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return number{small: 1, f: 1}, true
		}
		return number{}, true
	case int64:
		return number{small: v, f: float64(v)}, true
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return number{i: v, f: f}, true
	case float64:
		return number{f: v, isFloat: true}, true
	}
	return number{}, false
}

func (n number) big() *big.Int {
	if n.i != nil {
		return n.i
	}
	return big.NewInt(n.small)
}

// whole makes the smallest value of an integer.
func whole(i *big.Int) Value {
	if i.IsInt64() {
		return i.Int64()
	}
	return i
}

// maxCompared is how deep values that are compared, or are keys, may nest.
const maxCompared = 128

// equal is a == b.
func equal(r *rendering, a, b Value) bool { return equalAt(r, a, b, 0) }

func equalAt(r *rendering, a, b Value, depth int) bool {
	r.compared(depth)
	if x, ok := numberOf(a); ok {
		y, ok := numberOf(b)
		return ok && compareNumbers(x, y) == 0
	}
	if x, ok := text(a); ok {
		y, ok := text(b)
		if !ok || len(x) != len(y) {
			return false
		}
		r.scan(x)
		return x == y
	}
	switch x := a.(type) {
	case undefined:
		_, ok := b.(undefined)
		return ok
	case *List:
		y, ok := b.(*List)
		return ok && equalItems(r, x.Items, y.Items, depth)
	case tuple:
		y, ok := b.(tuple)
		return ok && equalItems(r, x, y, depth)
	case *Dict:
		y, ok := b.(*Dict)
		return ok && equalDicts(r, x, y, depth)
	case *dictView:
		y, ok := b.(*dictView)
		return ok && x.kind == y.kind && equalItems(r, x.items, y.items, depth)
	}
	return a == b
}

func equalItems(r *rendering, a, b []Value, depth int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equalAt(r, a[i], b[i], depth+1) {
			return false
		}
	}
	return true
}

func equalDicts(r *rendering, a, b *Dict, depth int) bool {
	if len(a.keys) != len(b.keys) {
		return false
	}
	for i, k := range a.keys {
		v, ok := b.get(k)
		if !ok || !equalAt(r, a.values[i], v, depth+1) {
			return false
		}
	}
	return true
}

// compareNumbers gives -1, 0 or 1; 2 where one is no number (NaN).
func compareNumbers(a, b number) int {
	if !a.isFloat && !b.isFloat {
		if a.i == nil && b.i == nil {
			switch {
			case a.small < b.small:
				return -1
			case a.small > b.small:
				return 1
			}
			return 0
		}
		return a.big().Cmp(b.big())
	}
	switch {
	case a.f < b.f:
		return -1
	case a.f > b.f:
		return 1
	case a.f == b.f:
		return 0
	}
	return 2
}
