package config

import (
	"cmp"
	"reflect"
)

// Setting describes one setting, for documentation.
type Setting struct {
	Path    string   // models[].policies.arguments
	Type    string   // text, true or false, whole number, duration, size, list, list of groups, group
	Default string   // "" where there is none
	Values  []string // the permitted values, where they are few
	Env     string   // the environment variable; "" for what stands in a list
	Doc     string
}

// Reference lists all settings, in the order of the file.
func Reference() []Setting {
	var out []Setting
	defaults := classDefaults()
	var walk func(path string, inList bool, t reflect.Type)
	walk = func(path string, inList bool, t reflect.Type) {
		keys, byKey := settingsOf(t)
		for _, key := range keys {
			f := byKey[key]
			at := joinPath(path, key)
			if f.Type.Kind() == reflect.Struct {
				walk(at, inList, f.Type)
				continue
			}
			s := Setting{Path: at, Type: typeName(f.Type), Default: cmp.Or(f.Tag.Get("default"), defaults[at]), Values: permittedWords(f), Doc: f.Tag.Get("doc")}
			if f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
				s.Type = "list of groups"
				out = append(out, s)
				walk(at+"[]", true, f.Type.Elem())
				continue
			}
			if k := f.Type.Kind(); !inList && k != reflect.Slice && k != reflect.Map {
				s.Env = EnvName(at)
			}
			out = append(out, s)
		}
	}
	walk("", false, reflect.TypeFor[Config]())
	return out
}

func typeName(t reflect.Type) string {
	switch {
	case t == durationType:
		return "duration"
	case t == sizeType:
		return "size"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "whole number"
	case reflect.Slice:
		return "list"
	case reflect.Map:
		return "group"
	}
	return "text"
}
