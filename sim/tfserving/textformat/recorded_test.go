package textformat_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	configpb "github.com/monosim/monosim/engine/proto/tensorflow_serving/config"
	"github.com/monosim/monosim/sim/tfserving/textformat"
)

var vectors = flag.String("vectors", "testdata/protoc.jsonl", "what record.py printed")

// recorded is a line of the output of record.py. The first line has the descriptors. Each other
// line has a text, and protoc's result for it.
type recorded struct {
	Descriptors   string
	Message, Text string
	Hex           *string
	Errors        []string
}

// Goal: a text gives exactly the message that C++ makes of it, or exactly the same errors.
func TestTextsReadAsProtocReadsThem(t *testing.T) {
	file, err := os.Open(*vectors)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, types, n := bufio.NewScanner(file), map[string]protoreflect.MessageType{}, 0
	lines.Buffer(nil, 1<<24)
	for ; lines.Scan(); n++ {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s, line %d: %v", *vectors, n+1, err)
		}
		if n == 0 {
			types = register(t, r.Descriptors)
			continue
		}
		if got, want := r.read(types[r.Message]), r.want(t, types[r.Message]); got != want {
			t.Errorf("line %d: %s\n%q\n got %s\nwant %s", n+1, r.Message, r.Text, got, want)
		}
	}
	if n < 1000 || lines.Err() != nil {
		t.Errorf("%s: found %d texts (%v), want a thousand at least", *vectors, n, lines.Err())
	}
}

// register registers the messages of the recorded texts globally, because the content of an Any is
// looked up by name. It declares strings as bytes: C++ reads both alike, and Go cannot encode a
// string that is not UTF-8.
func register(t *testing.T, descriptors string) map[string]protoreflect.MessageType {
	t.Helper()
	var set descriptorpb.FileDescriptorSet
	data, err := hex.DecodeString(descriptors)
	if err = errors.Join(err, proto.Unmarshal(data, &set)); err != nil {
		t.Fatal(err)
	}
	for _, file := range set.GetFile() {
		if file.GetName() != "google/protobuf/any.proto" {
			for _, m := range file.GetMessageType() {
				stringsToBytes(m)
			}
		}
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]protoreflect.MessageType{}
	files.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		if m := file.Messages().ByName("Kinds"); m != nil {
			types[string(m.FullName())] = dynamicpb.NewMessageType(m)
			if err := protoregistry.GlobalTypes.RegisterMessage(types[string(m.FullName())]); err != nil {
				t.Fatal(err)
			}
		}
		return true
	})
	return types
}

func stringsToBytes(m *descriptorpb.DescriptorProto) {
	for _, f := range m.GetField() {
		isKey := m.GetOptions().GetMapEntry() && f.GetName() == "key"
		if f.GetType() == descriptorpb.FieldDescriptorProto_TYPE_STRING && !isKey {
			f.Type = descriptorpb.FieldDescriptorProto_TYPE_BYTES.Enum()
		}
	}
	for _, inner := range m.GetNestedType() {
		stringsToBytes(inner)
	}
}

const notUTF8 = "a key that is not UTF-8, which Go does not write"

func (r recorded) want(t *testing.T, of protoreflect.MessageType) string {
	if r.Hex == nil {
		// protoc writes the bytes of the text unchanged. record.py turns each byte into a
		// character.
		return asLatin1(strings.Join(r.Errors, "; "))
	}
	data, err := hex.DecodeString(*r.Hex)
	if err != nil {
		t.Fatal(err)
	}
	m := of.New().Interface()
	if err := proto.Unmarshal(data, m); err != nil {
		return notUTF8
	}
	return deterministic(m)
}

func asLatin1(text string) string {
	var b []byte
	for _, r := range text {
		b = append(b, byte(r))
	}
	return string(b)
}

func deterministic(m proto.Message) string {
	data, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	if err != nil {
		return notUTF8
	}
	return hex.EncodeToString(data)
}

func (r recorded) read(of protoreflect.MessageType) string {
	m := of.New().Interface()
	err := textformat.Unmarshal(r.Text, m)
	if found := (*textformat.Error)(nil); errors.As(err, &found) {
		return strings.Join(found.Found, "; ")
	}
	return deterministic(m)
}

func TestUnmarshalKnownSkipsWhatAMessageHasNot(t *testing.T) {
	for _, text := range []string{
		`name: "m" later { x: 1 }`, `later: [1, "a" 'b', { y: -inf; }] name: "m"`, `[a.b]: 1 name: "m"`, `7: 1 name: "m"`,
		`later < [a.b/c.d] { 1: 2 }; [e] { } > name: "m"`, `later { [a/b.c/d.e] { } } name: "m"`,
	} {
		got := &configpb.ModelConfig{}
		if err := textformat.UnmarshalKnown(text, got); err != nil || got.GetName() != "m" {
			t.Errorf("%s: got name %q (%v), want m", text, got.GetName(), err)
		}
		if err := textformat.Unmarshal(text, got); err == nil {
			t.Errorf("%s: got no error from Unmarshal, want one", text)
		}
	}
}

// Goal: what goes wrong where something is skipped, or after an error, is what C++ says. Method:
// texts and the answers of libprotobuf 3.21.12 (TextFormat::Parser, with AllowUnknownField), which
// agrees on twenty thousand more that were drawn.
func TestErrorsOfWhatIsSkipped(t *testing.T) {
	for _, c := range []struct {
		text, want string
		to         proto.Message
	}{
		{`later: []`, `1:9: Cannot skip field value, unexpected token: ]`, &configpb.ModelConfig{}},
		{`later { [a/.b] { } }`, `1:12: Expected identifier, got: .`, &configpb.ModelConfig{}},
		{"value: 1e+\nvalue: 2", `1:11: "e" must be followed by exponent.; 2:6: Non-repeated field "value" is specified multiple times.`, &wrapperspb.DoubleValue{}},
	} {
		err := textformat.UnmarshalKnown(c.text, c.to)
		if found := (*textformat.Error)(nil); !errors.As(err, &found) || strings.Join(found.Found, "; ") != c.want {
			t.Errorf("%s: got error %v, want %s", c.text, err, c.want)
		}
	}
}

func TestAnErrorNamesTheMessageAndThePlace(t *testing.T) {
	err := textformat.Unmarshal("model_config_list {\n  config { nmae: \"m\" }\n}\n", &configpb.ModelServerConfig{})
	const want = `text of tensorflow.serving.ModelServerConfig: 2:16: Message type "tensorflow.serving.ModelConfig" has no field named "nmae".`
	if err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}
