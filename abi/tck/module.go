package tck

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
)

// moduleTexts is how many random texts CheckModule gives each parser.
const moduleTexts = 24

// CheckModule asks of a module that loads what the ABI asks of it whatever its
// grammars: CheckText on texts made of the manifest's markers, sessions that do
// not know of each other, an ERROR for a parser that the module lacks, a
// well-formed constraint. engine runs the module's parser of that name.
//
// The exports, the imports and that tk_manifest is the manifest of the custom
// section are checked when a module is loaded. The module's own cases, if it
// carries any, are for Run.
//
// The error is joined of one for each flaw, and names the parser.
func CheckModule(m *manifest.Manifest, engine func(parser string) (parser.Engine, error)) error {
	var flaws []error
	for i := range m.Parsers {
		p := &m.Parsers[i]
		e, err := engine(p.Name)
		if err != nil {
			flaws = append(flaws, fmt.Errorf("parser %s: %w", p.Name, err))
			continue
		}
		for _, check := range []func(parser.Engine) error{checkUnknownParser, checkEmpty, checkTexts, checkNeighbours, checkConstraint} {
			if err := check(e); err != nil {
				flaws = append(flaws, fmt.Errorf("parser %s: %w", p.Name, err))
			}
		}
	}
	return errors.Join(flaws...)
}

// checkUnknownParser opens a parser that no module has.
func checkUnknownParser(e parser.Engine) error {
	const name = "no parser has this name"
	src, answer, err := e.Open(&abi.OpenBlock{Parser: name})
	if err != nil {
		return fmt.Errorf("opening a parser that the module lacks: %w", err)
	}
	defer src.Close()
	for _, event := range answer.Events {
		if event.Kind == abi.Error && event.Flags&abi.FlagFatal != 0 && event.Start == abi.CodeUnknownParser {
			return nil
		}
	}
	return fmt.Errorf("opening a parser that the module lacks: the answer has no ERROR with flag fatal and code %d", abi.CodeUnknownParser)
}

// checkEmpty ends sessions in which nothing came, in every state that a prompt
// may leave.
func checkEmpty(e parser.Engine) error {
	for start := abi.ChannelUnknown; start <= abi.ChannelResponse; start++ {
		for _, tools := range [][]string{nil, {"f"}} {
			if err := CheckText(e, abi.OpenBlock{Start: start, Tools: tools}, "", abi.FinishUnknown, EverySplit); err != nil {
				return fmt.Errorf("start %d: %w", start, err)
			}
		}
	}
	return nil
}

// vocabulary is what the manifest knows of the parser's grammar.
func vocabulary(p *manifest.Parser) []string {
	words := append([]string(nil), p.EOS...)
	if p.Jail != nil {
		words = append(append(words, p.Jail.Open...), p.Jail.Close...)
	}
	if p.Prompt != nil {
		words = append(append(words, p.Prompt.Reasoning...), p.Prompt.Response...)
	}
	return words
}

// randomFor gives the text of that seed for a parser.
func randomFor(e parser.Engine, seed uint64) (abi.OpenBlock, string, abi.Finish) {
	r := rand.New(rand.NewPCG(seed, 1))
	data := make([]byte, RandomHeader+2*(1+r.IntN(24)))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return Random(data, vocabulary(e.Parser()))
}

func checkTexts(e parser.Engine) error {
	for seed := range uint64(moduleTexts) {
		s, text, reason := randomFor(e, seed)
		if err := CheckText(e, s, text, reason, Splits{whole: true, random: 3}); err != nil {
			return fmt.Errorf("%w (session %+v)", err, s)
		}
	}
	return nil
}

// checkNeighbours runs two sessions in turn, a character each, beside one that
// is closed half-way: each has to say what it says alone.
func checkNeighbours(e parser.Engine) error {
	for seed := range uint64(moduleTexts / 4) {
		if err := neighbours(e, 2*seed, 2*seed+1); err != nil {
			return fmt.Errorf("two sessions side by side: %w", err)
		}
	}
	return nil
}

func neighbours(e parser.Engine, seeds ...uint64) error {
	type session struct {
		textCheck
		*drive
		left []string
	}
	var sessions []*session
	for _, seed := range seeds {
		s := &session{}
		s.e = e
		s.s, s.text, s.reason = randomFor(e, seed)
		if err := s.reference(); err != nil {
			return fmt.Errorf("text %q: %w", s.text, err)
		}
		s.left = chars(s.text)
		d, err := open(e, s.s, honoured)
		if err != nil {
			return err
		}
		defer d.src.Close()
		s.drive = d
		sessions = append(sessions, s)
	}
	cut, err := open(e, sessions[0].s, ignored)
	if err != nil {
		return err
	}
	defer cut.src.Close()
	half := len(sessions[0].left) / 2
	for more := true; more; {
		more = false
		for i, s := range sessions {
			if len(s.left) == 0 {
				continue
			}
			more = true
			if err := s.push([]byte(s.left[0])); err != nil {
				return err
			}
			s.left = s.left[1:]
			if i == 0 && len(s.left) == half {
				cut.src.Close()
			}
		}
	}
	for _, s := range sessions {
		if err := s.finish(s.reason); err != nil {
			return err
		}
		if s.ledger.state() != s.final {
			return fmt.Errorf("text %q: %w", s.text, s.differs(&s.ledger, nowhere))
		}
	}
	return nil
}

// checkConstraint asks for the constraint that the manifest promises.
func checkConstraint(e parser.Engine) error {
	c, ok := e.(parser.Constrainer)
	if !ok || !e.Parser().Constraint {
		return nil
	}
	raw, err := c.Constraint(&abi.OpenBlock{
		Parser: e.Parser().Name, ToolChoice: abi.ToolChoiceRequired, Tools: []string{"f"},
		Schemas: []abi.Schema{{Tool: 0, JSON: `{"type":"object","properties":{"a":{"type":"string"}}}`}},
	})
	if err != nil || len(raw) == 0 {
		return errors.Join(errors.New("constraint: the manifest promises one, but there is none for a session with a tool"), err)
	}
	var answer struct {
		Scope string                     `json:"scope"`
		Tag   map[string]json.RawMessage `json:"structural_tag"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return fmt.Errorf("constraint: not the JSON that is expected: %w", err)
	}
	if answer.Scope != "calls" && answer.Scope != "turn" {
		return fmt.Errorf("constraint: scope %q; write calls or turn", answer.Scope)
	}
	if len(answer.Tag) == 0 {
		return errors.New("constraint: structural_tag is missing or empty")
	}
	return nil
}
