package scan

import (
	"strings"
	"testing"
)

func TestWholeJSON(t *testing.T) {
	for _, c := range []struct{ json, members, elements string }{
		{` { "a" : 1 , "b\"":{"c":[2,"}"]} } `, `a=1 b\"={"c":[2,"}"]}`, ``},
		{` [ 1, {"a":[ ]} ,"x" ] `, ``, `1 {"a":[ ]} "x"`},
		{`{}`, ``, ``}, {`[]`, ``, ``}, {``, ``, ``}, {`"x"`, ``, ``}, {`7`, ``, ``},
		{`{"a":1,"b"`, `a=1`, ``}, {`{"a":1,"b":`, `a=1`, ``}, {`[1,{`, ``, `1`}, {`{"a"`, ``, ``}, {`{"a":1,`, `a=1`, ``}, {`[1,`, ``, `1`},
	} {
		var members, elements []string
		EachMember([]byte(c.json), func(name string, value []byte) { members = append(members, name+"="+string(value)) })
		EachElement([]byte(c.json), func(value []byte) { elements = append(elements, string(value)) })
		if got := strings.Join(members, " "); got != c.members {
			t.Errorf("%s: members %s, want %s", c.json, got, c.members)
		}
		if got := strings.Join(elements, " "); got != c.elements {
			t.Errorf("%s: elements %s, want %s", c.json, got, c.elements)
		}
	}
	if v := MemberNamed([]byte(`{"a":1,"b":"x"}`), "b"); !IsStringOf(v, "x") || IsStringOf(v, "y") || IsStringOf(nil, "") {
		t.Errorf("%s", v)
	}
}

func FuzzWholeJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"c"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		EachMember(b, func(string, []byte) {})
		EachElement(b, func([]byte) {})
	})
}
