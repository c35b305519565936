package rest

import (
	"math"

	tfexample "github.com/monosim/monosim/engine/proto/tensorflow/core/example"
	"github.com/monosim/monosim/engine/proto/tensorflow_serving/apis"
	"github.com/monosim/monosim/sim/tfserving/rest/rapidjson"
)

// examples converts the body of a classify or regress request, as upstream's
// FillClassifyRegressRequestFromJson does. It stores the signature's name in spec.
func (c converter) examples(body []byte, spec *apis.ModelSpec) (*apis.Input, error) {
	document, err := c.parse(body)
	if err != nil {
		return nil, err
	}
	if err := c.signature(document, spec); err != nil {
		return nil, err
	}
	var context *tfexample.Example
	if value := document.Find("context"); value != nil {
		if context, err = c.example(value); err != nil {
			return nil, err
		}
	}
	list, err := c.exampleList(document)
	if err != nil {
		return nil, err
	}
	if context == nil {
		return &apis.Input{Kind: &apis.Input_ExampleList{ExampleList: &apis.ExampleList{Examples: list}}}, nil
	}
	return &apis.Input{Kind: &apis.Input_ExampleListWithContext{
		ExampleListWithContext: &apis.ExampleListWithContext{Examples: list, Context: context},
	}}, nil
}

func (c converter) exampleList(document *rapidjson.Value) ([]*tfexample.Example, error) {
	values := document.Find("examples")
	switch {
	case values == nil: // upstream's text names classify even for a regress request
		return nil, c.formatError(document, "When method is classify, key 'examples' is expected and was not found")
	case values.Kind != rapidjson.Array:
		return nil, c.formatError(document, "Expecting 'examples' value to be an list/array")
	case len(values.List) == 0:
		return nil, c.formatError(document, "'examples' value is an empty array")
	}
	list := make([]*tfexample.Example, len(values.List))
	for i := range values.List {
		example, err := c.example(&values.List[i])
		if err != nil {
			return nil, err
		}
		list[i] = example
	}
	return list, nil
}

// example converts a JSON object to an Example, as upstream's MakeExampleFromJsonObject does. If
// features have the same name, the last one counts.
func (c converter) example(value *rapidjson.Value) (*tfexample.Example, error) {
	if value.Kind != rapidjson.Object {
		return nil, invalid("Example must be JSON object but got JSON %s", value.Kind)
	}
	if len(value.Members) == 0 {
		return &tfexample.Example{}, nil
	}
	features := make(map[string]*tfexample.Feature, len(value.Members))
	for i := range value.Members {
		name := cString(value.Members[i].Name)
		feature, err := c.feature(name, &value.Members[i].Value)
		if err != nil {
			return nil, err
		}
		features[name] = feature
	}
	return &tfexample.Example{Features: &tfexample.Features{Feature: features}}, nil
}

func (c converter) feature(name string, value *rapidjson.Value) (*tfexample.Feature, error) {
	f := feature{converter: c, name: name, proto: &tfexample.Feature{}}
	if value.Kind != rapidjson.Array {
		return f.proto, f.add(value)
	}
	for i := range value.List {
		if err := f.add(&value.List[i]); err != nil {
			return nil, err
		}
	}
	return f.proto, nil
}

// feature collects the values of one feature. All values must have the kind of the first value.
type feature struct {
	converter
	name  string
	proto *tfexample.Feature
}

// add appends one JSON value, as upstream's AddValueToFeature does.
func (f *feature) add(value *rapidjson.Value) error {
	switch value.Kind {
	case rapidjson.True:
		return f.integer(1)
	case rapidjson.False:
		return f.integer(0)
	case rapidjson.String:
		return f.bytes([]byte(value.Text))
	case rapidjson.Number:
		return f.number(value)
	}
	text := base64Of(value)
	if text == nil {
		return invalid("Feature: %s has element with unexpected JSON type: %s", f.name, value.Kind)
	}
	decoded, ok := unescapeBase64(*text)
	if err := f.bytes(decoded); err != nil {
		return err
	}
	if !ok {
		return invalid("Unable to base64 decode")
	}
	return nil
}

// number adds a float if the JSON number has a fraction or an exponent, else an integer.
func (f *feature) number(value *rapidjson.Value) error {
	if value.IsReal() {
		if f.old && f.kindIs(floatKind) && !lossless(value, 24, math.MaxFloat32) {
			return f.lossyError(value, "float")
		}
		return f.float(float32(value.Float()))
	}
	if f.kindIs(int64Kind) {
		if _, fits := value.Int64(); !fits {
			return f.tooLarge()
		}
	}
	number, _ := value.Int64()
	return f.integer(number)
}

func (f *feature) tooLarge() error {
	if f.old {
		return invalid("Feature: %s has uint64 element. Only int64 is supported.", f.name)
	}
	return invalid("Feature: %s has uint64_t element. Only int64_t is supported.", f.name)
}

// These are the kinds of a feature, as upstream's errors name them.
const (
	bytesKind = "bytes"
	floatKind = "float"
	int64Kind = "int64"
)

// kindIs reports whether the feature has this kind, or has no kind yet.
func (f *feature) kindIs(kind string) bool { return f.proto.Kind == nil || f.kind() == kind }

func (f *feature) kind() string {
	switch f.proto.Kind.(type) {
	case *tfexample.Feature_BytesList:
		return bytesKind
	case *tfexample.Feature_FloatList:
		return floatKind
	}
	return int64Kind
}

func (f *feature) incompatible() error {
	return invalid("Unexpected element type in feature: %s expecting type: %s", f.name, f.kind())
}

func (f *feature) bytes(value []byte) error {
	if !f.kindIs(bytesKind) {
		return f.incompatible()
	}
	if f.proto.Kind == nil {
		f.proto.Kind = &tfexample.Feature_BytesList{BytesList: &tfexample.BytesList{}}
	}
	list := f.proto.GetBytesList()
	list.Value = append(list.Value, value)
	return nil
}

func (f *feature) float(value float32) error {
	if !f.kindIs(floatKind) {
		return f.incompatible()
	}
	if f.proto.Kind == nil {
		f.proto.Kind = &tfexample.Feature_FloatList{FloatList: &tfexample.FloatList{}}
	}
	list := f.proto.GetFloatList()
	list.Value = append(list.Value, value)
	return nil
}

func (f *feature) integer(value int64) error {
	if !f.kindIs(int64Kind) {
		return f.incompatible()
	}
	if f.proto.Kind == nil {
		f.proto.Kind = &tfexample.Feature_Int64List{Int64List: &tfexample.Int64List{}}
	}
	list := f.proto.GetInt64List()
	list.Value = append(list.Value, value)
	return nil
}
