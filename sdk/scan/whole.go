package scan

// These read JSON that is already whole, such as a tool's schema, in a module that
// has no JSON library. They stop at the first byte that is no JSON.

// EachMember calls f with each member of a JSON object: its name as it stands, still
// escaped, and its value, a part of b. What is no JSON object has none.
func EachMember(b []byte, f func(name string, value []byte)) {
	var (
		w    Walk
		name string
		from int
	)
	for at := 0; ; {
		n, step := w.Next(b, at)
		switch step {
		case KeyBegins:
			from = n + 1
		case KeyEnds:
			name = string(b[from : n-1])
		case ValueBegins:
			from = n
		case ValueEnds:
			f(name, b[from:n])
		case WalkMore, ObjectEnds, WalkBad:
			return
		}
		at = n
	}
}

// EachElement calls f with each element of a JSON array. What is no JSON array has
// none.
func EachElement(b []byte, f func(value []byte)) {
	at := LeadingSpace(b)
	if at == len(b) || b[at] != '[' {
		return
	}
	for {
		at++ // "[" or ","
		at += LeadingSpace(b[at:])
		var value JSON
		n, s := value.Scan(b[at:])
		if s != Done {
			return
		}
		f(b[at : at+n])
		at += n
		at += LeadingSpace(b[at:])
		if at == len(b) || b[at] != ',' {
			return
		}
	}
}

// MemberNamed gives the value of a member, nil if there is none.
func MemberNamed(b []byte, name string) (value []byte) {
	EachMember(b, func(n string, v []byte) {
		if n == name {
			value = v
		}
	})
	return value
}

// IsStringOf says whether b is the JSON string of s, which needs no escapes.
func IsStringOf(b []byte, s string) bool {
	return len(b) == len(s)+2 && b[0] == '"' && string(b[1:len(b)-1]) == s
}
