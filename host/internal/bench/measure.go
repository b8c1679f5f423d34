package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/abi/cases"
	"github.com/turnkey-parsers/turnkey/abi/manifest"
	"github.com/turnkey-parsers/turnkey/abi/parser"
	"github.com/turnkey-parsers/turnkey/builtin/sample"
	"github.com/turnkey-parsers/turnkey/host/conform"
	"github.com/turnkey-parsers/turnkey/host/parse"
)

// row is one family's.
type row struct {
	sample.Grammar
	name         string
	native, wasm parser.Engine
	cases        []cases.Case
}

func newRow(name string, described *manifest.Manifest, cases []cases.Case) (*row, error) {
	r := &row{name: name}
	var known bool
	if r.Grammar, known = sample.Grammars[name]; !known {
		return nil, fmt.Errorf("package sample lacks its grammar")
	}
	for _, c := range cases {
		if p, ok := (manifest.Set{described}).Find(c.Family); ok && p.Parser.Name == name {
			r.cases = append(r.cases, c)
		}
	}
	return r, nil
}

// print measures and writes the row.
func (r *row) print(w io.Writer) error {
	if err := r.right(); err != nil {
		return err
	}
	held, err := r.held()
	if err != nil {
		return err
	}
	answer := r.Answer()
	var figures []any
	add := func(f float64, e error) {
		figures = append(figures, f)
		err = cmp.Or(err, e)
	}
	figures = append(figures, r.name)
	add(r.growth(r.LongCall))
	add(r.growth(r.LongString))
	figures = append(figures, held)
	add(perChunk(r.native, 4, answer))
	add(perChunk(r.wasm, 4, answer))
	add(watched(r.native, answer))
	add(watched(r.wasm, answer))
	add(passed(r.native, answer))
	add(perChunk(r.wasm, 16, answer))
	add(r.costliestChunk())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%d\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f %%\t%.0f\t%.0f\t\n", figures...)
	return err
}

// growth is the time for a text of 128 KiB over that for 64 KiB.
func (r *row) growth(text func(n int) string) (float64, error) {
	var took [2]time.Duration
	for i := range took {
		chunks := chunksOf(text(64<<10<<i), 16)
		var err error
		if took[i], err = fastest(func() (time.Duration, error) { return pushed(r.native, chunks) }); err != nil {
			return 0, err
		}
	}
	return float64(took[1]) / float64(took[0]), nil
}

// costliestChunk is the time in ns for a chunk of 16 bytes in the costliest of an
// answer's parts.
func (r *row) costliestChunk() (worst float64, err error) {
	for _, text := range []string{r.Thought[0] + sample.Filled(sample.Prose, 8000), r.Text.Around(sample.Filled(sample.Prose, 8000)), r.LongCall(8000), r.LongString(8000)} {
		ns, err := perChunk(r.wasm, 16, text)
		if err != nil {
			return 0, err
		}
		worst = max(worst, ns)
	}
	return worst, nil
}

// perChunk is the time in ns for a chunk of size bytes.
func perChunk(e parser.Engine, size int, text string) (float64, error) {
	chunks := chunksOf(text, size)
	d, err := fastest(func() (time.Duration, error) { return pushed(e, chunks) })
	return float64(d) / float64(len(chunks)), err
}

// session offers the tool that the texts call.
func session(e parser.Engine) abi.OpenBlock {
	return abi.OpenBlock{Parser: e.Parser().Name, Tools: []string{"f"}, Flags: abi.OpenParallel | abi.OpenReasoning, Start: abi.ChannelContent}
}

// fastest is the least of some runs: others use the machine, too.
func fastest(run func() (time.Duration, error)) (time.Duration, error) {
	least := time.Duration(1<<63 - 1)
	for start := time.Now(); time.Since(start) < 150*time.Millisecond; {
		d, err := run()
		if err != nil {
			return 0, err
		}
		least = min(least, d)
	}
	return least, nil
}

// chunksOf cuts text into chunks of n bytes, more where a character goes on.
func chunksOf(text string, n int) [][]byte {
	var chunks [][]byte
	for len(text) > 0 {
		cut := min(n, len(text))
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut++
		}
		chunks = append(chunks, []byte(text[:cut]))
		text = text[cut:]
	}
	return chunks
}

// pushed times the pushes of all chunks to the guest.
func pushed(e parser.Engine, chunks [][]byte) (time.Duration, error) {
	open := session(e)
	s, _, err := e.Open(&open)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	start, off := time.Now(), abi.RawOffset(0)
	for _, c := range chunks {
		if _, err := s.Push(off, 0, c); err != nil {
			return 0, err
		}
		off += abi.RawOffset(len(c))
	}
	_, err = s.Finish(off, abi.FinishUnknown)
	return time.Since(start), err
}

// watched is the time for a 4-byte chunk through a parse session, in ns.
func watched(e parser.Engine, text string) (float64, error) {
	chunks := chunksOf(text, 4)
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = string(c)
	}
	d, err := fastest(func() (time.Duration, error) {
		s, _, err := parse.Open(parse.Config{Engine: e, Open: session(e), Policy: parse.FaultIsError})
		if err != nil {
			return 0, err
		}
		start := time.Now()
		for _, t := range texts {
			if _, err := s.Push(t); err != nil {
				return 0, err
			}
		}
		_, err = s.Finish(abi.FinishUnknown)
		return time.Since(start), err
	})
	return float64(d) / float64(len(texts)), err
}

// counting counts the pushes that an engine gets.
type counting struct {
	parser.Engine
	pushes int
}

type countingSource struct {
	parser.Source
	engine *counting
}

func (c *counting) Open(s *abi.OpenBlock) (parser.Source, abi.Answer, error) {
	src, a, err := c.Engine.Open(s)
	return &countingSource{src, c}, a, err
}

func (s *countingSource) Push(off abi.RawOffset, back int, data []byte) (abi.Answer, error) {
	s.engine.pushes++
	return s.Source.Push(off, back, data)
}

// passed is the share of the 4-byte chunks that reach the guest, in percent.
func passed(e parser.Engine, text string) (float64, error) {
	c := &counting{Engine: e}
	s, _, err := parse.Open(parse.Config{Engine: c, Open: session(e), Policy: parse.FaultIsError})
	if err != nil {
		return 0, err
	}
	chunks := chunksOf(text, 4)
	for _, chunk := range chunks {
		if _, err := s.Push(string(chunk)); err != nil {
			return 0, err
		}
	}
	_, err = s.Finish(abi.FinishUnknown)
	return 100 * float64(c.pushes) / float64(len(chunks)), err
}

// right asks that the sample's grammar is the parser's: each text makes the one
// call that it holds.
func (r *row) right() error {
	for what, text := range map[string]string{"long call": r.LongCall(500), "long string": r.LongString(500), "answer": r.Answer()} {
		if n, err := r.calls(text); err != nil || n != 1 {
			return fmt.Errorf("%s: %d calls, not 1, error %v, in %q", what, n, err, text)
		}
	}
	return nil
}

// calls is how many calls of f the parser finds in a text.
func (r *row) calls(text string) (int, error) {
	events, err := conform.Assemble(r.native, &cases.Case{Start: abi.ChannelContent, Input: text,
		Tools: []json.RawMessage{[]byte(`{"type":"function","function":{"name":"f"}}`)}}, []string{text})
	n := 0
	for _, e := range events {
		if e.Kind == cases.KindToolCall && e.Name == "f" {
			n++
		}
	}
	return n, err
}

// held is the most that is held back in a case. What is held after some bytes is
// the same however they were cut, so one character a push shows all splits.
func (r *row) held() (int, error) {
	most := 0
	for _, c := range r.cases {
		open, err := c.OpenBlock(r.name)
		if err != nil {
			return 0, err
		}
		s, _, err := parse.Open(parse.Config{Engine: r.native, Open: open})
		if err != nil {
			return 0, err
		}
		for _, ch := range c.Input {
			if _, err := s.Push(string(ch)); err != nil {
				break // an error that the case wants
			}
			most = max(most, int(s.Pushed()-s.Accounted()))
		}
		s.Close()
	}
	return most, nil
}
