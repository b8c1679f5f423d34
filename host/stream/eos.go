package stream

import "github.com/turnkey-parsers/turnkey/host/internal/holdback"

// eosGuard takes the text of the model's end token off, where the engine shows
// it: the last text of a turn that the model ended. What could become it is held
// meanwhile. A model that writes about the token is told apart by the token's id.
type eosGuard struct {
	texts      []string
	held       string
	showsIDs   bool // the engine shows token ids
	lastIDsEnd bool // the last ids that it showed have an end token's
	heldByID   bool // held came with the id of an end token
}

// observeIDs takes the token ids of an item, which go before its text; eos says that
// an end token's is among them. Text without ids belongs to the last ids.
func (g *eosGuard) observeIDs(eos bool) { g.showsIDs, g.lastIDsEnd = true, eos }

// push takes more text and gives what is certainly none of the end token's.
func (g *eosGuard) push(text string) string {
	if len(g.texts) == 0 || text == "" {
		return text
	}
	fresh := len(text)
	text = g.held + text
	n := holdback.Suffix(text, g.texts)
	g.held = text[len(text)-n:]
	g.heldByID = n > 0 && (g.lastIDsEnd || g.heldByID && n > fresh)
	return text[:len(text)-n]
}

// flush gives what is held as text, unless it is the end token's: then ended says
// that the model ended its turn.
func (g *eosGuard) flush(ended bool) string {
	held := g.held
	g.held = ""
	if g.showsIDs {
		ended = g.heldByID
	}
	if !ended {
		return held
	}
	for _, t := range g.texts {
		if held == t {
			return ""
		}
	}
	return held
}
