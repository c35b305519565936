package clients

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	matrix "github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/jsonformat"
	"github.com/monosim/monosim/engine/pysem/pyos"
	"github.com/monosim/monosim/engine/pysem/textformat"
	"github.com/monosim/monosim/engine/quirks"
)

// InstanceFormater reads and writes an Instance, one row of input for a model, in several file
// formats (utils.py:990-1130).
type InstanceFormater struct {
	Instance *matrix.Instance
}

// InstanceFromJSON reads an instance from a JSON file (utils.py:1034). Text that is not JSON is a
// JSONDecodeError. JSON that is not an Instance is a ParseError.
func InstanceFromJSON(e *env.Env, name string) (*InstanceFormater, error) {
	text, err := pyos.ReadText(e.Files, name)
	if err != nil {
		return nil, err
	}
	value, err := pysem.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	return instanceOf(value)
}

func instanceOf(value any) (*InstanceFormater, error) {
	m := &matrix.Instance{}
	if err := jsonformat.ParseDict(value, m.ProtoReflect()); err != nil {
		return nil, err
	}
	return &InstanceFormater{Instance: m}, nil
}

// InstanceFromText reads an instance from a text proto file, and strips each line first
// (utils.py:1041). Text that is not an Instance is a ParseError.
func InstanceFromText(e *env.Env, name string) (*InstanceFormater, error) {
	text, err := pyos.ReadText(e.Files, name)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = pysem.Strip(lines[i])
	}
	m := &matrix.Instance{}
	if err := textformat.Parse(strings.Join(lines, "\n"), m); err != nil {
		return nil, err
	}
	return &InstanceFormater{Instance: m}, nil
}

// TensorProto returns a tensor that holds the serialized instance batchSize times, shape
// [batchSize].
func (f *InstanceFormater) TensorProto(batchSize int) *framework.TensorProto {
	instances := make([][]byte, max(0, batchSize))
	data := serialize(f.Instance)
	for i := range instances {
		instances[i] = data
	}
	return MakeTensorProto(instances)
}

// String formats the instance as a text proto.
func (f *InstanceFormater) String() string {
	text, err := textpb.Marshal(f.Instance)
	if err != nil {
		panic(err) // cannot happen: only a malformed Any fails, and an Instance has no Any
	}
	return text
}

// ToPB writes the serialized instance to a file and returns its path (utils.py:1005). If name is
// None, it makes a temporary file. Errors are those of writing the file.
func (f *InstanceFormater) ToPB(e *env.Env, name pysem.OptString) (string, error) {
	return writeNamed(e, name, serialize(f.Instance))
}

// ToJSON writes the instance as JSON to a temporary file and returns its path (utils.py:1016). If a
// name is given, it fails, because the reference opens that file for reading: UnsupportedOperation,
// or FileNotFoundError (Q168). With that repaired, it writes to the named file.
func (f *InstanceFormater) ToJSON(e *env.Env, name pysem.OptString, keep quirks.Set) (string, error) {
	return writeText(e, name, pysem.AppendJSONIndent(nil, jsonformat.MessageDict(f.Instance.ProtoReflect()), 2), keep)
}

// ToText writes the instance as a text proto, with the same rules for name as ToJSON
// (utils.py:1025).
func (f *InstanceFormater) ToText(e *env.Env, name pysem.OptString, keep quirks.Set) (string, error) {
	return writeText(e, name, []byte(f.String()), keep)
}

func writeText(e *env.Env, name pysem.OptString, content []byte, keep quirks.Set) (string, error) {
	if name.Set && keep.Keeps(quirks.Q168) {
		if _, err := pyos.ReadFile(e.Files, name.V); err != nil {
			return "", err
		}
		return "", pysem.Raise("UnsupportedOperation", "not writable")
	}
	return writeNamed(e, name, content)
}

func writeNamed(e *env.Env, name pysem.OptString, content []byte) (string, error) {
	if !name.Set {
		name = pysem.Some(e.Files.TempFile())
	}
	if err := e.Files.WriteFile(name.V, content); err != nil {
		return "", pyos.Error(err, name.V)
	}
	return name.V, nil
}

// parseInstance parses a serialized instance and serializes it again, so that its fields are in
// order.
func parseInstance(data []byte) ([]byte, error) {
	m := &matrix.Instance{}
	if err := proto.Unmarshal(data, m); err != nil {
		return nil, decodeError("parser.proto.Instance")
	}
	return serialize(m), nil
}
