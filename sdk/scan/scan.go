// Package scan holds the look-ahead that parsers are made of. Text arrives in
// pieces, so every question about what comes next has three answers: No, Wait
// for more, or Yes. Nothing here allocates once it is built, and everything can
// be resumed where it stopped, so that holding bytes back costs linear time.
package scan

import "slices"

// Verdict answers a question about bytes that may not all be there yet.
type Verdict uint8

const (
	No   Verdict = iota // it does not follow, whatever comes
	Wait                // it may follow: ask again with more bytes
	Yes                 // it follows, whole
)

// Prefix asks whether b begins with want. With final, nothing follows b, and
// the answer is never Wait.
func Prefix(b []byte, want string, final bool) Verdict {
	if len(b) >= len(want) {
		if string(b[:len(want)]) == want {
			return Yes
		}
		return No
	}
	if !final && want[:len(b)] == string(b) {
		return Wait
	}
	return No
}

// IsSpace says whether c is white space between the parts of a call.
func IsSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// LeadingSpace is the number of white-space bytes that b begins with.
func LeadingSpace(b []byte) int {
	n := 0
	for n < len(b) && IsSpace(b[n]) {
		n++
	}
	return n
}

// TrimmedLen is the length of b without the white space at its end.
func TrimmedLen(b []byte) int {
	n := len(b)
	for n > 0 && IsSpace(b[n-1]) {
		n--
	}
	return n
}

// Set is a set of markers that is searched for all of them at once. A marker is
// known by its place in the list. A Set does not change and may be shared.
type Set struct {
	markers     []string
	firstBytes  []byte       // the distinct first bytes
	byFirstByte [256][]uint8 // by first byte: markers, the longest first
	starts      [256]bool    // whether a byte begins a marker
}

// NewSet makes the set of up to 255 markers, none of them empty.
func NewSet(markers ...string) *Set {
	s := &Set{markers: markers}
	for i, m := range markers {
		c := m[0]
		if !s.starts[c] {
			s.starts[c] = true
			s.firstBytes = append(s.firstBytes, c)
		}
		at := len(s.byFirstByte[c])
		for at > 0 && len(markers[s.byFirstByte[c][at-1]]) < len(m) {
			at--
		}
		s.byFirstByte[c] = slices.Insert(s.byFirstByte[c], at, uint8(i))
	}
	return s
}

// Count is the number of markers.
func (s *Set) Count() int { return len(s.markers) }

// Marker is the text of marker id.
func (s *Set) Marker(id int) string { return s.markers[id] }

// Len is the length of marker id in bytes.
func (s *Set) Len(id int) int { return len(s.markers[id]) }

// FirstBytes holds the bytes that markers begin with: input without any of them
// holds no marker and no beginning of one. It is a WATCH set.
func (s *Set) FirstBytes() []byte { return s.firstBytes }

// StartsMarker says whether a marker begins with c.
func (s *Set) StartsMarker(c byte) bool { return s.starts[c] }

// MatchPrefix asks which marker b begins with. Where one marker is the beginning of
// another, the longer one wins, so that a whole marker may have to Wait. With
// final, nothing follows b.
func (s *Set) MatchPrefix(b []byte, final bool) (id int, v Verdict) {
	if len(b) == 0 {
		if final || len(s.markers) == 0 {
			return -1, No
		}
		return -1, Wait
	}
	for _, id := range s.byFirstByte[b[0]] {
		m := s.markers[id]
		if len(b) > 1 && len(m) > 1 && b[1] != m[1] { // most are told apart here
			continue
		}
		if v := Prefix(b, m, final); v != No {
			return int(id), v
		}
	}
	return -1, No
}

// Find looks for the first marker in b, from place from on. On Yes marker id
// stands at place at. On Wait the bytes from at on may begin a marker. On No,
// at is len(b). In each case there is no marker before at, which is the place to
// go on from when more bytes are there.
func (s *Set) Find(b []byte, from int, final bool) (at, id int, v Verdict) {
	for i := from; i < len(b); i++ {
		if s.starts[b[i]] {
			if id, v := s.MatchPrefix(b[i:], final); v != No {
				return i, id, v
			}
		}
	}
	return len(b), -1, No
}

// JoinWatchSets makes one WATCH set of several, without repetition. Call it once, when
// the parser's tables are built.
func JoinWatchSets(sets ...[]byte) []byte {
	var all []byte
	for _, s := range sets {
		for _, c := range s {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all
}
