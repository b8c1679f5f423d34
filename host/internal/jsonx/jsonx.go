// Package jsonx is the one place where the host reads and writes JSON. It wraps
// sonic and adds what a proxy needs beyond decoding into structs: walking the
// members of an object in order, with their values as the source text, and
// appending to a buffer.
package jsonx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/encoder"
)

// Raw is a JSON value as its source text.
type Raw = json.RawMessage

// Member is one member of an object: its name, decoded, and its value as it was
// written, so that numbers keep their digits.
type Member struct {
	Name  string
	Value Raw
}

// ErrSyntax says that a text is not JSON.
var ErrSyntax = errors.New("not valid JSON")

// api copies strings, because the buffers that are decoded from are reused.
var api = sonic.Config{
	CopyString:       true,
	ValidateString:   true,
	UseInt64:         true,
	NoEncoderNewline: true,
}.Froze()

// Unmarshal decodes data into v by its struct tags.
func Unmarshal(data []byte, v any) error { return api.Unmarshal(data, v) }

// Marshal encodes v by its struct tags, without escaping HTML.
func Marshal(v any) ([]byte, error) { return api.Marshal(v) }

// Check reads one JSON value, with or without white space around it, and gives
// it as text of its own: data may be reused. Bytes that are no UTF-8 become
// U+FFFD. The error wraps ErrSyntax and says where.
func Check(data []byte) (Raw, error) {
	if utf8.Valid(data) {
		data = bytes.Clone(data)
	} else {
		data = []byte(string([]rune(string(data))))
	}
	v := Raw(bytes.Trim(data, " \t\r\n"))
	if ok, at := encoder.Valid(v); !ok {
		return nil, syntaxError(at, len(v))
	}
	if at := findBadString(v); at >= 0 {
		return nil, syntaxError(at, len(v))
	}
	return v, nil
}

// findBadString finds a bad escape or a raw control character in a string of a
// text whose structure is sound; -1 where there is none. Sonic judges only the
// structure.
func findBadString(v Raw) int {
	inside := false
	for i := 0; i < len(v); i++ {
		switch c := v[i]; {
		case plainBytes[c]:
		case c == '"':
			inside = !inside
		case c == '\\':
			if !isEscape(v[i:]) {
				return i
			}
			i++
		case inside:
			return i
		}
	}
	if inside {
		return len(v)
	}
	return -1
}

func isEscape(b []byte) bool {
	if len(b) > 1 && b[1] == 'u' {
		_, ok := readHex4(b)
		return ok
	}
	return len(b) > 1 && escapeMeanings[b[1]] != 0
}

// Valid says whether data is one JSON value, with or without white space around
// it.
func Valid(data []byte) bool {
	_, err := Check(data)
	return err == nil
}

// syntaxError names the place only: what stands there may be private.
func syntaxError(at, length int) error {
	if at < 0 || at >= length {
		return fmt.Errorf("%w: it ends too early", ErrSyntax)
	}
	return fmt.Errorf("%w at byte %d of %d", ErrSyntax, at, length)
}

// IsNull says whether a member is absent or null.
func IsNull(v Raw) bool { return len(v) == 0 || v[0] == 'n' }

// IsObject says whether v is an object.
func IsObject(v Raw) bool { return len(v) > 0 && v[0] == '{' }

// IsArray says whether v is an array.
func IsArray(v Raw) bool { return len(v) > 0 && v[0] == '[' }

// IsString says whether v is a string.
func IsString(v Raw) bool { return len(v) > 0 && v[0] == '"' }
