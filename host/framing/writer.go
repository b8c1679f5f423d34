package framing

import "github.com/turnkey-parsers/turnkey/abi"

// A writer writes the JSON of a call's arguments from its keys and values, as
// they come. A key said again on one level is left out with its value: the first
// wins.
type writer struct {
	out    []byte // what was written and not taken yet
	typing *typer
	levels []level // the first is the call's own object
	value  value   // the value that goes on
	more   bool
	// skip is 0, or 1 before the value that is left out, and one more for each
	// level within it.
	skip       int
	duplicates int
}

// level is an object or array that is being written.
type level struct {
	array bool
	any   bool // something was written in it
	keys  keySet
	shape *shape // its schema; nil: none
	next  *shape // of the value to come
	at    int    // number of the next element
}

func (w *writer) reset(typing *typer, root *shape) {
	w.out = w.out[:0]
	w.typing = typing
	w.levels = append(w.levels[:0], level{shape: root})
	w.more, w.skip, w.duplicates = false, 0, 0
}

func (w *writer) top() *level { return &w.levels[len(w.levels)-1] }

// key begins a member.
func (w *writer) key(name []byte) {
	if w.skip > 0 {
		return
	}
	top := w.top()
	if !top.keys.add(name) {
		w.duplicates++
		w.skip = 1
		return
	}
	w.separate(top)
	w.out = append(appendString(w.out, name), ':')
	top.next = top.shape.member(string(name))
}

func (w *writer) separate(l *level) {
	switch {
	case l.any:
		w.out = append(w.out, ',')
	case len(w.levels) == 1:
		w.out = append(w.out, '{')
	}
	l.any = true
}

// begin prepares for a value: an element is set off from the one before.
func (w *writer) begin() {
	if top := w.top(); top.array {
		w.separate(top)
		top.next = top.shape.element(top.at)
		top.at++
	}
}

// open begins a nested object or array.
func (w *writer) open(array bool) {
	if w.skip > 0 {
		w.skip++
		return
	}
	w.begin()
	c := byte('{')
	if array {
		c = '['
	}
	w.out = append(w.out, c)
	w.levels = append(w.levels, level{array: array, shape: w.top().next})
}

// close ends the innermost.
func (w *writer) close() {
	if w.skip > 0 {
		w.skip--
		if w.skip == 1 {
			w.skip = 0
		}
		return
	}
	c := byte('}')
	if w.top().array {
		c = ']'
	}
	w.out = append(w.out, c)
	w.levels = w.levels[:len(w.levels)-1]
}

// part takes a value or a part of one, read as flags say.
func (w *writer) part(data []byte, flags uint8, literal bool) {
	first := !w.more
	w.more = flags&abi.FlagMore != 0
	if w.skip > 0 {
		if !w.more && w.skip == 1 {
			w.skip = 0
		}
		return
	}
	if first {
		w.begin()
		w.value.begin(flags, w.typing, w.top().next)
	}
	w.out = w.value.add(w.out, data, literal, w.typing)
	if !w.more {
		w.out = w.value.end(w.out, w.typing, w.top().next)
	}
}

// finish ends the call's own object.
func (w *writer) finish() {
	if !w.levels[0].any {
		w.out = append(w.out, '{')
	}
	w.out = append(w.out, '}')
}

// A keySet holds the keys of one level.
type keySet struct {
	few  []string
	many map[string]struct{}
}

const fewKeys = 8

// add says whether the key is new.
func (k *keySet) add(name []byte) bool {
	if k.many != nil {
		if _, ok := k.many[string(name)]; ok {
			return false
		}
		k.many[string(name)] = struct{}{}
		return true
	}
	for _, f := range k.few {
		if f == string(name) {
			return false
		}
	}
	if k.few = append(k.few, string(name)); len(k.few) > fewKeys {
		k.many = make(map[string]struct{}, 2*fewKeys)
		for _, f := range k.few {
			k.many[f] = struct{}{}
		}
	}
	return true
}
