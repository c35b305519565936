// Package answer looks into the answer of an operation of the agents' code, which is JSON.
//
// Two things to use first:
//
//   - [Parse] reads an answer, [At] finds the value at a place in it.
//   - [Count] counts what a value holds; [Raised] names the exception that a call raised.
//
// To change how a place is written, or what a row or a call is: answer.go, the only file.
//
// Unstable: any commit may change it.
package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Parse parses JSON into Go's plain types. Numbers keep their text (json.Number).
func Parse(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// At returns the value at a place such as "steps > 2 > tree". Each part is an object's key, the
// first member of a row, or a member's number from 1. An empty place is the whole value. If a part
// is not found in a recorded call, it is searched in what the call returned.
func At(v any, place string) (any, error) {
	if place == "" {
		return v, nil
	}
	for part := range strings.SplitSeq(place, " > ") {
		next, ok := member(v, part)
		if !ok {
			next, ok = member(Returned(v), part)
		}
		if !ok {
			return nil, fmt.Errorf("the answer at %s: found no %s in %s", place, part, Text(v))
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

// row reads a member of a list that has the form [key, value]. For a longer member, such as
// [path, value, version, ephemeral], the value is the whole member.
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

// Returned gives what a recorded call returned. If v is not a call, it gives v itself.
func Returned(v any) any {
	if call, ok := v.(map[string]any); ok {
		if r, ok := call["r"]; ok {
			return r
		}
	}
	return v
}

// Raised names the type of the exception that a recorded call raised, "" if it raised none.
func Raised(v any) string {
	call, _ := v.(map[string]any)
	failure, _ := call["e"].(map[string]any)
	name, _ := failure["type"].(string)
	return name
}

// Count counts how often x occurs in v: as part of a text, as a key of an object, as a member of a
// list, or as the key of a row in a list. ok is false if v cannot contain x.
func Count(v, x any) (n int, ok bool) {
	name, isText := x.(string)
	switch v := v.(type) {
	case string:
		return strings.Count(v, name), isText && name != ""
	case map[string]any:
		if v["r"] != nil && len(v) == 1 {
			return 0, false // the caller then counts in the value that the call returned
		}
		if _, has := v[name]; has {
			n = 1
		}
		return n, isText
	case []any:
		for _, m := range v {
			key, _, isRow := row(m)
			if Same(m, x) || isRow && Same(key, x) {
				n++
			}
			ok = ok || isRow && isText || reflect.TypeOf(m) == reflect.TypeOf(x)
		}
		return n, ok || len(v) == 0
	}
	return 0, false
}

// Same reports whether two values are equal JSON.
func Same(a, b any) bool { return reflect.DeepEqual(a, b) }

// Text writes a value as JSON for a message, and cuts it after 400 bytes.
func Text(v any) string {
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
