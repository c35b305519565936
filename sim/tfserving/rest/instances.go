package rest

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/rest/rapidjson"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// rows converts "instances" to tensors. If the signature has one input, the list holds its values.
// Otherwise it holds objects with a member for each input (FillTensorMapFromInstancesList).
type rows struct {
	converter
	inputs  infos
	tensors map[string]*framework.TensorProto
	first   map[string]instance
}

// instance holds the size and shape of an input in the first element of the list. All later
// elements must have the same size and shape.
type instance struct {
	size  int
	shape []int64
}

func (r *rows) fill(elements []rapidjson.Value) error {
	if elements[0].Kind != rapidjson.Object && len(r.inputs) > 1 {
		return invalid("instances is a plain list, but expecting list of objects as multiple " +
			"input tensors required as per tensorinfo_map")
	}
	objects := isPlainObject(&elements[0])
	for i := range elements {
		if err := r.element(&elements[i], i, objects); err != nil {
			return err
		}
	}
	for name, proto := range r.tensors { //lint:ordered every tensor on its own
		proto.Dtype = r.inputs[name].GetDtype()
		proto.TensorShape = tensor.ShapeProto(append([]int64{int64(len(elements))}, r.first[name].shape...))
	}
	return nil
}

func (r *rows) element(element *rapidjson.Value, i int, objects bool) error {
	switch is := isPlainObject(element); {
	case objects && !is:
		return invalid("Expecting object but got list at item %d of input list", i)
	case objects:
		return r.object(element, i)
	case is:
		return invalid("Expecting value/list but got object at item %d of input list", i)
	}
	if err := r.add(element, r.inputs.names()[0]); err != nil {
		return invalid("Failed to process element: %d of 'instances' list. Error: %s", i, r.statusText(err))
	}
	return nil
}

// object adds the members of one list element. If a name occurs twice, object adds both values.
func (r *rows) object(element *rapidjson.Value, i int) error {
	names := make([]string, 0, len(element.Members))
	for m := range element.Members {
		name := cString(element.Members[m].Name)
		names = append(names, name)
		if err := r.add(&element.Members[m].Value, name); err != nil {
			return invalid("Failed to process element: %d key: %s of 'instances' list. Error: %s",
				i, name, r.statusText(err))
		}
	}
	slices.Sort(names)
	if want := r.inputs.names(); !slices.Equal(slices.Compact(names), want) {
		return invalid("Failed to process element: %d of 'instances' list. JSON object: %s keys must be equal to: %s",
			i, r.text(element), strings.Join(want, ","))
	}
	return nil
}

// add appends one value to the tensor of an input, as upstream's AddInstanceItem does.
func (r *rows) add(item *rapidjson.Value, name string) error {
	info, found := r.inputs[name]
	if !found {
		return invalid("JSON object: does not have named input: %s", name)
	}
	proto := r.tensors[name]
	if proto == nil {
		proto = &framework.TensorProto{}
		r.tensors[name] = proto
	}
	shape, err := shapeOf(item)
	if err != nil {
		return err
	}
	filler := filler{converter: r.converter, dtype: info.GetDtype(), shape: shape, proto: proto}
	if err := filler.fill(item, 0); err != nil {
		return err
	}
	first, seen := r.first[name]
	switch {
	case !seen:
		r.first[name] = instance{size: filler.count, shape: shape}
	case first.size != filler.count:
		return invalid("Expecting tensor size: %d but got: %d", first.size, filler.count)
	case !slices.Equal(first.shape, shape):
		return invalid("Expecting shape %s but got: %s", shapeText(first.shape), shapeText(shape))
	}
	return nil
}

// isPlainObject reports whether v is an object of named inputs rather than {"b64": "<text>"}.
func isPlainObject(v *rapidjson.Value) bool {
	return v.Kind == rapidjson.Object && base64Of(v) == nil
}

// cString returns a text up to its first zero byte, as C reads it.
func cString(text string) string {
	text, _, _ = strings.Cut(text, "\x00")
	return text
}
