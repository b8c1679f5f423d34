package config

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/posflag"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"

	"github.com/turnkey-parsers/turnkey/host/route"
)

// EnvPrefix begins the name of every environment variable that is a setting:
// timeouts.first_byte is TURNKEY_TIMEOUTS_FIRST_BYTE.
const EnvPrefix = "TURNKEY_"

// EnvConfig names the configuration file.
const EnvConfig = EnvPrefix + "CONFIG"

//go:embed demo.yaml
var demo []byte

// Sources is where a configuration comes from.
type Sources struct {
	// File is the YAML file; "" leaves it to Data, TURNKEY_CONFIG or, where none
	// is given, the built-in demonstration.
	File string
	// Data is YAML in place of a file.
	Data []byte
	// Environ is the environment as "name=value" entries, as os.Environ gives it.
	Environ []string
	// Flags, if not nil, holds command line flags; those named in FlagSettings
	// count where they were set.
	Flags *pflag.FlagSet
}

// FlagSettings maps names of command line flags to settings.
var FlagSettings = map[string]string{
	"listen":         "listen",
	"engine":         "engine",
	"parser-version": "parser_version",
	"log-level":      "log.level",
	"log-format":     "log.format",
	"modules":        "modules.dir",
}

// Load reads, merges and checks the sources. The error is one line.
func Load(s Sources) (*Config, error) {
	cfg := &Config{}
	data, name, err := readDocument(s, cfg)
	if err != nil {
		return nil, err
	}
	tree, err := mergeSources(s, cfg, data, name)
	if err != nil {
		return nil, err
	}
	var d decoder
	d.decodeGroup("", tree, reflect.ValueOf(cfg).Elem())
	if len(d.problems) == 0 {
		checkSettings(cfg, environmentMap(s.Environ), &d)
	}
	if len(d.problems) > 0 {
		return nil, fmt.Errorf("configuration %s: %s", name, strings.Join(d.problems, "; "))
	}
	return cfg, nil
}

func readDocument(s Sources, cfg *Config) (data []byte, name string, err error) {
	if s.Data != nil {
		return s.Data, "(inline)", nil
	}
	file := s.File
	if file == "" {
		file = environmentMap(s.Environ)[EnvConfig]
	}
	if file == "" {
		cfg.Demo = true
		return demo, "(built-in demonstration)", nil
	}
	data, err = os.ReadFile(file)
	if err != nil {
		return nil, "", fmt.Errorf("configuration: %w", err)
	}
	return data, file, nil
}

// mergeSources gives the tree of all sources, the later over the earlier: the file, the
// environment, the flags.
func mergeSources(s Sources, cfg *Config, data []byte, name string) (map[string]any, error) {
	k := koanf.New(".")
	if err := k.Load(rawbytes.Provider(data), yaml.Parser()); err != nil {
		return nil, fmt.Errorf("configuration %s: %s", name, joinLines(err))
	}
	if err := loadEnvironment(k, s.Environ, cfg); err != nil {
		return nil, err
	}
	if s.Flags != nil {
		flags := posflag.ProviderWithFlag(s.Flags, ".", k, func(f *pflag.Flag) (string, any) {
			path, ok := FlagSettings[f.Name]
			if !ok || !f.Changed {
				return "", nil
			}
			return path, f.Value.String()
		})
		if err := k.Load(flags, nil); err != nil {
			return nil, err
		}
	}
	return k.Raw(), nil
}

// loadEnvironment loads the settings that environment variables give, and warns of
// variables with our prefix that are none.
func loadEnvironment(k *koanf.Koanf, environ []string, cfg *Config) error {
	byEnv := map[string]string{}
	for path := range scalarSettings() {
		byEnv[EnvName(path)] = path
	}
	var bad []string
	provider := env.Provider(".", env.Opt{
		Prefix:      EnvPrefix,
		EnvironFunc: func() []string { return environ },
		TransformFunc: func(name, value string) (string, any) {
			path, known := byEnv[name]
			switch {
			case path == route.SettingVersion: // see versionFromEnv
				return "", nil
			case known && strings.ToValidUTF8(value, "") != value:
				bad = append(bad, name+": the value is not UTF-8 text")
				return "", nil
			case known && value != "":
				return path, value
			case !known && name != EnvConfig:
				cfg.Warnings = append(cfg.Warnings, "the environment variable "+name+" is no setting; "+suggestKey(name, sortedKeys(byEnv)))
			}
			return "", nil
		},
	})
	if err := k.Load(provider, nil); err != nil {
		return fmt.Errorf("environment: %s", joinLines(err))
	}
	if len(bad) > 0 {
		return errors.New(strings.Join(bad, "; "))
	}
	version, given, err := versionFromEnv(environmentMap(environ))
	if err != nil || !given {
		return err
	}
	return k.Load(confmap.Provider(map[string]any{route.SettingVersion: version}, "."), nil)
}

// versionFromEnv reads the parser version, which has more than one name there.
func versionFromEnv(env map[string]string) (version string, given bool, err error) {
	v, err := route.VersionFromEnv(func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	})
	given = v != route.Auto || env[route.EnvVersion] != "" || env[route.EnvVersionDyn] != ""
	return v.String(), given, err
}

// EnvName is the name of the environment variable for a setting.
func EnvName(path string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

// scalarSettings gives the settings that the environment can hold, by path: all that
// are not in a list.
func scalarSettings() map[string]reflect.StructField {
	out := map[string]reflect.StructField{}
	var walk func(path string, t reflect.Type)
	walk = func(path string, t reflect.Type) {
		keys, byKey := settingsOf(t)
		for _, key := range keys {
			f := byKey[key]
			switch f.Type.Kind() {
			case reflect.Struct:
				walk(joinPath(path, key), f.Type)
			case reflect.Slice, reflect.Map:
			default:
				out[joinPath(path, key)] = f
			}
		}
	}
	walk("", reflect.TypeFor[Config]())
	return out
}

func environmentMap(entries []string) map[string]string {
	m := make(map[string]string, len(entries))
	for _, e := range entries {
		if name, value, ok := strings.Cut(e, "="); ok {
			m[name] = value
		}
	}
	return m
}

func joinLines(err error) string {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(slices.DeleteFunc(lines, func(s string) bool { return s == "" }), " ")
}
