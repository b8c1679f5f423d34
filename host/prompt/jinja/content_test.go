package jinja

import "testing"

func TestLoopsOverContent(t *testing.T) {
	for _, tt := range []struct {
		source string
		want   bool
	}{
		{`{% for m in messages %}{{ m.content }}{% endfor %}`, false},
		{`{% for m in messages %}{% for part in m.content %}{{ part.text }}{% endfor %}{% endfor %}`, true},
		{`{% for m in messages %}{% for part in m['content'] | list %}{% endfor %}{% endfor %}`, true},
		{`{% for m in messages[1:] %}{% if m.content is string %}{% else %}{% for part in m.content[:2] %}{% endfor %}{% endif %}{% endfor %}`, true},
		{`{% set rest = messages[1:] %}{% set all = rest %}{% for m in all %}{% for part in m.content %}{% endfor %}{% endfor %}`, true},
		{`{% macro turn(m) %}{% for m in messages %}{% for part in m.content if part.text %}{% endfor %}{% endfor %}{% endmacro %}`, true},
		{`{% macro text(content) %}{% for part in content %}{% endfor %}{% endmacro %}{% for m in messages %}{{ text(m.content) }}{% endfor %}`, false},
		{`{% for m in messages %}{% set content = m.content %}{% for part in content %}{% endfor %}{% endfor %}`, false},
		{`{% for m in messages %}{% for call in m.tool_calls %}{% endfor %}{% endfor %}`, false},
		{`{% for m in others %}{% for part in m.content %}{% endfor %}{% endfor %}`, false},
		{`{% for m in messages %}{% for part in m.content.text %}{% endfor %}{% endfor %}`, false},
		{`{% set messages = messages %}{% set ns = namespace() %}{% set ns.m = messages %}{% for a, b in messages %}{% for part in a.content %}{% endfor %}{% endfor %}`, false},
		{`{% for m in messages %}{% with %}{% filter trim %}{% set x %}{% for part in m.content %}{% endfor %}{% endset %}{% endfilter %}{% endwith %}{% endfor %}`, true},
		{`{% for m in messages %}{% call f() %}{% for part in m.content %}{% endfor %}{% endcall %}{% endfor %}`, true},
	} {
		t.Run(tt.source, func(t *testing.T) {
			template, err := Compile(tt.source)
			if err != nil {
				t.Fatal(err)
			}
			if got := template.LoopsOverContent(); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
