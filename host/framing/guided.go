package framing

import "github.com/turnkey-parsers/turnkey/host/parse"

type guided struct{ f *Framer }

func newGuided(f *Framer) *guided { return &guided{f} }

func (g *guided) said(kind Kind, e *parse.Event) { g.f.say(kind, e.Data, e.Start, e.End) }

func (g *guided) interrupted() {}

func (g *guided) finish() {}
