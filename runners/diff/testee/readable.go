package testee

import (
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	// These packages register the protobuf messages that answers may hold.
	"github.com/monosim/monosim/engine/lists"
	_ "github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	_ "github.com/monosim/monosim/engine/proto/monolith/agent_service"
	_ "github.com/monosim/monosim/engine/proto/monolith/io/proto"
	_ "github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	_ "github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	_ "github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	_ "github.com/monosim/monosim/engine/proto/tensorflow_serving/util"
	"github.com/monosim/monosim/engine/pysem"
)

// Readable formats the answer as JSON for people. Bytes become text if possible, floats become
// numbers, and sets become lists. Messages have protobuf's JSON form with the proto's field names.
// A Raised answer is {"e": {"type", "message"}}.
func (a Answer) Readable() []byte {
	if a.Kind != Returned {
		d := &pysem.Dict{}
		a.set(d)
		if failure, ok := d.Get("error"); ok {
			d = &pysem.Dict{}
			d.Set("e", failure)
		}
		return pysem.AppendJSON(nil, d)
	}
	return pysem.AppendJSON(nil, readable(a.Out))
}

func readable(v any) any {
	switch v := v.(type) {
	case []any:
		return lists.Map(v, readable)
	case *pysem.Dict:
		if plain, ok := readableSpecial(v); ok {
			return plain
		}
		d := &pysem.Dict{}
		for _, item := range v.Items {
			d.Set(item.Key, readable(item.Value))
		}
		return d
	}
	return v
}

// readableSpecial converts an object that stands for another value, such as {"$hex"} for bytes. ok
// is false for any other object.
func readableSpecial(d *pysem.Dict) (any, bool) {
	if digits, ok := TextOf(d, "$hex"); ok {
		data, err := hex.DecodeString(digits)
		return string(data), err == nil && utf8.Valid(data)
	}
	if text, ok := TextOf(d, "$f64"); ok && json.Valid([]byte(text)) {
		f, err := pysem.ParseFloat(text)
		return f, err == nil
	}
	if list, ok := d.Get("$set"); ok {
		return readable(list), true
	}
	if name, ok := TextOf(d, "$pb"); ok {
		digits, _ := TextOf(d, "hex")
		return readableMessage(name, digits)
	}
	return nil, false
}

func readableMessage(name, digits string) (any, bool) {
	data, err := hex.DecodeString(digits)
	m, ok := NewMessage(name)
	if err != nil || !ok || proto.Unmarshal(data, m) != nil {
		return nil, false
	}
	text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(m)
	if err != nil {
		return nil, false
	}
	v, err := pysem.ParseJSON(string(text))
	return v, err == nil
}

// NewMessage makes an empty message from its full name, such as "tensorflow.serving.ModelSpec". ok
// is false if engine/proto has no such message.
func NewMessage(name string) (proto.Message, bool) {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(name))
	if err != nil {
		return nil, false
	}
	return kind.New().Interface(), true
}
