// Package toolname reads the names of tools in calls, and asks what the request says of them. What it
// offers is a name, whatever bytes it has; a grammar's own class of bytes is for
// names that it does not offer.
package toolname

import "github.com/turnkey-parsers/turnkey/sdk/scan"

// Offered asks whether b begins with the name of one of the tools, in quotation
// marks or not, and end behind it. n is the length of the name with its quotation
// marks. Of names of which one begins another, the one counts behind which end
// stands.
func Offered(b []byte, tools []string, end string, final bool) (n int, v scan.Verdict) {
	quote := ""
	if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
		quote = quotes[b[0]]
	}
	v = scan.No
	for _, tool := range tools {
		if tool == "" {
			continue
		}
		switch length, is := matchParts(b, final, quote, tool, quote, end); is {
		case scan.Yes:
			return length - len(end), scan.Yes
		case scan.Wait:
			v = scan.Wait
		}
	}
	return 0, v
}

// Longest asks which of the tools' names b begins with, and gives the length of the
// longest. It waits where a longer one may yet come.
func Longest(b []byte, tools []string, final bool) (n int, v scan.Verdict) {
	v = scan.No
	for _, tool := range tools {
		switch scan.Prefix(b, tool, final) {
		case scan.Wait:
			return 0, scan.Wait
		case scan.Yes:
			if len(tool) > n {
				n, v = len(tool), scan.Yes
			}
		}
	}
	return n, v
}

// quotes are the quotation marks that a name may stand in.
var quotes = map[byte]string{'"': `"`, '\'': "'"}

// matchParts asks whether b begins with these parts, one behind the other, and gives
// their length.
func matchParts(b []byte, final bool, parts ...string) (n int, v scan.Verdict) {
	for _, part := range parts {
		if v := scan.Prefix(b[n:], part, final); v != scan.Yes {
			return 0, v
		}
		n += len(part)
	}
	return n, scan.Yes
}
