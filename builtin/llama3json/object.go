package llama3json

import (
	"slices"

	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// origin is where an object stands. It says how much must be known of an object
// to take it for a call.
type origin uint8

const (
	inText  origin = iota // an offered name
	atStart               // an offered name, or no member that calls lack
	marked                // behind the tag or a call's semicolon: any name
)

// object looks at a JSON object that may be a call. Its places are in the window,
// from which nothing is taken while it looks.
type object struct {
	tools  []string
	origin origin
	walk   scan.Walk
	lead   int // where it begins
	at     int // how far it was read
	key    int // where the key begins
	role   role
	value  int // where the value begins

	any     bool // it has a member
	args    bool // with arguments
	named   bool // with a name
	offered bool // of an offered tool
	odd     bool // with a member that calls lack
}

// role is what a member means.
type role uint8

const (
	other role = iota
	isName
	isArgs
	isType
)

// startObject looks at the object at place at.
func (o *object) startObject(from origin, at int) {
	*o = object{tools: o.tools, origin: from, lead: at, at: at}
	o.walk.Start(false)
}

// lookAhead reads on. Yes: a call, whose name is known and whose arguments have begun.
// No: none.
func (o *object) lookAhead(b []byte) scan.Verdict {
	for {
		n, s := o.walk.Next(b, o.at)
		o.at = n
		ok := true
		switch s {
		case scan.WalkMore:
			return scan.Wait
		case scan.WalkBad, scan.ObjectEnds:
			return scan.No
		case scan.KeyBegins:
			o.key = n + 1
		case scan.KeyEnds:
			ok = o.endKey(b[o.key : n-1])
		case scan.ValueBegins:
			ok = o.beginValue(b[n], n)
		case scan.ValueEnds:
			ok = o.endValue(b[o.value:n])
		}
		switch {
		case !ok:
			return scan.No
		case o.named && o.args:
			return scan.Yes
		}
	}
}

// endKey sees what a member means. Without a marker the first member of a call is
// one that calls have, and with a name that was not offered all of them are.
func (o *object) endKey(key []byte) (ok bool) {
	o.role = other
	switch string(key) {
	case "name":
		o.role = isName
	case "parameters", "arguments":
		o.role = isArgs
	case "type":
		o.role = isType
	default:
		o.odd = true
		ok = o.origin == marked || o.any && (o.origin != atStart || !o.named || o.offered)
		o.any = true
		return ok
	}
	o.any = true
	return true
}

// beginValue says whether a call's member may begin with c.
func (o *object) beginValue(c byte, at int) (ok bool) {
	o.value = at
	switch {
	case o.role == isName && !o.named:
		return c == '"'
	case o.role == isArgs && !o.args:
		o.args = c == '{'
		return o.args
	}
	return true
}

// endValue takes a call's name.
func (o *object) endValue(value []byte) (ok bool) {
	if o.role != isName || o.named {
		return true
	}
	name := value[1 : len(value)-1]
	o.named = true
	o.offered = slices.Contains(o.tools, string(name))
	return len(name) > 0 && (o.offered || o.origin == marked || o.origin == atStart && !o.odd)
}

// isCutCall says whether an object that the text cut would have been a call.
func (o *object) isCutCall() bool { return o.origin == marked || o.offered }
