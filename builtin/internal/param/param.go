// Package param decides where a parameter's value ends whose closer is an ordinary
// text: a value may hold its own closer, and a model may forget it.
package param

import (
	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// maxSpace is the most white space behind a closer that is looked over, in bytes.
const maxSpace = 1024

// Continues asks whether b, which follows a value's closer, goes on as the grammar
// does there: with white space and one of the markers of next, or with the end of
// the text, also within these. Any other closer was data.
func Continues(b []byte, next *scan.Set, final bool) scan.Verdict {
	n := scan.LeadingSpace(b[:min(len(b), maxSpace)])
	if n == len(b) || n == maxSpace {
		if final || n == maxSpace {
			return scan.Yes
		}
		return scan.Wait
	}
	_, v := next.MatchPrefix(b[n:], false)
	if v == scan.Wait && final {
		return scan.Yes
	}
	return v
}

// Declared are the parameters that the schema of a call's tool declares, and which
// of them the call has given. Schemas are read once a session.
type Declared struct {
	open   *abi.OpenBlock
	byTool map[string]map[string]*uint32 // by tool and key: the call that gave it last
	keys   map[string]*uint32            // of the call's tool
	call   uint32
}

// In makes d ready for a session.
func In(open *abi.OpenBlock) Declared { return Declared{open: open} }

// Start begins a call of that tool.
func (d *Declared) Start(tool []byte) {
	d.call++
	keys, known := d.byTool[string(tool)]
	if !known {
		keys = d.read(string(tool))
	}
	d.keys = keys
}

// read reads the keys that a tool's schema declares; none of one that was not offered.
func (d *Declared) read(tool string) map[string]*uint32 {
	for _, schema := range d.open.Schemas {
		if int(schema.Tool) >= len(d.open.Tools) || d.open.Tools[schema.Tool] != tool {
			continue
		}
		keys := map[string]*uint32{}
		scan.EachMember(scan.MemberNamed([]byte(schema.JSON), "properties"), func(name string, _ []byte) { keys[name] = new(uint32) })
		if d.byTool == nil {
			d.byTool = map[string]map[string]*uint32{}
		}
		d.byTool[tool] = keys
		return keys
	}
	return nil
}

// Declares says whether the schema declares that parameter.
func (d *Declared) Declares(key []byte) bool { return d.keys[string(key)] != nil }

// Give says that the call has given that parameter.
func (d *Declared) Give(key []byte) {
	if by := d.keys[string(key)]; by != nil {
		*by = d.call
	}
}

// Awaits says whether that parameter is declared and was not given yet: its header
// at a line's start ends the value before it, whose closer was forgotten.
func (d *Declared) Awaits(key []byte) bool {
	by := d.keys[string(key)]
	return by != nil && *by != d.call
}
