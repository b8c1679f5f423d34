package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// The kinds of a Piece.
const (
	KindText      = "text"
	KindReasoning = "reasoning"
	KindToolCall  = "tool_call"
)

// Piece is a part of what a client gets of an answer, once its deltas are put
// together: a run of text or of reasoning, or a whole call. Its JSON is that of the
// case format.
type Piece struct {
	Kind      string          `json:"kind"`
	Text      string          `json:"text,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // verbatim
	ID        string          `json:"id,omitempty"`
}

// checkMembers says which member does not go with the piece's kind.
func (p *Piece) checkMembers() error {
	switch p.Kind {
	case KindText, KindReasoning:
		if p.Name != "" || p.ID != "" || p.Arguments != nil {
			return fmt.Errorf("%s: only text goes with it", p.Kind)
		}
	case KindToolCall:
		if p.Name == "" || p.Arguments == nil || p.Text != "" {
			return fmt.Errorf("%s: name and arguments go with it, id may", p.Kind)
		}
	default:
		return fmt.Errorf("kind: %q; write %s, %s or %s", p.Kind, KindText, KindReasoning, KindToolCall)
	}
	return nil
}

// MergePieces joins adjacent runs of one kind and takes empty ones out.
func MergePieces(pieces []Piece) []Piece {
	var out []Piece
	for _, p := range pieces {
		switch last := len(out) - 1; {
		case p.Kind == KindToolCall:
			out = append(out, p)
		case p.Text == "":
		case last >= 0 && out[last].Kind == p.Kind:
			out[last].Text += p.Text
		default:
			out = append(out, p)
		}
	}
	return out
}

// DiffPieces says where got differs from want, "" if nowhere. An id is compared
// only where want gives one, arguments as JSON values with exact number tokens.
func DiffPieces(want, got []Piece) string {
	for i := 0; i < len(want) || i < len(got); i++ {
		switch {
		case i >= len(got):
			return fmt.Sprintf("event %d is missing", i)
		case i >= len(want):
			return fmt.Sprintf("event %d is one too many", i)
		}
		w, g := want[i], got[i]
		switch {
		case w.Kind != g.Kind:
			return fmt.Sprintf("event %d: kind", i)
		case w.Text != g.Text:
			return fmt.Sprintf("event %d: text", i)
		case w.Name != g.Name:
			return fmt.Sprintf("event %d: name", i)
		case w.ID != "" && w.ID != g.ID:
			return fmt.Sprintf("event %d: id", i)
		case w.Kind == KindToolCall && !sameJSON(w.Arguments, g.Arguments):
			return fmt.Sprintf("event %d: arguments", i)
		}
	}
	return ""
}

// sameJSON compares two JSON values: the order of members is nothing, a number
// is its token.
func sameJSON(a, b json.RawMessage) bool {
	x, errX := canonicalJSON(a)
	y, errY := canonicalJSON(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// canonicalJSON writes JSON with sorted members and numbers as they stand.
func canonicalJSON(raw json.RawMessage) ([]byte, error) {
	var v any
	if err := decodeStrict(raw, &v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// RenderPieces writes pieces on one line, for result lines.
func RenderPieces(pieces []Piece) string {
	parts := make([]string, len(pieces))
	for i, p := range pieces {
		parts[i] = p.String()
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// String gives the piece's JSON.
func (p Piece) String() string {
	if p.Kind == KindToolCall && !json.Valid(p.Arguments) {
		p.Arguments, _ = json.Marshal("not JSON: " + string(p.Arguments))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}
