package option

import (
	"strings"
	"testing"

	"github.com/turnkey-parsers/turnkey/abi"
)

func readerOf(options ...abi.Option) *Reader { return NewReader(&abi.OpenBlock{Options: options}) }

func TestTextReadsTheLastValueOrTheFallback(t *testing.T) {
	for _, c := range []struct {
		name    string
		options []abi.Option
		want    string
	}{
		{"no options", nil, "fallback"},
		{"another key", []abi.Option{{Key: "b", Value: "x"}}, "fallback"},
		{"one value", []abi.Option{{Key: "a", Value: "x"}}, "x"},
		{"an empty value is a value", []abi.Option{{Key: "a"}}, ""},
		{"last of two with one key", []abi.Option{{Key: "a", Value: "x"}, {Key: "b", Value: "z"}, {Key: "a", Value: "y"}}, "y"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := readerOf(c.options...).Text("a", "fallback"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestProblemNamesTheFirstWrongOption(t *testing.T) {
	for _, c := range []struct {
		name    string
		options []abi.Option
		read    func(r *Reader)
		want    string // what the problem begins with; "": there is none
	}{
		{"nothing wrong", nil, func(r *Reader) { r.Marker("p_a", "<a>"); r.Marker("p_b", "<b>") }, ""},
		{"same marker twice", []abi.Option{{Key: "p_b", Value: "<a>"}}, func(r *Reader) { r.Marker("p_a", "<a>"); r.Marker("p_b", "<b>") }, "option p_b: is the same marker as p_a"},
		{"empty markers may repeat", nil, func(r *Reader) { r.Marker("p_a", ""); r.Marker("p_b", "") }, ""},
		{"required and empty", []abi.Option{{Key: "p_a"}}, func(r *Reader) { r.Required("p_a", "<a>", "a call needs it") }, "option p_a: is empty; a call needs it"},
		{"unknown key with the prefix", []abi.Option{{Key: "p_x"}}, func(r *Reader) { r.Text("p_a", "") }, "option p_x: is not known here; the options are p_a"},
		{"unknown key with another prefix", []abi.Option{{Key: "q_x"}}, func(r *Reader) { r.Text("p_a", "") }, ""},
		{"the first problem stays", []abi.Option{{Key: "p_x"}}, func(r *Reader) { r.Refuse("p_a", "one"); r.Refuse("p_b", "two") }, "option p_a: one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := readerOf(c.options...)
			c.read(r)
			got := r.Problem("p_")
			if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestOneOfReadsAListedWord(t *testing.T) {
	for _, c := range []struct {
		name    string
		options []abi.Option
		want    string
		problem string
	}{
		{"the first is the fallback", nil, "red", ""},
		{"a listed word", []abi.Option{{Key: "a", Value: "blue"}}, "blue", ""},
		{"another word", []abi.Option{{Key: "a", Value: "green"}}, "red", `option a: is "green"; write one of red, blue`},
		{"an empty word", []abi.Option{{Key: "a"}}, "red", `option a: is ""; write one of red, blue`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := readerOf(c.options...)
			if got := r.OneOf("a", "red", "blue"); got != c.want || r.Problem() != c.problem {
				t.Errorf("got %q, problem %q; want %q, %q", got, r.Problem(), c.want, c.problem)
			}
		})
	}
}
