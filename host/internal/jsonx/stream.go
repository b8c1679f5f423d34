package jsonx

import "github.com/turnkey-parsers/turnkey/sdk/scan"

// A Stream checks one JSON value while its text arrives in pieces of any size, and
// repairs what models get wrong in it. The zero value is ready.
type Stream struct {
	// Repair escapes raw control characters in strings; without it they make the
	// text no JSON.
	Repair bool
	// Repaired is the number of control characters that were escaped.
	Repaired int

	json   scan.JSON
	status scan.Status
	object bool // the value is an object
}

// Append reads on and appends b, repaired, to dst. Once the text is no JSON, what
// follows is appended as it stands.
func (s *Stream) Append(dst, b []byte) []byte {
	if s.json.AtStart() {
		if start := TrimLeft(b); len(start) > 0 {
			s.object = start[0] == '{'
		}
	}
	for {
		n, status := s.check(b)
		dst = append(dst, b[:n]...)
		if b = b[n:]; status != scan.Control {
			s.status = status
			return append(dst, b...)
		}
		dst = AppendControl(dst, b[0])
		s.Repaired++
		b = b[1:]
	}
}

func (s *Stream) check(b []byte) (n int, status scan.Status) {
	if s.status == scan.Bad {
		return 0, scan.Bad
	}
	n, status = s.json.ScanStrict(b)
	switch {
	case status == scan.Control && !s.Repair, status == scan.Done && len(TrimLeft(b[n:])) > 0:
		return n, scan.Bad
	}
	return n, status
}

// Empty says whether nothing but white space has come.
func (s *Stream) Empty() bool { return s.json.AtStart() }

// Ended says whether the value has ended and nothing but white space followed.
func (s *Stream) Ended() bool { return s.status == scan.Done }

// Whole says whether the text so far is one JSON value: it has ended, or it is a
// number, which has no end of its own.
func (s *Stream) Whole() bool {
	return s.status == scan.Done || s.status == scan.More && s.json.AtEnd()
}

// IsObject says whether the value is an object, as far as it came.
func (s *Stream) IsObject() bool { return s.object }

// Repaired gives b, outer white space left out, if it is one JSON value once raw
// control characters in its strings are escaped.
func Repaired(b []byte) (v Raw, ok bool) {
	s := Stream{Repair: true}
	v = s.Append(nil, TrimSpace(b))
	return v, s.Whole()
}

// TrimSpace leaves out JSON's white space on both sides.
func TrimSpace(b []byte) []byte { return TrimRight(TrimLeft(b)) }

// TrimLeft leaves out the white space that b begins with.
func TrimLeft(b []byte) []byte { return b[scan.LeadingSpace(b):] }

// TrimRight leaves out the white space that b ends with.
func TrimRight(b []byte) []byte { return b[:scan.TrimmedLen(b)] }
