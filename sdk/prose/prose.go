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

// MaxHeld is how many bytes of a call a family holds back at most, until it is known
// what they are.
const MaxHeld = 1<<20 - 1<<16

// maxDoubt is how many bytes a Machine holds back behind an open quote, from the
// first marker on. A quotation that has not closed by then protects it no longer.
const maxDoubt = 4 << 10

// Markers are the markers that interrupt a family's prose.
type Markers struct {
	// Think and EndThink open and close a thought. A marker that finds nothing to
	// open or to close is dropped. Leave both empty where the session has no
	// reasoning channel, or where the markers are literal text.
	Think, EndThink []string
	// Strip are markers that mean nothing in prose: they are taken out, and the
	// prose around them joins up; see Machine.GiveBack.
	Strip []string
	// Calls are the markers that Next returns, as an index into this list. A marker
	// may begin with an empty line where the grammar asks for one; the empty line
	// ends quotations.
	Calls []string
	// Spaced are the markers of Calls that take the white space before them along.
	// When Next returns one of these, the window begins with that white space.
	Spaced []string
	// Hard are those of Calls that end all quotations before them.
	Hard []string
	// Tags are texts that begin a tag with attributes, such as "<parameter name".
	// Quotation marks from there to the next ">" quote nothing. A tag is read as
	// prose, unless it is also one of the markers above.
	Tags []string
}

// Grammar is Markers made ready for scanning. It may be shared.
type Grammar struct {
	set                         *scan.Set
	thinkEnd, closeEnd, callEnd int        // where each list of Markers ends in set, in their order
	stripEnd                    int        // where Strip ends, which is next; then come Tags
	isTag                       []bool     // by marker: it begins a tag with attributes
	isSpaced, isHard, isIdle    []bool     // by marker
	whole                       *Grammar   // what this is a view of
	classes                     [256]uint8 // what a byte may be: begin, quote, feed, space
	watchPlain, watchQuoted     []byte     // WATCH sets outside and inside quotations
	quoteKinds                  [256]uint8 // quote bytes to 1 … 3, all others 0
}

const (
	beginsMarker uint8 = 1 << iota // begins a marker
	quoteMark                      // a quotation mark
	lineFeed                       // a line feed
	markerSpace                    // white space that may belong to a marker
)

// maxSpace is how much white space before a marker belongs to it, in bytes.
const maxSpaceBefore = 1024

const quoteMarks = "\"'`"

// Compile makes a Grammar.
func Compile(m Markers) *Grammar {
	g := &Grammar{thinkEnd: len(m.Think)}
	g.closeEnd = g.thinkEnd + len(m.EndThink)
	g.callEnd = g.closeEnd + len(m.Calls)
	all := append(append([]string(nil), m.Think...), m.EndThink...)
	all = append(append(all, m.Calls...), m.Strip...)
	g.stripEnd = len(all)
	for _, t := range m.Tags {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	g.set = scan.NewSet(all...)
	g.isTag = make([]bool, len(all))
	for i, marker := range all {
		g.isTag[i] = slices.ContainsFunc(m.Tags, func(t string) bool { return strings.HasSuffix(marker, t) })
	}
	g.isSpaced, g.isHard = g.markersIn(m.Spaced), g.markersIn(m.Hard)
	g.whole = g
	g.buildTables(nil, len(m.Spaced) == 0)
	return g
}

// View gives g with other markers switched on: g where the markers of Calls that are idle are text, and, with tight,
// white space belongs to none. A Machine may go from one view of a Grammar to
// another; see Machine.Switch.
func (g *Grammar) View(idle []string, tight bool) *Grammar {
	v := *g
	v.classes = [256]uint8{}
	v.buildTables(idle, tight)
	return &v
}

// buildTables makes the tables by which bytes are told apart.
func (g *Grammar) buildTables(idle []string, tight bool) {
	g.isIdle = g.markersIn(idle)
	g.watchPlain = nil
	for id, idle := range g.isIdle {
		if !idle {
			c := g.set.Marker(id)[0]
			g.classes[c] |= beginsMarker
			g.watchPlain = scan.JoinWatchSets(g.watchPlain, []byte{c})
		}
	}
	for i, c := range []byte(quoteMarks) {
		g.classes[c] |= quoteMark
		g.quoteKinds[c] = uint8(i + 1)
	}
	g.classes['\n'] |= lineFeed
	g.watchPlain = scan.JoinWatchSets(g.watchPlain, []byte(quoteMarks))
	if !tight {
		const blanks = " \t\r\n"
		for _, c := range []byte(blanks) {
			g.classes[c] |= markerSpace
		}
		g.watchPlain = scan.JoinWatchSets(g.watchPlain, []byte(blanks))
	}
	g.watchQuoted = scan.JoinWatchSets(g.watchPlain, []byte{'\n'})
}

// markersIn says of each marker whether it is in list.
func (g *Grammar) markersIn(list []string) []bool {
	is := make([]bool, g.set.Count())
	for id := range is {
		is[id] = slices.Contains(list, g.set.Marker(id))
	}
	return is
}

// Call is the text of Calls[id].
func (g *Grammar) Call(id int) string { return g.set.Marker(g.closeEnd + id) }

// Machine reads the prose of one session.
//
// A quotation mark opens a quotation only if no letter or digit stands before
// it, and closes one only if none stands behind it. A marker inside a quotation
// is prose. Behind an open quote a marker is therefore held until the quotation
// closes, or ends unmatched: at an empty line, at the end of the text, and for
// the marker that ends a thought at the end of the quote's line; at the latest 4 KiB
// behind the marker, and before that where a call begins at the marker and has its
// first sound argument, see Trial: not in a quotation that begins with the marker, which
// is how calls are quoted. An unmatched quote protects nothing. A JSON value directly
// behind a held marker owns the quotation marks in it.
type Machine struct {
	// Trial makes a parser that reads as this session does from a marker of Calls on,
	// in a thought or outside: it tells a call behind a lone quotation mark. nil: such
	// a call waits until the quotation ends. It is kept by Start.
	Trial func(thought bool) sdk.Parser
	// Thought is the channel: prose is reasoning if true, visible text if not.
	// The Machine follows the think markers; a family may set it when it has the
	// word, that is before the first Next or after one that returned true.
	Thought bool

	// All offsets count the raw text.

	g              *Grammar
	returnedMarker bool          // Next has returned a marker; the family goes on from it
	returnedAt     abi.RawOffset // where the window stood then
	literal        bool          // a marker was given back: stray ones are prose
	quotesFrom     abi.RawOffset // quotations opened before this offset are over

	scannedTo     abi.RawOffset // everything before this offset is scanned
	openQuotes    []openQuote   // quotation marks without their partner, in the text's order
	openOfKind    [4]int        // how many of them there are of each kind of mark
	direct        int           // how many of them stand directly before a marker
	held          []heldMarker  // markers of which it is not known yet whether they are quoted
	firstHeld     int           // the first of held that is not settled
	lineStart     abi.RawOffset // where the current line begins; kept while a quotation is open
	heldAboveLine int           // how many of held stand before lineStart
	trial         trial         // of the marker held[tried]
	tried         int           // the markers of held before this one are no calls
	lineBlank     bool          // the current line is white space so far, and a quotation is open

	owner     quoteOwner
	ownedJSON scan.JSON
	jsonAt    abi.RawOffset // where the value begins that ownedJSON reads
	jsonAfter abi.RawOffset // no value is tried before this offset: one failed there
}

// openQuote is a quotation mark that has opened a quotation.
type openQuote struct {
	at     abi.RawOffset
	kind   uint8
	direct bool // a marker stands directly behind it
}

// heldMarker is a marker behind an open quote. It is markup unless the quotation
// around it closes; then it is text.
type heldMarker struct {
	at, end   abi.RawOffset
	line      abi.RawOffset // quotes from before this offset do not protect it
	by        abi.RawOffset // where the quotation opens that makes it text
	settledAt abi.RawOffset // where that closes
	id        int16
	text      bool
	direct    bool // a quotation that is open there begins directly with a marker
}

// ownership follows what stands directly behind a marker and has quotation marks
// of its own.
type quoteOwner uint8

const (
	noOwner      quoteOwner = iota
	tagOwner                // a tag's attributes
	jsonExpected            // behind a held marker: white space so far
	jsonOwner               // behind a held marker: a JSON value
)

// Start makes m ready for a session.
func (m *Machine) Start(g *Grammar, thought bool) {
	*m = Machine{Trial: m.Trial, g: g, Thought: thought}
}

// Switch goes on with g, another view of the same Grammar: before the first Next,
// or behind a marker that Next returned, which has to be consumed whole.
func (m *Machine) Switch(g *Grammar, thought bool) { m.g, m.Thought = g, thought }

// byteClasses says of each byte what it may be. What is scanned while a marker is held may be
// read by another view in the end.
func (m *Machine) byteClasses() *[256]uint8 {
	if m.firstHeld < len(m.held) {
		return &m.g.whole.classes
	}
	return &m.g.classes
}

// Next consumes prose. If it returns true, the window begins with the marker
// Calls[id], which is markup: the caller skips it and reads on as its grammar
// asks, then calls Next again where prose goes on. If it returns false all that
// is certain has been consumed, and more bytes are needed; at the end of the
// text, nothing is left.
func (m *Machine) Next(w *sdk.Window) (id int, ok bool) {
	if m.returnedMarker {
		m.returnedMarker, m.literal = false, false
		m.quotesFrom = w.Offset()
		m.endQuotationsBefore(m.quotesFrom)
	}
	m.scannedTo = max(m.scannedTo, w.Offset())
	for {
		if found, ok := m.nextMarkup(w); ok {
			m.emitProse(w, int(found.at-w.Offset()))
			if id, ok := m.passMarker(w, int(found.id)); ok {
				m.returnedMarker, m.returnedAt = true, w.Offset()
				return id, true
			}
			continue
		}
		if !m.scanProse(w) {
			break
		}
	}
	m.emitCertain(w)
	return -1, false
}

// nextMarkup finds the next marker that counts: it takes markers that turned out to be text off the front of the held
// ones, and then the first one if it turned out to be markup.
func (m *Machine) nextMarkup(w *sdk.Window) (heldMarker, bool) {
	for m.firstHeld < len(m.held) {
		h := m.held[m.firstHeld]
		switch {
		case h.at < max(m.quotesFrom, w.Offset()) || m.g.isIdle[h.id]:
		case h.text && h.by >= m.quotesFrom:
		case !h.text && m.mayBeQuoted(h):
			return heldMarker{}, false
		default:
			m.firstHeld++
			return h, true
		}
		m.firstHeld++
	}
	m.held, m.firstHeld, m.heldAboveLine, m.tried = m.held[:0], 0, 0, 0
	return heldMarker{}, false
}

// mayBeQuoted says whether h may be part of a quotation: it stands behind an open quote that may protect it.
func (m *Machine) mayBeQuoted(h heldMarker) bool {
	i, _ := slices.BinarySearchFunc(m.openQuotes, h.line, func(o openQuote, line abi.RawOffset) int { return cmp.Compare(o.at, line) })
	return i < len(m.openQuotes) && m.openQuotes[i].at < h.at
}

// GiveBack takes the marker that the window begins with, of n bytes, for prose: it is
// the one that Next has just returned, or another that the family met behind a call, and
// what stands behind it is none. Stray markers behind it are then what they belong to,
// prose too, until a marker counts.
func (m *Machine) GiveBack(w *sdk.Window, n int) {
	if m.returnedMarker && w.Offset() != m.returnedAt {
		m.endQuotationsBefore(w.Offset())
		m.quotesFrom = w.Offset()
	}
	m.returnedMarker, m.literal = false, true
	m.emitProse(w, n)
}

// GaveBack says whether a marker was given back, and none has counted since.
func (m *Machine) GaveBack() bool { return m.literal }

// passMarker does what a marker at the window's start asks, unless it is for the
// caller.
func (m *Machine) passMarker(w *sdk.Window, id int) (int, bool) {
	switch g := m.g; {
	case id < g.thinkEnd:
		m.Thought, m.literal = true, false
	case id < g.closeEnd:
		m.Thought, m.literal = false, false
	case id < g.callEnd:
		return id - g.closeEnd, true
	case m.literal:
		m.emitProse(w, g.set.Len(id))
		return 0, false
	}
	w.Skip(m.g.set.Len(id))
	m.quotesFrom = w.Offset()
	m.endQuotationsBefore(m.quotesFrom)
	return 0, false
}

// emitProse consumes n bytes in the channel that is open.
func (m *Machine) emitProse(w *sdk.Window, n int) {
	if m.Thought {
		w.Reasoning(n)
	} else {
		w.Text(n)
	}
}

// emitCertain consumes what is certain when more bytes are needed, and says which bytes
// matter.
func (m *Machine) emitCertain(w *sdk.Window) {
	if m.firstHeld < len(m.held) {
		m.emitProse(w, int(m.held[m.firstHeld].at-w.Offset()))
		return
	}
	m.emitProse(w, int(m.scannedTo-w.Offset()))
	if w.Len() > 0 || m.lineBlank || m.owner != noOwner {
		return
	}
	set := m.g.watchPlain
	if len(m.openQuotes) > 0 {
		set = m.g.watchQuoted
	}
	if m.Thought {
		w.Watch(reasoning, set)
	} else {
		w.Watch(text, set)
	}
}
