package tck

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Splits says at which cuts of its text a case is run. The zero value is whole.
type Splits struct {
	whole, chars, twoWay bool
	random               int
}

// EverySplit is whole, every character alone, every cut in two and twenty random
// cuts.
var EverySplit = Splits{whole: true, chars: true, twoWay: true, random: 20}

// ParseSplits reads the word for a set of splits: whole, chars, every or
// random:N.
func ParseSplits(s string) (Splits, error) {
	word, count, _ := strings.Cut(s, ":")
	switch n, err := strconv.Atoi(count); {
	case s == "whole":
		return Splits{whole: true}, nil
	case s == "chars":
		return Splits{chars: true}, nil
	case s == "every":
		return EverySplit, nil
	case word == "random" && err == nil && n > 0:
		return Splits{random: n}, nil
	}
	return Splits{}, fmt.Errorf("splits: %q; write every, whole, chars or random:N with N above 0", s)
}

// Split is one way to cut a text, and its name in result lines.
type Split struct {
	Name   string
	Chunks []string
}

// Of gives the splits of a text. All cuts are at character boundaries; random
// ones are the same at every run.
func (s Splits) Of(text string) iter.Seq[Split] {
	return func(yield func(Split) bool) {
		if (s.whole || s == Splits{}) && !yield(Split{"whole", []string{text}}) {
			return
		}
		if s.chars && !yield(Split{"chars", characters(text)}) {
			return
		}
		if s.twoWay {
			for at := range text {
				if at > 0 && !yield(Split{"at:" + strconv.Itoa(at), []string{text[:at], text[at:]}}) {
					return
				}
			}
		}
		for seed := range s.random {
			if !yield(Split{"random:" + strconv.Itoa(seed), randomCut(text, uint64(seed))}) {
				return
			}
		}
	}
}

func characters(text string) []string {
	var out []string
	for len(text) > 0 {
		_, n := utf8.DecodeRuneInString(text)
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}

// randomCut cuts text into chunks of random length; how long they are on the
// whole depends on the seed too.
func randomCut(text string, seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, uint64(len(text))))
	longest := 2 << r.IntN(6)
	var out []string
	for len(text) > 0 {
		n := min(1+r.IntN(longest), len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		out = append(out, text[:n])
		text = text[n:]
	}
	return out
}
