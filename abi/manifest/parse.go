package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
)

// Limits of a manifest. They are far above what any module needs.
const (
	MaxSize    = 1 << 20 // bytes of JSON
	MaxParsers = 256
	maxName    = 64 // bytes of a name or alias
)

// Parse reads and checks a manifest. Its errors name the parser and the member,
// and say what is expected there.
//
// Siblings are written out; see Resolve. The Parsers of the answer are all of them.
//
// A member that this package does not know is an error, most likely a misspelt
// name, unless the manifest is of a newer minor version of the ABI than
// abi.Minor.
func Parse(raw []byte) (*Manifest, error) {
	if len(raw) > MaxSize {
		return nil, fmt.Errorf("manifest: %d bytes; at most %d are read", len(raw), MaxSize)
	}
	if !utf8.Valid(raw) {
		return nil, errors.New("manifest: not UTF-8")
	}
	strict, err := checkVersion(raw)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Manifest
		Parsers []json.RawMessage `json:"parsers"`
	}
	if err := decode(raw, &doc, strict); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	m := &doc.Manifest
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if doc.Parsers, err = resolveParsers(doc.Parsers); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if n := len(doc.Parsers); n == 0 || n > MaxParsers {
		return nil, fmt.Errorf("manifest: parsers: %d entries; a module has 1 to %d parsers", n, MaxParsers)
	}
	m.Parsers = make([]Parser, len(doc.Parsers))
	for i, one := range doc.Parsers {
		p := &m.Parsers[i]
		err := decode(one, p, strict)
		if err == nil {
			err = p.check()
		}
		if err != nil {
			return nil, fmt.Errorf("manifest: %s: %w", label(i, p), err)
		}
	}
	if err := m.checkNames(); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return m, nil
}

// label names a parser in an error, also one whose name is what is wrong.
func label(i int, p *Parser) string {
	if p.Name == "" {
		return fmt.Sprintf("parsers[%d]", i)
	}
	return fmt.Sprintf("parser %q", p.Name)
}

// checkVersion reads the ABI version and says whether unknown members are to be
// refused.
func checkVersion(raw []byte) (strict bool, err error) {
	var v struct {
		ABI string `json:"abi"`
	}
	if err := decode(raw, &v, false); err != nil {
		return false, fmt.Errorf("manifest: %w", err)
	}
	major, minor, ok := strings.Cut(v.ABI, ".")
	x, err1 := strconv.ParseUint(major, 10, 16)
	y, err2 := strconv.ParseUint(minor, 10, 16)
	if !ok || err1 != nil || err2 != nil {
		return false, fmt.Errorf("manifest: abi: %q is no version; write \"%d.%d\"", v.ABI, abi.Major, abi.Minor)
	}
	if x != abi.Major {
		return false, fmt.Errorf("manifest: abi: the module is made for version %d.%d, this host speaks %d.%d; build the module for %d.x", x, y, abi.Major, abi.Minor, abi.Major)
	}
	return y <= abi.Minor, nil
}

// decode reads one JSON value and nothing behind it.
func decode(raw []byte, into any, strict bool) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	if strict {
		d.DisallowUnknownFields()
	}
	err := d.Decode(into)
	var typ *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &typ) && typ.Field != "":
		return fmt.Errorf("%s: a %s where %s is expected", typ.Field, typ.Value, jsonType(typ.Type.Kind().String()))
	case errors.As(err, &typ):
		return fmt.Errorf("a %s where an object is expected", typ.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON: %w (at byte %d)", err, syntax.Offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("not JSON: it ends too early")
	case err != nil:
		return unknownMember(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("not JSON: something follows the object")
	}
	return nil
}

func unknownMember(err error) error {
	if _, name, ok := strings.Cut(err.Error(), "unknown field "); ok {
		return fmt.Errorf("%s: version %d.%d of the ABI has no such member; check the spelling", name, abi.Major, abi.Minor)
	}
	return err
}

func jsonType(kind string) string {
	switch kind {
	case "slice":
		return "an array"
	case "struct", "ptr":
		return "an object"
	case "bool":
		return "true or false"
	}
	return "a " + kind
}

var (
	namePattern    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	versionPattern = regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)
)

func checkName(member, name string) error {
	if len(name) > maxName || !namePattern.MatchString(name) {
		return fmt.Errorf("%s: %q is no name; use 1 to %d letters, digits, \".\", \"_\" and \"-\", a letter or digit first", member, name, maxName)
	}
	return nil
}

func (m *Manifest) check() error {
	if err := checkName("module", m.Module); err != nil {
		return err
	}
	if len(m.Version) > maxName || !versionPattern.MatchString(m.Version) {
		return fmt.Errorf("version: %q is no version; write major.minor.patch, such as \"1.0.0\"", m.Version)
	}
	return nil
}

// checkNames refuses names that would make a look-up within the module
// ambiguous.
func (m *Manifest) checkNames() error {
	owner := map[string]string{}
	for i := range m.Parsers {
		p := &m.Parsers[i]
		if other, taken := owner[Normalise(p.Name)]; taken {
			return fmt.Errorf("parser %q: name: parser %q has the same one (upper and lower case, \"-\" and \"_\" don't differ)", p.Name, other)
		}
		owner[Normalise(p.Name)] = p.Name
	}
	for i := range m.Parsers {
		p := &m.Parsers[i]
		for j, alias := range p.Aliases {
			if other, taken := owner[Normalise(alias)]; taken && other != p.Name {
				return fmt.Errorf("parser %q: aliases[%d]: %q already leads to parser %q", p.Name, j, alias, other)
			}
			owner[Normalise(alias)] = p.Name
		}
	}
	return nil
}

func (p *Parser) check() error {
	if err := checkName("name", p.Name); err != nil {
		return err
	}
	for i, alias := range p.Aliases {
		if err := checkName(fmt.Sprintf("aliases[%d]", i), alias); err != nil {
			return err
		}
	}
	if err := oneOf("kind", string(p.Kind), string(Unified), string(Tools), string(Reasoning), string(Batch)); err != nil {
		return err
	}
	var err error
	if p.models, err = compilePatterns("models", p.Models); err != nil {
		return err
	}
	return errors.Join(p.checkRoute(), p.checkPrompt(), p.checkTyping(), p.checkIDs())
}

// compilePatterns compiles regular expressions for models' names.
func compilePatterns(member string, patterns []string) ([]*regexp.Regexp, error) {
	compiled := make([]*regexp.Regexp, len(patterns))
	for i, pattern := range patterns {
		re, err := regexp.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("%s[%d]: %q is no regular expression (RE2 syntax): %w", member, i, pattern, err)
		}
		if re.MatchString("") {
			return nil, fmt.Errorf("%s[%d]: %q matches every model; write a part of the model's name", member, i, pattern)
		}
		compiled[i] = re
	}
	return compiled, nil
}

func (p *Parser) checkIDs() error {
	if p.IDs == "" || p.IDs == IDsShort || strings.Contains(p.IDs, "{index}") {
		return nil
	}
	return fmt.Errorf("ids: %q; write %q, or a text with {index} in it", p.IDs, IDsShort)
}

func (p *Parser) checkRoute() error {
	if p.Jail != nil {
		if len(p.Jail.Open) == 0 {
			return errors.New("jail.open: empty; name at least one marker that opens a call, or leave jail out")
		}
		if err := errors.Join(filled("jail.open", p.Jail.Open), filled("jail.close", p.Jail.Close)); err != nil {
			return err
		}
	}
	for i, mode := range p.Guided {
		if err := oneOf(fmt.Sprintf("guided[%d]", i), mode, "required", "named"); err != nil {
			return err
		}
	}
	return filled("eos", p.EOS)
}

func (p *Parser) checkPrompt() error {
	if t := p.Thinking; t != nil {
		if err := oneOf("thinking.default", t.Default, "on", "off"); err != nil {
			return err
		}
		if err := filled("thinking.controls", t.Controls); err != nil {
			return err
		}
		for i, when := range t.Off {
			if err := oneOf(fmt.Sprintf("thinking.off[%d]", i), when, "named", "constrained"); err != nil {
				return err
			}
		}
	}
	if t := p.Thinking; t != nil {
		var opens, none error
		t.opensFor, opens = compilePatterns("thinking.opens_for", t.OpensFor)
		t.noneFor, none = compilePatterns("thinking.none_for", t.NoneFor)
		if err := errors.Join(opens, none); err != nil {
			return err
		}
	}
	if t := p.Prompt; t != nil {
		return errors.Join(knob("prompt.closed_pair", t.ClosedPair, "response", "none"), filled("prompt.reasoning", t.Reasoning), filled("prompt.response", t.Response))
	}
	return nil
}

func (p *Parser) checkTyping() error {
	t := p.Typing
	if t == nil {
		return nil
	}
	return errors.Join(
		knob("typing.union", t.Union, UnionTyped, UnionString),
		knob("typing.null", t.Null, NullWord, NullProven),
		knob("typing.json", t.JSON, JSONTyped, JSONAny),
		knob("typing.empty", t.Empty, EmptyString, EmptyContainer),
		knob("typing.booleans", t.Booleans, BooleansWords, BooleansExact, BooleansLoose),
	)
}

// knob is oneOf for a member that may be left out.
func knob(member, value string, allowed ...string) error {
	if value == "" {
		return nil
	}
	return oneOf(member, value, allowed...)
}

func oneOf(member, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s: %q; write one of %q", member, value, allowed)
}

// filled refuses empty strings in a list: as a marker they would match anywhere.
func filled(member string, list []string) error {
	if i := slices.Index(list, ""); i >= 0 {
		return fmt.Errorf("%s[%d]: empty; write the marker's text or take the entry out", member, i)
	}
	return nil
}
