package agent

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/proto/idl/matrix/proto"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/engine/proto/textpb"
	"github.com/monosim/monosim/engine/pysem"
)

// InstanceFormater reads and writes an Instance, one row for a model, in the forms
// in which people keep them (utils.py:990-1130).
type InstanceFormater struct {
	Instance *matrix.Instance
}

// InstanceFromJSON reads a JSON file (utils.py:1034).
func InstanceFromJSON(e *env.Env, name string) (*InstanceFormater, error) {
	text, err := openText(e.Files, name)
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
	if err := parseDict(value, m.ProtoReflect()); err != nil {
		return nil, err
	}
	return &InstanceFormater{Instance: m}, nil
}

// InstanceFromText reads a text proto file, each line stripped (utils.py:1041).
func InstanceFromText(e *env.Env, name string) (*InstanceFormater, error) {
	text, err := openText(e.Files, name)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = pysem.Strip(lines[i])
	}
	m := &matrix.Instance{}
	if err := textpb.Unmarshal(strings.Join(lines, "\n"), m); err != nil {
		return nil, pysem.Raise("ParseError", "%v", err)
	}
	return &InstanceFormater{Instance: m}, nil
}

// TensorProto repeats the instance, serialized, batchSize times; shape
// [batchSize].
func (f *InstanceFormater) TensorProto(batchSize int) *framework.TensorProto {
	instances := make([][]byte, max(0, batchSize))
	data := serialize(f.Instance)
	for i := range instances {
		instances[i] = data
	}
	return MakeTensorProto(instances)
}

// String is the text proto.
func (f *InstanceFormater) String() string {
	text, err := textpb.Marshal(f.Instance)
	if err != nil {
		panic(err) // only a malformed Any fails, and an Instance has none
	}
	return text
}

// ToPB writes the serialized instance to a file, a temporary one for None, and
// answers its path (utils.py:1005).
func (f *InstanceFormater) ToPB(e *env.Env, name OptString) (string, error) {
	return writeNamed(e, name, serialize(f.Instance))
}

// ToJSON writes JSON to a temporary file and answers its path (utils.py:1016).
// With a name it fails, for the reference opens that file to read it (Q168).
func (f *InstanceFormater) ToJSON(e *env.Env, name OptString, quirks Quirks) (string, error) {
	return writeText(e, name, pysem.AppendJSONIndent(nil, messageDict(f.Instance.ProtoReflect()), 2), quirks)
}

// ToText writes the text proto as ToJSON writes JSON (utils.py:1025).
func (f *InstanceFormater) ToText(e *env.Env, name OptString, quirks Quirks) (string, error) {
	return writeText(e, name, []byte(f.String()), quirks)
}

func writeText(e *env.Env, name OptString, content []byte, quirks Quirks) (string, error) {
	if name.Set && quirks.Keeps(Q168) {
		if _, err := openFile(e.Files, name.V); err != nil {
			return "", err
		}
		return "", pysem.Raise("UnsupportedOperation", "not writable")
	}
	return writeNamed(e, name, content)
}

func writeNamed(e *env.Env, name OptString, content []byte) (string, error) {
	if !name.Set {
		name = pysem.Some(e.Files.TempFile())
	}
	if err := e.Files.WriteFile(name.V, content); err != nil {
		return "", osError(err, name.V)
	}
	return name.V, nil
}

// parseInstance reads a serialized instance and answers it serialized anew, so
// that its fields are in order.
func parseInstance(data []byte) ([]byte, error) {
	m := &matrix.Instance{}
	if err := proto.Unmarshal(data, m); err != nil {
		return nil, decodeError("parser.proto.Instance")
	}
	return serialize(m), nil
}
