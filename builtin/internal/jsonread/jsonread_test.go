package jsonread

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for _, c := range []struct{ json, members, elements string }{
		{` { "a" : 1 , "b\"":{"c":[2,"}"]} } `, `a=1 b\"={"c":[2,"}"]}`, ``},
		{` [ 1, {"a":[ ]} ,"x" ] `, ``, `1 {"a":[ ]} "x"`},
		{`{}`, ``, ``}, {`[]`, ``, ``}, {``, ``, ``}, {`"x"`, ``, ``}, {`7`, ``, ``},
		{`{"a":1,"b"`, `a=1`, ``}, {`{"a":1,"b":`, `a=1`, ``}, {`[1,{`, ``, `1`}, {`{"a"`, ``, ``}, {`{"a":1,`, `a=1`, ``}, {`[1,`, ``, `1`},
	} {
		var members, elements []string
		Members([]byte(c.json), func(name string, value []byte) { members = append(members, name+"="+string(value)) })
		Elements([]byte(c.json), func(value []byte) { elements = append(elements, string(value)) })
		if got := strings.Join(members, " "); got != c.members {
			t.Errorf("%s: members %s, want %s", c.json, got, c.members)
		}
		if got := strings.Join(elements, " "); got != c.elements {
			t.Errorf("%s: elements %s, want %s", c.json, got, c.elements)
		}
	}
	if v := Member([]byte(`{"a":1,"b":"x"}`), "b"); !IsString(v, "x") || IsString(v, "y") || IsString(nil, "") {
		t.Errorf("%s", v)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"c"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		Members(b, func(string, []byte) {})
		Elements(b, func([]byte) {})
	})
}
