// Package prose reads what stands between calls: visible text, thoughts, and the
// quotations in both. A family says which markers it has; Machine consumes the
// prose, opens and closes thoughts, takes stray markers out, and stops at the
// markers that the family wants to see.
package prose

import (
	"cmp"
	"slices"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// MaxHeld is how many bytes a Machine holds back behind an open quote. Over it
// what is held is text.
const MaxHeld = 1<<20 - 1<<16

// Markers are the markers that interrupt a family's prose.
type Markers struct {
	// Think and EndThink open and close a thought. One that has nothing to open
	// or close is taken out. Leave both away where the session has no reasoning
	// channel or the markers are literal.
	Think, EndThink []string
	// Strip are markers that mean nothing in prose: they are taken out, and the
	// prose around them joins up.
	Strip []string
	// Calls are the markers that Next returns, as an index into this list. One may
	// begin with an empty line, if that is framing: it ends quotations.
	Calls []string
	// Spaced are those of Calls that white space before them belongs to: the window
	// then begins with it.
	Spaced []string
	// Hard are those of Calls that end all quotations before them.
	Hard []string
	// Tags are beginnings of tags with attributes in quotation marks, which quote
	// nothing: up to the next ">". They are prose, or the ends of markers above.
	Tags []string
}

// Grammar is Markers made ready for scanning. It may be shared.
type Grammar struct {
	set                *scan.Set
	think, close, call int        // where each list of Markers ends in set, in their order
	strip              int        // where Strip ends, which is next; then come Tags
	tag                []bool     // by marker: it begins a tag with attributes
	spaced, hard, idle []bool     // by marker
	whole              *Grammar   // what this is a view of
	class              [256]uint8 // what a byte may be: begin, quote, feed, space
	plain, quoted      []byte     // WATCH sets outside and inside quotations
	words              [256]uint8 // quote bytes to 1 … 3, all others 0
}

const (
	begin uint8 = 1 << iota // begins a marker
	quote                   // a quotation mark
	feed                    // a line feed
	space                   // white space that may belong to a marker
)

// maxSpace is how much white space before a marker belongs to it, in bytes.
const maxSpace = 1024

const quotes = "\"'`"

// Compile makes a Grammar.
func Compile(m Markers) *Grammar {
	g := &Grammar{think: len(m.Think)}
	g.close = g.think + len(m.EndThink)
	g.call = g.close + len(m.Calls)
	all := append(append([]string(nil), m.Think...), m.EndThink...)
	all = append(append(all, m.Calls...), m.Strip...)
	g.strip = len(all)
	for _, t := range m.Tags {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	g.set = scan.NewSet(all...)
	g.tag = make([]bool, len(all))
	for i, marker := range all {
		g.tag[i] = slices.ContainsFunc(m.Tags, func(t string) bool { return strings.HasSuffix(marker, t) })
	}
	g.spaced, g.hard = g.among(m.Spaced), g.among(m.Hard)
	g.whole = g
	g.mark(nil, len(m.Spaced) == 0)
	return g
}

// View is g where the markers of Calls that are idle are text, and, with tight,
// white space belongs to none. A Machine may go from one view of a Grammar to
// another; see Machine.Switch.
func (g *Grammar) View(idle []string, tight bool) *Grammar {
	v := *g
	v.class = [256]uint8{}
	v.mark(idle, tight)
	return &v
}

// mark makes the tables by which bytes are told apart.
func (g *Grammar) mark(idle []string, tight bool) {
	g.idle = g.among(idle)
	g.plain = nil
	for id, idle := range g.idle {
		if !idle {
			c := g.set.Marker(id)[0]
			g.class[c] |= begin
			g.plain = scan.JoinWatchSets(g.plain, []byte{c})
		}
	}
	for i, c := range []byte(quotes) {
		g.class[c] |= quote
		g.words[c] = uint8(i + 1)
	}
	g.class['\n'] |= feed
	g.plain = scan.JoinWatchSets(g.plain, []byte(quotes))
	if !tight {
		const blanks = " \t\r\n"
		for _, c := range []byte(blanks) {
			g.class[c] |= space
		}
		g.plain = scan.JoinWatchSets(g.plain, []byte(blanks))
	}
	g.quoted = scan.JoinWatchSets(g.plain, []byte{'\n'})
}

// among says of each marker whether it is in list.
func (g *Grammar) among(list []string) []bool {
	is := make([]bool, g.set.Count())
	for id := range is {
		is[id] = slices.Contains(list, g.set.Marker(id))
	}
	return is
}

// Call is the text of Calls[id].
func (g *Grammar) Call(id int) string { return g.set.Marker(g.close + id) }

// Machine reads the prose of one session.
//
// A quotation mark opens a quotation only if no letter or digit stands before
// it, and closes one only if none stands behind it. A marker inside a quotation
// is prose. Behind an open quote a marker is therefore held until the quotation
// closes, or ends unmatched: at an empty line, at the end of the text, and for
// the marker that ends a thought at the end of the quote's line. An unmatched
// quote protects nothing. A JSON value directly behind a held marker owns the
// quotation marks in it.
type Machine struct {
	// Thought is the channel: prose is reasoning if true, visible text if not.
	// The Machine follows the think markers; a family may set it when it has the
	// word, that is before the first Next or after one that returned true.
	Thought bool

	g     *Grammar
	given bool          // Next has returned a marker; the family goes on from it
	from  abi.RawOffset // quotations from before this offset are over

	pos   abi.RawOffset // everything before this offset is scanned
	open  []opened      // quotes that are open, in their order
	count [4]int        // how many of them there are of each kind
	held  []marker      // markers from the first one that can't be passed yet
	front int           // where in held that one is
	line  abi.RawOffset // where the line begins, as far as quotes were open
	above int           // how many of held stand before it
	blank bool          // the line so far is blank

	owner     ownership
	json      scan.JSON
	jsonAt    abi.RawOffset // where the value begins that json reads
	jsonAfter abi.RawOffset // no value is tried before this offset: one failed there
}

type opened struct {
	at   abi.RawOffset
	kind uint8
}

type marker struct {
	at   abi.RawOffset
	line abi.RawOffset // quotes from before this offset do not protect it
	by   abi.RawOffset // where the quotation opens that makes it text
	id   int16
	text bool
}

// ownership follows what stands directly behind a marker and has quotation marks
// of its own.
type ownership uint8

const (
	nobody ownership = iota
	inTag            // a tag's attributes
	asked            // behind a held marker: white space so far
	owning           // behind a held marker: a JSON value
)

// Start makes m ready for a session.
func (m *Machine) Start(g *Grammar, thought bool) { *m = Machine{g: g, Thought: thought} }

// Switch goes on with g, another view of the same Grammar: before the first Next,
// or behind a marker that Next returned, which has to be consumed whole.
func (m *Machine) Switch(g *Grammar, thought bool) { m.g, m.Thought = g, thought }

// class says of each byte what it may be. What is scanned while a marker is held may be
// read by another view in the end.
func (m *Machine) class() *[256]uint8 {
	if m.front < len(m.held) {
		return &m.g.whole.class
	}
	return &m.g.class
}

// Next consumes prose. If it returns true, the window begins with the marker
// Calls[id], which is markup: the caller skips it and reads on as its grammar
// asks, then calls Next again where prose goes on. If it returns false all that
// is certain has been consumed, and more bytes are needed; at the end of the
// text, nothing is left.
func (m *Machine) Next(w *sdk.Window) (id int, ok bool) {
	if m.given {
		m.given = false
		m.from = w.Offset()
		m.forget(m.from)
	}
	m.pos = max(m.pos, w.Offset())
	for {
		if found, ok := m.markup(w); ok {
			m.say(w, int(found.at-w.Offset()))
			if id, ok := m.pass(w, int(found.id)); ok {
				m.given = true
				return id, true
			}
			continue
		}
		if !m.scan(w) {
			break
		}
	}
	m.rest(w)
	return -1, false
}

// markup takes markers that turned out to be text off the front of the held
// ones, and then the first one if it turned out to be markup.
func (m *Machine) markup(w *sdk.Window) (marker, bool) {
	for m.front < len(m.held) {
		h := m.held[m.front]
		switch {
		case h.at < m.from || m.g.idle[h.id]:
		case h.text && h.by >= m.from:
		case !h.text && m.quoted(h):
			return marker{}, false
		default:
			m.front++
			return h, true
		}
		m.front++
	}
	m.held, m.front, m.above = m.held[:0], 0, 0
	return marker{}, false
}

// quoted says whether h stands behind an open quote that may protect it.
func (m *Machine) quoted(h marker) bool {
	i, _ := slices.BinarySearchFunc(m.open, h.line, func(o opened, line abi.RawOffset) int { return cmp.Compare(o.at, line) })
	return i < len(m.open) && m.open[i].at < h.at
}

// pass does what a marker at the window's start asks, unless it is for the
// caller.
func (m *Machine) pass(w *sdk.Window, id int) (int, bool) {
	switch g := m.g; {
	case id < g.think:
		m.Thought = true
	case id < g.close:
		m.Thought = false
	case id < g.call:
		return id - g.close, true
	}
	w.Skip(m.g.set.Len(id))
	m.from = w.Offset()
	m.forget(m.from)
	return 0, false
}

func (m *Machine) say(w *sdk.Window, n int) {
	if m.Thought {
		w.Reasoning(n)
	} else {
		w.Text(n)
	}
}

// rest consumes what is certain when more bytes are needed, and says which bytes
// matter.
func (m *Machine) rest(w *sdk.Window) {
	if m.front < len(m.held) {
		m.say(w, int(m.held[m.front].at-w.Offset()))
		if m.owner == nobody && !m.blank && w.Len() < MaxHeld/2 && m.pos == w.Offset()+abi.RawOffset(w.Len()) {
			w.Hold(m.g.whole.quoted)
		}
		return
	}
	m.say(w, int(m.pos-w.Offset()))
	if w.Len() > 0 || m.blank || m.owner != nobody {
		return
	}
	set := m.g.plain
	if len(m.open) > 0 {
		set = m.g.quoted
	}
	if m.Thought {
		w.Watch(reasoning, set)
	} else {
		w.Watch(text, set)
	}
}
