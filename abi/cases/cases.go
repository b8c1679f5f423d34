// Package cases reads and checks cases: raw texts of a model and what a client
// must get from each. They are the content of a module's turnkey.cases section and
// of the files beside a parser's tests.
//
// What a client gets depends on a host too: its framing types arguments and reads
// guided JSON. So a host comes in as a Client, and this package needs none.
package cases

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
)

// File is a file of cases.
type File struct {
	Name   string // as result lines show it
	Family string
	Cases  []Case
}

// Case is a raw text and what must become of it.
type Case struct {
	Name string // in its file
	Why  string // what it shows, in words
	// Basis is where the expectation comes from: a real answer, a template, a rule.
	Basis string
	// Family is the parser that the case is for: the case's own family or
	// dialect, else the file's family.
	Family      string
	Tools       []json.RawMessage // OpenAI tool objects
	Start       abi.Channel
	Mode        abi.Mode
	NamedTool   string
	TurnGrammar bool
	Input       string
	Chunks      []string // nil unless the chunks themselves matter; Input is their sum
	Finish      abi.Finish
	Options     []abi.Option // of the model's configuration; files have none
	PromptTail  string       // of the rendered prompt; files have none
	Want        []Piece
	WantError   string // "" unless an error must surface
}

// Load reads a file of cases. Its errors name the file, the case and the member.
func Load(path string) (*File, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseFile(filepath.Base(path), raw)
}

// ParseFile reads cases from JSON; name is the file's name in result lines.
func ParseFile(name string, raw []byte) (*File, error) {
	var doc struct {
		Family string                       `json:"family"`
		Tools  map[string][]json.RawMessage `json:"tools"`
		Cases  []json.RawMessage            `json:"cases"`
	}
	if err := decodeStrict(raw, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(doc.Cases) == 0 {
		return nil, fmt.Errorf("%s: cases: none in the file", name)
	}
	f := &File{Name: name, Family: doc.Family, Cases: make([]Case, len(doc.Cases))}
	seen := map[string]bool{}
	for i, raw := range doc.Cases {
		c := &f.Cases[i]
		if err := c.readCase(raw, doc.Family, doc.Tools); err != nil {
			return nil, fmt.Errorf("%s: case %d %q: %w", name, i, c.Name, err)
		}
		if seen[c.Name] {
			return nil, fmt.Errorf("%s: case %d: name: %q is there twice", name, i, c.Name)
		}
		seen[c.Name] = true
	}
	return f, nil
}

// caseDocument is a case as its file writes it.
type caseDocument struct {
	Name        string          `json:"name"`
	Family      string          `json:"family"`
	Dialect     string          `json:"dialect"`
	Report      string          `json:"report"`
	Why         string          `json:"why"`
	Basis       string          `json:"basis"`
	Tools       json.RawMessage `json:"tools"`
	Start       string          `json:"start"`
	Mode        string          `json:"mode"`
	TurnGrammar bool            `json:"turn_grammar"`
	Input       *string         `json:"input"`
	Chunks      []string        `json:"chunks"`
	Finish      string          `json:"finish"`
	Want        *struct {
		Events []Piece `json:"events"`
		Error  string  `json:"error"`
	} `json:"want"`
}

// readCase reads a case; family is the file's.
func (c *Case) readCase(raw []byte, family string, toolSets map[string][]json.RawMessage) error {
	var doc caseDocument
	err := decodeStrict(raw, &doc)
	c.Name, c.Why, c.Basis, c.TurnGrammar, c.Chunks = doc.Name, doc.Why, doc.Basis, doc.TurnGrammar, doc.Chunks
	switch {
	case err != nil:
		return err
	case c.Name == "":
		return errors.New("name: missing")
	case doc.Want == nil:
		return errors.New("want: missing")
	case (doc.Input == nil) == (doc.Chunks == nil):
		return errors.New("input: a case has either input or chunks")
	}
	if c.Family = cmp.Or(doc.Family, doc.Dialect, family); c.Family == "" {
		return errors.New("family: missing, in the case and in the file")
	}
	if c.Input = strings.Join(doc.Chunks, ""); doc.Input != nil {
		c.Input = *doc.Input
	}
	c.Want, c.WantError = MergePieces(doc.Want.Events), doc.Want.Error
	for i := range doc.Want.Events {
		if err := doc.Want.Events[i].checkMembers(); err != nil {
			return fmt.Errorf("want.events[%d]: %w", i, err)
		}
	}
	return errors.Join(c.readTools(doc.Tools, toolSets), c.readWords(doc.Start, doc.Mode, doc.Finish))
}

// readTools reads the tools, or the name of one of the file's sets.
func (c *Case) readTools(raw json.RawMessage, sets map[string][]json.RawMessage) (err error) {
	if raw == nil || string(raw) == "null" {
		return nil
	}
	var key string
	if json.Unmarshal(raw, &key) == nil {
		var ok bool
		if c.Tools, ok = sets[key]; !ok {
			return fmt.Errorf("tools: the file has no set %q", key)
		}
	} else if err := json.Unmarshal(raw, &c.Tools); err != nil {
		return errors.New("tools: neither the name of a set nor an array of tools")
	}
	_, _, err = readTools(c.Tools)
	return err
}

// readWords reads the members whose values are words.
func (c *Case) readWords(start, mode, finish string) error {
	var errStart, errMode, errFinish error
	if start != "" {
		c.Start, errStart = ParseStart(start)
	}
	if mode != "" {
		c.Mode, c.NamedTool, errMode = ParseMode(mode)
	}
	if finish != "" {
		c.Finish, errFinish = ParseFinish(finish, c.TurnGrammar)
	}
	return errors.Join(errStart, errMode, errFinish)
}

// OpenBlock gives the open block of the case for the parser of that name.
func (c *Case) OpenBlock(parser string) (abi.OpenBlock, error) {
	tools, schemas, err := readTools(c.Tools)
	s := abi.OpenBlock{
		Parser: parser, Start: c.Start, Mode: c.Mode, NamedTool: c.NamedTool, Tools: tools, Schemas: schemas,
		Flags: abi.OpenReasoning | abi.OpenParallel, Options: c.Options, PromptTail: c.PromptTail,
	}
	if c.TurnGrammar {
		s.Flags |= abi.OpenTurnGrammar
	}
	return s, err
}

// readTools gives the names of OpenAI tool objects, and the schemas of their
// parameters. A parser that does not need schemas does not mind them.
func readTools(tools []json.RawMessage) (names []string, schemas []abi.Schema, err error) {
	names = make([]string, len(tools))
	for i, raw := range tools {
		var tool struct {
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		}
		if err := json.Unmarshal(raw, &tool); err != nil {
			return nil, nil, fmt.Errorf("tools[%d]: %w", i, err)
		}
		if tool.Function.Name == "" {
			return nil, nil, fmt.Errorf("tools[%d]: function.name: missing", i)
		}
		names[i] = tool.Function.Name
		if len(tool.Function.Parameters) > 0 {
			schemas = append(schemas, abi.Schema{Tool: uint32(i), JSON: string(tool.Function.Parameters)})
		}
	}
	return names, schemas, nil
}

// ParseStart reads the word for the channel that the prompt left open.
func ParseStart(s string) (abi.Channel, error) {
	switch s {
	case "none":
		return abi.ChannelUnknown, nil
	case "content":
		return abi.ChannelContent, nil
	case "reasoning":
		return abi.ChannelReasoning, nil
	case "response":
		return abi.ChannelResponse, nil
	}
	return 0, fmt.Errorf("start: %q; write none, content, reasoning or response", s)
}

// ParseMode reads the word for what the engine was constrained to.
func ParseMode(s string) (mode abi.Mode, namedTool string, err error) {
	word, tool, named := strings.Cut(s, ":")
	switch {
	case s == "native":
		return abi.ModeNative, "", nil
	case s == "guided_required":
		return abi.ModeGuidedRequired, "", nil
	case word == "guided_named" && named && tool != "":
		return abi.ModeGuidedNamed, tool, nil
	}
	return 0, "", fmt.Errorf("mode: %q; write native, guided_required or guided_named:<tool>", s)
}

// ParseFinish reads the word for why the text ended. As a host does, it takes
// "eos" for a confirmed end only under a turn grammar.
func ParseFinish(s string, turnGrammar bool) (abi.Finish, error) {
	switch s {
	case "eos":
		if turnGrammar {
			return abi.FinishEOS, nil
		}
		return abi.FinishUnknown, nil
	case "stop":
		return abi.FinishUnknown, nil
	case "length":
		return abi.FinishLength, nil
	case "user_stop":
		return abi.FinishUserStop, nil
	case "transport":
		return abi.FinishTransport, nil
	case "cancelled":
		return abi.FinishCancelled, nil
	}
	return 0, fmt.Errorf("finish: %q; write stop, eos, length, user_stop, transport or cancelled", s)
}

// decodeStrict reads one JSON value without unknown members, and keeps number tokens.
func decodeStrict(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("at byte %d: %w", d.InputOffset(), err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("at byte %d: something follows the JSON value", d.InputOffset())
	}
	return nil
}
