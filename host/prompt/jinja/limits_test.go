package jinja

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnkey-parsers/turnkey/host/internal/jsonx"
)

// hostile are templates that would take all of a machine's time or memory, or end
// the process by a stack that overflows.
var hostile = map[string]string{
	"a macro that calls itself":           `{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}`,
	"two macros that call one another":    `{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}`,
	"a macro with a default of itself":    `{% macro m(x=m()) %}{% endmacro %}{{ m() }}`,
	"a call block that calls itself":      `{% macro m() %}{% call m() %}{{ caller() }}{% endcall %}{% endmacro %}{{ m() }}`,
	"a loop that recurses for ever":       `{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}`,
	"loops in loops":                      `{% for a in range(100000) %}{% for b in range(100000) %}{% set c = a * b %}{% endfor %}{% endfor %}`,
	"a string that doubles":               `{% set ns = namespace(s='x') %}{% for i in range(100) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}`,
	"a list that doubles":                 `{% set ns = namespace(l=[1]) %}{% for i in range(100) %}{% set ns.l = ns.l + ns.l %}{% endfor %}`,
	"a string repeated":                   `{{ 'x' * 10 ** 12 }}`,
	"a list repeated":                     `{{ ([0] * 10 ** 8)|length }}`,
	"a power of a power":                  `{{ 9 ** 99999 }}`,
	"an integer that squares":             `{% set ns = namespace(n=9) %}{% for i in range(100) %}{% set ns.n = ns.n * ns.n %}{% endfor %}`,
	"output without end":                  `{% for a in range(100000) %}{{ 'x' * 10000 }}{% endfor %}`,
	"a list that holds itself many times": `{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l|tojson }}`,
	"a deep list compared":                `{% set ns = namespace(a=[], b=[]) %}{% for i in range(90000) %}{% set ns.a = [ns.a] %}{% set ns.b = [ns.b] %}{% endfor %}{{ ns.a == ns.b }}`,
	"a deep list written":                 `{% set ns = namespace(a=[]) %}{% for i in range(90000) %}{% set ns.a = [ns.a] %}{% endfor %}{{ ns.a }}`,
	"a deep tuple as a key":               `{% set ns = namespace(a=()) %}{% for i in range(90000) %}{% set ns.a = (ns.a,) %}{% endfor %}{{ {ns.a: 1} }}`,
	"a deep tuple sorted":                 `{% set ns = namespace(a=(), b=()) %}{% for i in range(90000) %}{% set ns.a = (ns.a,) %}{% set ns.b = (ns.b,) %}{% endfor %}{{ [ns.a, ns.b]|sort|length }}`,
	"a namespace that holds itself":       `{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}`,
	"a width of a gigabyte":               `{{ 'x'.center(10 ** 9) }}`,
	"a printf width":                      `{{ '%1000000000d' % 1 }}`,
	"a format width":                      `{{ '{:>1000000000}'.format('x') }}`,
	"a replacement of nothing":            `{{ ('x' * 4000000).replace('', 'y' * 4000000) }}`,
	"a join":                              `{{ range(100000)|join('x' * 100000) }}`,
	"an indent of many lines":             `{{ ('\n' * 1000000)|indent(1000000, blank=true) }}`,
	"batches of a huge size":              `{{ range(100000)|batch(10 ** 9, 0)|list|length }}`,
	"a cycle of generators":               `{% set ns = namespace(g=range(100000)) %}{% for i in range(90000) %}{% set ns.g = ns.g|map('string') %}{% endfor %}{{ ns.g|list|length }}`,
	"characters of a long string":         `{% set s = 'x' * 4000000 %}{% for i in range(100000) %}{{ s[-1] }}{% endfor %}`,
	"lines of nothing":                    `{{ ('\n' * 16000000).splitlines()|length }}`,
	"words of one letter":                 `{% for i in range(100000) %}{% set x = ('a ' * 4000000)|wordcount %}{% endfor %}`,
	"names that are not there, kept":      `{% set z = 'x' * 4000000 %}{% set x = range(100000)|map('string')|groupby(z)|length %}`,
	"a path of many names":                `{{ range(100000)|map(attribute='a.' * 1000000)|list|length }}`,
	"a value that is doubled, compared":   `{% set ns = namespace(a=[1], b=[1]) %}{% for i in range(100) %}{% set ns.a = [ns.a, ns.a] %}{% set ns.b = [ns.b, ns.b] %}{% endfor %}{{ ns.a == ns.b }}`,
	"a value that is doubled, as a key":   `{% set ns = namespace(a=(1,)) %}{% for i in range(100) %}{% set ns.a = (ns.a, ns.a) %}{% endfor %}{{ {ns.a: 1} }}`,
	"a value that is doubled, written":    `{% set ns = namespace(a=[1]) %}{% for i in range(100) %}{% set ns.a = [ns.a, ns.a] %}{% endfor %}{{ ns.a }}`,
	"long texts, equal":                   `{% set s = 'x' * 4000000 %}{% set t = s ~ '' %}{% for i in range(100000) %}{% if s == t %}{% endif %}{% endfor %}`,
	"a long text, asked what it is":       `{% set s = 'x' * 4000000 %}{% for i in range(100000) %}{% if s.isascii() %}{% endif %}{% endfor %}`,
	"a long end, taken off":               `{% set s = 'x' * 4000000 %}{% set t = s ~ '' %}{% for i in range(100000) %}{% set x = s.removesuffix(t) %}{% endfor %}`,
	"a long text, counted":                `{% set s = 'x' * 4000000 %}{% for i in range(100000) %}{% set x = s|length %}{% endfor %}`,
	"a long text as a key":                `{% set s = 'x' * 4000000 %}{% set d = {'a': 1} %}{% for i in range(100000) %}{% set x = {s: 1}[s] %}{% endfor %}`,
	"a long sum":                          `{% set l = range(100000)|list %}{% for i in range(100000) %}{% set x = l|sum %}{% endfor %}`,
	"mappings copied":                     `{% set ns = namespace(d={}) %}{% for i in range(100000) %}{% set ns.d = dict(ns.d, **{'k' ~ i: 1}) %}{% endfor %}`,
	"arguments spread":                    `{% macro m() %}{{ varargs|length }}{% endmacro %}{% set l = range(100000)|list %}{% for i in range(100000) %}{% set x = m(*l) %}{% endfor %}`,
	"a time of many formats":              `{{ strftime_now('%c' * 8000000)|length }}`,
	"values that are kept":                `{% set ns = namespace(l=[]) %}{% for i in range(100000) %}{% set ns.l = ns.l + [('a' ~ i) * 1000000] %}{% endfor %}`,
	"searches in a long string":           `{% set s = 'x' * 4000000 %}{% for i in range(100000) %}{% if 'y' in s %}{% endif %}{% endfor %}`,
}

// TestHostileTemplates asks that each costs its own rendering only, and is told
// why.
func TestHostileTemplates(t *testing.T) {
	for name, source := range hostile {
		t.Run(name, func(t *testing.T) {
			template, err := Compile(source)
			if err != nil {
				t.Fatal(err)
			}
			out, err := template.Render(context.Background(), Input{Limits: Limits{Steps: 400_000, AllocatedBytes: 64 << 20}})
			var limit *LimitError
			var failed *RenderError
			if !errors.As(err, &limit) && !errors.As(err, &failed) {
				t.Errorf("%d bytes, %v", len(out), err)
			}
		})
	}
}

// TestHostileTemplatesSideBySide runs them all at once, under the limits that hold in
// service: those that make much wait for one another, and none waits for ever.
func TestHostileTemplatesSideBySide(t *testing.T) {
	var group sync.WaitGroup
	for name, source := range hostile {
		template, err := Compile(source)
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			limits := Limits{Steps: 1_000_000}
			if out, err := template.Render(context.Background(), Input{Limits: limits}); err == nil {
				t.Errorf("%s: %d bytes", name, len(out))
			}
		})
	}
	group.Wait()
	if len(heavyRenderings) != 0 {
		t.Errorf("%d renderings have not given back their turn", len(heavyRenderings))
	}
}

// TestHeavyRenderingsWait: one that makes much waits for its turn; others do not.
func TestHeavyRenderingsWait(t *testing.T) {
	for range cap(heavyRenderings) {
		heavyRenderings <- struct{}{}
	}
	render := func(ctx context.Context, source string) error {
		template, err := Compile(source)
		if err == nil {
			_, err = template.Render(ctx, Input{})
		}
		return err
	}
	const heavy = `{% for i in range(10) %}{% set x = 'x' * 10000000 %}{% endfor %}`
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- render(ctx, heavy) }()
	if err := render(t.Context(), `{{ 'x' * 10000000 }}`); err != nil {
		t.Errorf("a light one: %v", err)
	}
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	default:
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a client that leaves: %v", err)
	}
	go func() { done <- render(t.Context(), heavy) }()
	for range cap(heavyRenderings) {
		<-heavyRenderings
	}
	if err := <-done; err != nil {
		t.Errorf("its turn: %v", err)
	}
}

// TestContextIsLookedAt: also where a few operations take all the steps.
func TestContextIsLookedAt(t *testing.T) {
	template, err := Compile(`{% set x = 'x' * 1000000 %}{{ x|length }}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := template.Render(ctx, Input{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestHostileSources asks that no source is too deep for the parser, or for what
// it makes.
func TestHostileSources(t *testing.T) {
	const n = 20_000
	for name, source := range map[string]string{
		"parentheses":    "{{ " + strings.Repeat("(", n),
		"lists":          "{{ " + strings.Repeat("[", n),
		"mappings":       "{{ " + strings.Repeat("{1:", n),
		"signs":          "{{ " + strings.Repeat("-", n) + "1 }}",
		"nots":           "{{ " + strings.Repeat("not ", n) + "1 }}",
		"sums":           "{{ 1" + strings.Repeat("+1", n) + " }}",
		"powers":         "{{ 1" + strings.Repeat("**1", n) + " }}",
		"ands":           "{{ 1" + strings.Repeat(" and 1", n) + " }}",
		"members":        "{{ a" + strings.Repeat(".a", n) + " }}",
		"calls":          "{{ a" + strings.Repeat("()", n) + " }}",
		"subscripts":     "{{ a" + strings.Repeat("[0]", n) + " }}",
		"filters":        "{{ a" + strings.Repeat("|list", n) + " }}",
		"conditions":     "{{ a" + strings.Repeat(" if 1 else 1", n) + " }}",
		"ifs":            strings.Repeat("{% if 1 %}", n),
		"fors":           strings.Repeat("{% for a in b %}", n),
		"macros":         strings.Repeat("{% macro a() %}", n),
		"targets":        "{% for " + strings.Repeat("(", n),
		"digits":         "{{ " + strings.Repeat("9", 4_000_000) + " }}",
		"nested indices": "{{ " + strings.Repeat("a[", n),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Compile(source)
			var syntax *SyntaxError
			if !errors.As(err, &syntax) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestManyDigits: a number from a client that would take minutes to read is refused.
func TestManyDigits(t *testing.T) {
	if v, err := decodeText(strings.Repeat("9", maxDigits)); err != nil {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := decodeText(strings.Repeat("9", 4_000_000)); err == nil {
		t.Error("it is taken")
	}
}

// TestLongLiteralsAreNotDeep: what stands side by side does not nest.
func TestLongLiteralsAreNotDeep(t *testing.T) {
	if _, err := Compile("{{ [" + strings.Repeat("'x', ", 5000) + "]|length }}"); err != nil {
		t.Error(err)
	}
}

func TestContextEndsARendering(t *testing.T) {
	template, err := Compile(`{% for a in range(100000) %}{% for b in range(100) %}{{ '' }}{% endfor %}{% endfor %}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := template.Render(ctx, Input{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestErrorsSayWhere(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"syntax", "a\n{% if %}", "line 2: an expression expected, not the end of the tag"},
		{"undefined", "\n\n{{ a.b }}", "line 3: 'a' is undefined"},
		{"raised", "{{ raise_exception('only users') }}", "the template refuses the conversation: only users"},
		{"limit", "\n{{ 'x' * 10 ** 9 }}", "line 2: the rendering was ended: limit ValueBytes, 16777216"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			template, err := Compile(tt.source)
			if err == nil {
				_, err = template.Render(context.Background(), Input{Now: time.Now()})
			}
			if err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func FuzzRender(f *testing.F) {
	for _, source := range hostile {
		f.Add(source, `{"a":[1,"x",{"b":null}]}`)
	}
	f.Add(`{%- for m in messages -%}{{ m.role|upper ~ '\n' }}{%- endfor -%}`, `{"messages":[{"role":"user"}]}`)
	f.Add(`{{ '%5.1f'|format(1) }}{{ '{:>5}'.format(a[0]) }}{{ a|tojson(indent=1) }}`, `{"a":[1.5]}`)
	f.Fuzz(func(t *testing.T, source, variables string) {
		template, err := Compile(source)
		if err != nil {
			return
		}
		vars := map[string]Value{}
		if v, err := decodeText(variables); err == nil {
			if d, ok := v.(*Dict); ok {
				for i, k := range d.keys {
					vars[k.(string)] = d.values[i]
				}
			}
		}
		limits := Limits{Steps: 200_000, OutputBytes: 1 << 20, ValueBytes: 1 << 20, AllocatedBytes: 16 << 20}
		first, err := template.Render(context.Background(), Input{Variables: vars, Limits: limits})
		if err != nil && strings.Contains(err.Error(), "the renderer failed") {
			t.Fatal(err)
		}
		second, again := template.Render(context.Background(), Input{Variables: vars, Limits: limits})
		if first != second || (err == nil) != (again == nil) {
			t.Fatalf("two renderings differ: %q, %v; %q, %v", first, err, second, again)
		}
	})
}

func decodeText(s string) (Value, error) {
	v, err := jsonx.Check([]byte(s))
	if err != nil {
		return nil, err
	}
	return Decode(v)
}
