// Package jsonread reads sound JSON that is already whole, such as a tool's
// schema, in a module that has no JSON library.
package jsonread

import "github.com/turnkey-parsers/turnkey/sdk/scan"

// Members calls f with each member of a JSON object: its name as it stands, still
// escaped, and its value. What is no JSON object has none.
func Members(b []byte, f func(name string, value []byte)) {
	at := scan.Space(b)
	if at == len(b) || b[at] != '{' {
		return
	}
	for {
		at++ // "{" or ","
		at += scan.Space(b[at:])
		var key, value scan.JSON
		n, s := key.Scan(b[at:])
		if s != scan.Done || b[at] != '"' {
			return
		}
		name := string(b[at+1 : at+n-1])
		at += n
		at += scan.Space(b[at:])
		if at == len(b) || b[at] != ':' {
			return
		}
		at++
		at += scan.Space(b[at:])
		if n, s = value.Scan(b[at:]); s != scan.Done {
			return
		}
		f(name, b[at:at+n])
		at += n
		at += scan.Space(b[at:])
		if at == len(b) || b[at] != ',' {
			return
		}
	}
}

// Elements calls f with each element of a JSON array. What is no JSON array has
// none.
func Elements(b []byte, f func(value []byte)) {
	at := scan.Space(b)
	if at == len(b) || b[at] != '[' {
		return
	}
	for {
		at++ // "[" or ","
		at += scan.Space(b[at:])
		var value scan.JSON
		n, s := value.Scan(b[at:])
		if s != scan.Done {
			return
		}
		f(b[at : at+n])
		at += n
		at += scan.Space(b[at:])
		if at == len(b) || b[at] != ',' {
			return
		}
	}
}

// Member gives the value of a member, nil if there is none.
func Member(b []byte, name string) (value []byte) {
	Members(b, func(n string, v []byte) {
		if n == name {
			value = v
		}
	})
	return value
}

// IsString says whether b is a string that needs no escapes, of these characters.
func IsString(b []byte, s string) bool {
	return len(b) == len(s)+2 && b[0] == '"' && string(b[1:len(b)-1]) == s
}
