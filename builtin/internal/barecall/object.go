package barecall

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
	lead   int       // where it begins, or the list of which it is the first
	at     int       // how far it was read
	args0  int       // where its arguments begin
	inner  scan.Walk // of its arguments
	inAt   int       // how far that was read
	key    int       // where the key begins
	role   role
	value  int // where the value begins

	any     bool // it has a member
	args    bool // with arguments
	whole   bool // that are whole
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

// startObject looks at the object at place at, which begins a list at place lead or stands
// alone there.
func (o *object) startObject(from origin, lead, at int) {
	*o = object{tools: o.tools, origin: from, lead: lead, at: at}
	o.walk.StartLenient(false)
	o.inner.StartLenient(false)
}

// lookAhead reads on. Yes: a call, whose name is known and whose arguments are whole, or
// have a first member. No: none.
func (o *object) lookAhead(b []byte) scan.Verdict {
	for {
		n, s := o.walk.Next(b, o.at)
		o.at = n
		ok := true
		switch s {
		case scan.WalkMore:
			if o.hasSoundMember(b[:n]) {
				return scan.Yes
			}
			return scan.Wait
		case scan.WalkBad:
			if o.hasSoundMember(b[:n]) || o.origin == marked && o.named && o.args {
				return scan.Yes
			}
			return scan.No
		case scan.ObjectEnds:
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
		case o.named && o.whole:
			return scan.Yes
		}
	}
}

// maxDoubt is how long arguments may be, in bytes, before their first member is whole.
const maxDoubt = 4 << 10

// hasSoundMember says whether the arguments of a call with a name, as far as b goes, have
// a member that is whole, or more than may be waited for.
func (o *object) hasSoundMember(b []byte) bool {
	if !o.named || !o.args {
		return false
	}
	for len(b)-o.args0 <= maxDoubt {
		n, s := o.inner.Next(b, o.inAt)
		o.inAt = n
		switch s {
		case scan.ValueEnds:
			return true
		case scan.WalkMore, scan.WalkBad, scan.WalkEnd:
			return false
		}
	}
	return true
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
		return c == '"' || c == '\''
	case o.role == isArgs && !o.args:
		o.args, o.args0, o.inAt = c == '{', at, at
		return o.args
	}
	return true
}

// endValue takes a call's name.
func (o *object) endValue(value []byte) (ok bool) {
	o.whole = o.whole || o.role == isArgs
	if o.role != isName || o.named {
		return true
	}
	name := value[1 : len(value)-1]
	o.named = true
	o.offered = slices.Contains(o.tools, string(name))
	return len(name) > 0 && (o.offered || o.origin == marked || o.origin == atStart && !o.odd)
}

// isCutCall says whether an object that the text cut would have been a call.
func (o *object) isCutCall() bool { return o.named && (o.origin == marked || o.offered) }
