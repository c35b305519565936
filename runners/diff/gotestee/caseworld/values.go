package caseworld

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/dataclass"
	"github.com/monosim/monosim/engine/pysem/message"
)

// CaseDir is the path of the case's directory.
const CaseDir = "/tmp/testee.case"

// maxPlainInt is the largest int that answers write as a JSON number.
const maxPlainInt = 1 << 53

// Set stands for a Python set, with its members in the order of the case.
type Set []any

// IntDict stands for a Python dict with int keys, in order.
type IntDict [][2]any

// Raw is a value that already has the protocol's form; [Encode] leaves it as it is.
type Raw struct{ V any }

// Object makes a dict. Its arguments are names and values, alternating.
func Object(pairs ...any) *pysem.Dict { return pysem.DictOf(pairs...) }

// decode converts a JSON value of a case into a Python value. Protobuf messages stay objects with
// the key $pb.
func decode(v any, where string) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "<TMP>", CaseDir)
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
		decoded.Set(strings.ReplaceAll(item.Key, "<TMP>", CaseDir), decode(item.Value, where+"."+item.Key))
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
			BadCasef("%s: found $hex %q, want hexadecimal", where, text)
		}
		return data, true
	case "$f64":
		f, err := pysem.ParseFloat(text)
		if err != nil {
			BadCasef("%s: found $f64 %q, want a float", where, text)
		}
		return f, true
	case "$int":
		n, ok := new(big.Int).SetString(text, 10)
		if !ok {
			BadCasef("%s: found $int %q, want a decimal int", where, text)
		}
		return pysem.Int(n), true
	case "$set":
		return Set(decode(list, where).([]any)), true
	case "$dict":
		d := &pysem.Dict{}
		for _, pair := range list {
			kv, ok := pair.([]any)
			if !ok || len(kv) != 2 {
				BadCasef("%s: found $dict entry %s, want [key, value]", where, pysem.Repr(pair))
			}
			key, ok := decode(kv[0], where).(string)
			if !ok {
				BadCasef("%s: found $dict key %s, want a string: other keys cannot be passed here", where, pysem.Repr(kv[0]))
			}
			d.Set(key, decode(kv[1], where))
		}
		return d, true
	}
	return nil, false
}

// Encode converts a Python value into a value of the protocol. It puts placeholders in the place of
// what differs between runs.
func Encode(v any) any {
	switch v := v.(type) {
	case Raw:
		return v.V
	case nil, bool, float64, string, []byte, int, int32, int64, uint64, *big.Int:
		return encodeScalar(v)
	case pysem.OptString:
		return Encode(v.Any())
	case pysem.OptInt:
		return Encode(v.Any())
	case agentconfig.DeployType:
		return Hide(string(v))
	case env.ModelState:
		return int(v)
	case datadef.PublishType:
		return enum("PublishType", v.String(), int(v))
	case datadef.EventType:
		return enum("EventType", v.String(), int(v))
	case []dataclass.Field:
		d := &pysem.Dict{}
		for _, f := range v {
			d.Set(f.Name, f.Value)
		}
		return encodeDict(d)
	case *pysem.Dict:
		return encodeDict(v)
	case IntDict:
		if len(v) == 0 {
			return Object() // an empty dict cannot have keys that are no strings
		}
		return Object("$dict", lists.Map(v, func(kv [2]any) any { return []any{Encode(kv[0]), Encode(kv[1])} }))
	case Set:
		return Object("$set", EncodeList(v))
	case proto.Message:
		return PB(v).V
	}
	return encodeSlice(v)
}

func encodeSlice(v any) any {
	switch v := v.(type) {
	case []any:
		return EncodeList(v)
	case pysem.Tuple:
		return EncodeList(v)
	case []string:
		return EncodeList(v)
	case []int:
		return EncodeList(v)
	case []pysem.OptString:
		return EncodeList(v)
	case []pysem.OptInt:
		return EncodeList(v)
	case []int64:
		return EncodeList(v)
	case interface{ Fields() []dataclass.Field }:
		return Encode(v.Fields())
	}
	panic(fmt.Sprintf("gotestee: no form for a %T", v))
}

// EncodeList encodes each item.
func EncodeList[T any](items []T) []any {
	return lists.Map(items, func(x T) any { return Encode(x) })
}

func encodeScalar(v any) any {
	switch v := v.(type) {
	case string:
		return Hide(v)
	case []byte:
		if utf8.Valid(v) {
			v = []byte(Hide(string(v)))
		}
		return Object("$hex", hex.EncodeToString(v))
	case float64:
		return Object("$f64", pysem.FloatRepr(v))
	case int:
		return encodeInt(int64(v))
	case int32:
		return encodeInt(int64(v))
	case int64:
		return encodeInt(v)
	case uint64:
		return encodeScalar(pysem.Int(new(big.Int).SetUint64(v)))
	case *big.Int:
		return Object("$int", v.String())
	}
	return v
}

func encodeInt(n int64) any {
	switch {
	case n == freePort:
		return "<PORT>"
	case n > maxPlainInt || n < -maxPlainInt:
		return Object("$int", fmt.Sprint(n))
	}
	return int(n)
}

func encodeDict(d *pysem.Dict) any {
	encoded := &pysem.Dict{}
	pairs := []any{}
	special := false
	for _, item := range d.Items {
		key, value := Hide(item.Key), Encode(item.Value)
		special = special || strings.HasPrefix(key, "$")
		encoded.Set(key, value)
		pairs = append(pairs, []any{key, value})
	}
	if special {
		return Object("$dict", pairs)
	}
	return encoded
}

func enum(class, name string, value int) any {
	return Object("$enum", class, "name", name, "value", value)
}

// PB encodes a message at once, so that later changes of the message do not show. If it has a text
// that no Python message can hold, PB panics with the exception that setting the text would raise.
func PB(m proto.Message) Raw {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(cmp.Or(message.Check(m), error(BadCase(fmt.Sprintf("message %s: %v", m.ProtoReflect().Descriptor().FullName(), err)))))
	}
	return Raw{V: Object("$pb", string(m.ProtoReflect().Descriptor().FullName()), "hex", hex.EncodeToString(data))}
}

var tempName = regexp.MustCompile(regexp.QuoteMeta(CaseDir) + `/tmp[a-z0-9_]{8}`)

// Hide replaces paths, and whatever else differs between runs, by the protocol's placeholders.
func Hide(text string) string {
	if strings.Contains(text, CaseDir) {
		text = tempName.ReplaceAllString(text, "<TMP>/<RAND>")
		text = strings.ReplaceAll(text, CaseDir, "<TMP>")
	}
	text = strings.ReplaceAll(text, SourceDir, "<SRC>")
	return strings.ReplaceAll(text, fmt.Sprint(freePort), "<PORT>")
}

// Attempt makes the answer to one call: {"r": value}, or {"e": error}. It encodes the value at
// once, because later steps may change it.
func Attempt(v any, err error) (answer *pysem.Dict) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *pysem.Error:
			answer = Attempt(nil, r)
		default:
			panic(r)
		}
	}()
	if err != nil {
		typ, message := FailureOf(err)
		return Object("e", Raw{V: Object("type", typ, "message", Hide(message))})
	}
	return Object("r", Raw{V: Encode(v)})
}

// SourceDir is a path that stands for the root of the reference's sources.
const SourceDir = "/tmp/testee.source"
