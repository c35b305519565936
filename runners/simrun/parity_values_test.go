package simrun_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

func item(d *pysem.Dict, name string) any {
	v, _ := d.Get(name)
	return v
}

func text(d *pysem.Dict, name string) string {
	s, _ := item(d, name).(string)
	return s
}

func object(pairs ...any) *pysem.Dict {
	d := &pysem.Dict{}
	for i := 0; i < len(pairs); i += 2 {
		d.Set(pairs[i].(string), pairs[i+1])
	}
	return d
}

// decodeValue turns a value of the protocol into a Python value.
func decodeValue(t *testing.T, v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "<TMP>", caseDir)
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = decodeValue(t, x)
		}
		return list
	case *pysem.Dict:
		if digits, ok := item(v, "$hex").(string); ok {
			raw, err := hex.DecodeString(digits)
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}
		if digits, ok := item(v, "$f64").(string); ok {
			f, err := pysem.ParseFloat(digits)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		d := &pysem.Dict{}
		for _, x := range v.Items {
			d.Set(x.Key, decodeValue(t, x.Value))
		}
		return d
	}
	return v
}

// encodeValue turns a Python value into one of the protocol.
func encodeValue(v any) any {
	switch v := v.(type) {
	case agent.OptString:
		return v.Any()
	case env.ModelState:
		return int(v)
	case []byte:
		return object("$hex", hex.EncodeToString(v))
	case []string:
		list := []any{}
		for _, s := range v {
			list = append(list, s)
		}
		return list
	case []agent.OptString:
		list := []any{}
		for _, s := range v {
			list = append(list, s.Any())
		}
		return list
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, encodeValue(x))
		}
		return list
	case []agent.Field:
		d := &pysem.Dict{}
		for _, f := range v {
			d.Set(f.Name, encodeValue(f.Value))
		}
		return d
	case *pysem.Dict:
		d := &pysem.Dict{}
		for _, x := range v.Items {
			d.Set(x.Key, encodeValue(x.Value))
		}
		return d
	case proto.Message:
		raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(v)
		if err != nil {
			panic(err) // strings are valid UTF-8 in all cases
		}
		return object("$pb", string(v.ProtoReflect().Descriptor().FullName()), "hex", hex.EncodeToString(raw))
	}
	return v
}
