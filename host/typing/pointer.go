package typing

import (
	"strings"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// resolve gives the schema that a local reference (# or #/…) points to, or nil:
// a reference elsewhere, one that leads nowhere, or into a schema with an $id of
// its own.
func (d *document) resolve(ref jsonx.Raw) jsonx.Raw {
	s, ok := jsonx.String(ref)
	if !ok {
		return nil
	}
	if target, ok := d.targets[s]; ok {
		return target
	}
	target := d.followPointer(s)
	d.targets[s] = target
	return target
}

func (d *document) followPointer(ref string) jsonx.Raw {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	if fragment, ok = percentDecoded(fragment); !ok {
		return nil
	}
	if fragment == "" {
		return d.root
	}
	path, ok := strings.CutPrefix(fragment, "/")
	if !ok {
		return nil
	}
	at := d.root
	for _, token := range strings.Split(path, "/") {
		if token, ok = unescapedToken(token); !ok {
			return nil
		}
		if at = d.childNamed(at, token); at == nil || d.membersOf(at)["$id"] != nil {
			return nil
		}
	}
	return at
}

func (d *document) childNamed(at jsonx.Raw, token string) jsonx.Raw {
	if !jsonx.IsArray(at) {
		return d.membersOf(at)[token]
	}
	if token != "0" && (token == "" || strings.Trim(token, "0123456789") != "" || token[0] == '0') {
		return nil
	}
	want := clampedInt([]byte(token))
	for a, n := jsonx.ArrayOf(at), 0; ; n++ {
		v, ok := a.Next()
		if !ok {
			return nil
		}
		if n == want {
			return v
		}
	}
}

func percentDecoded(s string) (string, bool) {
	if !strings.Contains(s, "%") {
		return s, utf8.ValidString(s)
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		high, ok1 := hexValue(s[i+1])
		low, ok2 := hexValue(s[i+2])
		if !ok1 || !ok2 {
			return "", false
		}
		b = append(b, byte(high<<4|low))
		i += 2
	}
	return string(b), utf8.Valid(b)
}

// unescapedToken undoes JSON Pointer's ~1 and ~0.
func unescapedToken(s string) (string, bool) {
	for i := 0; i < len(s); i++ {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return "", false
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~"), true
}
