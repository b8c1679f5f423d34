package prose

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

const (
	text      = abi.Text
	reasoning = abi.Reasoning
)

// scanProse reads on to the next byte that may settle something. It returns false if
// it needs more bytes.
func (m *Machine) scanProse(w *sdk.Window) bool {
	b := w.Bytes()
	i, end := int(m.scannedTo-w.Offset()), len(b)
	capped := false
	if m.firstHeld < len(m.held) {
		if limit := int(m.held[m.firstHeld].at-w.Offset()) + maxDoubt; limit < end {
			end, capped = max(i, limit), true
		}
	}
	settled, before := false, i
	for i < end && !settled {
		before = i
		switch {
		case m.owner == tagOwner:
			i = m.scanTagAttributes(b[:end], i, w)
		case m.owner != noOwner:
			i = m.scanOwnedJSON(b[:end], i, w)
		case m.lineBlank:
			i, settled = m.scanLineStart(b, i, end)
			before = i
		default:
			n := m.plainPrefix(b[i:end])
			if i += n; i == end {
				break
			}
			var wait bool
			before = i
			if i, settled, wait = m.scanSpecialByte(w, b, i); wait {
				m.scannedTo = w.Offset() + abi.RawOffset(i)
				return m.tryHeld(w, i)
			}
		}
	}
	if !settled {
		before = i
	}
	m.scannedTo = w.Offset() + abi.RawOffset(i)
	switch {
	case m.tryHeld(w, before), settled:
		return true
	case capped:
		m.endQuotationsBefore(m.held[m.firstHeld].at)
		return true
	case w.Final && len(m.openQuotes) > 0:
		m.endAllQuotations()
		return m.firstHeld < len(m.held)
	}
	return false
}

// plainPrefix is the number of bytes at b's start that mean nothing.
func (m *Machine) plainPrefix(b []byte) int {
	mask := beginsMarker | quoteMark | markerSpace
	if len(m.openQuotes) > 0 {
		mask |= lineFeed
	}
	class := m.byteClasses()
	for i, c := range b {
		if class[c]&mask != 0 {
			return i
		}
	}
	return len(b)
}

// scanSpecialByte reads the byte at i, which may begin a marker, be a quotation mark, or
// end a line. It returns where to go on, whether it settled something, and
// whether it has to wait.
func (m *Machine) scanSpecialByte(w *sdk.Window, b []byte, i int) (next int, settled, wait bool) {
	c := b[i]
	class := m.byteClasses()[c]
	if class&markerSpace != 0 {
		switch id, n, v := m.matchSpacedMarker(w, b, i); v {
		case scan.Wait:
			return i, false, true
		case scan.Yes:
			m.addMarker(w.Offset()+abi.RawOffset(i), n, id)
			return i + n, true, false
		}
	}
	if class&beginsMarker != 0 {
		switch id, v := m.g.set.MatchPrefix(b[i:], w.Final); v {
		case scan.Wait:
			return i, false, true
		case scan.Yes:
			n := m.g.set.Len(id)
			m.addMarker(w.Offset()+abi.RawOffset(i), n, id)
			return i + n, id < m.g.stripEnd, false
		}
	}
	if c == '\n' && len(m.openQuotes) > 0 {
		m.lineBlank, m.lineStart = true, w.Offset()+abi.RawOffset(i)+1
		return i + 1, m.endQuotesOfLine(), false
	}
	if class&quoteMark != 0 {
		return m.scanQuoteMark(w, b, i)
	}
	return i + 1, false, false
}

// matchSpacedMarker asks whether a marker stands behind the white space that begins at i, and
// gives the length of both.
func (m *Machine) matchSpacedMarker(w *sdk.Window, b []byte, i int) (id, n int, v scan.Verdict) {
	before := w.Prev()
	if i > 0 {
		before = b[i-1]
	}
	if scan.IsSpace(before) { // asked already
		return 0, 0, scan.No
	}
	n = scan.LeadingSpace(b[i:min(len(b), i+maxSpaceBefore+1)])
	switch {
	case n > maxSpaceBefore:
		return 0, 0, scan.No
	case i+n == len(b) && !w.Final:
		return 0, 0, scan.Wait
	}
	id, v = m.g.set.MatchPrefix(b[i+n:], w.Final)
	if v == scan.No || v == scan.Yes && !m.g.isSpaced[id] {
		return 0, 0, scan.No
	}
	return id, n + m.g.set.Len(id), v
}

// addMarker takes note of a marker of n bytes at offset at. One that ends a thought ends all quotations
// before it, unless a quote of its line is open.
func (m *Machine) addMarker(at abi.RawOffset, n, id int) {
	end := at + abi.RawOffset(n)
	switch {
	case m.g.set.Marker(id)[0] == '\n':
		m.endAllQuotations()
	case m.g.isHard[id]:
		m.endQuotationsBefore(at)
	}
	counts := id < m.g.stripEnd && (m.firstHeld < len(m.held) || !m.g.isIdle[id])
	if counts {
		if last := len(m.openQuotes) - 1; last >= 0 && m.openQuotes[last].at+1 == at {
			m.openQuotes[last].direct = true
			m.direct++
		}
		h := heldMarker{at: at, end: end, id: int16(id), direct: m.direct > 0}
		if m.endsThought(h) {
			h.line = m.lineStart
			if !m.mayBeQuoted(h) {
				m.endQuotationsBefore(at)
			}
		}
		m.held = append(m.held, h)
	}
	switch {
	case m.g.isTag[id]:
		m.owner = tagOwner
	case counts:
		m.expectJSON(end)
	}
}

// endsThought says whether h, as markup, would end the thought that is open.
func (m *Machine) endsThought(h heldMarker) bool {
	return m.Thought && int(h.id) >= m.g.thinkEnd && int(h.id) < m.g.closeEnd
}

// expectJSON looks for a JSON value behind a held marker, or behind its tag.
func (m *Machine) expectJSON(at abi.RawOffset) {
	if len(m.openQuotes) > 0 && at >= m.jsonAfter && m.firstHeld < len(m.held) {
		m.owner, m.jsonAt = jsonExpected, at
	}
}

// scanTagAttributes reads a tag's attributes: to its end, or to what no attribute holds.
func (m *Machine) scanTagAttributes(b []byte, i int, w *sdk.Window) int {
	n := bytes.IndexAny(b[i:], "<>\n")
	if n < 0 {
		return len(b)
	}
	i += n
	m.owner = noOwner
	if b[i] == '>' {
		i++
		m.expectJSON(w.Offset() + abi.RawOffset(i))
	}
	return i
}

// scanQuoteMark reads the quotation mark at b[i]: it closes a quotation of its kind,
// opens one, or is an apostrophe, which does neither.
func (m *Machine) scanQuoteMark(w *sdk.Window, b []byte, i int) (next int, settled, wait bool) {
	kind := m.g.quoteKinds[b[i]]
	before := w.PrevRune()
	if i > 0 {
		before, _ = utf8.DecodeLastRune(b[:i])
	}
	switch {
	case before == '\\':
		return i + 1, false, false
	case m.firstHeld == len(m.held):
	case m.tryHeld(w, i):
		return int(m.scannedTo - w.Offset()), true, false
	case m.isOwnMark(w, i):
		return i + 1, false, false
	}
	if m.openOfKind[kind] > 0 {
		if i+1 == len(b) && !w.Final {
			return i, false, true
		}
		behind, _ := utf8.DecodeRune(b[i+1:])
		if i+1 == len(b) || !isWordRune(behind) {
			return i + 1, m.closeQuote(kind, w.Offset()+abi.RawOffset(i)), false
		}
	}
	if !isWordRune(before) {
		m.openQuotes = append(m.openQuotes, openQuote{at: w.Offset() + abi.RawOffset(i), kind: kind})
		m.openOfKind[kind]++
	}
	return i + 1, false, false
}

// closeQuote closes the innermost quotation of that kind with the mark at offset at, and
// with it the ones inside that have no end. Markers in it are text.
func (m *Machine) closeQuote(kind uint8, at abi.RawOffset) (settled bool) {
	for {
		last := m.openQuotes[len(m.openQuotes)-1]
		m.openQuotes = m.openQuotes[:len(m.openQuotes)-1]
		m.forgetQuote(last)
		if last.kind != kind {
			continue
		}
		for k := len(m.held) - 1; k >= m.firstHeld && m.held[k].at > last.at; k-- {
			if h := &m.held[k]; !h.text && last.at >= h.line {
				h.text, h.by, h.settledAt = true, last.at, at
			}
		}
		return m.firstHeld < len(m.held)
	}
}

// forgetQuote counts a quotation mark off that is no longer open.
func (m *Machine) forgetQuote(o openQuote) {
	m.openOfKind[o.kind]--
	if o.direct {
		m.direct--
	}
}

// scanLineStart reads white space at the start of a line. An empty line ends all
// quotations.
func (m *Machine) scanLineStart(b []byte, i, end int) (next int, settled bool) {
	for i < end && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	if i == end {
		return i, false
	}
	m.lineBlank = false
	if b[i] != '\n' {
		return i, false
	}
	m.endAllQuotations()
	return i, m.firstHeld < len(m.held)
}

// endQuotesOfLine, at a line feed, ends the quotations around a marker that ends a thought.
func (m *Machine) endQuotesOfLine() (settled bool) {
	for k := len(m.held) - 1; k >= max(m.heldAboveLine, m.firstHeld); k-- {
		if !m.held[k].text && m.endsThought(m.held[k]) {
			m.endQuotationsBefore(m.held[k].at)
			settled = true
			break
		}
	}
	m.heldAboveLine = len(m.held)
	return settled
}

// endAllQuotations forgets every open quote: unmatched, they protect nothing.
func (m *Machine) endAllQuotations() {
	m.openQuotes, m.openOfKind, m.direct, m.lineBlank = m.openQuotes[:0], [4]int{}, 0, false
}

// endQuotationsBefore ends the quotations that were opened before at.
func (m *Machine) endQuotationsBefore(at abi.RawOffset) {
	n := 0
	for n < len(m.openQuotes) && m.openQuotes[n].at < at {
		m.forgetQuote(m.openQuotes[n])
		n++
	}
	if n > 0 {
		m.openQuotes = m.openQuotes[:copy(m.openQuotes, m.openQuotes[n:])]
	}
	if len(m.openQuotes) == 0 {
		m.lineBlank = false
	}
	if m.scannedTo <= at {
		m.owner = noOwner
	}
}

// scanOwnedJSON reads what stands directly behind a held marker, as JSON if it is that.
func (m *Machine) scanOwnedJSON(b []byte, i int, w *sdk.Window) int {
	if m.owner == jsonExpected {
		i += scan.LeadingSpace(b[i:])
		if i == len(b) {
			return i
		}
		if b[i] != '{' && b[i] != '[' {
			m.owner = noOwner
			return m.backToJSON(w)
		}
		m.owner = jsonOwner
		m.ownedJSON = scan.JSON{Lenient: true}
	}
	n, status := m.ownedJSON.Scan(b[i:])
	switch status {
	case scan.Done:
		m.owner = noOwner
	case scan.Bad:
		m.owner, m.jsonAfter = noOwner, w.Offset()+abi.RawOffset(i+n)
		return m.backToJSON(w)
	}
	return i + n
}

// backToJSON is the place where the value begins that is none, or the window's start where
// that was consumed.
func (m *Machine) backToJSON(w *sdk.Window) int {
	return max(0, int(m.jsonAt)-int(w.Offset()))
}

// isWordRune says whether r is a letter or digit of a script that puts space between
// words. In others (Han, Kana, Hangul, Thai …) quotation marks stand directly
// beside letters, so a letter there says nothing.
func isWordRune(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	case r >= 0x0e00 && r < 0x10a0, r >= 0x1100 && r < 0x1200, r >= 0x1780 && r < 0x1800, r >= 0x2e80:
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
