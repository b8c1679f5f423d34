package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The environment variables that choose the parsing route. The last two are
// those of another serving stack, understood so that a deployment can move.
const (
	envVersion      = EnvPrefix + "PARSER_VERSION"
	envVersionAlias = "DYN_PARSER_VERSION"
	envOldSwitch    = "DYN_ENABLE_EXPERIMENTAL_PARSERS_V2"
)

// Words that the old switch takes, in any case.
var (
	trueWords  = []string{"true", "1", "yes", "on", "t", "y"}
	falseWords = []string{"false", "0", "no", "off", "f", "n"}
)

// selector reads the parser version from the environment: "" where it says
// nothing. A value that is not exactly one of those permitted stops the start:
// a route picked by a guess would only be noticed in production.
func selector(env map[string]string) (string, error) {
	version, name := "", ""
	for _, v := range []string{envVersion, envVersionAlias} {
		value := env[v]
		if value == "" {
			continue
		}
		if !slices.Contains([]string{"auto", "1", "2"}, value) {
			return "", fmt.Errorf("%s: %s is not a parser version; use auto, 1 or 2", v, strconv.QuoteToASCII(value))
		}
		if version != "" && version != value {
			return "", fmt.Errorf("%s=%s and %s=%s contradict each other; unset one", name, version, v, value)
		}
		version, name = value, v
	}
	on, err := oldSwitch(env[envOldSwitch])
	switch {
	case err != nil:
		return "", err
	case !on:
		return version, nil
	case version != "" && version != "2":
		return "", fmt.Errorf("%s=%s (parser version 2) and %s=%s contradict each other; unset the former", envOldSwitch, env[envOldSwitch], name, version)
	}
	return "2", nil
}

func oldSwitch(value string) (bool, error) {
	word := strings.ToLower(value)
	switch {
	case slices.Contains(trueWords, word):
		return true, nil
	case word == "", slices.Contains(falseWords, word):
		return false, nil
	}
	return false, errors.New(envOldSwitch + ": " + strconv.QuoteToASCII(value) + " is not a boolean; use one of " +
		strings.Join(append(slices.Clone(trueWords), falseWords...), ", "))
}
