package dsml

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

var toy = New(Config{Block: "calls", Space: " ", Chosen: true})

func opener(key, flag string) string {
	return `<｜DSML｜ parameter name="` + key + `" string="` + flag + `">`
}

const (
	parameterClose = "</｜DSML｜ parameter>"
	malformed      = `<｜DSML｜ parameter name="a">`
)

// plain is the rule in its plainest form: all parses of a body whose first value
// begins it, from the one with the earliest closers on.
type plain struct {
	parses [][]string // key, flag and value of each parameter
	costs  []int
	first  []bool
	tried  int // closers
}

func (p *plain) parse(body, key, flag string, path []string, cost int, first bool) {
	for i := 0; i+1 < len(path); i += 3 {
		if path[i] == key {
			return
		}
	}
	for end, n := 0, 0; ; n++ {
		at := strings.Index(body[end:], parameterClose)
		if at < 0 {
			return
		}
		end += at
		value, rest := body[:end], strings.TrimLeft(body[end+len(parameterClose):], " \n")
		end += len(parameterClose)
		p.tried++
		if flag == "false" && !isJSON([]byte(value)) {
			return
		}
		openers, closers := unpaired(value)
		if flag == "false" {
			openers, closers = 0, 0
		}
		path := append(path[:len(path):len(path)], key, flag, value)
		switch {
		case openers > 0 && closers > 0:
		case rest == "":
			p.parses = append(p.parses, path)
			p.costs = append(p.costs, cost+openers+closers)
			p.first = append(p.first, first && n == 0)
		case strings.HasPrefix(rest, toy.parameter):
			h, v := toy.readHeader([]byte(rest))
			if v != scan.Yes {
				return // this closer is not skipped
			}
			next := map[bool]string{true: "true", false: "false"}[h.text]
			p.parse(rest[h.len:], rest[h.key:][:h.keyLen], next, path, cost+openers+closers, first && n == 0)
		}
		if flag == "false" {
			return
		}
	}
}

func unpaired(value string) (openers, closers int) {
	for value != "" {
		switch {
		case strings.HasPrefix(value, toy.parameter):
			openers++
		case strings.HasPrefix(value, parameterClose) && openers > 0:
			openers--
		case strings.HasPrefix(value, parameterClose):
			closers++
		}
		value = value[1:]
	}
	return openers, closers
}

// best is the parse that counts, nil if there is none.
func (p *plain) best() []string {
	var best []string
	least := 0
	for i, parse := range p.parses {
		if i == maxParses {
			break
		}
		if best == nil || p.costs[i] < least {
			best, least = parse, p.costs[i]
		}
		if p.first[i] {
			return parse
		}
	}
	return best
}

func chosenBy(c *chooser, body, flag string) []string {
	if !c.chooseClosers(toy, &toy.in[0], []byte(body), hashName([]byte("a")), flag == "true") {
		return nil
	}
	var all []string
	for i, p := range c.best {
		key := "a"
		if i > 0 {
			key = body[p.at+p.head.key:][:p.head.keyLen]
		}
		all = append(all, key, map[bool]string{true: "true", false: "false"}[p.head.text], body[p.begin:p.end])
	}
	return all
}

func TestChoose(t *testing.T) {
	c := &chooser{}
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfN(rapid.SampledFrom([]string{
			parameterClose, parameterClose, parameterClose, opener("a", "true"), opener("b", "true"), opener("c", "true"), opener("b", "false"), opener("c", "false"),
			parameterClose + opener("b", "true"), parameterClose + opener("c", "true"), parameterClose + "\n" + opener("d", "false") + "1",
			malformed, "x", " ", "\n", "1", "[]", `"`, "</｜DSML｜ invoke>",
		}), 0, 12).Draw(t, "tokens")
		flag := rapid.SampledFrom([]string{"true", "true", "false"}).Draw(t, "flag")
		body := strings.Join(tokens, "") + parameterClose
		var p plain
		p.parse(body, "a", flag, nil, 0, true)
		if p.tried > stepsBase/2 {
			t.Skip("may be more than is searched")
		}
		if got, want := chosenBy(c, body, flag), p.best(); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Fatalf("%q\n gives %q,\n  want %q", body, got, want)
		}
	})
}

// A body that can be parsed in very many ways costs no more than linear time.
func TestChooseIsBounded(t *testing.T) {
	c := &chooser{}
	body := "x"
	for i := range 2000 {
		body += parameterClose + opener(fmt.Sprint("k", i), "true") + "x" + parameterClose + "x"
	}
	body += parameterClose
	allocs := testing.AllocsPerRun(3, func() { c.chooseClosers(toy, &toy.in[0], []byte(body), 1, true) })
	if allocs > 1 { // the body
		t.Errorf("%v allocations", allocs)
	}
	if len(c.tokens) != 6001 {
		t.Errorf("%d tokens", len(c.tokens))
	}
}
