package dsml

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/builtin/internal/jsonbody"
	"github.com/turnkey-parsers/turnkey/builtin/internal/param"
	"github.com/turnkey-parsers/turnkey/builtin/internal/toolname"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/prose"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// block reads a block, or a call that has lost its block. It implements Reader.
type block struct {
	g       *Grammar
	tools   []string
	keys    param.Declared
	prose   *prose.Machine
	marker  int // length of the marker that the window begins with while no name was read, or 0
	lead    int // that marker, and what stands between it and the name; 0 with marker
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
	atName               // after a call's opener
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

// progress is what a part of the grammar has come to.
type progress uint8

const (
	needInput progress = iota // more input is needed
	goOn                      // the state has changed
	blockOver                 // the block is over
)

// Enter implements Reader.
func (k *block) Enter(id int, thought bool) {
	k.thought, k.bare = thought, id >= callFramedInvoke
	k.state, k.lead = atCall, k.marker
	if k.bare {
		k.state = atName
	}
}

// refuse makes prose of the marker: it begins no call.
func (k *block) refuse(w *sdk.Window) progress {
	k.prose.GiveBack(w, k.marker)
	w.Scanned = 0
	return blockOver
}

// Step implements Reader.
func (k *block) Step(w *sdk.Window) bool {
	for {
		switch k.parseState(w) {
		case needInput:
			return false
		case blockOver:
			return true
		}
	}
}

func (k *block) parseState(w *sdk.Window) progress {
	switch k.state {
	case atName:
		return k.readName(w)
	case atBody:
		return k.readBody(w)
	case inJSON:
		if _, done := k.json.Next(w); !done {
			return needInput
		}
		return k.leaveCall()
	case atParam:
		return k.readParameter(w)
	case atKey:
		return k.readKey(w)
	case inValue:
		return k.readValue(w)
	case atLost:
		return k.skipMalformedCall(w)
	case atFirst:
		return k.readFirstParameter(w)
	case inFirst:
		return k.readFirstValue(w)
	case inHeld:
		return k.readHeldCall(w)
	case atEnd:
		return k.awaitTextEnd(w)
	}
	return k.readBetweenCalls(w)
}

func (k *block) goTo(s state) progress {
	k.state = s
	return goOn
}

// leaveCall goes on behind a call.
func (k *block) leaveCall() progress {
	if k.bare {
		return blockOver
	}
	return k.goTo(atCall)
}

// currentMarkers gives the markers that matter where the block stands.
func (k *block) currentMarkers() *markers {
	if k.thought {
		return &k.g.in[1]
	}
	return &k.g.in[0]
}

// readBetweenCalls reads a block up to its next call or its end. What else stands there
// is noise. In a thought the thought's closer ends the block.
func (k *block) readBetweenCalls(w *sdk.Window) progress {
	if k.marker > 0 {
		return k.readFirstCall(w)
	}
	set := k.currentMarkers().between
	at, id, v := set.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return needInput
	}
	switch id {
	case betweenInvoke:
		k.marker = set.Len(id)
		k.lead, w.Scanned = k.marker, 0
		return k.goTo(atName)
	case betweenClose, betweenOtherClose:
		w.Skip(set.Len(id))
	}
	return blockOver
}

// readFirstCall expects a call directly behind the block's opener, or the block's closer.
// Anything else makes prose of the opener.
func (k *block) readFirstCall(w *sdk.Window) progress {
	b, set := w.Bytes(), k.currentMarkers().between
	n := k.marker + scan.LeadingSpace(b[k.marker:])
	id, v := set.MatchPrefix(b[n:], w.Final)
	switch {
	case v == scan.Wait && n-k.marker <= maxHeader:
		return needInput
	case v != scan.Yes || id > betweenOtherClose:
		return k.refuse(w)
	case id != betweenInvoke:
		w.Skip(n + set.Len(id))
		return blockOver
	}
	k.lead = n + set.Len(id)
	return k.goTo(atName)
}

// readName reads a call's name and the end of its header. A tag that closes itself is a
// call without arguments.
func (k *block) readName(w *sdk.Window) progress {
	w.Scanned = max(w.Scanned, k.lead)
	n, offered := toolname.Offered(w.Bytes()[k.lead:], k.tools, `"`, w.Final)
	if offered == scan.No {
		n = indexAny(w, "\"<>\n") - k.lead
	}
	b := w.Bytes()[k.lead:]
	switch {
	case n > maxHeader || n < 0 && len(b) > maxHeader:
		return k.refuse(w)
	case offered == scan.Wait || n < 0:
		return k.waitOrRefuse(w)
	}
	at := scan.LeadingSpace(b[:n])
	end := max(at, scan.TrimmedLen(b[:n]))
	if b[n] != '"' || at == end {
		return k.refuse(w)
	}
	n++
	gap := scan.LeadingSpace(b[n:])
	id, v := headerEnds.MatchPrefix(b[n+gap:], w.Final)
	switch {
	case v == scan.Wait && gap <= maxHeader:
		return k.waitOrRefuse(w)
	case w.Final && n+gap == len(b): // the name is whole, and the call was cut
		w.Skip(w.Len())
		return needInput
	case v != scan.Yes || id == endsHeader && gap > 0:
		return k.refuse(w)
	}
	w.Call(k.lead+at, end-at, 0)
	k.keys.Start(b[at:end])
	w.Skip(k.lead + n + gap + headerEnds.Len(id))
	k.marker, k.lead = 0, 0
	if id == endsCall {
		w.CallEnd()
		return k.leaveCall()
	}
	return k.goTo(atBody)
}

// headerEnds are what may stand behind the name.
var headerEnds = scan.NewSet(">", "/>")

const (
	endsHeader = iota
	endsCall
)

// waitOrRefuse waits, or at the end of the text makes prose of the marker.
func (k *block) waitOrRefuse(w *sdk.Window) progress {
	if w.Final {
		return k.refuse(w)
	}
	return needInput
}

// dropMalformedCall drops a call whose header or body, with the next n bytes, is not what
// the grammar asks.
func (k *block) dropMalformedCall(w *sdk.Window, n int) progress {
	w.Note("a malformed call is dropped")
	w.CallDrop()
	w.Skip(n)
	return k.goTo(atLost)
}

// waitOrDropRest waits, or at the end of the text drops what is left: a call that the end
// of the text cut is none.
func (k *block) waitOrDropRest(w *sdk.Window) progress {
	if w.Final {
		w.Skip(w.Len())
	}
	return needInput
}

// skipMalformedCall drops a malformed call, up to its closer or the block's.
func (k *block) skipMalformedCall(w *sdk.Window) progress {
	set := k.currentMarkers().params
	at, id, v := set.Find(w.Bytes(), 0, w.Final)
	w.Skip(at)
	if v != scan.Yes {
		return needInput
	}
	switch id {
	case paramsParameter:
		w.Skip(set.Len(id))
		return goOn
	case paramsClose:
		w.Skip(set.Len(id))
	}
	return k.leaveCall()
}

// readBody tells the bodies apart by their first byte.
func (k *block) readBody(w *sdk.Window) progress {
	w.Skip(scan.LeadingSpace(w.Bytes()))
	switch {
	case w.Len() == 0:
		return needInput
	case w.Bytes()[0] == '{':
		k.json.Start(k.currentMarkers().json, false)
		return k.goTo(inJSON)
	case k.g.Chosen:
		return k.goTo(atFirst)
	}
	return k.goTo(atParam)
}

// indexAny finds the first of the bytes of set in the window. It looks at each byte
// once over all pushes.
func indexAny(w *sdk.Window, set string) int {
	b := w.Bytes()
	if i := bytes.IndexAny(b[w.Scanned:], set); i >= 0 {
		return w.Scanned + i
	}
	w.Scanned = len(b)
	return missing
}
