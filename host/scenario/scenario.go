// Package scenario runs scenarios against the whole program: a scripted engine
// on loopback, the server in front of it, a strict client. A scenario says what
// the engine sends and what the client must see; testdata/README.md is
// the format.
//
// This is test machinery: it reads JSON with the standard library, so that a
// fault of the host's own JSON code can't hide itself.
package scenario

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// File is a scenario file.
type File struct {
	// Name is the file's name without its folder.
	Name      string     `json:"-"`
	Scenarios []Scenario `json:"scenarios"`
}

// Scenario is one behaviour under test.
type Scenario struct {
	Name          string              `json:"name"`
	Why           string              `json:"why"`
	Source        string              `json:"source"`
	Model         map[string]any      `json:"model"`
	Env           map[string]envValue `json:"env"`
	Request       map[string]any      `json:"request"`
	RequestStream map[string]any      `json:"request_stream"`
	Runs          []string            `json:"runs"`
	Cuts          []string            `json:"cuts"`
	Engine        Script              `json:"engine"`
	Client        Client              `json:"client"`
	Want          Want                `json:"want"`
}

// Script is what the engine answers.
type Script struct {
	Status int               `json:"status"`
	Body   json.RawMessage   `json:"body"`
	Lines  []json.RawMessage `json:"lines"`
	Done   *bool             `json:"done"`
}

// Client says what the client does beside reading.
type Client struct {
	DisconnectAfterFrames int `json:"disconnect_after_frames"`
}

// Want is what must be seen. What is left out isn't looked at.
type Want struct {
	StartError          []string          `json:"start_error"`
	Status              *status           `json:"status"`
	ErrorContains       []string          `json:"error_contains"`
	Choices             map[string]Choice `json:"choices"`
	NVExt               json.RawMessage   `json:"nvext"`
	Usage               json.RawMessage   `json:"usage"`
	Frames              []any             `json:"frames"`
	Order               []any             `json:"order"`
	ErrorFrame          map[string]any    `json:"error_frame"`
	StatusBatch         *status           `json:"status_batch"`
	Never               []string          `json:"never"`
	Once                []string          `json:"once"`
	EngineRequest       map[string]any    `json:"engine_request"`
	EngineRequestLacks  []string          `json:"engine_request_lacks"`
	EngineRequestHas    []string          `json:"engine_request_contains"`
	EngineRequestHasNot []string          `json:"engine_request_never"`
	EngineRequests      *int              `json:"engine_requests"`
	EngineCancelled     bool              `json:"engine_cancelled"`
}

// Choice is what must be seen of a choice, over the whole answer.
type Choice struct {
	Events       *[]Event        `json:"events"`
	FinishReason json.RawMessage `json:"finish_reason"`
	// Joined says that the order between kinds doesn't count.
	Joined bool `json:"joined"`
}

// Event is a run of text or reasoning, or a call.
type Event struct {
	Kind          string          `json:"kind"` // text, reasoning, tool_call
	Text          string          `json:"text"`
	Name          string          `json:"name"`
	Arguments     json.RawMessage `json:"arguments"`
	ArgumentsText *string         `json:"arguments_text"`
	ID            string          `json:"id"`
	Optional      bool            `json:"optional"` // may be missing
	Cut           bool            `json:"cut"`      // a call that the model never finished
}

// envValue is a value of an environment variable; {"$hex":"…"} gives its bytes.
type envValue string

func (v *envValue) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*v = envValue(text)
		return nil
	}
	var h struct {
		Hex *string `json:"$hex"`
	}
	if err := decodeStrict(b, &h); err != nil || h.Hex == nil {
		return errors.New(`want text or {"$hex":"…"}`)
	}
	raw, err := hex.DecodeString(*h.Hex)
	*v = envValue(raw)
	return err
}

// status is an HTTP status, or the class "5xx".
type status struct {
	code  int
	class string
}

func (s *status) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &s.code) == nil {
		return nil
	}
	if err := json.Unmarshal(b, &s.class); err != nil || len(s.class) != 3 || s.class[1:] != "xx" {
		return fmt.Errorf(`want a status or "5xx", got %s`, b)
	}
	return nil
}

func (s *status) matchesCode(code int) bool {
	if s.class != "" {
		return int(s.class[0]-'0') == code/100
	}
	return s.code == code
}

func (s *status) String() string {
	if s.class != "" {
		return s.class
	}
	return fmt.Sprint(s.code)
}

// Load reads a scenario file. Unknown members are errors: a misspelt want would
// test nothing.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{Name: filepath.Base(path)}
	if err := decodeStrict(data, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range f.Scenarios {
		if err := f.Scenarios[i].fillDefaults(); err != nil {
			return nil, fmt.Errorf("%s: scenario %d (%s): %w", path, i, f.Scenarios[i].Name, err)
		}
	}
	return f, nil
}

func (s *Scenario) fillDefaults() error {
	if s.Name == "" {
		return errors.New("it has no name")
	}
	if len(s.Runs) == 0 {
		s.Runs = []string{stream, batch}
	}
	if len(s.Cuts) == 0 {
		s.Cuts = []string{asIs}
	}
	for _, r := range s.Runs {
		if r != stream && r != batch {
			return fmt.Errorf("runs: %q is neither stream nor batch", r)
		}
	}
	for _, c := range s.Cuts {
		if c != asIs && c != chars {
			return fmt.Errorf("cuts: %q is neither as_is nor chars", c)
		}
	}
	return nil
}

// The modes of a run, and how the engine's text is cut.
const (
	stream = "stream"
	batch  = "batch"
	asIs   = "as_is"
	chars  = "chars"
)

// decodeStrict decodes one JSON value; numbers in it keep their digits.
func decodeStrict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	return checkEnded(d)
}

// decodeJSON reads one JSON value; numbers in it keep their digits.
func decodeJSON(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return v, checkEnded(d)
}

func checkEnded(d *json.Decoder) error {
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the JSON value")
	}
	return nil
}

// encodeJSON writes compact JSON, with < and > as they are.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte(err.Error())
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
