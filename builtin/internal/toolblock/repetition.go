package toolblock

import (
	"bytes"

	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// repetitionRange is how far behind its header a repetition of a parameter is looked
// for, in bytes: what was emitted can't be taken back.
const repetitionRange = 512

// keyRepeats asks whether a parameter of the same key comes in the same function,
// within patience from place at on, where this one's value begins. looked is where
// the search goes on the next time; 0 at first.
func (x *XML) keyRepeats(p, key []byte, at int, looked *int, final bool) scan.Verdict {
	short := len(p) < at+repetitionRange && !final
	p = p[:min(len(p), at+repetitionRange)]
	at = max(at, *looked)
	undecided := scan.No
	if short {
		undecided = scan.Wait
	}
	for {
		*looked = at
		n := indexShort(p[at:], x.ParameterClose)
		if n < 0 {
			*looked = max(at, len(p)-len(x.ParameterClose)+1)
			return undecided
		}
		at += n + len(x.ParameterClose)
		at += scan.LeadingSpace(p[at:])
		if v := scan.Prefix(p[at:], x.Parameter, !short); v != scan.Yes {
			return v
		}
		at += len(x.Parameter)
		if n = indexShort(p[at:], x.KeyEnd); n < 0 {
			return undecided
		}
		from, length := trimName(p[at : at+n])
		if bytes.Equal(p[at+from:at+from+length], key) {
			return scan.Yes
		}
		at += n + len(x.KeyEnd)
	}
}

// indexShort is bytes.Index for a few hundred bytes: in a guest a loop costs less.
func indexShort(p []byte, marker string) int {
	for i := 0; i+len(marker) <= len(p); i++ {
		if p[i] == marker[0] && string(p[i:i+len(marker)]) == marker {
			return i
		}
	}
	return -1
}
