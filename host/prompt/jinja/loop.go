package jinja

// loopState is what a template knows as loop.
type loopState struct {
	r        *rendering
	next     func() (Value, bool)
	size     int // how many items in all, where that is known without looking
	index    int // of the item that the body sees; -1 before the first
	depth    int
	ahead    []Value // items that were looked at already
	previous Value
	current  Value
	changed  []Value
	seen     bool // changed() was called
	again    func(v Value, depth int) string
}

func (n *forNode) exec(r *rendering) jump {
	r.line = n.line
	j := n.loop(r, n.iterable.eval(r), 0)
	return j
}

// loop runs the body over the items of v.
func (n *forNode) loop(r *rendering, v Value, depth int) jump {
	l := &loopState{r: r, index: -1, depth: depth, size: -1}
	l.next = iterateOver(r, v)
	if size, ok := length(v); ok {
		l.size = size
	}
	outer := r.scope
	if n.filter != nil {
		l.next, l.size = n.filtered(r, l.next), -1
	}
	if n.recursive {
		l.again = func(v Value, depth int) string { return n.recurse(r, outer, v, depth) }
	}
	for l.advance() {
		r.scope = &scope{parent: outer}
		r.scope.set("loop", l)
		r.line = n.line
		r.assign(&n.target, l.current)
		if r.run(n.body) == jumpBreak {
			break
		}
	}
	r.scope = outer
	if l.index >= 0 {
		return jumpNone
	}
	r.push()
	j := r.run(n.otherwise)
	r.scope = outer
	return j
}

// filtered leaves out the items for which the loop's condition does not hold. The
// condition sees an item when the loop comes to it, not before.
func (n *forNode) filtered(r *rendering, next func() (Value, bool)) func() (Value, bool) {
	outer := r.scope
	return func() (Value, bool) {
		before := r.scope
		defer func() { r.scope = before }()
		for {
			v, ok := next()
			if !ok {
				return nil, false
			}
			r.scope = &scope{parent: outer}
			r.assign(&n.target, v)
			r.line = n.line
			if truth(n.filter.eval(r)) {
				return v, true
			}
		}
	}
}

// recurse is loop(v): the text of the loop over other items.
func (n *forNode) recurse(r *rendering, outer *scope, v Value, depth int) string {
	r.enter()
	defer r.leave()
	before, out := r.scope, r.out
	r.scope, r.out = outer, &output{}
	n.loop(r, v, depth)
	text := r.out.text.String()
	r.scope, r.out = before, out
	return text
}

func (l *loopState) advance() bool {
	v, ok := l.peek(0)
	if !ok {
		return false
	}
	l.ahead = l.ahead[1:]
	l.previous, l.current = l.current, v
	l.index++
	return true
}

// peek gives the item n behind the next one.
func (l *loopState) peek(n int) (Value, bool) {
	for len(l.ahead) <= n {
		l.r.step()
		v, ok := l.next()
		if !ok {
			return nil, false
		}
		l.ahead = append(l.ahead, v)
	}
	return l.ahead[n], true
}

// length is how many items there are; it looks at all of them where it must.
func (l *loopState) length() int {
	if l.size < 0 {
		n := 0
		for {
			if _, ok := l.peek(n); !ok {
				break
			}
			n++
		}
		l.size = l.index + 1 + n
	}
	return l.size
}

// attributeOf gives a member of loop.
func (l *loopState) attribute(name string) (Value, bool) {
	i := int64(l.index)
	switch name {
	case "index":
		return i + 1, true
	case "index0":
		return i, true
	case "revindex":
		return int64(l.length()) - i, true
	case "revindex0":
		return int64(l.length()) - i - 1, true
	case "first":
		return i == 0, true
	case "last":
		_, more := l.peek(0)
		return !more, true
	case "length":
		return int64(l.length()), true
	case "depth":
		return int64(l.depth) + 1, true
	case "depth0":
		return int64(l.depth), true
	case "previtem":
		if l.index == 0 {
			return undefined{"there is no previous item"}, true
		}
		return l.previous, true
	case "nextitem":
		v, ok := l.peek(0)
		if !ok {
			return undefined{"there is no next item"}, true
		}
		return v, true
	case "cycle":
		return &function{"cycle", func(r *rendering, a *arguments) Value {
			if len(a.positional) == 0 {
				r.failf("no items for cycling given")
			}
			return a.positional[l.index%len(a.positional)]
		}}, true
	case "changed":
		return &function{"changed", l.isChanged}, true
	}
	return nil, false
}

func (l *loopState) isChanged(r *rendering, a *arguments) Value {
	if l.seen && equalItems(r, l.changed, a.positional, 0) {
		return false
	}
	l.seen, l.changed = true, a.positional
	return true
}
