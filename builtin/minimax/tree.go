package minimax

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// maxDepth is how deep elements may nest. Deeper markup is text.
const maxDepth = 64

// tree is a parameter's value that is made of elements. The window holds it
// whole; places are in the window.
type tree struct {
	nodes []node // in the order of their openers; the first is the parameter
	open  []int  // the elements that are open
	key   []byte // the parameter's key
}

// node is an element: its key, its text, and how many nodes it has below it.
type node struct {
	key, keyLen   int
	text, textLen int
	below         int
	same          int  // the next child of the same parent and key, or 0
	again         bool // it is not the first such child
	kind          nodeKind
}

type nodeKind uint8

const (
	unknown nodeKind = iota // white space so far
	leaf                    // text
	parent                  // elements
)

// startTree makes t ready for a value whose first element begins the window, white
// space aside.
func (t *tree) startTree(key []byte) {
	t.nodes = append(t.nodes[:0], node{kind: parent})
	t.open = append(t.open[:0], 0)
	t.key = key
}

func (t *tree) topNode() *node { return &t.nodes[t.open[len(t.open)-1]] }

// openElementName is the key of the innermost open element.
func (t *tree) openElementName(b []byte) []byte {
	if len(t.open) == 1 {
		return t.key
	}
	n := t.topNode()
	return b[n.key : n.key+n.keyLen]
}

// scanElement reads on: Yes, the value is whole and ends at w.Scanned; Wait, more must
// come; No, it is too long.
func (t *tree) scanElement(w *sdk.Window) scan.Verdict {
	b := w.Bytes()
	for len(t.open) > 0 {
		top := t.topNode()
		if top.kind == unknown {
			w.Scanned += scan.LeadingSpace(b[w.Scanned:])
			child, v := opensChild(b[w.Scanned:], w.Final)
			if v == scan.Wait {
				return t.waitOrEnd(w)
			}
			top.kind = leaf
			if child && len(t.open) < maxDepth {
				top.kind = parent
			}
		}
		at, _, v := leafEnd.Find(b, w.Scanned, w.Final)
		w.Scanned = at
		if v != scan.Yes {
			return t.waitOrEnd(w)
		}
		if v := t.readMarker(b, at, w); v != scan.Yes {
			return t.waitOrEnd(w)
		}
	}
	return scan.Yes
}

func (t *tree) waitOrEnd(w *sdk.Window) scan.Verdict {
	if w.Len() > maxHeld {
		return scan.No
	}
	return scan.Wait
}

// readMarker reads the namespace at place at, and what it makes of what is behind.
// The closer of the call closes all elements but text.
func (t *tree) readMarker(b []byte, at int, w *sdk.Window) scan.Verdict {
	top := t.topNode()
	n, v := closesElement(b[at:], t.openElementName(b), w.Final)
	switch {
	case v == scan.Wait:
		return v
	case v == scan.Yes:
		top.textLen = at - top.text
		t.open = t.open[:len(t.open)-1]
		w.Scanned = at + n
		return v
	}
	w.Scanned = at + 1
	if top.kind == leaf {
		return scan.Yes
	}
	switch v := scan.Prefix(b[at:], invokeClose, w.Final); v {
	case scan.Wait:
		w.Scanned = at
		return v
	case scan.Yes:
		t.open = t.open[:0]
		w.Scanned = at
		return v
	}
	return t.openChild(b, at, w)
}

// openChild opens the element whose opener stands at place at, if it is one.
func (t *tree) openChild(b []byte, at int, w *sdk.Window) scan.Verdict {
	child, v := opensChild(b[at:], w.Final)
	switch {
	case v == scan.Wait:
		w.Scanned = at
		return v
	case !child:
		return scan.Yes
	}
	key := at + len(element)
	end := bytes.IndexAny(b[key:min(len(b), key+maxHeader)], "><\n")
	switch {
	case end < 0 && len(b) < key+maxHeader && !w.Final:
		w.Scanned = at
		return scan.Wait
	case end <= 0 || b[key+end] != '>':
		return scan.Yes
	}
	for _, i := range t.open {
		t.nodes[i].below++
	}
	t.open = append(t.open, len(t.nodes))
	t.nodes = append(t.nodes, node{key: key, keyLen: end, text: key + end + 1})
	w.Scanned = key + end + 1
	return scan.Yes
}

// closesElement asks whether b begins with the closer of an element of that name, of n
// bytes.
func closesElement(b, name []byte, final bool) (n int, v scan.Verdict) {
	const head = namespace + "</"
	if v = scan.Prefix(b, head, final); v != scan.Yes {
		return 0, v
	}
	b = b[len(head):]
	k := min(len(b), len(name))
	switch {
	case !bytes.Equal(b[:k], name[:k]):
		return 0, scan.No
	case len(b) > len(name) && b[len(name)] == '>':
		return len(head) + len(name) + 1, scan.Yes
	case len(b) > len(name) || final:
		return 0, scan.No
	}
	return 0, scan.Wait
}

// emitTree emits the value as its schema has it.
func (t *tree) emitTree(w *sdk.Window, s schema) { t.emitNode(w, 0, s, abi.ReadSchema) }

// emitNode says node i.
func (t *tree) emitNode(w *sdk.Window, i int, s schema, how uint8) {
	n := &t.nodes[i]
	if n.kind != parent {
		w.Value(n.text, n.textLen, how)
		return
	}
	b := w.Bytes()
	if t.isArray(b, i, s) {
		items := s.itemSchema()
		w.OpenArray()
		for c := i + 1; c <= i+n.below; c = t.nextSibling(c) {
			t.emitNode(w, c, items, abi.ReadSchema)
		}
		w.Close()
		return
	}
	t.groupSiblings(b, i)
	w.OpenObject()
	for c := i + 1; c <= i+n.below; c = t.nextSibling(c) {
		if !t.nodes[c].again {
			t.emitMember(w, c, s)
		}
	}
	w.Close()
}

// nextSibling is the node behind node i and all that is below it.
func (t *tree) nextSibling(i int) int { return i + t.nodes[i].below + 1 }

func (t *tree) keyOf(b []byte, i int) []byte {
	n := &t.nodes[i]
	return b[n.key : n.key+n.keyLen]
}

// isArray says whether node i is an array: its schema admits one, and its elements
// are items.
func (t *tree) isArray(b []byte, i int, s schema) bool {
	for c := i + 1; c <= i+t.nodes[i].below; c = t.nextSibling(c) {
		if string(t.keyOf(b, c)) != "item" {
			return false
		}
	}
	return s.admits("array")
}

// groupSiblings links the children of node i that have one key.
func (t *tree) groupSiblings(b []byte, i int) {
	last := make(map[string]int)
	for c := i + 1; c <= i+t.nodes[i].below; c = t.nextSibling(c) {
		key := t.keyOf(b, c)
		if before, ok := last[string(key)]; ok {
			t.nodes[before].same, t.nodes[c].again = c, true
		}
		last[string(key)] = c
	}
}

// emitMember says child c as a member of an object. Children of one name are one
// array, which stands where the first of them does.
func (t *tree) emitMember(w *sdk.Window, c int, s schema) {
	n := &t.nodes[c]
	w.Key(n.key, n.keyLen, 0)
	if n.kind != parent && n.same == 0 {
		t.emitNode(w, c, schema{}, abi.ReadSchema)
		return
	}
	below := s.memberSchema(t.keyOf(w.Bytes(), c))
	if n.same == 0 {
		t.emitNode(w, c, below, abi.ReadSchema)
		return
	}
	// The host takes the elements' schema from the array's; there is none for an
	// array that the schema does not know of.
	how := abi.ReadSchema
	switch {
	case below.admits("array"):
	case below.isText():
		how = abi.ReadString
	default:
		how = abi.ReadJSONOrText
	}
	w.OpenArray()
	for ; c > 0; c = t.nodes[c].same {
		t.emitNode(w, c, below, how)
	}
	w.Close()
}
