package toolname

import (
	"slices"
	"strings"

	"github.com/turnkey-parsers/turnkey/abi"
	"github.com/turnkey-parsers/turnkey/sdk/scan"
)

// Offers says whether the request offers a tool of that name. Such a name counts
// whatever bytes it has.
func Offers(tools []string, name []byte) bool {
	return slices.ContainsFunc(tools, func(t string) bool { return t == string(name) })
}

// MayOffer says whether text may go on to be the name of a tool.
func MayOffer(tools []string, text []byte) bool {
	return slices.ContainsFunc(tools, func(t string) bool { return strings.HasPrefix(t, string(text)) })
}

// OnlyFor names the tool that alone accepts these arguments, a whole JSON object: all
// their keys are parameters of it, and all parameters that it requires are there.
// Needs the schemas of the request.
func OnlyFor(s *abi.OpenBlock, arguments []byte) (tool string, ok bool) {
	keys := keysOf(arguments)
	for _, schema := range s.Schemas {
		if int(schema.Tool) >= len(s.Tools) || !accepts([]byte(schema.JSON), keys) {
			continue
		}
		if ok {
			return "", false
		}
		tool, ok = s.Tools[schema.Tool], true
	}
	return tool, ok
}

func keysOf(object []byte) []string {
	var (
		keys []string
		walk scan.Walk
		from int
	)
	walk.StartLenient(false)
	for at := 0; ; {
		n, step := walk.Next(object, at)
		switch step {
		case scan.KeyBegins:
			from = n + 1
		case scan.KeyEnds:
			keys = append(keys, string(object[from:n-1]))
		case scan.WalkMore, scan.WalkEnd, scan.WalkBad:
			return keys
		}
		at = n
	}
}

func accepts(schema []byte, keys []string) bool {
	known := 0
	scan.EachMember(scan.MemberNamed(schema, "properties"), func(name string, _ []byte) {
		if slices.Contains(keys, name) {
			known++
		}
	})
	complete := true
	scan.EachElement(scan.MemberNamed(schema, "required"), func(name []byte) {
		complete = complete && len(name) > 2 && slices.Contains(keys, string(name[1:len(name)-1]))
	})
	return complete && known == len(keys)
}
