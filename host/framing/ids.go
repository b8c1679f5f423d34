package framing

import (
	"crypto/rand"
	"sync"
)

const (
	idAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	idPrefix   = "call_"
	idLong     = 24
	idShort    = 9
)

// IDs gives the ids of one response's calls: each is unlike all others that it
// has seen. It may be used by several goroutines.
type IDs struct {
	mu    sync.Mutex
	short bool
	used  map[string]struct{}
}

// NewIDs makes ids of "call_" and 24 letters and digits, or, with short, of nine
// letters and digits, which some chat templates insist on. used are ids that are
// taken: those in the request's messages.
func NewIDs(short bool, used ...string) *IDs {
	ids := &IDs{short: short, used: make(map[string]struct{}, len(used)+1)}
	for _, id := range used {
		ids.used[id] = struct{}{}
	}
	return ids
}

// Take gives id back, or another where it is empty or used: for calls that the
// engine itself made.
func (ids *IDs) Take(id string) string {
	id, _ = ids.take(id)
	return id
}

// take gives id back if it is not used yet, else a new one. ok says which.
func (ids *IDs) take(id string) (_ string, ok bool) {
	ids.mu.Lock()
	defer ids.mu.Unlock()
	ok = id != ""
	if ok {
		_, used := ids.used[id]
		ok = !used
	}
	for !ok {
		id = ids.random()
		if _, used := ids.used[id]; !used {
			break
		}
	}
	ids.used[id] = struct{}{}
	return id, ok
}

func (ids *IDs) random() string {
	n := idLong
	if ids.short {
		n = idShort
	}
	b := make([]byte, 0, len(idPrefix)+idLong)
	if !ids.short {
		b = append(b, idPrefix...)
	}
	var raw [2 * idLong]byte
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
