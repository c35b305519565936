package textformat_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/textformat"
)

var vectors = flag.String("vectors", "testdata/python.jsonl", "what record.py printed")

// recorded is a line that record.py has printed. The first line has the descriptors. Each other
// line has a text, and the message or error that Python made from it.
type recorded struct {
	Descriptors   string
	Message, Text string
	Merge         bool
	Hex           *string
	Error         string
}

// Goal: reading a text gives the same message as in Python, byte for byte, or the same error, word
// for word.
func TestTextsReadAsPythonReadsThem(t *testing.T) {
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
			t.Errorf("line %d: %s, merge %v\n%q\n got %s\nwant %s", n+1, r.Message, r.Merge, r.Text, got, want)
		}
	}
	if n < 1000 || lines.Err() != nil {
		t.Errorf("%s: found %d texts (%v), want a thousand at least", *vectors, n, lines.Err())
	}
}

// register registers the message types of the texts globally, because the content of an Any is
// looked up by its name.
func register(t *testing.T, descriptors string) map[string]protoreflect.MessageType {
	t.Helper()
	var set descriptorpb.FileDescriptorSet
	data, err := hex.DecodeString(descriptors)
	if err = errors.Join(err, proto.Unmarshal(data, &set)); err != nil {
		t.Fatal(err)
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

// want returns the expected result of [recorded.read]. Go and Python write fields in different
// orders, so Python's bytes are decoded and encoded again.
func (r recorded) want(t *testing.T, of protoreflect.MessageType) string {
	if r.Hex == nil {
		return r.Error
	}
	m := of.New().Interface()
	data, err := hex.DecodeString(*r.Hex)
	if err = errors.Join(err, proto.Unmarshal(data, m)); err != nil {
		t.Fatal(err)
	}
	return deterministic(m)
}

// deterministic encodes a message, and the content of each Any in it, in a fixed order.
func deterministic(m proto.Message) string {
	err := protorange.Range(m.ProtoReflect(), func(values protopath.Values) error {
		content, ok := values.Index(-1).Value.Interface().(protoreflect.Message)
		if !ok || content.Descriptor().FullName() != "google.protobuf.Any" {
			return nil
		}
		value := content.Descriptor().Fields().ByName("value")
		inside, err := protoregistry.GlobalTypes.FindMessageByURL(content.Get(content.Descriptor().Fields().ByName("type_url")).String())
		if err != nil {
			return nil
		}
		read := inside.New().Interface()
		if err := proto.Unmarshal(content.Get(value).Bytes(), read); err != nil {
			return err
		}
		data, err := hex.DecodeString(deterministic(read))
		content.Set(value, protoreflect.ValueOfBytes(data))
		return err
	})
	data, failed := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	if err = errors.Join(err, failed); err != nil {
		return err.Error()
	}
	return hex.EncodeToString(data)
}

// read reads the text, and returns the bytes of the message or the text of the error.
func (r recorded) read(of protoreflect.MessageType) string {
	m, read := of.New().Interface(), textformat.Parse
	if r.Merge {
		read = textformat.Merge
	}
	if err := read(r.Text, m); err != nil {
		return err.Error()
	}
	return deterministic(m)
}

func TestAFieldThatIsHiddenIsUnknown(t *testing.T) {
	m := &descriptorpb.FieldDescriptorProto{}
	hides := textformat.Parser{Hides: func(f protoreflect.FieldDescriptor) bool { return f.Name() == "name" }}
	if err := hides.Parse(`number: 1`, m); err != nil {
		t.Fatal(err)
	}
	const want = `1:1 : Message type "google.protobuf.FieldDescriptorProto" has no field named "name".`
	if err := hides.Parse(`name: "a"`, m); !errors.Is(err, pysem.Raise("ParseError", want)) {
		t.Errorf("got %v, want %s", err, want)
	}
}
