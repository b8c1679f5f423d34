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

// scan reads on to the next byte that may settle something. It returns false if
// it needs more bytes.
func (m *Machine) scan(w *sdk.Window) bool {
	b := w.Bytes()
	i, end := int(m.pos-w.Offset()), len(b)
	capped := false
	if m.front < len(m.held) {
		if limit := int(m.held[m.front].at-w.Offset()) + MaxHeld; limit < end {
			end, capped = limit, true
		}
	}
	settled := false
	for i < end && !settled {
		switch {
		case m.owner == inTag:
			i = m.tag(b[:end], i, w)
		case m.owner != nobody:
			i = m.own(b[:end], i, w)
		case m.blank:
			i, settled = m.blanks(b, i, end)
		default:
			n := m.plain(b[i:end])
			if i += n; i == end {
				break
			}
			var wait bool
			if i, settled, wait = m.special(w, b, i); wait {
				m.pos = w.Offset() + abi.RawOffset(i)
				return false
			}
		}
	}
	m.pos = w.Offset() + abi.RawOffset(i)
	switch {
	case settled:
		return true
	case capped:
		m.giveUp()
		return true
	case w.Final && len(m.open) > 0:
		m.unquote()
		return m.front < len(m.held)
	}
	return false
}

// plain is the number of bytes at b's start that mean nothing.
func (m *Machine) plain(b []byte) int {
	mask := begin | quote | space
	if len(m.open) > 0 {
		mask |= feed
	}
	class := m.class()
	for i, c := range b {
		if class[c]&mask != 0 {
			return i
		}
	}
	return len(b)
}

// special reads the byte at i, which may begin a marker, be a quotation mark, or
// end a line. It returns where to go on, whether it settled something, and
// whether it has to wait.
func (m *Machine) special(w *sdk.Window, b []byte, i int) (next int, settled, wait bool) {
	c := b[i]
	class := m.class()[c]
	if class&space != 0 {
		switch id, n, v := m.spaced(w, b, i); v {
		case scan.Wait:
			return i, false, true
		case scan.Yes:
			m.found(w.Offset()+abi.RawOffset(i), n, id)
			return i + n, true, false
		}
	}
	if class&begin != 0 {
		switch id, v := m.g.set.MatchPrefix(b[i:], w.Final); v {
		case scan.Wait:
			return i, false, true
		case scan.Yes:
			n := m.g.set.Len(id)
			m.found(w.Offset()+abi.RawOffset(i), n, id)
			return i + n, id < m.g.strip, false
		}
	}
	if c == '\n' && len(m.open) > 0 {
		m.blank, m.line = true, w.Offset()+abi.RawOffset(i)+1
		return i + 1, m.endLine(), false
	}
	if class&quote != 0 {
		return m.mark(w, b, i)
	}
	return i + 1, false, false
}

// spaced asks whether a marker stands behind the white space that begins at i, and
// gives the length of both.
func (m *Machine) spaced(w *sdk.Window, b []byte, i int) (id, n int, v scan.Verdict) {
	before := w.Prev()
	if i > 0 {
		before = b[i-1]
	}
	if scan.IsSpace(before) { // asked already
		return 0, 0, scan.No
	}
	n = scan.LeadingSpace(b[i:min(len(b), i+maxSpace+1)])
	switch {
	case n > maxSpace:
		return 0, 0, scan.No
	case i+n == len(b) && !w.Final:
		return 0, 0, scan.Wait
	}
	id, v = m.g.set.MatchPrefix(b[i+n:], w.Final)
	if v == scan.No || v == scan.Yes && !m.g.spaced[id] {
		return 0, 0, scan.No
	}
	return id, n + m.g.set.Len(id), v
}

// found takes a marker of n bytes in. One that ends a thought ends all quotations
// before it, unless a quote of its line is open.
func (m *Machine) found(at abi.RawOffset, n, id int) {
	end := at + abi.RawOffset(n)
	switch {
	case m.g.set.Marker(id)[0] == '\n':
		m.unquote()
	case m.g.hard[id]:
		m.forget(at)
	}
	counts := id < m.g.strip && (m.front < len(m.held) || !m.g.idle[id])
	if counts {
		h := marker{at: at, id: int16(id)}
		if m.endsThought(h) {
			h.line = m.line
			if !m.quoted(h) {
				m.forget(at)
			}
		}
		m.held = append(m.held, h)
	}
	switch {
	case m.g.tag[id]:
		m.owner = inTag
	case counts:
		m.ask(end)
	}
}

func (m *Machine) endsThought(h marker) bool {
	return m.Thought && int(h.id) >= m.g.think && int(h.id) < m.g.close
}

// ask looks for a JSON value behind a held marker, or behind its tag.
func (m *Machine) ask(at abi.RawOffset) {
	if len(m.open) > 0 && at >= m.jsonAfter && m.front < len(m.held) {
		m.owner, m.jsonAt = asked, at
	}
}

// tag reads a tag's attributes: to its end, or to what no attribute holds.
func (m *Machine) tag(b []byte, i int, w *sdk.Window) int {
	n := bytes.IndexAny(b[i:], "<>\n")
	if n < 0 {
		return len(b)
	}
	i += n
	m.owner = nobody
	if b[i] == '>' {
		i++
		m.ask(w.Offset() + abi.RawOffset(i))
	}
	return i
}

// mark reads a quotation mark.
func (m *Machine) mark(w *sdk.Window, b []byte, i int) (next int, settled, wait bool) {
	kind := m.g.words[b[i]]
	before := w.PrevRune()
	if i > 0 {
		before, _ = utf8.DecodeLastRune(b[:i])
	}
	if before == '\\' {
		return i + 1, false, false
	}
	if m.count[kind] > 0 {
		if i+1 == len(b) && !w.Final {
			return i, false, true
		}
		behind, _ := utf8.DecodeRune(b[i+1:])
		if i+1 == len(b) || !word(behind) {
			return i + 1, m.closeQuote(kind), false
		}
	}
	if !word(before) {
		m.open = append(m.open, opened{at: w.Offset() + abi.RawOffset(i), kind: kind})
		m.count[kind]++
	}
	return i + 1, false, false
}

// closeQuote closes the innermost quotation of that kind, and with it the ones
// inside that have no end. Markers in it are text.
func (m *Machine) closeQuote(kind uint8) (settled bool) {
	for {
		last := m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
		m.count[last.kind]--
		if last.kind != kind {
			continue
		}
		for k := len(m.held) - 1; k >= m.front && m.held[k].at > last.at; k-- {
			if h := &m.held[k]; !h.text && last.at >= h.line {
				h.text, h.by = true, last.at
			}
		}
		return m.front < len(m.held)
	}
}

// blanks reads white space at the start of a line. An empty line ends all
// quotations.
func (m *Machine) blanks(b []byte, i, end int) (next int, settled bool) {
	for i < end && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	if i == end {
		return i, false
	}
	m.blank = false
	if b[i] != '\n' {
		return i, false
	}
	m.unquote()
	return i, m.front < len(m.held)
}

// endLine ends the quotations around a marker that ends a thought.
func (m *Machine) endLine() (settled bool) {
	for k := len(m.held) - 1; k >= max(m.above, m.front); k-- {
		if !m.held[k].text && m.endsThought(m.held[k]) {
			m.forget(m.held[k].at)
			settled = true
			break
		}
	}
	m.above = len(m.held)
	return settled
}

func (m *Machine) unquote() {
	m.open, m.count, m.blank = m.open[:0], [4]int{}, false
}

// forget ends the quotations that were opened before at.
func (m *Machine) forget(at abi.RawOffset) {
	n := 0
	for n < len(m.open) && m.open[n].at < at {
		m.count[m.open[n].kind]--
		n++
	}
	if n > 0 {
		m.open = m.open[:copy(m.open, m.open[n:])]
	}
	if len(m.open) == 0 {
		m.blank = false
	}
	if m.pos <= at {
		m.owner = nobody
	}
}

// giveUp makes text of what is held: it is too much.
func (m *Machine) giveUp() {
	for k := m.front; k < len(m.held); k++ {
		m.held[k].text, m.held[k].by = true, m.from
	}
	m.owner = nobody
	m.unquote()
}

// own reads what stands directly behind a held marker, as JSON if it is that.
func (m *Machine) own(b []byte, i int, w *sdk.Window) int {
	if m.owner == asked {
		i += scan.LeadingSpace(b[i:])
		if i == len(b) {
			return i
		}
		if b[i] != '{' && b[i] != '[' {
			m.owner = nobody
			return int(m.jsonAt - w.Offset())
		}
		m.owner = owning
		m.json.Reset()
	}
	n, status := m.json.Scan(b[i:])
	switch status {
	case scan.Done:
		m.owner = nobody
	case scan.Bad:
		m.owner, m.jsonAfter = nobody, w.Offset()+abi.RawOffset(i+n)
		return int(m.jsonAt - w.Offset())
	}
	return i + n
}

// word says whether r is a letter or digit of a script that puts space between
// words. In others (Han, Kana, Hangul, Thai …) quotation marks stand directly
// beside letters, so a letter there says nothing.
func word(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	case r >= 0x0e00 && r < 0x10a0, r >= 0x1100 && r < 0x1200, r >= 0x1780 && r < 0x1800, r >= 0x2e80:
		return false
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}
