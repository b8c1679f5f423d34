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
func Decode(v jsonx.Raw) (Value, error) { return new(Decoder).Decode(v) }

// Decoder makes values for one rendering, of which there may not be too many: a value
// takes up to thirty times the memory of its text.
type Decoder struct{ values int }

// Decode is the function of that name.
func (d *Decoder) Decode(v jsonx.Raw) (Value, error) { return d.decode(v, 0) }

// maxValues is how many values and members of objects a rendering may be given.
const maxValues = 1_000_000

var errTooMany = errors.New("more than " + strconv.Itoa(maxValues) + " values")

// maxDepth is how deep a value from outside may nest.
const maxDepth = 128

var errTooDeep = errors.New("nested more than " + strconv.Itoa(maxDepth) + " deep")

func (d *Decoder) decode(v jsonx.Raw, depth int) (Value, error) {
	if d.values++; d.values > maxValues {
		return nil, errTooMany
	}
	switch {
	case depth > maxDepth:
		return nil, errTooDeep
	case jsonx.IsNull(v):
		return nil, nil
	case jsonx.IsObject(v):
		return d.decodeObject(v, depth)
	case jsonx.IsArray(v):
		return d.decodeArray(v, depth)
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

func (d *Decoder) decodeObject(v jsonx.Raw, depth int) (Value, error) {
	dict := &Dict{}
	members := jsonx.ObjectOf(v)
	for {
		d.values++ // a member takes more than its value
		name, value, ok := members.Next()
		if !ok {
			return dict, nil
		}
		decoded, err := d.decode(value, depth+1)
		if err != nil {
			return nil, err
		}
		dict.set(string(name), decoded)
	}
}

func (d *Decoder) decodeArray(v jsonx.Raw, depth int) (Value, error) {
	list := &List{}
	elements := jsonx.ArrayOf(v)
	for {
		value, ok := elements.Next()
		if !ok {
			return list, nil
		}
		decoded, err := d.decode(value, depth+1)
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
		if len(s) > maxDigits { // reading it would take a time that grows with the square
			return nil, errors.New("an integer of too many digits")
		}
		if i, ok := new(big.Int).SetString(s, 10); ok {
			return whole(i), nil
		}
		return nil, jsonx.ErrSyntax
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return nil, err
	}
	return f, nil
}
