package simrun_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/monolith/agent_service"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/engine/proto/textpb"
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

func isTrue(d *pysem.Dict, name string) bool {
	b, _ := item(d, name).(bool)
	return b
}

func data(d *pysem.Dict, name string) []byte {
	b, _ := item(d, name).([]byte)
	return b
}

func number(d *pysem.Dict, name string) int {
	n, _ := item(d, name).(int)
	return n
}

// optional is a string or None.
func optional(v any) agent.OptString {
	s, ok := v.(string)
	return agent.OptString{V: s, Set: ok}
}

// pair is a list of two strings.
func pair(d *pysem.Dict, name string) (string, string) {
	list := item(d, name).([]any)
	return list[0].(string), list[1].(string)
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

// attempt is one call inside an answer.
func attempt(v any, err error) *pysem.Dict {
	if err != nil {
		return object("e", failureOf(err))
	}
	return object("r", encodeValue(v))
}

// failureOf is an error as Python names it.
func failureOf(err error) *pysem.Dict {
	typ, message := pysem.TypeOf(err), fmt.Sprint(err)
	var python *pysem.Error
	var zk *env.ZooKeeperError
	switch {
	case errors.As(err, &python):
		message = python.Message
	case errors.As(err, &zk):
		typ, message = zk.Code.String(), zk.Path+zooKeeperWords[zk.Code]
	case errors.Is(err, fs.ErrNotExist):
		typ = "FileNotFoundError"
	case strings.HasPrefix(message, "AttributeError: "):
		typ = "AttributeError"
	case strings.HasPrefix(message, "model config file "):
		typ = "ParseError"
	}
	return object("type", typ, "message", message)
}

// zooKeeperWords are how the reference's fake ends its messages.
var zooKeeperWords = map[env.ZooKeeperCode]string{
	env.ZKNoNode: " is not exists!", env.ZKNodeExists: " Exists!", env.ZKNotEmpty: " is not empty!",
}

// comparesMessage is rule 5 of the protocol's comparison.
func comparesMessage(typ, message string) bool {
	switch typ {
	case "NoNodeError", "NodeExistsError", "NotEmptyError", "NotImplementedError", "AssertionError", "RuntimeError", "Exception":
		return true
	case "ValueError":
		return strings.HasSuffix(message, " is not allowed!") || message == "callback failed"
	}
	return false
}

// canonical makes plain maps and lists of a value, so that the order of keys does
// not count; messages are compared by content and errors by the rules.
func canonical(t *testing.T, v any) any {
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, x := range v {
			list = append(list, canonical(t, x))
		}
		return list
	case *pysem.Dict:
		m := map[string]any{}
		for _, x := range v.Items {
			m[x.Key] = canonical(t, x.Value)
		}
		return canonicalObject(t, m)
	}
	return v
}

func canonicalObject(t *testing.T, m map[string]any) any {
	name, isMessage := m["$pb"].(string)
	switch {
	case isMessage:
		return name + " " + messageText(t, name, m["hex"].(string))
	case m["message"] != nil && len(m) == 2 && m["type"] != nil:
		if !comparesMessage(m["type"].(string), fmt.Sprint(m["message"])) {
			m["message"] = "any"
		}
	case m["code"] != nil && len(m) == 2:
		if details, _ := m["details"].(string); !strings.HasPrefix(details, "Exception calling application: not implement") {
			m["details"] = "any"
		}
	}
	delete(m, "json") // the same message once more
	if meta, ok := m["meta"].([]any); ok {
		sort.Slice(meta, func(i, j int) bool { return meta[i].([]any)[0].(string) < meta[j].([]any)[0].(string) })
	}
	for _, key := range []string{"initial_text", "config_text", "text"} {
		if content, ok := m[key].(string); ok {
			m[key] = configText(t, content)
		}
	}
	return m
}

func messageText(t *testing.T, name, digits string) string {
	kind, err := protoregistry.GlobalTypes.FindMessageByURL(name)
	if err != nil {
		t.Fatal(err)
	}
	m := kind.New().Interface()
	raw, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	if err := proto.Unmarshal(raw, m); err != nil {
		t.Fatal(err)
	}
	if r, ok := m.(*agentservice.GetResourceResponse); ok {
		r.Memory -= r.Memory % 1024 // the port reads it in KiB
	}
	return marshalText(t, m)
}

func configText(t *testing.T, content string) string {
	var m config.ModelServerConfig
	if err := textpb.Unmarshal(content, &m); err != nil {
		t.Fatal(err)
	}
	return marshalText(t, &m)
}

func marshalText(t *testing.T, m proto.Message) string {
	out, err := textpb.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
