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
// carries any, are for package cases.
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

// manifestVocabulary is what the manifest knows of the parser's grammar.
func manifestVocabulary(p *manifest.Parser) []string {
	words := append([]string(nil), p.EOS...)
	if p.Jail != nil {
		words = append(append(words, p.Jail.Open...), p.Jail.Close...)
	}
	if p.Prompt != nil {
		words = append(append(words, p.Prompt.Reasoning...), p.Prompt.Response...)
	}
	return words
}

// randomSession gives the session, the text and the end of a seed for a parser.
func randomSession(e parser.Engine, seed uint64) (abi.OpenBlock, string, abi.Finish) {
	r := rand.New(rand.NewPCG(seed, 1))
	data := make([]byte, RandomHeader+2*(1+r.IntN(24)))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return Random(data, manifestVocabulary(e.Parser()))
}

// checkTexts checks random texts that are made of the manifest's markers.
func checkTexts(e parser.Engine) error {
	for seed := range uint64(moduleTexts) {
		s, text, reason := randomSession(e, seed)
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
		if err := runInterleaved(e, 2*seed, 2*seed+1); err != nil {
			return fmt.Errorf("two sessions side by side: %w", err)
		}
	}
	return nil
}

// interleaved is one of several sessions that run in turn.
type interleaved struct {
	textCheck
	*drivenSession
	left []string // characters that were not pushed yet
}

// openInterleaved opens the session of a seed, and notes what it has to say alone.
func openInterleaved(e parser.Engine, seed uint64) (*interleaved, error) {
	s := &interleaved{}
	s.engine = e
	s.block, s.text, s.reason = randomSession(e, seed)
	s.left = characters(s.text)
	if err := s.recordReference(); err != nil {
		return nil, fmt.Errorf("text %q: %w", s.text, err)
	}
	var err error
	s.drivenSession, err = openDriven(e, s.block, watchHonoured)
	return s, err
}

func runInterleaved(e parser.Engine, seeds ...uint64) error {
	var sessions []*interleaved
	for _, seed := range seeds {
		s, err := openInterleaved(e, seed)
		if err != nil {
			return err
		}
		defer s.source.Close()
		sessions = append(sessions, s)
	}
	cut, err := openDriven(e, sessions[0].block, watchIgnored)
	if err != nil {
		return err
	}
	defer cut.source.Close()
	half := len(sessions[0].left) / 2
	for more := true; more; {
		more = false
		for i, s := range sessions {
			if len(s.left) == 0 {
				continue
			}
			more = true
			if err := s.pushText([]byte(s.left[0])); err != nil {
				return err
			}
			s.left = s.left[1:]
			if i == 0 && len(s.left) == half {
				cut.source.Close()
			}
		}
	}
	for _, s := range sessions {
		if err := s.finishText(s.reason); err != nil {
			return err
		}
		if s.transcript.summary() != s.final {
			return fmt.Errorf("text %q: %w", s.text, s.difference(&s.transcript, nowhere))
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
