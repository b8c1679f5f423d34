package dsml

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// block reads a block, or a call that has lost its block. It implements Reader.
type block struct {
	g       *Grammar
	state   state
	thought bool // it stands in a thought
	bare    bool // it is a call without a block
	json    jsonbody.Body
	value   value
	chosen  chosen
}

type state uint8

const (
	atCall  state = iota // between calls
	atName               // behind a call's opener
	atBody               // behind its header
	inJSON               // in a JSON body
	atParam              // between parameters
	atKey                // behind a parameter's opener
	inValue              // in a value
	atLost               // in a call that is malformed
	atFirst              // before the first parameter, where closers are chosen
	inFirst              // in its value
	inHeld               // behind the first marker in it
	atEnd                // behind the first end of a call that may end later
)

const missing = -1

// step is what a part of the grammar has come to.
type step uint8

const (
	wait step = iota // more input is needed
	on               // the state has changed
	over             // the block is over
)

// Enter implements Reader.
func (k *block) Enter(id int, thought bool) {
	k.thought, k.bare = thought, id >= callFramedInvoke
	k.state = atCall
	if k.bare {
		k.state = atName
	}
}

// Step implements Reader.
func (k *block) Step(w *sdk.Window) bool {
	for {
		switch k.parseState(w) {
		case wait:
			return false
		case over:
			return true
		}
	}
}

func (k *block) parseState(w *sdk.Window) step {
	switch k.state {
	case atName:
		return k.name(w)
	case atBody:
		return k.body(w)
	case inJSON:
		if _, done := k.json.Next(w); !done {
			return wait
		}
		return k.leave()
	case atParam:
		return k.param(w)
	case atKey:
		return k.key(w)
	case inValue:
		return k.inValue(w)
	case atLost:
		return k.lost(w)
	case atFirst:
		return k.first(w)
	case inFirst:
		return k.inFirst(w)
	case inHeld:
		return k.held(w)
	case atEnd:
		return k.atEnd(w)
	}
	return k.between(w)
}

func (k *block) to(s state) step {
	k.state = s
	return on
}

// leave goes on behind a call.
func (k *block) leave() step {
	if k.bare {
		return over
	}
	return k.to(atCall)
}

// set gives the markers that matter where the block stands.
func (k *block) set() *markers {
	if k.thought {
		return &k.g.in[1]
	}
	return &k.g.in[0]
}

// between reads a block up to its next call or its end. What else stands there
// is noise. In a thought the thought's closer ends the block.
func (k *block) between(w *sdk.Window) step {
	set := k.set().between
	at, id, v := set.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return wait
	}
	switch id {
	case betweenInvoke:
		w.Skip(set.Len(id))
		return k.to(atName)
	case betweenClose:
		w.Skip(set.Len(id))
	}
	return over
}

// name reads a call's name and the end of its header.
func (k *block) name(w *sdk.Window) step {
	n := index(w, "\"<>\n")
	b := w.Bytes()
	if n == missing && len(b) > maxHeader || n > maxHeader {
		return k.malformed(w, maxHeader)
	}
	if n == missing || n+1 == len(b) && b[n] == '"' {
		return k.cut(w)
	}
	at := scan.LeadingSpace(b[:n])
	end := max(at, scan.TrimmedLen(b[:n]))
	if b[n] != '"' || b[n+1] != '>' || at == end {
		return k.malformed(w, n)
	}
	w.Call(at, end-at, 0)
	w.Skip(n + len(`">`))
	return k.to(atBody)
}

// malformed drops a call whose header or body, with the next n bytes, is not what
// the grammar asks.
func (k *block) malformed(w *sdk.Window, n int) step {
	w.Note("a malformed call is dropped")
	w.CallDrop()
	w.Skip(n)
	return k.to(atLost)
}

// cut waits, or at the end of the text drops what is left: a call that the end
// of the text cut is none.
func (k *block) cut(w *sdk.Window) step {
	if w.Final {
		w.Skip(w.Len())
	}
	return wait
}

// lost drops a malformed call, up to its closer or the block's.
func (k *block) lost(w *sdk.Window) step {
	set := k.set().params
	at, id, v := set.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return wait
	}
	switch id {
	case paramsParameter:
		w.Skip(set.Len(id))
		return on
	case paramsClose:
		w.Skip(set.Len(id))
	}
	return k.leave()
}

// body tells the bodies apart by their first byte.
func (k *block) body(w *sdk.Window) step {
	w.Skip(scan.LeadingSpace(w.Bytes()))
	switch {
	case w.Len() == 0:
		return wait
	case w.Bytes()[0] == '{':
		k.json.Start(k.set().json, false)
		return k.to(inJSON)
	case k.g.Chosen:
		return k.to(atFirst)
	}
	return k.to(atParam)
}

// index finds the first of the bytes of set in the window. It looks at each byte
// once over all pushes.
func index(w *sdk.Window, set string) int {
	b := w.Bytes()
	if i := bytes.IndexAny(b[w.Scanned:], set); i >= 0 {
		return w.Scanned + i
	}
	w.Scanned = len(b)
	return missing
}
