package scan

import (
	"strings"
	"testing"
)

func TestWholeJSON(t *testing.T) {
	for _, c := range []struct{ name, json, members, elements string }{
		{"object", ` { "a" : 1 , "b\"":{"c":[2,"}"]} } `, `a=1 b\"={"c":[2,"}"]}`, ``},
		{"array", ` [ 1, {"a":[ ]} ,"x" ] `, ``, `1 {"a":[ ]} "x"`},
		{"no members", `{}`, ``, ``},
		{"no elements", `[]`, ``, ``},
		{"nothing", ``, ``, ``},
		{"string", `"x"`, ``, ``},
		{"number", `7`, ``, ``},
		{"cut after a key", `{"a":1,"b"`, `a=1`, ``},
		{"cut before a value", `{"a":1,"b":`, `a=1`, ``},
		{"cut in an element", `[1,{`, ``, `1`},
		{"cut after the first key", `{"a"`, ``, ``},
		{"cut after an object's comma", `{"a":1,`, `a=1`, ``},
		{"cut after an array's comma", `[1,`, ``, `1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var members, elements []string
			EachMember([]byte(c.json), func(name string, value []byte) { members = append(members, name+"="+string(value)) })
			EachElement([]byte(c.json), func(value []byte) { elements = append(elements, string(value)) })
			if got := strings.Join(members, " "); got != c.members {
				t.Errorf("members %s, want %s", got, c.members)
			}
			if got := strings.Join(elements, " "); got != c.elements {
				t.Errorf("elements %s, want %s", got, c.elements)
			}
		})
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
