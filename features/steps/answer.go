package steps

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// An answer is JSON in Go's plain types, with numbers as they are written.
func parseAnswer(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// lookUp finds what is at a place as "steps > 2 > tree": a key of an object, that of
// a row, which is its first member, or the number of a member, counted from 1. An
// empty place is the whole. What a call returned is looked through.
func lookUp(v any, place string) (any, error) {
	if place == "" {
		return v, nil
	}
	for part := range strings.SplitSeq(place, " > ") {
		next, ok := member(v, part)
		if !ok {
			next, ok = member(returned(v), part)
		}
		if !ok {
			return nil, fmt.Errorf("the answer at %s: found no %s in %s", place, part, text(v))
		}
		v = next
	}
	return v, nil
}

func member(v any, name string) (any, bool) {
	switch v := v.(type) {
	case map[string]any:
		m, ok := v[name]
		return m, ok
	case []any:
		for _, x := range v {
			if key, value, ok := row(x); ok && key == name {
				return value, true
			}
		}
		if n, err := strconv.Atoi(name); err == nil && n >= 1 && n <= len(v) {
			return v[n-1], true
		}
	}
	return nil, false
}

// row takes a member of a list apart that is [key, value]. The value of a longer
// one, as [path, value, version, ephemeral], is the whole row.
func row(v any) (key string, value any, ok bool) {
	list, _ := v.([]any)
	if len(list) < 2 {
		return "", nil, false
	}
	key, ok = list[0].(string)
	if len(list) == 2 {
		return key, list[1], ok
	}
	return key, v, ok
}

// returned is what a call returned, or v itself when it is no call.
func returned(v any) any {
	if call, ok := v.(map[string]any); ok {
		if r, ok := call["r"]; ok {
			return r
		}
	}
	return v
}

// raised is the type of the exception that a call raised, "" for none.
func raised(v any) string {
	call, _ := v.(map[string]any)
	failure, _ := call["e"].(map[string]any)
	name, _ := failure["type"].(string)
	return name
}

// count says how often x is in v; ok is false where v is nothing that x could be
// in.
func count(v, x any) (n int, ok bool) {
	name, isText := x.(string)
	switch v := v.(type) {
	case string:
		return strings.Count(v, name), isText && name != ""
	case map[string]any:
		if v["r"] != nil && len(v) == 1 {
			return 0, false // look at what the call returned
		}
		if _, has := v[name]; has {
			n = 1
		}
		return n, isText
	case []any:
		for _, m := range v {
			key, _, isRow := row(m)
			if sameJSON(m, x) || isRow && sameJSON(key, x) {
				n++
			}
			ok = ok || isRow && isText || reflect.TypeOf(m) == reflect.TypeOf(x)
		}
		return n, ok || len(v) == 0
	}
	return 0, false
}

func sameJSON(a, b any) bool { return reflect.DeepEqual(a, b) }

// text shows a value in a message, cut short.
func text(v any) string {
	const most = 400
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if len(data) > most {
		return string(data[:most]) + "…"
	}
	return string(data)
}
