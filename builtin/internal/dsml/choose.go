package dsml

import (
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// Bounds of the search for a call's closers. Beyond them the best that was found
// so far stands, so that no text costs more than linear time.
const (
	maxParses    = 16
	maxEnds      = 16
	stepsBase    = 64
	stepsPerStop = 4
)

// chosenParam is a parameter that was found: its key, missing for the first one, and
// its value, by their places in the body.
type chosenParam struct {
	head       head
	at         int // of its opener
	begin, end int // of its value
}

// chooser finds out at which closers the values of a body end. A body begins with
// the first value. What it needs it keeps, for the next body.
type chooser struct {
	tokens []token
	names  map[uint64]int32 // number of each name that the body's headers hold, by its hash
	used   []bool           // by number
	path   []frame
	best   []chosenParam
}

// token is a parameter's opener or closer in a body.
type token struct {
	at     int
	closer bool
	sound  bool // an opener's header is exact
	head   head
	name   int32
	json   tristate // whether the value behind it, up to its first closer, is JSON
}

type tristate uint8

const (
	unasked tristate = iota
	yes
	no
)

// frame is a parameter on the way through a body, with the token that closes its
// value.
type frame struct {
	token  int // of its opener; missing for the first one
	begin  int // of its value
	text   bool
	name   int32
	next   int // the next token to look at
	closer int // the token that closes it, missing if none was tried yet
	stop   bool
	// Markers in the value, up to closer: openers without a closer, and closers
	// without an opener before them.
	openers, closers int
}

// chooseClosers finds the parameters of body, whose first value begins it, or answers
// false if it makes no call:
//
//   - Every way to end string values at one of the closers behind them counts with
//     which the whole body parses: exact headers, distinct names, values of the
//     other kind that are JSON up to their first closer, nothing but white space
//     between.
//   - A closer with a malformed header behind it is not skipped.
//   - If the first closers make a parse, that is it.
//   - Else the one counts in whose values the fewest markers stand unpaired, and
//     of those the one with the earliest closers, from left to right.
//   - A value with an unpaired closer and, behind it, an unpaired opener would
//     swallow the end of one parameter and the start of the next: it does not count.
func (c *chooser) chooseClosers(g *Grammar, set *markers, body []byte, firstKey uint64, text bool) bool {
	closers := c.tokenise(g, set, body, firstKey)
	c.best = c.best[:0]
	c.path = append(c.path[:0], frame{token: missing, text: text, closer: missing})
	c.used[0] = true
	least, parses := -1, 0
	for steps := stepsBase + stepsPerStop*closers; steps > 0 && len(c.path) > 0; {
		f := &c.path[len(c.path)-1]
		if !c.tryNextCloser(f, body, &steps) {
			c.used[f.name] = false
			c.path = c.path[:len(c.path)-1]
			continue
		}
		if f.openers > 0 && f.closers > 0 {
			continue
		}
		end := c.tokens[f.closer].at + len(g.parameterClose)
		end += scan.LeadingSpace(body[end:])
		if end < len(body) {
			c.enterNextParameter(f, end)
			continue
		}
		cost, first := c.unpairedMarkers()
		if least < 0 || cost < least {
			least = cost
			c.keepBestPath()
		}
		if parses++; first || parses == maxParses {
			break
		}
	}
	return least >= 0
}

// tokenise finds the openers and closers in a body, and counts the closers.
func (c *chooser) tokenise(g *Grammar, set *markers, body []byte, firstKey uint64) (closers int) {
	if c.names == nil {
		c.names = map[uint64]int32{}
	}
	clear(c.names)
	c.tokens = c.tokens[:0]
	c.names[firstKey] = 0
	for pos := 0; ; pos++ {
		at, id, v := set.value.Find(body, pos, true)
		if v != scan.Yes {
			break
		}
		pos = at
		switch id {
		case valueClose:
			closers++
			c.tokens = append(c.tokens, token{at: at, closer: true})
		case valueParameter:
			t := token{at: at}
			if h, v := g.readHeader(body[at:]); v == scan.Yes {
				t.sound, t.head = true, h
				name := hashName(body[at+h.key:][:h.keyLen])
				n, known := c.names[name]
				if !known {
					n = int32(len(c.names))
					c.names[name] = n
				}
				t.name = n
			}
			c.tokens = append(c.tokens, t)
		}
	}
	c.used = c.used[:0]
	for range c.names {
		c.used = append(c.used, false)
	}
	return closers
}

// tryNextCloser ends the value of f at its next closer.
func (c *chooser) tryNextCloser(f *frame, body []byte, steps *int) bool {
	if f.stop || f.closer != missing && !f.text {
		return false
	}
	if f.closer != missing { // it is data
		if f.openers > 0 {
			f.openers--
		} else {
			f.closers++
		}
	}
	for ; f.next < len(c.tokens); f.next++ {
		*steps--
		if c.tokens[f.next].closer {
			f.closer = f.next
			f.next++
			return f.text || c.valueIsJSON(f, body)
		}
		f.openers++
	}
	return false
}

// valueIsJSON says whether the value of f, which ends at its first closer, is JSON.
func (c *chooser) valueIsJSON(f *frame, body []byte) bool {
	f.openers = 0 // they count in strings only
	value := body[f.begin:c.tokens[f.closer].at]
	if f.token == missing {
		return isJSON(value)
	}
	t := &c.tokens[f.token]
	if t.json == unasked {
		t.json = no
		if isJSON(value) {
			t.json = yes
		}
	}
	return t.json == yes
}

func isJSON(b []byte) bool {
	var j scan.JSON
	n, s := j.Scan(b)
	return s == scan.Done && n+scan.LeadingSpace(b[n:]) == len(b) || s == scan.More && j.AtEnd()
}

// enterNextParameter goes on with the parameter that stands behind f, at place at.
func (c *chooser) enterNextParameter(f *frame, at int) {
	if f.next == len(c.tokens) || c.tokens[f.next].at != at || c.tokens[f.next].closer {
		return
	}
	t := &c.tokens[f.next]
	switch {
	case !t.sound:
		f.stop = true
	case !c.used[t.name]:
		c.used[t.name] = true
		c.path = append(c.path, frame{
			token: f.next, begin: at + t.head.len, text: t.head.text, name: t.name, next: f.next + 1, closer: missing,
		})
	}
}

// unpairedMarkers counts the unpaired markers in the values of the path, and says whether
// each ends at its first closer.
func (c *chooser) unpairedMarkers() (unpaired int, first bool) {
	first = true
	for i := range c.path {
		f := &c.path[i]
		unpaired += f.openers + f.closers
		for t := f.token + 1; first && t < f.closer; t++ {
			first = !c.tokens[t].closer
		}
	}
	return unpaired, first
}

// keepBestPath makes the path the best one.
func (c *chooser) keepBestPath() {
	c.best = c.best[:0]
	for _, f := range c.path {
		p := chosenParam{at: missing, begin: f.begin, end: c.tokens[f.closer].at}
		if f.token != missing {
			p.at, p.head = c.tokens[f.token].at, c.tokens[f.token].head
		}
		p.head.text = f.text
		c.best = append(c.best, p)
	}
}

// hashName is FNV-1a. Names with one hash count as the same.
func hashName(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
