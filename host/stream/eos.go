package stream

import "strings"

// eosGuard takes the text of the model's end token off, where the engine shows
// it: the last text of a turn that the model ended. What could become it is held
// meanwhile. A model that writes about the token is told apart by the token's id.
type eosGuard struct {
	texts []string
	held  string
	ids   bool // the engine shows token ids
	byEOS bool // held came with the id of an end token
}

// push takes more text and gives what is certainly none of the end token's. eos
// says that the text came with an end token's id.
func (g *eosGuard) push(text string, eos bool) string {
	if len(g.texts) == 0 || text == "" {
		return text
	}
	if g.held != "" {
		text = g.held + text
	} else {
		g.byEOS = false
	}
	n := g.suffix(text)
	g.held = text[len(text)-n:]
	g.byEOS = n > 0 && (g.byEOS || eos)
	return text[:len(text)-n]
}

// suffix is the length of the longest suffix that one of the texts begins with.
func (g *eosGuard) suffix(text string) int {
	longest := 0
	for _, t := range g.texts {
		for n := min(len(t), len(text)); n > longest; n-- {
			if text[len(text)-n] == t[0] && strings.HasSuffix(text, t[:n]) {
				longest = n
			}
		}
	}
	return longest
}

// end gives what is held as text, unless it is the end token's: then ended says
// that the model ended its turn.
func (g *eosGuard) end(ended bool) string {
	held := g.held
	g.held = ""
	if g.ids {
		ended = g.byEOS
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
