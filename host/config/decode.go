package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// decoder fills a struct from the merged tree of all sources and gathers what
// is wrong with it.
type decoder struct{ problems []string }

func (d *decoder) addProblem(path, format string, args ...any) {
	d.problems = append(d.problems, path+": "+fmt.Sprintf(format, args...))
}

// settingsOf gives the settings of a struct type, by key, in order.
func settingsOf(t reflect.Type) (keys []string, byKey map[string]reflect.StructField) {
	byKey = map[string]reflect.StructField{}
	for i := range t.NumField() {
		f := t.Field(i)
		if key := f.Tag.Get("koanf"); key != "-" && key != "" {
			keys = append(keys, key)
			byKey[key] = f
		}
	}
	return keys, byKey
}

// decodeGroup fills v from tree, with defaults where it says nothing.
func (d *decoder) decodeGroup(path string, tree map[string]any, v reflect.Value) {
	keys, byKey := settingsOf(v.Type())
	for _, name := range sortedKeys(tree) {
		if _, ok := byKey[name]; !ok {
			d.addProblem(joinPath(path, name), "there is no such setting; %s", suggestKey(name, keys))
		}
	}
	for _, key := range keys {
		f := byKey[key]
		raw, given := tree[key]
		if !given || raw == nil {
			if f.Type.Kind() == reflect.Struct {
				raw = map[string]any{}
			} else if raw = f.Tag.Get("default"); raw == "" {
				continue
			}
		}
		d.decodeValue(joinPath(path, key), raw, v.FieldByIndex(f.Index))
		d.checkPermitted(joinPath(path, key), f, v.FieldByIndex(f.Index))
	}
}

func (d *decoder) checkPermitted(path string, f reflect.StructField, v reflect.Value) {
	allowed := permittedWords(f)
	if len(allowed) == 0 || v.Kind() != reflect.String || v.String() == "" || slices.Contains(allowed, v.String()) {
		return
	}
	d.addNotOneOf(path, strconv.Quote(v.String()), allowed)
}

var durationType, sizeType = reflect.TypeFor[time.Duration](), reflect.TypeFor[Size]()

func (d *decoder) decodeValue(path string, raw any, v reflect.Value) {
	switch {
	case d.setWord(path, raw, v):
	case v.Type() == durationType:
		if n, err := parseDuration(raw); err != nil {
			d.addProblem(path, "%s", err)
		} else {
			v.SetInt(int64(n))
		}
	case v.Type() == sizeType:
		if n, err := parseSize(raw); err != nil {
			d.addProblem(path, "%s", err)
		} else {
			v.SetInt(int64(n))
		}
	case v.Kind() == reflect.Struct:
		if tree, ok := raw.(map[string]any); ok {
			d.decodeGroup(path, tree, v)
		} else {
			d.addProblem(path, "want a group of settings, got %s", describeValue(raw))
		}
	case v.Kind() == reflect.Slice:
		d.decodeList(path, raw, v)
	case v.Kind() == reflect.Map:
		d.decodeOptions(path, raw, v)
	default:
		d.decodeScalar(path, raw, v)
	}
}

func (d *decoder) decodeList(path string, raw any, v reflect.Value) {
	items, ok := raw.([]any)
	if !ok {
		d.addProblem(path, "want a list, got %s", describeValue(raw))
		return
	}
	out := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		if tree, ok := item.(map[string]any); ok {
			if name, ok := tree["name"].(string); ok {
				at = path + "[" + name + "]"
			}
		}
		d.decodeValue(at, item, out.Index(i))
	}
	v.Set(out)
}

func (d *decoder) decodeOptions(path string, raw any, v reflect.Value) {
	tree, ok := raw.(map[string]any)
	if !ok {
		d.addProblem(path, "want a group of names and values, got %s", describeValue(raw))
		return
	}
	out := map[string]string{}
	for _, name := range sortedKeys(tree) {
		switch tree[name].(type) {
		case map[string]any, []any, nil:
			d.addProblem(joinPath(path, name), "want a plain value, got %s", describeValue(tree[name]))
		default:
			out[name] = fmt.Sprint(tree[name])
		}
	}
	v.Set(reflect.ValueOf(out))
}

// decodeScalar fills a string, bool or whole number. Text stands for any of them:
// defaults, the environment and flags are text.
func (d *decoder) decodeScalar(path string, raw any, v reflect.Value) {
	text, isText := raw.(string)
	switch v.Kind() {
	case reflect.String:
		switch raw.(type) {
		case string, int, int64, uint64:
			v.SetString(fmt.Sprint(raw))
			return
		}
		d.addProblem(path, "want text, got %s", describeValue(raw))
	case reflect.Bool:
		if b, ok := raw.(bool); ok {
			v.SetBool(b)
		} else if b, err := strconv.ParseBool(text); isText && err == nil {
			v.SetBool(b)
		} else {
			d.addProblem(path, "want true or false, got %s", describeValue(raw))
		}
	default:
		n, ok := wholeNumberOf(raw)
		if isText {
			m, err := strconv.ParseInt(text, 10, 64)
			n, ok = m, err == nil
		}
		if !ok || v.OverflowInt(n) {
			d.addProblem(path, "want a whole number, got %s", describeValue(raw))
			return
		}
		v.SetInt(n)
	}
}

func wholeNumberOf(raw any) (int64, bool) {
	switch n := raw.(type) {
	case int:
		return int64(n), true
	case int64:
		return n, true
	case uint64:
		return int64(n), n <= math.MaxInt64
	}
	return 0, false
}

func parseDuration(raw any) (time.Duration, error) {
	if n, ok := wholeNumberOf(raw); ok {
		if n == 0 {
			return 0, nil
		}
		return 0, fmt.Errorf("%d has no unit: write %dms or %ds", n, n, n)
	}
	text, _ := raw.(string)
	n, err := time.ParseDuration(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("want a length of time such as 1500ms or 30s, got %s", describeValue(raw))
	}
	return n, nil
}

var units = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}, {"", 1}}

func parseSize(raw any) (Size, error) {
	text := strings.TrimSpace(fmt.Sprint(raw))
	for _, u := range units {
		number, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/u.bytes {
			break
		}
		return Size(n * u.bytes), nil
	}
	return 0, fmt.Errorf("want a size such as 8MiB or 45MB, got %s", describeValue(raw))
}

func describeValue(raw any) string {
	switch v := raw.(type) {
	case map[string]any:
		return "a group"
	case []any:
		return "a list"
	case nil:
		return "nothing"
	case string:
		return strconv.Quote(v)
	default:
		return fmt.Sprint(v)
	}
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// suggestKey names the valid key nearest to name, or all of them.
func suggestKey(name string, valid []string) string {
	best, at := len(name)/2+2, ""
	for _, v := range valid {
		if n := editDistance(strings.ToLower(name), strings.ToLower(v)); n < best {
			best, at = n, v
		}
	}
	if at != "" {
		return "did you mean " + at + "?"
	}
	return "valid here: " + strings.Join(valid, ", ")
}

// editDistance is the Levenshtein distance of a and b, in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
