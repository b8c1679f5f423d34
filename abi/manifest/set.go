package manifest

import "strings"

// Set is the manifests of the modules at hand. Where two modules claim one name,
// the earlier in the set has it.
type Set []*Manifest

// Match is a parser that was found, and the module that it belongs to. Both
// point into the Set.
type Match struct {
	Manifest *Manifest
	Parser   *Parser
}

// Find gives the parser of that name. A parser's own name goes before any other
// parser's alias. Upper and lower case do not differ, nor do "-" and "_".
func (s Set) Find(name string) (Match, bool) {
	name = Normalise(name)
	own := func(p *Parser) bool { return Normalise(p.Name) == name }
	alias := func(p *Parser) bool {
		for _, a := range p.Aliases {
			if Normalise(a) == name {
				return true
			}
		}
		return false
	}
	for _, named := range []func(*Parser) bool{own, alias} {
		if found := s.matching(named); len(found) > 0 {
			return found[0], true
		}
	}
	return Match{}, false
}

// ForModel gives the parsers that suggest themselves for a model of that name,
// in the set's order. More than one is for the caller to settle.
func (s Set) ForModel(model string) []Match {
	return s.matching(func(p *Parser) bool { return p.Suggests(model) })
}

// Names lists the parsers' own names, in the set's order.
func (s Set) Names() []string {
	var names []string
	for _, m := range s.matching(func(*Parser) bool { return true }) {
		names = append(names, m.Parser.Name)
	}
	return names
}

// matching gives the parsers that keep takes, in the set's order.
func (s Set) matching(keep func(*Parser) bool) []Match {
	var found []Match
	for _, m := range s {
		for i := range m.Parsers {
			if p := &m.Parsers[i]; keep(p) {
				found = append(found, Match{m, p})
			}
		}
	}
	return found
}

// Suggests says whether the parser suggests itself for a model of that name. It
// needs a Parser that Parse has made.
func (p *Parser) Suggests(model string) bool {
	for _, re := range p.models {
		if re.MatchString(model) {
			return true
		}
	}
	return false
}

// Normalise gives the form in which names are compared.
func Normalise(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), "-", "_")
}

// BaseName is the name that a parser's siblings, in the other kinds, have in
// common with it: its own without the kind at its end.
func (p *Parser) BaseName() string {
	return strings.TrimSuffix(Normalise(p.Name), "_"+string(p.Kind))
}
