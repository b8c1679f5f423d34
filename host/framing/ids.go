package framing

import (
	"crypto/rand"
	"strconv"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi/manifest"
)

const (
	idAlphabet    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	idPrefix      = "call_"
	longIDLength  = 24
	shortIDLength = 9
)

// IDs gives the ids of one choice's calls: each is unlike all others that it has seen.
// Choices count for themselves: they are answers that don't know of each other.
type IDs struct {
	form      string
	nextIndex int // of the next call, in the conversation
	used      map[string]struct{}
}

// NewIDs makes ids of the form that a parser's manifest names (manifest.Parser.IDs).
// used are ids that are taken: those of the calls in the request's messages.
func NewIDs(form string, used ...string) *IDs {
	ids := &IDs{form: form, nextIndex: len(used), used: make(map[string]struct{}, len(used)+1)}
	for _, id := range used {
		ids.used[id] = struct{}{}
	}
	return ids
}

// Take gives the id of a call of that name back, or another where it is empty or
// used: for calls that the engine itself made.
func (ids *IDs) Take(id, name string) string {
	id, _ = ids.takeOrReplace(id, name)
	return id
}

// takeOrReplace gives id back if it is not used yet, else a new one. ok says which.
func (ids *IDs) takeOrReplace(id, name string) (_ string, ok bool) {
	ok = id != ""
	if ok {
		_, used := ids.used[id]
		ok = !used
	}
	made := ids.nextIndex
	ids.nextIndex++
	for !ok {
		id = ids.format(name, made)
		if _, used := ids.used[id]; !used {
			break
		}
		made++
	}
	ids.used[id] = struct{}{}
	return id, ok
}

// format makes an id for the call at that index.
func (ids *IDs) format(name string, index int) string {
	switch ids.form {
	case "":
		return randomID(idPrefix, longIDLength)
	case manifest.IDsShort:
		return randomID("", shortIDLength)
	}
	return strings.NewReplacer("{name}", name, "{index}", strconv.Itoa(index)).Replace(ids.form)
}

// randomID is n random letters and digits after a prefix.
func randomID(prefix string, n int) string {
	b := append(make([]byte, 0, len(idPrefix)+longIDLength), prefix...)
	var raw [2 * longIDLength]byte
	for want := len(b) + n; len(b) < want; {
		rand.Read(raw[:]) // never fails
		for _, c := range raw {
			// The bytes beyond the last whole run of the alphabet would favour its
			// first letters.
			if int(c) < 256/len(idAlphabet)*len(idAlphabet) && len(b) < want {
				b = append(b, idAlphabet[int(c)%len(idAlphabet)])
			}
		}
	}
	return string(b)
}
