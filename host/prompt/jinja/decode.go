package jinja

import (
	"errors"
	"math/big"
	"strconv"
	"strings"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// Decode makes a value of JSON as Python's json.loads does: members keep their
// orderOf (of two with one name, the place of the first and the value of the last),
// integerOperation have any size, and other numbers are floats. The text must be valid;
// what is not known to be has to pass jsonx.Check before.
func Decode(v jsonx.Raw) (Value, error) { return decode(v, 0) }

// maxDepth is how deep a value from outside may nest.
const maxDepth = 128

var errTooDeep = errors.New("nested more than " + strconv.Itoa(maxDepth) + " deep")

func decode(v jsonx.Raw, depth int) (Value, error) {
	switch {
	case depth > maxDepth:
		return nil, errTooDeep
	case jsonx.IsNull(v):
		return nil, nil
	case jsonx.IsObject(v):
		return decodeObject(v, depth)
	case jsonx.IsArray(v):
		return decodeArray(v, depth)
	case jsonx.IsString(v):
		s, ok := jsonx.String(v)
		if !ok {
			return nil, jsonx.ErrSyntax
		}
		return s, nil
	case v[0] == 't':
		return true, nil
	case v[0] == 'f':
		return false, nil
	}
	return decodeNumber(string(v))
}

func decodeObject(v jsonx.Raw, depth int) (Value, error) {
	d := &Dict{}
	members := jsonx.ObjectOf(v)
	for {
		name, value, ok := members.Next()
		if !ok {
			return d, nil
		}
		decoded, err := decode(value, depth+1)
		if err != nil {
			return nil, err
		}
		d.set(string(name), decoded)
	}
}

func decodeArray(v jsonx.Raw, depth int) (Value, error) {
	list := &List{}
	elements := jsonx.ArrayOf(v)
	for {
		value, ok := elements.Next()
		if !ok {
			return list, nil
		}
		decoded, err := decode(value, depth+1)
		if err != nil {
			return nil, err
		}
		list.Items = append(list.Items, decoded)
	}
}

// maxDigits bounds integers, as Python's own limit for reading them does.
const maxDigits = 4300

func decodeNumber(s string) (Value, error) {
	if !strings.ContainsAny(s, ".eE") {
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return i, nil
		}
		if i, ok := new(big.Int).SetString(s, 10); ok && len(s) <= maxDigits {
			return whole(i), nil
		}
		return nil, errors.New("an integer of too many digits")
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return nil, err
	}
	return f, nil
}
