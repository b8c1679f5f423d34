package route

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Version is the parser version that an operator asks for: the selector.
type Version uint8

const (
	// Auto leaves it to the family: unified if the module has such a parser.
	Auto Version = iota
	// V1 asks for the jail.
	V1
	// V2 asks for the unified or the split route.
	V2
)

func (v Version) String() string { return [...]string{"auto", "1", "2"}[v] }

// Settings by which a selector can be given.
const (
	SettingVersion = "parser_version"                     // a model's entry
	EnvVersion     = "TURNKEY_PARSER_VERSION"             // the environment
	EnvVersionDyn  = "DYN_PARSER_VERSION"                 // its alias
	EnvSwitchDyn   = "DYN_ENABLE_EXPERIMENTAL_PARSERS_V2" // the older boolean switch
)

// ParseVersion reads a selector. setting names where the value comes from. Empty
// counts as unset.
func ParseVersion(setting, value string) (Version, error) {
	switch value {
	case "", "auto":
		return Auto, nil
	case "1":
		return V1, nil
	case "2":
		return V2, nil
	}
	return Auto, fmt.Errorf("%s: %s is no parser version: use auto, 1 or 2", setting, quotedJSON(value))
}

// words lists what the boolean switch understands, and what each means.
var words = []struct {
	word string
	on   bool
}{
	{"true", true}, {"false", false}, {"1", true}, {"0", false},
	{"yes", true}, {"no", false}, {"on", true}, {"off", false},
}

func parseSwitch(value string) (on bool, err error) {
	var list []string
	for _, w := range words {
		if strings.EqualFold(w.word, value) {
			return w.on, nil
		}
		list = append(list, w.word)
	}
	return false, fmt.Errorf("%s: %s is no boolean word: use %s", EnvSwitchDyn, quotedJSON(value), strings.Join(list, ", "))
}

// VersionFromEnv reads the selector from the environment, by its name, its alias
// and the older boolean switch. Unset, all of them, is Auto. Settings that
// contradict each other are an error that names both.
func VersionFromEnv(lookup func(string) (string, bool)) (Version, error) {
	version, from := Auto, ""
	for _, name := range []string{EnvVersion, EnvVersionDyn} {
		value, _ := lookup(name)
		v, err := ParseVersion(name, value)
		if err != nil {
			return Auto, err
		}
		if value == "" {
			continue
		}
		if from != "" && v != version {
			return Auto, contradiction(from, version.String(), name, value)
		}
		version, from = v, name
	}
	value, _ := lookup(EnvSwitchDyn)
	if value == "" {
		return version, nil
	}
	on, err := parseSwitch(value)
	if err != nil {
		return Auto, err
	}
	switch {
	case !on:
		return version, nil
	case version == V1:
		return Auto, contradiction(from, version.String(), EnvSwitchDyn, value)
	}
	return V2, nil
}

func contradiction(name1, value1, name2, value2 string) error {
	return fmt.Errorf("%s=%s and %s=%s contradict each other: set only one of them", name1, value1, name2, value2)
}

// quotedJSON shows a value in a message, also one that is no text.
func quotedJSON(value string) string {
	if !utf8.ValidString(value) {
		return fmt.Sprintf("%+q (not UTF-8)", value)
	}
	return fmt.Sprintf("%q", value)
}
