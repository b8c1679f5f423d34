package stream_test

import (
	"context"
	"io"
	"testing"

	"github.com/turnkey-parsers/turnkey/host/backend"
	"github.com/turnkey-parsers/turnkey/host/chunk"
	"github.com/turnkey-parsers/turnkey/host/openai"
	"github.com/turnkey-parsers/turnkey/host/stream"
)

// loop is an engine that says its chunks over and over, without decoding.
type loop struct {
	chunks []openai.Chunk
	work   openai.Chunk
	choice [1]openai.Choice
	nvext  bool
	n, at  int
}

func (l *loop) Stream(context.Context, *backend.Request) (backend.Stream, error) {
	l.at = 0
	return l, nil
}

func (l *loop) Profile() *backend.Profile { return nil }

func (l *loop) Next() (chunk.Item, error) {
	if l.at == l.n {
		return chunk.Item{}, io.EOF
	}
	c := &l.chunks[l.at%len(l.chunks)]
	l.at++
	l.work = *c
	l.choice[0] = c.Choices[0]
	l.work.Choices = l.choice[:]
	if l.nvext {
		l.choice[0].TokenIDs = openai.Raw("[1234,567]")
	}
	return chunk.Item{Data: &l.work}, nil
}

func (l *loop) Close() {}

func chunks(texts ...string) []openai.Chunk {
	list := make([]openai.Chunk, len(texts))
	for i, s := range texts {
		list[i].Choices = []openai.Choice{{Delta: openai.Delta{Content: s}}}
	}
	return list
}

// BenchmarkOperator is the operator alone, for each chunk: on every route, in
// prose and in calls, with and without metadata.
func BenchmarkOperator(b *testing.B) {
	prose := chunks("The valve of bed ", "two is shut and ", "dry, as it was. ")
	calls := chunks(`<tool_call>{"name":`, `"open_vent","arg`, `uments":{"house"`, `:1}}</tool_call>`)
	type setup struct {
		name    string
		model   func(*stream.Model)
		chunks  []openai.Chunk
		request string
		nvext   bool
	}
	ids := fields("completion_token_ids")
	setups := []setup{
		{"pass/prose", func(*stream.Model) {}, prose, "", false},
		{"pass/prose+metadata", func(*stream.Model) {}, prose, ids, true},
	}
	for _, name := range []string{"unified", "split", "jail"} {
		model := routes(b)[name]
		setups = append(setups,
			setup{name + "/prose", model, prose, tools, false},
			setup{name + "/prose+metadata", model, prose, tools + "," + ids, true},
			setup{name + "/calls", model, calls, tools, false},
			setup{name + "/calls+metadata", model, calls, tools + "," + ids, true})
	}
	for _, s := range setups {
		b.Run(s.name, func(b *testing.B) {
			m := &stream.Model{Name: "m", Backend: &loop{chunks: s.chunks, n: b.N, nvext: s.nvext}}
			m.Route.CanGuide = func(backend.GuidedKind) bool { return true }
			s.model(m)
			body := `{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true`
			if s.request != "" {
				body += "," + s.request
			}
			request, err := openai.DecodeRequest([]byte(body + "}"))
			if err != nil {
				b.Fatal(err)
			}
			op, refused := m.Prepare(context.Background(), request)
			if refused != nil {
				b.Fatal(refused)
			}
			if err := op.Start(context.Background()); err != nil {
				b.Fatal(err)
			}
			defer op.Close()
			b.ReportAllocs()
			b.ResetTimer()
			for {
				if _, err := op.Next(); err == io.EOF {
					return
				} else if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
