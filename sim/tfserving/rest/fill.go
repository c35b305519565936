package rest

import (
	"math"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/proto/tensorflow/core/framework"
	"github.com/monosim/monosim/sim/tfserving/rest/rapidjson"
	"github.com/monosim/monosim/sim/tfserving/tensor"
)

// shapeOf returns the shape of nested lists. It takes the length of the first list at each level,
// as upstream's GetDenseTensorShape does.
func shapeOf(value *rapidjson.Value) ([]int64, error) {
	var shape []int64
	for value.Kind == rapidjson.Array {
		shape = append(shape, int64(len(value.List)))
		if len(shape) > MaxDepth {
			return nil, invalid("list has more than %d levels", MaxDepth)
		}
		if len(value.List) == 0 {
			break
		}
		value = &value.List[0]
	}
	return shape, nil
}

// shapeText formats a shape as upstream's ShapeToString does, such as [3,2].
func shapeText(shape []int64) string {
	sizes := make([]string, len(shape))
	for i, size := range shape {
		sizes[i] = strconv.FormatInt(size, 10)
	}
	return "[" + strings.Join(sizes, ",") + "]"
}

// filler appends JSON values to a tensor, as upstream's FillTensorProto does.
type filler struct {
	converter
	dtype framework.DataType
	shape []int64
	proto *framework.TensorProto
	count int
}

func (f *filler) fill(value *rapidjson.Value, level int) error {
	rank := len(f.shape)
	switch {
	case value.Kind != rapidjson.Array && level != rank:
		return invalid("JSON Value: %s found at incorrect level: %d in the JSON DOM. Expected at level: %d",
			f.text(value), level+1, rank)
	case value.Kind != rapidjson.Array:
		return f.leaf(value)
	case level >= rank:
		return invalid("Encountered list at unexpected level: %d expected < %d", level, rank)
	case int64(len(value.List)) != f.shape[level]:
		return invalid("Encountered list at unexpected size: %d at level: %d expected size: %d",
			len(value.List), level, f.shape[level])
	}
	for i := range value.List {
		if err := f.fill(&value.List[i], level+1); err != nil {
			return err
		}
	}
	return nil
}

func (f *filler) leaf(value *rapidjson.Value) (err error) {
	switch {
	case value.Kind != rapidjson.Object:
		err = f.scalar(value)
	case f.dtype == framework.DataType_DT_STRING:
		err = f.binary(value)
	default:
		err = f.typeError(value)
	}
	if err == nil {
		f.count++
	}
	return err
}

func (f *filler) binary(value *rapidjson.Value) error {
	text := base64Of(value)
	if text == nil {
		return f.formatError(value, "not formatted correctly for base64 data")
	}
	decoded, ok := unescapeBase64(*text)
	if !ok {
		return invalid("Unable to base64 decode")
	}
	f.proto.StringVal = append(f.proto.StringVal, decoded)
	return nil
}

// scalar appends one value, as upstream's AddValueToTensor does. An integer type accepts only
// numbers that are written as integers and that RapidJSON finds in range. For types of 8 and 16
// bits RapidJSON checks the range of 32 bits.
func (f *filler) scalar(value *rapidjson.Value) error {
	switch f.dtype {
	case framework.DataType_DT_FLOAT, framework.DataType_DT_DOUBLE:
		return f.real(value)
	case framework.DataType_DT_INT32, framework.DataType_DT_INT16,
		framework.DataType_DT_INT8, framework.DataType_DT_UINT8:
		return appendIf(f, &f.proto.IntVal, value, value.Int32)
	case framework.DataType_DT_INT64:
		return appendIf(f, &f.proto.Int64Val, value, value.Int64)
	case framework.DataType_DT_UINT32:
		return appendIf(f, &f.proto.Uint32Val, value, value.Uint32)
	case framework.DataType_DT_UINT64:
		return appendIf(f, &f.proto.Uint64Val, value, value.Uint64)
	case framework.DataType_DT_STRING:
		return appendIf(f, &f.proto.StringVal, value, func() ([]byte, bool) {
			return []byte(value.Text), value.Kind == rapidjson.String
		})
	case framework.DataType_DT_BOOL:
		return appendIf(f, &f.proto.BoolVal, value, func() (bool, bool) {
			return value.Kind == rapidjson.True, value.Kind == rapidjson.True || value.Kind == rapidjson.False
		})
	}
	return &env.RPCError{Code: rpcerrors.Unimplemented, Message: "Conversion of JSON Value: " + f.text(value) +
		" to type: " + tensor.DTypeName(f.dtype)}
}

func appendIf[T any](f *filler, list *[]T, value *rapidjson.Value, get func() (T, bool)) error {
	element, ok := get()
	if !ok {
		return f.typeError(value)
	}
	*list = append(*list, element)
	return nil
}

// real appends a value of a float type. tfs-2.4 refuses numbers that would lose precision.
func (f *filler) real(value *rapidjson.Value) error {
	if value.Kind != rapidjson.Number {
		return f.typeError(value)
	}
	if f.dtype == framework.DataType_DT_DOUBLE {
		if f.old && !lossless(value, 53, math.MaxFloat64) {
			return f.lossyError(value, "double")
		}
		f.proto.DoubleVal = append(f.proto.DoubleVal, value.Float())
		return nil
	}
	if f.old && !lossless(value, 24, math.MaxFloat32) {
		return f.lossyError(value, "float")
	}
	f.proto.FloatVal = append(f.proto.FloatVal, float32(value.Float()))
	return nil
}

// lossless reports whether the number keeps its value as a float, as IsLosslessDecimal of 2.4.0
// does. It is true for integers below 2^digits, reals in range, infinities and NaN. It is also true
// for the smallest int64, because in C++ its absolute value is itself.
func lossless(value *rapidjson.Value, digits int, limit float64) bool {
	largest := int64(1)<<digits - 1
	if number, ok := value.Uint64(); ok {
		return number <= uint64(largest)
	}
	if number, ok := value.Int64(); ok {
		return number == math.MinInt64 || -number <= largest
	}
	number := math.Abs(value.Float())
	return math.IsInf(number, 0) || math.IsNaN(number) || number <= limit
}

func (c converter) lossyError(value *rapidjson.Value, target string) error {
	return invalid("Cannot convert JSON value: %s to %s without loss of precision.", c.text(value), target)
}

func (f *filler) typeError(value *rapidjson.Value) error {
	return invalid("JSON Value: %s Type: %s is not of expected type: %s",
		f.text(value), value.Kind, tensor.DTypeName(f.dtype))
}

// formatError returns an error about a JSON value, as upstream's FormatError, FormatSignatureError
// and Base64FormatError do.
func (c converter) formatError(value *rapidjson.Value, words string) error {
	return invalid("JSON Value: %s %s", c.text(value), words)
}

// maxTextBytes is upstream's kMaxJsonDebugStringBytes: the method [converter.text] cuts off a value
// after that many bytes.
const maxTextBytes = 256

// text formats a value for an error message. tfs-head (JsonValueToDebugString) writes arrays on one
// line and cuts off long values. tfs-2.4 (JsonValueToString) prints everything. Both stop at NaN
// and infinities, except that tfs-2.4 prints these if they are the whole value.
func (c converter) text(value *rapidjson.Value) string {
	w := rapidjson.NewWriter()
	switch {
	case !c.old:
		w.SingleLineArrays(true)
		w.Accept(value, maxTextBytes)
	case value.IsReal():
		w.Raw(oldRealText(value.Float()))
	default:
		w.Accept(value, 0)
	}
	return string(w.Bytes())
}

// oldRealText formats a real for tfs-2.4. A number in the range of a float is formatted as a float.
func oldRealText(number float64) string {
	if math.Abs(number) <= 3.4028234e38 {
		return decimal(float64(float32(number)), 32)
	}
	return decimal(number, 64)
}
