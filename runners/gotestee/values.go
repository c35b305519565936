package gotestee

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// caseDir is the directory of a case.
const caseDir = "/tmp/testee.case"

// maxPlainInt is the largest int that is written as a JSON number.
const maxPlainInt = 1 << 53

// set is a Python set.
type set []any

// intDict is a dict with int keys.
type intDict [][2]any

// raw is a value of the protocol that is written already.
type raw struct{ v any }

// object makes a dict of names and values.
func object(pairs ...any) *pysem.Dict {
	d := &pysem.Dict{}
	for i := 0; i < len(pairs); i += 2 {
		d.Set(pairs[i].(string), pairs[i+1])
	}
	return d
}

// decode turns a value of a case into a Python value. Messages stay objects with
// $pb.
func decode(v any, where string) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "<TMP>", caseDir)
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = decode(x, fmt.Sprintf("%s[%d]", where, i))
		}
		return list
	case *pysem.Dict:
		if len(v.Items) == 1 {
			if special, ok := decodeSpecial(v.Items[0], where); ok {
				return special
			}
		}
		return decodeObject(v, where)
	}
	return v
}

func decodeObject(d *pysem.Dict, where string) *pysem.Dict {
	decoded := &pysem.Dict{}
	for _, item := range d.Items {
		decoded.Set(strings.ReplaceAll(item.Key, "<TMP>", caseDir), decode(item.Value, where+"."+item.Key))
	}
	return decoded
}

func decodeSpecial(item pysem.Item, where string) (any, bool) {
	text, _ := item.Value.(string)
	list, _ := item.Value.([]any)
	switch item.Key {
	case "$hex":
		data, err := hex.DecodeString(text)
		if err != nil {
			badCasef("%s: found $hex %q, want hexadecimal", where, text)
		}
		return data, true
	case "$f64":
		f, err := pysem.ParseFloat(text)
		if err != nil {
			badCasef("%s: found $f64 %q, want a float", where, text)
		}
		return f, true
	case "$int":
		n, ok := new(big.Int).SetString(text, 10)
		if !ok {
			badCasef("%s: found $int %q, want a decimal int", where, text)
		}
		return pysem.Int(n), true
	case "$set":
		return set(decode(list, where).([]any)), true
	case "$dict":
		d := &pysem.Dict{}
		for _, pair := range list {
			kv, ok := pair.([]any)
			if !ok || len(kv) != 2 {
				badCasef("%s: found $dict entry %s, want [key, value]", where, pysem.Repr(pair))
			}
			key, ok := decode(kv[0], where).(string)
			if !ok {
				badCasef("%s: found $dict key %s, want a string: other keys cannot be passed here", where, pysem.Repr(kv[0]))
			}
			d.Set(key, decode(kv[1], where))
		}
		return d, true
	}
	return nil, false
}

// encode turns a Python value into one of the protocol, with placeholders.
func encode(v any) any {
	switch v := v.(type) {
	case raw:
		return v.v
	case nil, bool, float64, string, []byte, int, int32, int64, uint64, *big.Int:
		return encodeScalar(v)
	case agent.OptString:
		return encode(v.Any())
	case agent.OptInt:
		return encode(v.Any())
	case agent.DeployType:
		return hide(string(v))
	case env.ModelState:
		return int(v)
	case agent.PublishType:
		return enum("PublishType", v.String(), int(v))
	case agent.EventType:
		return enum("EventType", v.String(), int(v))
	case []agent.Field:
		d := &pysem.Dict{}
		for _, f := range v {
			d.Set(f.Name, f.Value)
		}
		return encodeDict(d)
	case *pysem.Dict:
		return encodeDict(v)
	case intDict:
		if len(v) == 0 {
			return object() // an empty dict has no keys that are not strings
		}
		pairs := []any{}
		for _, kv := range v {
			pairs = append(pairs, []any{encode(kv[0]), encode(kv[1])})
		}
		return object("$dict", pairs)
	case set:
		return object("$set", encodeList(v))
	case proto.Message:
		return pb(v).v
	}
	return encodeSlice(v)
}

func encodeSlice(v any) any {
	switch v := v.(type) {
	case []any:
		return encodeList(v)
	case pysem.Tuple:
		return encodeList(v)
	case []string:
		return encodeList(v)
	case []int:
		return encodeList(v)
	case []agent.OptString:
		return encodeList(v)
	case []agent.OptInt:
		return encodeList(v)
	}
	panic(fmt.Sprintf("gotestee: no form for a %T", v))
}

func encodeList[T any](items []T) []any {
	list := make([]any, len(items))
	for i, x := range items {
		list[i] = encode(x)
	}
	return list
}

func encodeScalar(v any) any {
	switch v := v.(type) {
	case string:
		return hide(v)
	case []byte:
		if utf8.Valid(v) {
			v = []byte(hide(string(v)))
		}
		return object("$hex", hex.EncodeToString(v))
	case float64:
		return object("$f64", pysem.FloatRepr(v))
	case int:
		return encodeInt(int64(v))
	case int32:
		return encodeInt(int64(v))
	case int64:
		return encodeInt(v)
	case uint64:
		return encodeScalar(pysem.Int(new(big.Int).SetUint64(v)))
	case *big.Int:
		return object("$int", v.String())
	}
	return v
}

func encodeInt(n int64) any {
	switch {
	case n == freePort:
		return "<PORT>"
	case n > maxPlainInt || n < -maxPlainInt:
		return object("$int", fmt.Sprint(n))
	}
	return int(n)
}

func encodeDict(d *pysem.Dict) any {
	encoded := &pysem.Dict{}
	pairs := []any{}
	special := false
	for _, item := range d.Items {
		key, value := hide(item.Key), encode(item.Value)
		special = special || strings.HasPrefix(key, "$")
		encoded.Set(key, value)
		pairs = append(pairs, []any{key, value})
	}
	if special {
		return object("$dict", pairs)
	}
	return encoded
}

func enum(class, name string, value int) any {
	return object("$enum", class, "name", name, "value", value)
}

// pb is a message as it is now.
func pb(m proto.Message) raw {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		// protobuf refuses strings that are no UTF-8, as Python does at assignment.
		panic(badCase("message " + string(m.ProtoReflect().Descriptor().FullName()) + ": " + err.Error()))
	}
	return raw{object("$pb", string(m.ProtoReflect().Descriptor().FullName()), "hex", hex.EncodeToString(data))}
}

var tempName = regexp.MustCompile(regexp.QuoteMeta(caseDir) + `/tmp[a-z0-9_]{8}`)

// hide puts the placeholders of the protocol in the place of what stands for
// them.
func hide(text string) string {
	if strings.Contains(text, caseDir) {
		text = tempName.ReplaceAllString(text, "<TMP>/<RAND>")
		text = strings.ReplaceAll(text, caseDir, "<TMP>")
	}
	text = strings.ReplaceAll(text, sourceDir, "<SRC>")
	return strings.ReplaceAll(text, fmt.Sprint(freePort), "<PORT>")
}

// attempt is one call inside an answer, as things are now.
func attempt(v any, err error) *pysem.Dict {
	if err != nil {
		typ, message := failureOf(err)
		return object("e", raw{object("type", typ, "message", hide(message))})
	}
	return object("r", raw{encode(v)})
}
