package typing

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// A Writer writes the JSON object of a call's arguments from its keys and values
// while they arrive. A key that is repeated within one object is left out with its
// value: the first wins. It is used by one goroutine at a time.
type Writer struct {
	// Duplicates is the number of keys that were left out.
	Duplicates int

	out     []byte // what was written and not yet taken
	sole    bool   // out is one member that may hold the arguments themselves
	valueAt int    // where the value of that member begins in out

	typer  *Typer
	levels []level // the first is the arguments' own object
	value  value   // the value whose parts arrive
	more   bool    // it is not complete
	// skipping is 0 outside a value that is left out, 1 before and in one that is
	// no container, and one more for each container of it that is open.
	skipping int
}

// level is an object or array that is being written.
type level struct {
	array    bool
	nonempty bool // something was written in it
	keys     keySet
	schema   *Schema
	next     *Schema // of the value to come
	index    int     // of the next element
}

// Reset makes w ready for the arguments of another call, whose schema is root.
func (w *Writer) Reset(typer *Typer, root *Schema) {
	w.out, w.Duplicates, w.sole = w.out[:0], 0, false
	w.typer = typer
	w.levels = append(w.levels[:0], level{schema: root})
	w.more, w.skipping = false, 0
}

func (w *Writer) innermost() *level { return &w.levels[len(w.levels)-1] }

// WriteKey begins a member.
func (w *Writer) WriteKey(name []byte) {
	if w.skipping > 0 {
		return
	}
	object := w.innermost()
	if !object.keys.insert(name) {
		w.Duplicates++
		w.skipping = 1
		return
	}
	first := !object.nonempty
	w.writeSeparator(object)
	w.out = append(jsonx.AppendText(w.out, name), ':')
	if len(w.levels) == 1 {
		w.sole = first && isWrapper(name) && object.schema != nil && object.schema.Member(string(name)) == nil
		w.valueAt = len(w.out)
	}
	object.next = object.schema.Member(string(name))
}

// writeSeparator sets a member or element off from what was written before it.
func (w *Writer) writeSeparator(l *level) {
	switch {
	case l.nonempty:
		w.out = append(w.out, ',')
	case len(w.levels) == 1:
		w.out = append(w.out, '{')
	}
	l.nonempty = true
}

// beginElement prepares for a value that may be an array's element.
func (w *Writer) beginElement() {
	if l := w.innermost(); l.array {
		w.writeSeparator(l)
		l.next = l.schema.Element(l.index)
		l.index++
	}
}

// OpenContainer begins a nested object or array.
func (w *Writer) OpenContainer(array bool) {
	if w.skipping > 0 {
		w.skipping++
		return
	}
	w.beginElement()
	c := byte('{')
	if array {
		c = '['
	}
	w.out = append(w.out, c)
	w.levels = append(w.levels, level{array: array, schema: w.innermost().next})
}

// CloseContainer ends the innermost object or array.
func (w *Writer) CloseContainer() {
	if w.skipping > 0 {
		w.skipping--
		if w.skipping == 1 {
			w.skipping = 0
		}
		return
	}
	c := byte('}')
	if w.innermost().array {
		c = ']'
	}
	w.out = append(w.out, c)
	w.levels = w.levels[:len(w.levels)-1]
}

// WriteValue takes a value or a part of one, which is read as the flags of its event
// say (abi.Read…, abi.FlagTrim, abi.FlagMore). Literal bytes are a string's own:
// they are neither decoded nor trimmed.
func (w *Writer) WriteValue(text []byte, flags uint8, literal bool) {
	first := !w.more
	w.more = flags&abi.FlagMore != 0
	if w.skipping > 0 {
		if !w.more && w.skipping == 1 {
			w.skipping = 0
		}
		return
	}
	if first {
		w.beginElement()
		w.value.reset(flags, w.typer, w.innermost().next)
	}
	w.out = w.value.appendPart(w.out, text, literal, w.typer)
	if !w.more {
		w.out = w.value.appendEnd(w.out, w.typer, w.innermost().next)
	}
}

// isWrapper says whether models write all of a call's arguments as one parameter of
// this name, which vLLM and SGLang read for DSML.
func isWrapper(name []byte) bool { return string(name) == "arguments" || string(name) == "input" }

// Pending is what was written and not yet taken. A parameter that may hold the
// arguments themselves waits for what follows it.
func (w *Writer) Pending() []byte {
	if w.sole {
		return nil
	}
	return w.out
}

// TakePending takes what is pending.
func (w *Writer) TakePending() { w.out = w.out[:len(w.out)-len(w.Pending())] }

// unwrapSole puts the object that the only parameter holds, or the text of one, in the
// place of that parameter. It says whether there is one.
func (w *Writer) unwrapSole() bool {
	if !w.sole {
		return false
	}
	w.sole = false
	inner := jsonx.Raw(w.out[w.valueAt:])
	if text, ok := jsonx.String(inner); ok {
		if inner, ok = jsonx.Repaired([]byte(text)); !ok {
			return false
		}
	}
	if !jsonx.IsObject(inner) {
		return false
	}
	w.out = append(w.out[:0], inner...)
	return true
}

// Finish ends the arguments' own object.
func (w *Writer) Finish() {
	if w.unwrapSole() {
		return
	}
	if !w.levels[0].nonempty {
		w.out = append(w.out, '{')
	}
	w.out = append(w.out, '}')
}

// A keySet holds the keys of one object: in a list as long as they are few, which
// is nearly always.
type keySet struct {
	few  []string
	many map[string]struct{}
}

const fewKeys = 8

// insert says whether the key is new.
func (k *keySet) insert(name []byte) bool {
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
